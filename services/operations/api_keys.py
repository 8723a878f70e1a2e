"""API keys: created, listed, revoked, and authenticated with every request (A8)."""

import hmac
import secrets
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from clients.webhooks.signing import new_secret
from config.settings import settings
from db.base import row_json
from db.models import ApiKey
from db.queries.access import keys as rows
from db.queries.access import people
from db.queries.access.workspaces import get_workspace
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.access import KeyExpired, KeyInvalid, KeyRevoked
from domain.keys import ID_BYTES, SECRET_BYTES, Scope, SentKey, build_key, check_limit, parse_key
from domain.people import Rights


@dataclass(frozen=True, slots=True)
class NewKey:
    """The properties of a new key; `expires_in_days` None means never, `requests_per_minute` None as configured.

    `workspaces` are the names of the workspaces that it opens; None means all of the tenant, present and future. A
    personal key has a `person_id`, and at any time no more rights than that person.
    """

    name: str
    scopes: Sequence[Scope]
    expires_in_days: int | None = None
    requests_per_minute: int | None = None
    workspaces: Sequence[str] | None = None
    person_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """The owner of a valid key, or a person who is signed in; `workspaces` are the ids of the workspaces that the key
    is limited to, None for no limit. `rights` are those of a person, and of their personal keys; `actor` is the name
    for records."""

    key_id: str
    tenant_id: int
    scopes: frozenset[str]
    requests_per_minute: int
    workspaces: tuple[int, ...] | None
    rights: Rights | None
    actor: str

    @property
    def is_signed_in(self) -> bool:
        """Return whether the caller is a person in a browser, and not a key."""
        return self.key_id == self.actor and self.rights is not None


def actor_of(person_id: uuid.UUID) -> str:
    """Return the name of a person in records that name keys by their ids."""
    return f"person:{person_id}"


@dataclass(frozen=True, slots=True)
class _Known:
    """A key as the database had it at `read_at` (monotonic seconds)."""

    read_at: float
    digest: str
    expired: bool
    revoked: bool
    caller: Caller


# This holds only existing keys, so it cannot grow beyond their number.
TRUST_FOR_S = 2.0
"""The time for which a verified key is trusted without the database, so a revocation elsewhere may be noticed this
late."""
_known: dict[str, _Known] = {}


def authenticate(text: str, *, anew: bool = False) -> Caller:
    """Return the caller who sent the key `text`, `anew` from the database. Raises KeyInvalid, KeyExpired, KeyRevoked,
    DatabaseUnavailable.
    """
    sent = parse_key(text)
    return _checked((None if anew else _fresh(sent.id)) or _look_up(sent), sent)


def recognise(text: str) -> Caller | None:
    """Return the caller without the database; None when this process has not looked the key up recently."""
    sent = parse_key(text)
    known = _fresh(sent.id)
    return known and _checked(known, sent)


def create_key(new: NewKey) -> dict[str, Any]:
    """Create a key for the current tenant; this result is the only place that shows `key`.

    Raises WorkspaceNotFound, and BadInput for a key limited to workspaces with a scope that concerns all of them.
    """
    check_limit(new.scopes, new.workspaces)
    text = build_key(secrets.token_bytes(ID_BYTES), secrets.token_bytes(SECRET_BYTES))
    made = parse_key(text)
    with transaction() as session:
        limit = (
            None if new.workspaces is None else [get_workspace(session, workspace).id for workspace in new.workspaces]
        )
        row = rows.add_key(
            session,
            made.id,
            name=new.name,
            digest=made.digest,
            scopes=[scope for scope in Scope if scope in new.scopes],
            expires_in_days=new.expires_in_days,
            requests_per_minute=new.requests_per_minute,
            workspaces=limit,
            person_id=new.person_id,
        )
        return {**_as_json(row), "key": text}


def create_key_for(tenant: str, new: NewKey) -> dict[str, Any]:
    """Create a key for the tenant of that name; the first key creates the tenant."""
    with system_transaction() as session:
        tenant_id = rows.get_or_add_tenant(session, tenant, new_secret())
    with acting_for(tenant_id):
        return create_key(new)


def read_keys(person_id: uuid.UUID | None = None) -> list[dict[str, Any]]:
    """Return the keys of the tenant, or only those of one person."""
    with reading() as session:
        return [_as_json(row) for row in rows.list_keys(session, person_id=person_id)]


def read_keys_of_all(tenant: str | None) -> list[dict[str, Any]]:
    with system_transaction() as session:
        return [_as_json(row) for row in rows.list_keys(session, tenant)]


def revoke_key(key_id: str, person_id: uuid.UUID | None = None) -> None:
    """Revoke a key of the current tenant, or only one of that person: at once in this process, elsewhere within
    TRUST_FOR_S seconds.

    Raises KeyNotFound.
    """
    with transaction() as session:
        rows.revoke_key(session, key_id, person_id)
    _known.pop(key_id, None)


def revoke_key_of_any(key_id: str) -> None:
    with system_transaction() as session:
        rows.revoke_key(session, key_id)


def forget_all() -> None:
    """Look every key up again, because the rights of somebody with personal keys have changed."""
    _known.clear()


def _fresh(key_id: str) -> _Known | None:
    known = _known.get(key_id)
    return known if known and time.monotonic() - known.read_at < TRUST_FOR_S else None


def _look_up(sent: SentKey) -> _Known:
    """Return the key as the database has it now. Raises KeyInvalid."""
    # The time before the query counts, because a revocation during the query must not be overlooked for longer than
    # TRUST_FOR_S.
    read_at = time.monotonic()
    with system_transaction() as session:
        stored = rows.find_key(session, sent.id)
        if stored is None:
            _known.pop(sent.id, None)
            raise KeyInvalid
        row, expired = stored
        rights = _rights_behind(session, row)
        revoked = row.revoked_at is not None or (row.person_id is not None and rights is None)
        if hmac.compare_digest(row.digest, sent.digest) and not expired and not revoked:
            rows.record_use(session, row.id)
        limit = row.requests_per_minute or settings().access.requests_per_minute
        workspaces = None if row.limited_to is None else tuple(row.limited_to)
        actor = row.id if row.person_id is None else actor_of(row.person_id)
        caller = Caller(row.id, row.tenant_id, frozenset(row.scopes), limit, workspaces, rights, actor)
        known = _Known(read_at, row.digest, expired, revoked, caller)
    _known[sent.id] = known
    return known


def _rights_behind(session: Session, row: ApiKey) -> Rights | None:
    """Return the current rights of the person of a personal key; None when it is no personal key, or when it ended with
    its person's access."""
    current = settings()
    if row.person_id is None or not current.has_people:
        return None
    if not people.signed_in_within(session, row.person_id, current.access.oidc.personal_keys_days):
        return None
    return people.find_rights(session, row.person_id, row.tenant_id)


def _checked(known: _Known, sent: SentKey) -> Caller:
    """Return the key's owner. The secret is compared first, because only the owner may learn the state of a key."""
    if not hmac.compare_digest(known.digest, sent.digest):
        raise KeyInvalid
    if known.revoked:
        raise KeyRevoked
    if known.expired:
        raise KeyExpired
    return known.caller


def _as_json(row: rows.ListedKey) -> dict[str, Any]:
    key, tenant, names = row
    return {
        **row_json(key, "id name person_id scopes requests_per_minute created_at expires_at last_used_at revoked_at"),
        "tenant": tenant,
        # A deleted workspace is not listed any more, and the key opens one less.
        "workspaces": None if key.limited_to is None else [names[known] for known in key.limited_to if known in names],
    }
