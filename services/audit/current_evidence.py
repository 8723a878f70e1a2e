"""Loads the current text for citations of outdated versions (N7): the sources of a re-verification."""

import uuid
from dataclasses import replace

from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import claim_relevance
from db.models import Answer, Citation
from db.queries.documents.chunks import get_passages, list_excluded, list_passages, text_around
from db.queries.runs import steps
from db.queries.verifications import answer_validity
from services.audit.cited_evidence import cited_passages

_MOST_CHUNKS = 5_000
"""The most chunks of a new version that are searched for the one that best matches the old passage."""


def current_evidence(session: Session, answer: Answer, citations: list[Citation]) -> list[Passage] | None:
    """The current passages for the answer's numbers, number N at place N-1, followed by what else it was written from,
    as far as it is in force. None when one of the numbers has no current passage."""
    cited = cited_passages(session, citations)
    texts: dict[int, list[str]] = {}
    for citation in citations:
        texts.setdefault(citation.number, []).append(citation.claim_text)
    claims = {number: " ".join(said) for number, said in texts.items()}
    passage_cache = _Current(session)
    current = [passage_cache.passage(old, claims[number]) for number, old in zip(sorted(claims), cited, strict=True)]
    if any(passage is None for passage in current):
        return None
    selected = steps.find_outcome(session, answer.query_id, answer.round, "select") or {}
    others = [
        passage for passage in get_passages(session, selected.get("selected", [])) if passage_cache.is_in_force(passage)
    ]
    known = {passage.key for passage in current if passage is not None} | list_excluded(
        session, [passage.key for passage in others]
    )
    return [
        *(passage for passage in current if passage is not None),
        *(passage for passage in others if passage.key not in known),
    ]


class _Current:
    """The versions in force, each read once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._in_force: dict[uuid.UUID, uuid.UUID | None] = {}
        self._chunks: dict[uuid.UUID, list[Passage]] = {}

    def is_in_force(self, passage: Passage) -> bool:
        return self._version(passage.document_id) == passage.document_id

    def passage(self, old: Passage | None, claim: str) -> Passage | None:
        if old is None or self.is_in_force(old):
            return old
        if (version := self._version(old.document_id)) is None:
            return None
        if version not in self._chunks:
            self._chunks[version] = list_passages(self._session, version, limit=_MOST_CHUNKS, searched=True)
        if not (chunks := self._chunks[version]):
            return None
        best = max(chunks, key=lambda chunk: claim_relevance(claim, chunk.text) + claim_relevance(old.text, chunk.text))
        around = text_around(self._session, best)
        return replace(best, text=around, end_index=best.start_index + len(around))

    def _version(self, document_id: uuid.UUID) -> uuid.UUID | None:
        if document_id not in self._in_force:
            version = answer_validity.find_in_force(self._session, document_id)
            self._in_force[document_id] = version.id if version else None
        return self._in_force[document_id]
