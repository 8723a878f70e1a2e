"""Completes the OpenAPI description of the API with facts that FastAPI does not express.

Errors are problem+json, a key needs a scope, and names that many schemas share are described once
(api.schemas.glossary).
"""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from api.http.roles import role_needed
from api.http.security import Access
from api.schemas.glossary import FIELDS, PARAMETERS, TAGS
from api.schemas.problem import MEDIA_TYPE
from domain.keys import Scope

SERVERS = [{"url": "/", "description": "The server that this description comes from."}]
TAG_DESCRIPTIONS: list[dict[str, Any]] = [{"name": name, "description": text} for name, text in TAGS.items()]

_Json = dict[str, Any]


def operation_id(route: APIRoute) -> str:
    return route.name


def complete(app: FastAPI, needs: Mapping[str, Access]) -> None:
    described = app.openapi

    def openapi() -> _Json:
        if app.openapi_schema is None:
            _complete(described(), needs)
        return described()

    app.openapi = openapi


def _complete(schema: _Json, needs: Mapping[str, Access]) -> None:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            operation["summary"] = operation["operationId"].replace("_", " ").capitalize()
            _describe_operation(operation)
            if path in needs:
                scope = needs[path].needed(method.upper()).value
                operation["security"] = [{name: [scope] for name in schemes} for schemes in operation["security"]]
                role = role_needed(operation["operationId"], Scope(scope)).value
                operation["description"] += f"\n\nA key needs the scope `{scope}`, a person the role `{role}`."
    for model, definition in schema["components"]["schemas"].items():
        for name, field in definition.get("properties", {}).items():
            if text := FIELDS.get(f"{model}.{name}") or FIELDS.get(name):
                field.setdefault("description", text)


def _describe_operation(operation: _Json) -> None:
    for status, response in operation["responses"].items():
        if status[0] in "45":
            response["content"] = {MEDIA_TYPE: next(iter(response["content"].values()))}
    for parameter in operation.get("parameters", ()):
        if text := PARAMETERS.get(parameter["name"]):
            parameter.setdefault("description", text)
