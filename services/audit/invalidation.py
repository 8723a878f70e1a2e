"""Processes changed and deleted documents: finds the answers that cite them, judges these answers and, if wanted, has
them verified again (N7).

The work list is in Postgres. One transaction handles a batch of citations; it stores the new states, the messages, the
verifications and the progress together.
"""

import uuid
from collections.abc import Collection
from dataclasses import replace

import structlog
from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import claim_relevance
from config.settings import Settings
from db.models import Answer, AnswerValidity, Citation, DocumentChange
from db.queries.documents.chunks import get_passages, list_excluded, list_passages, text_around
from db.queries.documents.documents import get_document_text
from db.queries.runs import queries, results, steps
from db.queries.verifications import answer_validity
from db.queries.verifications.answer_validity import Quotes, Version
from db.session import acting_for, system_transaction, transaction
from domain.audit.validity import IN_FORCE, Ruling, Standing, after_change, after_deletion, worst
from domain.errors.service import DatabaseUnavailable
from services.audit.reverification import Reverification, add_reverification, cited_passages
from services.finishing.answer_validity import store_validity

_MOST_CHUNKS = 5_000
"""The most chunks of a new version that are searched for the one that best matches the old passage."""

log = structlog.get_logger(__name__)

_MOST_BATCHES = 20
"""The most batches of one change in a turn; then other changes have their turns."""
_AT_A_TIME = 50
"""The number of citations that are checked per transaction."""
_AGAIN_AFTER_S = 300.0
"""The delay after an error before a change is tried again."""


def process_changes(settings: Settings) -> int:
    """Process all due changes of all tenants; return how many verifications were started."""
    with system_transaction() as session:
        due = answer_validity.list_due_changes(session)
    made = 0
    for change_id, tenant_id in due:
        with acting_for(tenant_id):
            made += _process_change(change_id, settings)
    return made


def _process_change(change_id: int, settings: Settings) -> int:
    """Process a change in batches. An error is logged and the change waits, so that other changes have their turn."""
    made = 0
    try:
        for _ in range(_MOST_BATCHES):
            verified = _process_batch(change_id, settings)
            if verified is None:
                break
            made += verified
    except DatabaseUnavailable:
        raise
    except Exception:
        log.exception("standing_change_failed", change=change_id)
        with transaction() as session:
            answer_validity.postpone_change(session, change_id, _AGAIN_AFTER_S)
    return made


def _process_batch(change_id: int, settings: Settings) -> int | None:
    """Process a batch of citations; return how many verifications were started, or None if no work is due."""
    with transaction() as session:
        change = answer_validity.lock_change(session, change_id)
        if change is None:
            return None
        citing = answer_validity.list_citing(session, change, _AT_A_TIME)
        made = _apply(session, change, {query for _, query in citing}, settings)
        is_last = len(citing) < _AT_A_TIME
        answer_validity.advance_change(session, change, None if is_last else citing[-1][0], settings.standing.settle_s)
    return made


def _apply(session: Session, change: DocumentChange, query_ids: Collection[uuid.UUID], settings: Settings) -> int:
    known = answer_validity.lock_validities(session, change, query_ids)
    new = [validity for validity in known if _is_unprocessed(change, validity)]
    quotes = answer_validity.list_quotes(session, [validity.query_id for validity in new])
    versions, before = _Versions(session), change.reverified
    for validity in new:
        ruling = worst([versions.ruling(quoted) for quoted in quotes[validity.query_id]])
        validity.change_id = max(change.id, validity.change_id)
        validity.document_id, validity.filename = change.document_id, change.filename
        validity.reverification = _reverify(session, change, validity.query_id, ruling, settings)
        if validity.reverification:
            change.reverified += 1
            ruling = Ruling(Standing.STALE, f"{ruling.reason} It is verified again.")
        store_validity(session, validity, ruling)
    change.found += len(new)
    return change.reverified - before


def _is_unprocessed(change: DocumentChange, validity: AnswerValidity) -> bool:
    """Return whether the answer has not been compared with this change yet, neither for this change itself nor for a
    later one.

    A change gets its number before its transaction commits: a later one may have been processed while this one was
    still invisible. The first pass of this change makes up for that.
    """
    if change.id > validity.change_id:
        return True
    return change.passes == 0 and validity.document_id != change.document_id


class _Versions:
    """The documents that a batch of answers cites, each read once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[uuid.UUID, tuple[Version | None, str]] = {}

    def ruling(self, quoted: Quotes) -> Ruling:
        version, text = self._in_force(quoted.document_id)
        if version is None:
            return after_deletion(quoted.filename)
        if version.id == quoted.document_id:
            return IN_FORCE
        return after_change(quoted.filename, quoted.quotes, text, is_same=version.is_same)

    def _in_force(self, document_id: uuid.UUID) -> tuple[Version | None, str]:
        if document_id not in self._known:
            version = answer_validity.find_in_force(self._session, document_id)
            changed = version is not None and version.id != document_id and not version.is_same
            text = get_document_text(self._session, version.id) if version and changed else None
            self._known[document_id] = version, text or ""
        return self._known[document_id]


def _reverify(
    session: Session, change: DocumentChange, query_id: uuid.UUID, ruling: Ruling, settings: Settings
) -> uuid.UUID | None:
    wanted = settings.standing
    if not wanted.reverify or ruling.state is Standing.VALID or change.reverified >= wanted.max_per_change:
        return None
    stored = results.find_answer(session, query_id)
    evidence = current_evidence(session, *stored) if stored else None
    if stored is None or evidence is None:
        return None
    new_id, old = uuid.uuid4(), queries.get_query(session, query_id)
    add_reverification(session, new_id, old, stored[0].text, evidence, Reverification(), settings)
    return new_id


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
