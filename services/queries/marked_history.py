"""Marks what the verification history cites: words recognised in pictures, words of figures, and corrected words."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from db.queries.documents.text_marks import find_marks
from domain.documents.text_marks import UNMARKED, Marks, TextMarks

Json = dict[str, Any]
Outcomes = Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]


def marked(session: Session, attempts: Sequence[Json], outcomes: Outcomes) -> list[Json]:
    """The attempts with the marks of all places of sentences and claims, and of all citation checks."""
    selected = (steps.get(("select", ""), {}) for steps in outcomes.values())
    sources: list[Json] = [source for outcome in selected for source in outcome.get("sources") or ()]
    # Given sources (N2) have no documents.
    passages = {source["chunk_id"]: source for source in sources if "chunk_id" in source}
    checked = [_place(check, passages) for attempt in attempts for check in attempt["citation_checks"]]
    stated = (statement for attempt in attempts for statement in (*attempt["sentences"], *attempt["claims"]))
    places: list[Json] = [*(statement["source"] for statement in stated if statement["source"]), *filter(None, checked)]
    marks = find_marks(session, ((uuid.UUID(str(place["document_id"])), place.get("page_number")) for place in places))
    return [_attempt(attempt, passages, marks) for attempt in attempts]


def _attempt(attempt: Json, passages: Mapping[str, Json], marks: TextMarks) -> Json:
    def sourced(statement: Json) -> Json:
        source = statement["source"]
        return {**statement, "source": source and {**source, **_marks(source, marks)}}

    checks = [{**check, **_marks(_place(check, passages), marks)} for check in attempt["citation_checks"]]
    parts = {name: [sourced(statement) for statement in attempt[name]] for name in ("sentences", "claims")}
    return {**attempt, **parts, "citation_checks": checks}


def _marks(place: Mapping[str, Any] | None, marks: TextMarks) -> Marks:
    if place is None:
        return UNMARKED
    return marks.of(place["document_id"], place.get("page_number"), place["source_start"], place["source_end"])


def _place(check: Json, passages: Mapping[str, Json]) -> Json | None:
    """The place of the words that decided a check; the whole passage if there are none."""
    passage = passages.get(check["chunk_id"] or "")
    if passage is None:
        return None
    words = check["evidence"] or passage["text"]
    at = passage["text"].find(words)
    if at < 0:
        at, words = 0, passage["text"]
    start = passage["start_index"] + at
    return {**passage, "source_start": start, "source_end": start + len(words)}
