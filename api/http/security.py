"""Authenticates callers, selects their tenant and authorises requests (A8).

`access` makes the dependency of a router: it authenticates the key or the person, checks the scope, counts the request
against the caller's limit and lets the rest of the request act for the caller's tenant. A person has roles in
workspaces: they act within the workspaces where they have the role that the operation needs (`api.http.roles`), as a
key limited to these would. api.app says which router needs which scopes.
"""

import uuid
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlsplit

import structlog
from fastapi import Depends, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.security import APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException

from api.http.browsers import is_a_foreign_pages, require_own_page, session_token
from api.http.roles import CHANGES_OF_OTHERS, OF_SCOPES, OWN, role_needed
from api.schemas.formats.responses import PREFIX
from clients import rate_limits
from config.settings import Settings, is_loopback, settings
from db.models import DEFAULT_TENANT
from db.session import Acting, act_for
from domain.errors.access import (
    KeyLimited,
    KeyRequired,
    KeyRequiredHere,
    RoleMissing,
    ScopeMissing,
    SignInRequired,
    Unauthenticated,
)
from domain.keys import Scope, allows, looks_like_a_key
from domain.people import Role
from services.operations import api_keys
from services.people import members, sessions

_OWN_PAGE_ONLY = (
    "Without a key only Citewell's own page may ask from a browser, at the address that it was opened at; "
    "or make a key: `citewell keys create`"
)
_bearer = HTTPBearer(auto_error=False, scheme_name="bearer", description="A key, as `citewell keys create` makes it.")
_header = APIKeyHeader(
    name="X-API-Key",
    auto_error=False,
    scheme_name="header",
    description="The same key, for clients that use Authorization for something else.",
)
_READING = ("GET", "HEAD", "OPTIONS")


class _Sent(NamedTuple):
    """The credentials of a request: a key, or the secret of a session."""

    key: str | None
    session: str | None

    @property
    def is_nothing(self) -> bool:
        return self.key is None and self.session is None


class _Admitted(NamedTuple):
    """The basis on which the current request was admitted, for repeated checks while it lasts."""

    sent: _Sent
    role: Role
    opened: tuple[int, ...] | None


_admitted: ContextVar[_Admitted | None] = ContextVar("admitted", default=None)


@dataclass(frozen=True, slots=True)
class Access:
    """The scopes that a router's operations need: for reading and for changing.

    Keys limited to workspaces are refused unless `within_workspaces` is set: then everything that the operations show
    or change belongs to a workspace, and row-level security limits them to the workspaces of the key.
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
    """Return a dependency for all routes of a router.

    It is asynchronous, so that the tenant is set in the context of the request itself: an endpoint in the thread pool
    gets a copy of that context, and a stream continues in it.
    """

    async def authorised(request: Request, response: Response, key: Annotated[str | None, Depends(sent_key)]) -> None:
        await authorise(needs, request, response, key)

    return Depends(authorised)


async def authorise(needs: Access, request: Request, response: Response, key: str | None) -> None:
    """Authenticate the `key` that was sent, or the person whose session it is, and let the rest of the request act for
    their tenant, within the workspaces that are open to them for this operation.

    Raises Unauthenticated, Forbidden, HTTPException (429).
    """
    sent = _Sent(key, session_token(request) if key is None else None)
    # Many clients cannot omit the key; where none is needed, a text that cannot be one of Citewell's keys is ignored.
    if sent.is_nothing or (key is not None and settings().is_keyless and not looks_like_a_key(key)):
        _check_keyless(request)
        act_for(DEFAULT_TENANT)
        return
    if sent.session is not None:
        request.state.keeps_nothing = True
        require_own_page(request.scope)
    caller = await _authenticated(sent)
    structlog.contextvars.bind_contextvars(key_id=caller.key_id, actor=caller.actor)
    request.state.key_id, request.state.scopes, request.state.caller = caller.actor, caller.scopes, caller
    scope, operation = needs.needed(request.method), operation_of(request)
    if not allows(caller.scopes, scope):
        raise ScopeMissing(f"This needs a key with the scope {scope.value!r}; yours does not have it.")
    role = role_needed(operation, scope)
    if await _is_own(operation, request, caller):
        role = Role.READER
    opened = _opened(caller, role)
    if opened is not None and not needs.within_workspaces:
        raise KeyLimited
    if request.method == "POST":
        response.headers.update(await run_in_threadpool(_counted, caller))
    _admitted.set(_Admitted(sent, role, opened))
    rights = caller.rights
    act_for(
        caller.tenant_id,
        opened,
        creates=rights is None or rights.everywhere is Role.ADMIN,
        acting=Acting(caller.actor, rights.opens(CHANGES_OF_OTHERS) if rights else None),
    )
    if rights is not None and request.method not in _READING:
        await run_in_threadpool(members.record_deed, caller.actor, operation, request.url.path)


def has_scope(request: Request, scope: Scope) -> bool:
    """Return whether the request has this scope in addition to that of its router; without a key it has all scopes.

    A person has the scope where they have its role in all workspaces that are open to the request.
    """
    caller, admitted = caller_of(request), _admitted.get()
    if caller is not None and caller.rights is not None:
        if not allows(caller.scopes, scope):
            return False
        needed = OF_SCOPES[scope]
        is_role_of_all = admitted is not None and admitted.role.rank >= needed.rank
        return is_role_of_all or caller.rights.opens(needed) is None
    return allows(getattr(request.state, "scopes", (Scope.ADMIN,)), scope)


async def still_allowed(*, anew: bool = False) -> bool:
    """Return whether the key or session of the current request is still valid, and still opens the workspaces that it
    began with; a long request calls this repeatedly.

    Queries the database every `api_keys.TRUST_FOR_S` seconds; with `anew` at once. Raises DatabaseUnavailable.
    """
    admitted = _admitted.get()
    if admitted is None:
        return True
    try:
        opened = _opened(await _authenticated(admitted.sent, anew=anew), admitted.role)
    except (Unauthenticated, RoleMissing):
        return False
    return opened is None or (admitted.opened is not None and set(admitted.opened) <= set(opened))


def caller_of(request: Request) -> api_keys.Caller | None:
    """Return the sender of the request; None without a key, where none is needed."""
    return getattr(request.state, "caller", None)


def operation_of(request: Request) -> str:
    """Return the name of the route, which is the operation's id in OpenAPI."""
    return getattr(request.scope.get("route"), "name", None) or ""


def keys_mode(current: Settings) -> Literal["required", "off (loopback only)"]:
    return "off (loopback only)" if current.is_keyless else "required"


async def _authenticated(sent: _Sent, *, anew: bool = False) -> api_keys.Caller:
    if (key := sent.key) is not None:
        known = None if anew else api_keys.recognise(key)
        return known or await run_in_threadpool(lambda: api_keys.authenticate(key, anew=anew))
    token = sent.session or ""
    known = None if anew else sessions.recognise_session(token)
    return known or await run_in_threadpool(sessions.look_up_session, token)


def _opened(caller: api_keys.Caller, role: Role) -> tuple[int, ...] | None:
    """Return the workspaces in which the caller has this role; None means all. Raises RoleMissing."""
    if caller.rights is None:
        return caller.workspaces
    opened = caller.rights.opens(role)
    if opened == () and role is not Role.NONE:
        raise RoleMissing(f"This needs the role {role.value!r}, which you do not have; ask an owner or administrator.")
    if caller.workspaces is None or opened is None:
        return caller.workspaces if opened is None else opened
    return tuple(sorted(set(opened) & set(caller.workspaces)))


async def _is_own(operation: str, request: Request, caller: api_keys.Caller) -> bool:
    """Return whether the operation is on the person's own question or verification, in a workspace that they may still
    read."""
    if caller.rights is None or operation not in OWN:
        return False
    try:
        named = uuid.UUID(request.path_params[OWN[operation]].removeprefix(PREFIX))
    except ValueError:
        return False

    def looked_up() -> bool:
        act_for(caller.tenant_id, _opened(caller, Role.READER))
        return members.is_own(caller.actor, named)

    return await run_in_threadpool(looked_up)


def _check_keyless(request: Request) -> None:
    if not settings().is_keyless:
        raise SignInRequired if settings().has_people else KeyRequired
    peer = request.client.host if request.client else ""
    # A host name that resolves to 127.0.0.1 passes the same-origin rule of browsers.
    try:
        named = urlsplit("//" + request.headers.get("host", "")).hostname or ""
    except ValueError:
        named = ""
    if not (is_loopback(peer) and is_loopback(named)):
        raise KeyRequiredHere
    if is_a_foreign_pages(request.scope):
        raise KeyRequiredHere(_OWN_PAGE_ONLY)


def _counted(caller: api_keys.Caller) -> dict[str, str]:
    """Return the headers of the IETF draft "RateLimit header fields for HTTP". Raises HTTPException (429)."""
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
