"""Completes OpenAPI's description of the API with what FastAPI does not express.

Errors are problem+json, a key needs a scope, and what many schemas share is described once (api.schemas.glossary).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

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
            _describe_problems(operation)
            _describe_parameters(operation)
            if path in needs:
                _describe_scope(operation, needs[path].needed(method.upper()))
    for name, properties in _models(schema["components"]["schemas"]):
        _describe_fields(name, properties)


def _describe_problems(operation: _Json) -> None:
    for status, response in operation["responses"].items():
        if status[0] in "45":
            response["content"] = {MEDIA_TYPE: next(iter(response["content"].values()))}


def _describe_scope(operation: _Json, scope: Scope) -> None:
    operation["security"] = [{name: [scope.value] for name in schemes} for schemes in operation["security"]]
    operation["description"] += f"\n\nA key needs the scope `{scope.value}`."


def _describe_parameters(operation: _Json) -> None:
    for parameter in operation.get("parameters", ()):
        if text := PARAMETERS.get(parameter["name"]):
            parameter.setdefault("description", text)


def _models(schemas: _Json) -> Iterator[tuple[str, _Json]]:
    for name, schema in schemas.items():
        if "properties" in schema:
            yield name, schema["properties"]


def _describe_fields(model: str, properties: _Json) -> None:
    for name, field in properties.items():
        if text := FIELDS.get(f"{model}.{name}") or FIELDS.get(name):
            field.setdefault("description", text)
