"""Verifies a stored answer again (N6), on the evidence that it was written from, with the current verifier."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from config.settings import Settings
from db.models import Answer, Citation, Query, QueryKind, QueryStatus, Workspace
from db.queries.access.idempotency import Repeatable, reserve_key
from db.queries.access.workspaces import require_open_workspace, workspace_name_of
from db.queries.documents.chunks import find_passages, get_passages
from db.queries.runs import queries, results, steps
from db.queries.verifications.external_sources import list_given_passages
from db.session import transaction
from domain.errors.state import NotReverifiable
from domain.query.options import Preset, WorkspaceSettings
from domain.query.workspace_rules import STATE_AFTER
from services.core.call_ledger import requester_columns
from services.external.request import Check, NewSource, NewVerification, check_callback, options_of
from services.external.storage import Item, SourceRows, Store
from services.queries.cancel_and_retry import copy_request
from services.queries.results import restated_question
from services.queries.submission import Submitted


@dataclass(frozen=True, slots=True)
class Reverification:
    """The settings of a re-verification; None means: as configured now. `model` is the judge."""

    model: str | None = None
    preset: Preset | None = None
    citation_confidence: float | None = None
    checks: Sequence[Check] | None = None
    callback_url: str | None = None


def reverify(
    query_id: uuid.UUID, kind: QueryKind, asked: Reverification, settings: Settings, request: Repeatable | None = None
) -> Submitted:
    """Store a verification of a query's answer; the caller then publishes it.

    Answer and evidence are the stored ones: nothing is searched for or repaired. Raises QueryNotFound,
    VerificationNotFound, NotReverifiable, WorkspaceDeleting, ModelNotAllowed, WebhookUrlInvalid, AddressForbidden,
    IdempotencyKeyReused.
    """
    check_callback(asked.callback_url, settings)
    new_id = uuid.uuid4()
    with transaction() as session:
        old = queries.get_query(session, query_id, kind)
        if request is not None and (first := reserve_key(session, request, new_id)) != new_id:
            return Submitted(first, repeated=True)
        require_open_workspace(session, old.workspace_id)
        if old.status != QueryStatus.SUCCEEDED or old.review == STATE_AFTER["correct"]:
            raise NotReverifiable(f"The query's status is {old.status!r}; only an answer can be verified again.")
        if kind is QueryKind.VERIFICATION:
            _verify_given(session, new_id, old, asked, settings)
        else:
            stored = results.find_answer(session, old.id)
            if stored is None or stored[0].abstained:
                raise NotReverifiable("The query has no answer: it says that it does not know.")
            add_reverification(session, new_id, old, stored[0].text, evidence_of(session, *stored), asked, settings)
    return Submitted(new_id, repeated=False)


def add_reverification(
    session: Session,
    new_id: uuid.UUID,
    old: Query,
    answer: str,
    evidence: Sequence[Passage],
    asked: Reverification,
    settings: Settings,
) -> None:
    """Store a verification of `answer` against `evidence`, of which passage N is at place N-1."""
    sources = [
        NewSource(
            text=passage.text, id=f"{number}:{passage.chunk_id}", title=passage.filename, metadata=passage.metadata
        )
        for number, passage in enumerate(evidence, start=1)
    ]
    workspace = workspace_name_of(session, old)
    question = restated_question(session, old) or old.question
    new = _request(question, answer, sources, workspace, asked)
    given = SourceRows(session, settings).of(new)
    rows = [{**row, **as_source(passage)} for row, passage in zip(given, evidence, strict=True)]
    Store(session, settings, {workspace: old.workspace_id}).add([Item(new_id, new, rows, reverifies=old.id)])


def _request(
    question: str, answer: str, sources: Sequence[NewSource], workspace: str, asked: Reverification
) -> NewVerification:
    return NewVerification(
        answer=answer,
        sources=sources,
        question=question or None,
        checks=asked.checks,
        workspace=workspace,
        preset=asked.preset,
        model=asked.model,
        repair="off",
        citation_confidence=asked.citation_confidence,
        callback_url=asked.callback_url,
    )


def _verify_given(session: Session, new_id: uuid.UUID, old: Query, asked: Reverification, settings: Settings) -> None:
    request = _request(old.question, "", (), "", asked)
    workspace = WorkspaceSettings.stored(session.get_one(Workspace, old.workspace_id).settings)
    options = {
        **options_of(request, settings, workspace).model_dump(mode="json"),
        "refusal": old.options.get("refusal"),
    }
    columns: Mapping[str, Any] = {
        "kind": old.kind,
        "question": old.question,
        "mode": old.mode,
        "provider": settings.provider,
        "options": options,
        "callback_url": asked.callback_url,
        "reverifies": old.id,
        **requester_columns(session),
    }
    queries.add_query(session, old.workspace_id, query_id=new_id, **columns)
    copy_request(session, old.id, new_id)


def evidence_of(session: Session, answer: Answer, citations: list[Citation]) -> list[Passage]:
    """Return the passages that the answer cites, number N at place N-1, followed by the others that it was written
    from.

    Raises NotReverifiable when one of them is no longer stored, because a verdict without it would mean nothing.
    """
    selected = steps.find_outcome(session, answer.query_id, answer.round, "select") or {}
    keys: list[int] = selected.get("selected", [])
    # Texts that came with the question, if there are any, are its only sources.
    given = {passage.key: passage for passage in list_given_passages(session, answer.query_id)}
    cited = cited_passages(session, citations, given.values())
    written_from = [given[key] for key in keys if key in given] if given else get_passages(session, keys)
    missing = len([passage for passage in cited if passage is None]) + len(keys) - len(written_from)
    if missing:
        raise NotReverifiable(
            f"{missing} of the passages that the answer was written from were deleted with their documents."
        )
    available = [passage for passage in cited if passage is not None]
    known = {passage.key for passage in available}
    return [*available, *(passage for passage in written_from if passage.key not in known)]


def cited_passages(session: Session, citations: list[Citation], given: Iterable[Passage] = ()) -> list[Passage | None]:
    places: dict[int, tuple[uuid.UUID, int]] = {
        citation.number: (citation.document_id, citation.chunk_index) for citation in citations
    }
    stored = find_passages(session, set(places.values()))
    stored |= {(passage.document_id, passage.chunk_index): passage for passage in given}
    return [stored.get(places[number]) for number in sorted(places)]


def as_source(passage: Passage) -> dict[str, Any]:
    """Return the fields of a given source (N2) besides its text: its page, its section, its context."""
    length = len(passage.text)
    return {
        "pages": [[passage.page, 0, length]] if passage.page is not None else None,
        "sections": [[passage.section, 0, length]] if passage.section else None,
        "context": passage.context,
    }
