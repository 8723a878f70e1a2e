"""The methods of an address, over all routes of its path: responses with 405 and to OPTIONS name them in `Allow` (RFC
9110)."""

from collections.abc import Iterable, Sequence

from fastapi import Request, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope


class Methods:
    """The routes of the whole application: each of them knows only its own methods."""

    def __init__(self, routes: Iterable[BaseRoute]) -> None:
        self._routes = [route for route in routes if isinstance(route, Route)]

    def at(self, scope: Scope) -> Sequence[str]:
        asked: Scope = {**scope, "path_params": {}}
        of_routes = (route.methods or () for route in self._routes if route.matches(asked)[0] is not Match.NONE)
        methods = {method for of_route in of_routes for method in of_route}
        return sorted(methods | {"OPTIONS"}) if methods else []


def allowed(request: Request) -> dict[str, str]:
    """The header `Allow` for the request's path; empty where the application does not know the path."""
    methods: Methods = request.app.state.methods
    names = methods.at(request.scope)
    return {"Allow": ", ".join(names)} if names else {}


def options_response(request: Request) -> Response:
    return Response(status_code=204, headers=allowed(request))
