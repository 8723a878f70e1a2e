"""Shares an answer with people who have no key, by a link that expires and can be revoked.

A token is the link's id and 256 random bits; only its digest is stored. So it can be neither guessed nor changed, and a
copy of the database opens nothing.
"""

import base64
import hashlib
import hmac
import secrets
import uuid
from typing import Any

from citewell_verify.errors import BadInput
from config.settings import settings
from db.base import row_json
from db.models import SharedAnswer
from db.queries.runs.queries import get_query
from db.queries.verifications import shared_answers as rows
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.access import SharingOff
from domain.errors.missing import QueryNotFound, ShareNotFound
from services.queries.results import read_succeeded

_ID_BYTES, _SECRET_BYTES = 16, 32


def share_answer(query_id: uuid.UUID, hours: float) -> dict[str, Any]:
    """Create a link to a finished answer; only this result has its `token`.

    Raises QueryNotFound, QueryUnfinished, SharingOff, BadInput.
    """
    longest = settings().access.share_max_hours
    if not longest:
        raise SharingOff
    if hours > longest:
        raise BadInput(f"A link is valid for {longest} hours at most (`access.share_max_hours`).")
    read_succeeded(query_id)
    link_id = uuid.uuid4()
    token = base64.urlsafe_b64encode(link_id.bytes + secrets.token_bytes(_SECRET_BYTES)).decode()
    with transaction() as session:
        row = rows.add_link(session, query_id, link_id, digest=_digest(token), hours=hours)
        return {**_as_json(row), "token": token}


def read_shares(query_id: uuid.UUID) -> list[dict[str, Any]]:
    with reading() as session:
        get_query(session, query_id)
        return [_as_json(row) for row in rows.list_links(session, query_id)]


def revoke_share(query_id: uuid.UUID, share_id: uuid.UUID) -> None:
    with transaction() as session:
        rows.revoke_link(session, query_id, share_id)


def read_shared(token: str) -> dict[str, Any]:
    """Return the query that a token opens. Raises ShareNotFound, with the same words whatever is wrong with the
    token."""
    if not settings().access.share_max_hours:
        raise ShareNotFound
    with system_transaction() as session:
        link = rows.find_open_link(session, _link_id(token))
    if link is None or not hmac.compare_digest(link.digest, _digest(token)):
        raise ShareNotFound
    with acting_for(link.tenant_id):
        try:
            return read_succeeded(link.query_id)
        except QueryNotFound:
            raise ShareNotFound from None


def _link_id(token: str) -> uuid.UUID:
    try:
        decoded = base64.b64decode(token.encode("ascii"), altchars=b"-_", validate=True)
    except ValueError:
        raise ShareNotFound from None
    if len(decoded) != _ID_BYTES + _SECRET_BYTES:
        raise ShareNotFound
    return uuid.UUID(bytes=decoded[:_ID_BYTES])


def _digest(token: str) -> str:
    """Return the stored hash of a token. A token has too much randomness to be guessed, so the hash need not be
    slow."""
    return hashlib.sha256(token.encode()).hexdigest()


def _as_json(row: SharedAnswer) -> dict[str, Any]:
    return row_json(row, "id query_id created_at expires_at revoked_at")
