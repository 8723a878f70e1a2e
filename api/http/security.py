"""Authenticates callers, selects their tenant and authorises requests (A8).

`access` makes the dependency of a router: it authenticates the key, checks its scope, counts the request against the
key's limit and lets the rest of the request act for the key's tenant. api.app says which router needs which scopes.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import structlog
from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from api.http.browsers import is_a_foreign_pages
from clients import rate_limits
from config.settings import Settings, is_loopback, settings
from db.models import DEFAULT_TENANT
from db.session import act_for
from domain.errors import KeyLimited, KeyRequired, KeyRequiredHere, ScopeMissing, Unauthenticated
from domain.keys import Scope, allows, looks_like_a_key
from services.operations import api_keys

_OWN_PAGE_ONLY = (
    "Without a key only Citewell's own page may ask from a browser, at the address that it was opened at; "
    "or make a key: `citewell keys create`"
)
_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="A key, as `citewell keys create` makes it.")
_header = APIKeyHeader(
    name="X-API-Key", auto_error=False, scheme_name="header", description="The same, where Authorization is taken."
)
# The key of the current request, for repeated checks during long requests.
_sent: ContextVar[str | None] = ContextVar("sent_key", default=None)


@dataclass(frozen=True, slots=True)
class Access:
    """The scopes that a router's operations need: for reading and for acting.

    Keys limited to workspaces are refused unless `within_workspaces`: everything that the operations show or change
    then belongs to a workspace, and row-level security keeps them to those of the key.
    """

    look: Scope
    do: Scope
    within_workspaces: bool = False

    def needed(self, method: str) -> Scope:
        return self.look if method in ("GET", "HEAD") else self.do


async def sent_key(
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    header: Annotated[str | None, Depends(_header)],
) -> str | None:
    return bearer.credentials if bearer else header


def access(needs: Access) -> Any:
    """A dependency for all routes of a router.

    It is asynchronous, so that the tenant is set in the context of the request itself: an endpoint in the thread pool
    gets a copy of it, and a stream continues in it.
    """

    async def authorised(request: Request, response: Response, key: Annotated[str | None, Depends(sent_key)]) -> None:
        await authorise(needs, request, response, key)

    return Depends(authorised)


async def authorise(needs: Access, request: Request, response: Response, key: str | None) -> None:
    """Authenticate the `key` that was sent and let the rest of the request act for its tenant, within the workspaces
    that the key is limited to.

    Raises Unauthenticated, ScopeMissing, KeyLimited, HTTPException (429).
    """
    # Many clients cannot do without a key; where none is needed, a text that cannot be one of ours counts as none.
    if key is None or (settings().is_keyless and not looks_like_a_key(key)):
        _check_keyless(request)
        act_for(DEFAULT_TENANT)
        return
    caller = await _authenticated(key)
    structlog.contextvars.bind_contextvars(key_id=caller.key_id)
    request.state.key_id, request.state.scopes = caller.key_id, caller.scopes
    scope = needs.needed(request.method)
    if not allows(caller.scopes, scope):
        raise ScopeMissing(f"This needs a key with the scope {scope.value!r}; yours does not have it.")
    if caller.workspaces is not None and not needs.within_workspaces:
        raise KeyLimited
    if request.method == "POST":
        response.headers.update(await run_in_threadpool(_counted, caller))
    _sent.set(key)
    act_for(caller.tenant_id, caller.workspaces)


def has_scope(request: Request, scope: Scope) -> bool:
    """Whether the request may do what needs this scope beside that of its router; without a key it may do all."""
    return allows(getattr(request.state, "scopes", (Scope.ADMIN,)), scope)


async def still_allowed() -> bool:
    """Whether the key of the current request is still valid; to be asked repeatedly during a long request.

    Queries the database every `api_keys.TRUST_FOR_S` seconds. Raises DatabaseUnavailable.
    """
    key = _sent.get()
    try:
        return key is None or bool(await _authenticated(key))
    except Unauthenticated:
        return False


def keys_mode(current: Settings) -> Literal["required", "off (loopback only)"]:
    return "off (loopback only)" if current.is_keyless else "required"


async def _authenticated(key: str) -> api_keys.Caller:
    return api_keys.recognise(key) or await run_in_threadpool(api_keys.authenticate, key)


def _check_keyless(request: Request) -> None:
    if not settings().is_keyless:
        raise KeyRequired
    peer = request.client.host if request.client else ""
    # A name that resolves to 127.0.0.1 passes the same-origin rule of browsers.
    try:
        named = urlsplit("//" + request.headers.get("host", "")).hostname or ""
    except ValueError:
        named = ""
    if not (is_loopback(peer) and is_loopback(named)):
        raise KeyRequiredHere
    if is_a_foreign_pages(request.scope):
        raise KeyRequiredHere(_OWN_PAGE_ONLY)


def _counted(caller: api_keys.Caller) -> dict[str, str]:
    """Headers of the IETF draft "RateLimit header fields for HTTP". Raises HTTPException (429)."""
    limit = caller.requests_per_minute
    window = rate_limits.count(caller.key_id, limit, settings().redis_url.get_secret_value())
    headers = {
        "RateLimit-Policy": f'"key";q={limit};w={rate_limits.WINDOW_S}',
        "RateLimit": f'"key";r={window.remaining};t={window.resets_in_s}',
    }
    if not window.allowed:
        detail = f"This key may start {limit} requests per minute; try again in {window.resets_in_s} seconds."
        raise HTTPException(429, detail, headers={**headers, "Retry-After": str(window.resets_in_s)})
    return headers
