"""Stores given answers: their sources, and those outcomes that need no worker (N2)."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy.orm import Session

from citewell_verify.answers.external_citations import GivenCitation, marked_translation
from citewell_verify.answers.statements import plan_checks
from citewell_verify.answers.translation import translated
from citewell_verify.errors import VerificationInvalid
from citewell_verify.judging.statement import Checked
from citewell_verify.markers.citable import Citable, brackets_in, citable_sources
from clients.telemetry import tracing
from config.settings import Settings
from db.models import Document, QueryKind, Workspace
from db.queries.runs.queries import add_queries
from db.queries.runs.steps import add_outcomes
from db.queries.verifications.external_sources import add_given_sources, read_document
from domain.query.options import WorkspaceSettings
from domain.query.outcomes import (
    CHECK_STATEMENTS,
    EXTRACT_CITATIONS,
    GENERATE,
    SELECT,
    CitationBeside,
    Drafted,
    Extracted,
    Selected,
)
from domain.query.workspace_rules import refusal_of
from services.core.call_ledger import requester_columns
from services.external.request import (
    ABOUT_SENTENCES,
    NewCitation,
    NewSource,
    NewVerification,
    options_of,
    skipped_checks,
)
from services.queries.submission import checked_question

# The limits of one portion: few statements, none of which is huge.
_MOST_ITEMS, _MOST_CHARS = 500, 4_000_000


@dataclass(frozen=True, slots=True)
class Item:
    """A verification to be stored; `rows` are its sources."""

    query_id: uuid.UUID
    new: NewVerification
    rows: Sequence[Mapping[str, Any]]
    batch_id: uuid.UUID | None = None
    position: int | None = None
    reverifies: uuid.UUID | None = None
    """N6: the query whose answer is verified again."""


def _portions(items: Sequence[Item]) -> Iterator[list[Item]]:
    portion: list[Item] = []
    characters = 0
    for item in items:
        size = len(item.new.answer) + sum(len(row["text"]) for row in item.rows)
        if portion and (len(portion) == _MOST_ITEMS or characters + size > _MOST_CHARS):
            yield portion
            portion, characters = [], 0
        portion.append(item)
        characters += size
    yield portion


def text_row(number: int, source: NewSource) -> dict[str, Any]:
    """Return the row of a source, without the columns that its stored document adds, if it names one."""
    return {
        "number": number,
        "url": source.url,
        "document_id": source.document_id,
        "context": None,
        "title": source.title or f"Source {number}",
        "details": dict(source.metadata),
        "text": source.text,
        "pages": None if source.pages is None else [list(page) for page in source.pages],
        "sections": None,
    }


class SourceRows:
    """Reads the sources of verifications; a stored document that several of them name is read once."""

    def __init__(self, session: Session, settings: Settings) -> None:
        self._session, self._settings = session, settings
        self._documents: dict[uuid.UUID, Document] = {}

    def of(self, new: NewVerification) -> list[dict[str, Any]]:
        """Return the sources as stored rows. Raises VerificationInvalid, DocumentNotFound, DocumentNotRead."""
        rows = [self._row(number, source) for number, source in enumerate(new.sources, start=1)]
        if sum(len(row["text"]) for row in rows) > self._settings.verifying.max_bytes:
            limit = self._settings.verifying.max_bytes
            raise VerificationInvalid(f"The sources have more than {limit:,} characters together; send fewer of them.")
        return rows

    def _row(self, number: int, source: NewSource) -> dict[str, Any]:
        row = text_row(number, source)
        if source.document_id is None:
            return row
        if source.document_id not in self._documents:
            self._documents[source.document_id] = read_document(self._session, source.document_id)
        document = self._documents[source.document_id]
        return {
            **row,
            "title": source.title or document.filename,
            "details": {**document.details, **source.metadata},
            "text": document.text,
            "pages": document.pages,
            "sections": document.sections,
        }


class Store:
    """Adds verifications in one transaction."""

    def __init__(self, session: Session, settings: Settings, workspaces: Mapping[str, int]) -> None:
        self._session, self._settings, self._workspaces = session, settings, workspaces
        self._stored: dict[str, WorkspaceSettings] = {}

    def add(self, items: Sequence[Item]) -> None:
        for some in _portions(items):
            add_queries(self._session, [self._query(item) for item in some])
            sources = [{**row, "query_id": item.query_id} for item in some for row in item.rows]
            keys = iter(add_given_sources(self._session, sources))
            outcomes = [
                (item.query_id, *outcome)
                for item in some
                for outcome in first_outcomes(item.new, list(islice(keys, len(item.rows))), item.rows)
            ]
            add_outcomes(self._session, outcomes)

    def _query(self, item: Item) -> dict[str, Any]:
        new, name = item.new, item.new.workspace
        if name not in self._stored:
            stored = self._session.get_one(Workspace, self._workspaces[name]).settings
            self._stored[name] = WorkspaceSettings.stored(stored)
        workspace = self._stored[name]
        question = new.question or ""
        if question and not item.reverifies:
            # The question of a stored answer was accepted before, and may have become longer when it was restated.
            question = checked_question(question, self._settings.question_max_chars)
        return {
            "id": item.query_id,
            "workspace_id": self._workspaces[name],
            "question": question,
            "mode": "balanced",
            "provider": self._settings.provider,
            "options": {
                **options_of(new, self._settings, workspace).model_dump(mode="json"),
                # This text marks a refusal in the given answer.
                "refusal": refusal_of(workspace.instructions),
                "review": {} if item.reverifies else workspace.review.model_dump(mode="json", exclude={"hold"}),
            },
            "kind": QueryKind.VERIFICATION,
            "callback_url": new.callback_url,
            "custom_id": new.custom_id,
            "batch_id": item.batch_id,
            "position": item.position,
            # Items of a batch have traces of their own.
            "traceparent": tracing.traceparent() if item.batch_id is None else None,
            "reverifies": item.reverifies,
            # No person waits for an item of a batch.
            **({"is_scripted": True, "asked_by": None} if item.batch_id else requester_columns(self._session)),
        }


def first_outcomes(
    new: NewVerification, keys: list[int], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[str, str, dict[str, Any]]]:
    """Return the (step, item, outcome) of everything that is known about a verification when it is accepted; `keys` are
    those of `rows`."""
    selected = _selected(new, keys, rows)
    sources = citable_sources(selected["sources"])
    draft = _draft(new, sources)
    outcomes: list[tuple[str, str, Mapping[str, Any]]] = [
        (SELECT, "", selected),
        (GENERATE, "", draft),
        (EXTRACT_CITATIONS, "", Extracted(status="extracted", citations=[])),
    ]
    skipped = skipped_checks(new)
    for check, reason in skipped.items():
        outcome = Checked(status="skipped", verdict=None, reason=reason)
        if check != "citations":
            outcomes.append((f"check_{check}", "", outcome))
        elif skipped.keys() >= ABOUT_SENTENCES:
            outcomes += [(CHECK_STATEMENTS, planned.item, outcome) for planned in plan_checks(draft["text"], sources)]
    return [(step, item, dict(outcome)) for step, item, outcome in outcomes]


def _selected(new: NewVerification, keys: list[int], rows: Sequence[Mapping[str, Any]]) -> Selected:
    sources = [
        {
            "number": row["number"],
            "id": source.id,
            "title": row["title"],
            "url": row["url"],
            "document_id": str(source.document_id) if source.document_id else None,
            "metadata": row["details"],
            "characters": len(row["text"]),
            "brackets": sorted(brackets_in(row["text"])),
        }
        for source, row in zip(new.sources, rows, strict=True)
    ]
    return Selected(status="selected", selected=keys, ranked=keys, sources=sources, issues=[])


def _draft(new: NewVerification, sources: Citable) -> Drafted:
    numbers = {source.id: number for number, source in enumerate(new.sources, start=1) if source.id is not None}
    cited: list[tuple[NewCitation, int | None]] = []
    for citation in new.citations:
        number = numbers.get(citation.source) if isinstance(citation.source, str) else citation.source
        cited.append((citation, number if number is not None and 1 <= number <= len(new.sources) else None))
    translation = translated(new.answer, sources, new.first_number)
    marked = marked_translation(
        translation,
        [GivenCitation(citation.start, citation.end, number) for citation, number in cited if number],
        sources,
    )
    return Drafted(
        status="complete",
        text=marked.text,
        model=None,
        given=new.answer,
        translated=translation.text,
        unread=list(translation.unread),
        from_zero=translation.from_zero and new.first_number is None,
        inserted=list(marked.inserted),
        citations=[
            CitationBeside(start=citation.start, end=citation.end, source=citation.source, number=number)
            for citation, number in cited
        ],
    )
