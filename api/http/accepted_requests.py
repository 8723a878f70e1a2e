"""Refuses requests with parameters that their operation does not have, and bodies that are no JSON."""

from difflib import get_close_matches

from fastapi import Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.exceptions import RequestValidationError
from fastapi.params import ParamTypes
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

_JSON = "application/json"
# These operations take any parameter that starts with one of these.
_FAMILIES = {"list_documents": ("metadata.",)}


async def _known(request: Request) -> None:
    if not request.query_params:
        return
    route: APIRoute = request.scope["route"]
    fields = get_flat_params(route.dependant)
    known = tuple(field.alias for field in fields if getattr(field.field_info, "in_", None) == ParamTypes.query)
    families = _FAMILIES.get(route.name, ("\0",))
    unknown = [name for name in request.query_params if name not in known and not name.startswith(families)]
    if unknown:
        raise RequestValidationError(
            [{"type": "value_error", "loc": ("query", name), "msg": _advice(name, known)} for name in unknown]
        )


KNOWN_PARAMETERS = Depends(_known)


def _advice(name: str, known: tuple[str, ...]) -> str:
    if close := get_close_matches(name, known, n=1, cutoff=0.5):
        return f"is not a parameter of this request; did you mean `{close[0]}`?"
    if known:
        return f"is not a parameter of this request, which takes {', '.join(f'`{parameter}`' for parameter in known)}"
    return "is not a parameter of this request, which takes none in its address"


async def require_json(request: Request) -> None:
    """A dependency; it needs no thread, being asynchronous. Raises HTTPException (415) for other bodies."""
    if media_type(request) != _JSON:
        raise HTTPException(415, f"Send the request as {_JSON}.")


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
