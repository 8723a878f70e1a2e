"""Sessions: a person in a browser, identified by the secret in its cookie, of which only the digest is stored."""

import secrets
import time
import uuid
from dataclasses import dataclass

from clients.oidc.id_tokens import LEEWAY_S, checked_logout
from clients.oidc.provider import provider
from config.settings import settings
from db.models import PersonSession
from db.queries.access import people
from db.queries.access import people as rows
from db.session import system_transaction
from domain.errors.access import SignInRequired
from domain.errors.requests import SignInFailed
from domain.keys import Scope, digest
from services.operations import api_keys
from services.operations.api_keys import Caller, actor_of

_SECRET_BYTES = 32
_MOST_CHARS = 200
_MOST_KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class _Known:
    read_at: float
    caller: Caller


# The keys are digests of the sessions' secrets. Changes in other processes are noticed when an entry expires
# (services.operations.api_keys).
_known: dict[str, _Known] = {}


def begin_session(
    person_id: uuid.UUID, tenant_id: int, *, before: str | None, provider_session: str | None = None
) -> str:
    """Create a session, which may belong to one at the provider, and return its secret. The browser's earlier session,
    `before`, ends, because somebody else may know its secret.
    """
    token = secrets.token_urlsafe(_SECRET_BYTES)
    with system_transaction() as session:
        if before is not None:
            people.delete_session(session, digest(before))
        hours = settings().access.oidc.session_hours
        added = PersonSession(digest=digest(token), person_id=person_id, tenant_id=tenant_id)
        added.provider_session = provider_session
        people.add_session(session, added, hours)
    if before is not None:
        _known.pop(digest(before), None)
    return token


def recognise_session(token: str) -> Caller | None:
    """Return the person of a session without the database; None when this process has not looked it up recently."""
    known = _known.get(digest(token[:_MOST_CHARS]))
    return known.caller if known and time.monotonic() - known.read_at < api_keys.TRUST_FOR_S else None


def look_up_session(token: str) -> Caller:
    """Return the person of a session, with their current rights. Raises SignInRequired, DatabaseUnavailable."""
    hashed, read_at = digest(token[:_MOST_CHARS]), time.monotonic()
    current = settings()
    with system_transaction() as session:
        stored = people.find_session(session, hashed, current.access.oidc.session_idle_minutes)
        rights = stored and rows.find_rights(session, stored.person_id, stored.tenant_id)
        if stored is None or rights is None:
            _known.pop(hashed, None)
            raise SignInRequired
        people.record_use(session, hashed)
        tenant_id = stored.tenant_id
    actor = actor_of(rights.person_id)
    caller = Caller(actor, tenant_id, frozenset(Scope), current.access.requests_per_minute, None, rights, actor)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[hashed] = _Known(read_at, caller)
    return caller


def end_session(token: str) -> None:
    with system_transaction() as session:
        people.delete_session(session, digest(token[:_MOST_CHARS]))
    _known.pop(digest(token[:_MOST_CHARS]), None)


def end_sessions_by_provider(token: object) -> None:
    """End the sessions of the person, or of the provider's session, in a logout token (Back-Channel Logout 1.0), if
    they began before the token was made.

    The clocks of two machines differ, so the same token again may end a session that began up to `LEEWAY_S` later, and
    none after that. Raises SignInFailed, DatabaseUnavailable.
    """
    configured = settings().access.oidc
    logout = checked_logout(provider(configured), token)
    with system_transaction() as session:
        until = logout.made_at + LEEWAY_S
        people.delete_sessions(session, configured.issuer or "", logout.subject, logout.provider_session, until)
    forget_all()


def provider_sign_out() -> str | None:
    """Return the address that ends the session at the provider, too; None when the provider has no such address or does
    not answer."""
    current = settings()
    try:
        return provider(current.access.oidc).end_session_url(f"{(current.public_url or '').rstrip('/')}/")
    except SignInFailed:
        return None


def forget_all() -> None:
    """Look every session up again, because somebody's rights have changed."""
    _known.clear()
