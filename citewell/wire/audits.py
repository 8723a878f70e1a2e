"""Audits: the chain that proves a result, and its check for changes."""

from typing import Any, Literal, TypedDict


class AuditHead(TypedDict):
    head: str
    records: int


class AuditRecord(TypedDict):
    """`hash` is the SHA-256 of the hash before it, in hexadecimal, followed by the canonical JSON of the record."""

    record: dict[str, Any]
    hash: str


class Audit(AuditHead):
    query: str
    format: int
    chain: list[AuditRecord]
    next_after: int | None


class AuditDifference(TypedDict):
    seq: int | None
    kind: str
    what: Literal["broken", "changed", "missing", "added"]
    record: dict[str, Any]
    fields: list[str]


class AuditCheck(AuditHead):
    query: str
    intact: bool
    differences: list[AuditDifference]
    erased: int
    later: int
    unknown_prompts: int


class State(TypedDict):
    status: str
    support: float | None
    reason: str


class SentenceCompared(TypedDict):
    start: int
    end: int
    text: str
    old: State | None
    new: State | None
    changed: bool


class Comparison(TypedDict):
    of: str
    old_verifier: str | None
    new_verifier: str | None
    changed: int
    sentences: list[SentenceCompared]


class Standing(TypedDict):
    """The validity of an answer, now that what it cites may have changed."""

    state: Literal["valid", "stale", "invalidated"]
    reason: str | None
    since: str | None
    verification: str | None
