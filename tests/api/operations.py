"""Lists every operation of the API from its own description, so that new ones are tested automatically."""

from functools import cache
from typing import Any, NamedTuple

import httpx

from api.app import create_app


class Operation(NamedTuple):
    """`path` has its parameters in braces; `scope` is that of OpenAPI, None if none is needed."""

    method: str
    path: str
    scope: str | None
    parameters: tuple[str, ...]

    def call(
        self, http: httpx.Client, ids: dict[str, str], headers: dict[str, str], body: dict[str, Any] | None = None
    ) -> httpx.Response:
        """Send the request; an operation with a body gets an empty object by default."""
        sent = (body or {}) if self.method in ("POST", "PUT", "PATCH") else None
        return http.request(self.method, self.path.format_map(ids), headers=headers, json=sent)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@cache
def description() -> dict[str, Any]:
    """The API's description, which takes most of a second to make; not to be changed."""
    return create_app().openapi()


def operations() -> list[Operation]:
    """Operations that change nothing come first."""
    found = [
        Operation(method.upper(), path, _scope(told), _in_path(told))
        for path, methods in description()["paths"].items()
        for method, told in methods.items()
    ]
    return sorted(found, key=lambda operation: operation.method != "GET")


def _scope(told: dict[str, Any]) -> str | None:
    if "security" not in told:
        return None
    assert [list(scheme) for scheme in told["security"]] == [["bearer"], ["header"]]
    ((scope,),) = {tuple(scopes) for scheme in told["security"] for scopes in scheme.values()}
    return scope


def _in_path(told: dict[str, Any]) -> tuple[str, ...]:
    return tuple(parameter["name"] for parameter in told.get("parameters", ()) if parameter["in"] == "path")
