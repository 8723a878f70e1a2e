"""API keys: made, listed, revoked, and recognised with every request (A8)."""

import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clients.webhooks.signing import new_secret
from config.settings import settings
from db.queries import keys as rows
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors import KeyExpired, KeyInvalid, KeyRevoked
from domain.keys import ID_BYTES, SECRET_BYTES, Scope, SentKey, build_key, parse_key


@dataclass(frozen=True, slots=True)
class NewKey:
    """What a key is to be; `expires_in_days` None is never, `requests_per_minute` None is as configured."""

    name: str
    scopes: Sequence[Scope]
    expires_in_days: int | None = None
    requests_per_minute: int | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a key that is valid."""

    key_id: str
    tenant_id: int
    scopes: frozenset[str]
    requests_per_minute: int


@dataclass(frozen=True, slots=True)
class _Known:
    """A key as the database had it at `read_at` (monotonic seconds)."""

    read_at: float
    digest: str
    expired: bool
    revoked: bool
    caller: Caller


# Keys that exist, so it cannot grow beyond their number.
_known: dict[str, _Known] = {}


def authenticate(text: str) -> Caller:
    """Return who sent the key `text`. Raises KeyInvalid, KeyExpired, KeyRevoked, DatabaseUnavailable."""
    sent = parse_key(text)
    return _checked(_fresh(sent.id) or _look_up(sent), sent)


def recognise(text: str) -> Caller | None:
    """The same without the database; None when this process has not looked the key up just before."""
    sent = parse_key(text)
    known = _fresh(sent.id)
    return known and _checked(known, sent)


def create_key(new: NewKey) -> dict[str, Any]:
    """Make a key for the tenant that the caller acts for; `key` of the result is shown here and never again."""
    text = build_key(secrets.token_bytes(ID_BYTES), secrets.token_bytes(SECRET_BYTES))
    made = parse_key(text)
    with transaction() as session:
        row = rows.add_key(
            session,
            made.id,
            name=new.name,
            digest=made.digest,
            scopes=[scope for scope in Scope if scope in new.scopes],
            expires_in_days=new.expires_in_days,
            requests_per_minute=new.requests_per_minute,
        )
        return {**_as_json(row), "key": text}


def create_key_for(tenant: str, new: NewKey) -> dict[str, Any]:
    """Make a key for the tenant with that name; the first key makes the tenant."""
    with system_transaction() as session:
        tenant_id = rows.get_or_add_tenant(session, tenant, new_secret())
    with acting_for(tenant_id):
        return create_key(new)


def read_keys() -> list[dict[str, Any]]:
    """The keys of the tenant that the caller acts for, the newest first."""
    with reading() as session:
        return [_as_json(row) for row in rows.list_keys(session)]


def read_keys_of_all(tenant: str | None) -> list[dict[str, Any]]:
    """The keys of one tenant, or of all, for the operator."""
    with system_transaction() as session:
        return [_as_json(row) for row in rows.list_keys(session, tenant)]


def revoke_key(key_id: str) -> None:
    """Revoke a key of the tenant that the caller acts for: at once here, elsewhere within `trust_for_s`.

    Raises KeyNotFound.
    """
    with transaction() as session:
        rows.revoke_key(session, key_id)
    _known.pop(key_id, None)


def revoke_key_of_any(key_id: str) -> None:
    """Revoke a key, whosever it is, for the operator. Raises KeyNotFound."""
    with system_transaction() as session:
        rows.revoke_key(session, key_id)


def _fresh(key_id: str) -> _Known | None:
    known = _known.get(key_id)
    return known if known and time.monotonic() - known.read_at < settings().access.trust_for_s else None


def _look_up(sent: SentKey) -> _Known:
    # Before the look: a revocation while it lasts must not be trusted away for longer.
    read_at = time.monotonic()
    with system_transaction() as session:
        found = rows.find_key(session, sent.id)
        if found is None:
            _known.pop(sent.id, None)
            raise KeyInvalid
        row, expired = found
        if hmac.compare_digest(row.digest, sent.digest) and not expired and row.revoked_at is None:
            rows.note_use(session, row.id)
        limit = row.requests_per_minute or settings().access.requests_per_minute
        caller = Caller(row.id, row.tenant_id, frozenset(row.scopes), limit)
        known = _Known(read_at, row.digest, expired, row.revoked_at is not None, caller)
    _known[sent.id] = known
    return known


def _checked(known: _Known, sent: SentKey) -> Caller:
    # The secret first: what became of a key is told only to those who have it.
    if not hmac.compare_digest(known.digest, sent.digest):
        raise KeyInvalid
    if known.revoked:
        raise KeyRevoked
    if known.expired:
        raise KeyExpired
    return known.caller


def _as_json(row: rows.ListedKey) -> dict[str, Any]:
    key, tenant = row
    return {
        "id": key.id,
        "tenant": tenant,
        "name": key.name,
        "scopes": key.scopes,
        "requests_per_minute": key.requests_per_minute,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
        "revoked_at": key.revoked_at,
    }
