"""The audit chain of a query (N6): sealed when the query ends, shown, and compared with what is stored now."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.prompting.prompts import prompt_sha256
from db.models import Query, QueryKind, QueryStatus
from db.queries.runs import queries
from db.queries.verifications import audits
from db.queries.verifications.audits import PROMPTS_PART, StoredChain
from db.session import reading
from domain.audit.chain import Record, audit, chain, read_record
from domain.errors.missing import AuditNotFound

AUDITED = (QueryStatus.SUCCEEDED, QueryStatus.FAILED)
"""Cancelled queries have no result to prove."""


def seal_audit(session: Session, query_id: uuid.UUID) -> None:
    """Chain everything that proves the result, with two statements, in the transaction that ends the query."""
    audits.add_chain(session, query_id, chain(_contents(session, query_id)))


def _contents(session: Session, query_id: uuid.UUID) -> list[Record]:
    parts = audits.list_contents(session, query_id)
    before = [record for part, record in parts if part < PROMPTS_PART]
    behind = [record for part, record in parts if part > PROMPTS_PART]
    return [*before, *_prompts(behind), *behind]


def _prompts(records: Sequence[Record]) -> list[Record]:
    asked = sorted({(record["prompt"], record["prompt_version"]) for record in records if record["kind"] == "call"})
    prompts: list[Record] = []
    for name, version in asked:
        # An older process may have used a prompt file that this one does not have.
        known = prompt_sha256(name, version)
        prompts.append({"kind": "prompt", "name": name, "version": version, **({"sha256": known} if known else {})})
    return prompts


def read_audit(query_id: uuid.UUID, kind: QueryKind, *, after: int, limit: int) -> dict[str, Any]:
    with reading() as session:
        stored = _get_chain(session, queries.get_query(session, query_id, kind))
    records, hashes = stored.chain.records, stored.chain.hashes
    # Either list may have been cut, so only the common length can be shown.
    length = min(len(records), len(hashes))
    end = min(after + limit, length)
    return {
        "query": str(query_id),
        **_head(stored),
        "chain": [{"record": read_record(records, place), "hash": hashes[place]} for place in range(after, end)],
        "next_after": end if end < length else None,
    }


def check_audit(query_id: uuid.UUID, kind: QueryKind, head: str | None = None) -> dict[str, Any]:
    """Recompute every hash from what is stored now and report the records that differ.

    `head` is one that was kept elsewhere. Raises QueryNotFound, VerificationNotFound, AuditNotFound.
    """
    with reading() as session:
        stored = _get_chain(session, queries.get_query(session, query_id, kind))
        comparison = audit(stored.chain, head or stored.head, _contents(session, query_id))
    return {
        "query": str(query_id),
        **_head(stored),
        "intact": not comparison.differences,
        "differences": [
            {**difference._asdict(), "fields": list(difference.fields)} for difference in comparison.differences
        ],
        "erased": comparison.erased,
        "later": comparison.later,
        "unknown_prompts": comparison.unknown,
    }


def _head(stored: StoredChain) -> dict[str, Any]:
    return {"format": stored.format, "head": stored.head, "records": len(stored.chain.records)}


def _get_chain(session: Session, query: Query) -> StoredChain:
    stored = audits.find_chain(session, query.id)
    if stored is None:
        raise AuditNotFound(_why_none(query))
    return stored


def _why_none(query: Query) -> str:
    if query.status == QueryStatus.HELD:
        return "The answer is held back; its audit is written when a reviewer has decided."
    if query.finished_at is None:
        return f"The query is {query.status}; its audit is written when it ends."
    if query.status == QueryStatus.CANCELLED:
        return "The query was cancelled, so there is no result to prove."
    return "The query ended in a version of Citewell that kept no audit."
