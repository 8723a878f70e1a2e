"""Marks what the verification history cites: words that were recognised in pictures, and words that stand for them."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from db.queries.documents.text_marks import find_marks
from domain.documents.text_marks import UNMARKED, Marks, TextMarks

Json = dict[str, Any]
Outcomes = Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]


def marked(session: Session, attempts: Sequence[Json], outcomes: Outcomes) -> list[Json]:
    """The attempts with the marks of all places of sentences and claims, and of all citation checks."""
    # Given sources (N2) have no documents.
    passages = {passage["chunk_id"]: passage for passage in _passages(outcomes) if "chunk_id" in passage}
    checked = [_place(check, passages) for attempt in attempts for check in attempt["citation_checks"]]
    marks = find_marks(session, map(_page, [*_sources(attempts), *filter(None, checked)]))
    return [_attempt(attempt, passages, marks) for attempt in attempts]


def _attempt(attempt: Json, passages: Mapping[str, Json], marks: TextMarks) -> Json:
    def sourced(each: Json) -> Json:
        return {**each, "source": each["source"] and {**each["source"], **_marks(each["source"], marks)}}

    checks = [{**each, **_marks(_place(each, passages), marks)} for each in attempt["citation_checks"]]
    parts = {name: [sourced(each) for each in attempt[name]] for name in ("sentences", "claims")}
    return {**attempt, **parts, "citation_checks": checks}


def _marks(place: Mapping[str, Any] | None, marks: TextMarks) -> Marks:
    if place is None:
        return UNMARKED
    return marks.of(place["document_id"], place.get("page_number"), place["source_start"], place["source_end"])


def _place(check: Json, passages: Mapping[str, Json]) -> Json | None:
    """Where the words that decided a check stand; the whole passage if there are none."""
    passage = passages.get(check["chunk_id"] or "")
    if passage is None:
        return None
    words = check["evidence"] or passage["text"]
    at = passage["text"].find(words)
    if at < 0:
        at, words = 0, passage["text"]
    start = passage["start_index"] + at
    return {**passage, "source_start": start, "source_end": start + len(words)}


def _passages(outcomes: Outcomes) -> Iterator[Json]:
    for steps in outcomes.values():
        yield from steps.get(("select", ""), {}).get("sources") or ()


def _sources(attempts: Sequence[Json]) -> Iterator[Json]:
    for attempt in attempts:
        for each in (*attempt["sentences"], *attempt["claims"]):
            if each["source"]:
                yield each["source"]


def _page(place: Json) -> tuple[uuid.UUID, int | None]:
    return uuid.UUID(str(place["document_id"])), place.get("page_number")
