"""Marks what the verification history cites of pictures: how surely the cited words were recognised there."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from db.queries.documents.boxes import find_recognised
from services.queries.result_json import Recognised, recognition_json

Json = dict[str, Any]
Outcomes = Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]


def marked(session: Session, attempts: Sequence[Json], outcomes: Outcomes) -> list[Json]:
    """The attempts with `recognised_confidence` in all places of sentences and claims, and in all citation checks."""
    # Given sources (N2) have no documents.
    passages = {each["chunk_id"]: each for each in _passages(outcomes) if "chunk_id" in each}
    checked = [_place(check, passages) for attempt in attempts for check in attempt["citation_checks"]]
    seen = find_recognised(session, set(_pages([*_sources(attempts), *filter(None, checked)])))
    return [_attempt(attempt, passages, seen) for attempt in attempts]


def _attempt(attempt: Json, passages: Mapping[str, Json], seen: Recognised) -> Json:
    def sourced(each: Json) -> Json:
        return {**each, "source": each["source"] and {**each["source"], **_confidence(each["source"], seen)}}

    checks = [{**each, **_confidence(_place(each, passages), seen)} for each in attempt["citation_checks"]]
    parts = {name: [sourced(each) for each in attempt[name]] for name in ("sentences", "claims")}
    return {**attempt, **parts, "citation_checks": checks}


def _confidence(place: Mapping[str, Any] | None, seen: Recognised) -> dict[str, float | None]:
    if place is None:
        return {"recognised_confidence": None}
    return recognition_json(
        seen, place["document_id"], place.get("page_number"), place["source_start"], place["source_end"]
    )


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


def _pages(places: Iterable[Json]) -> Iterator[tuple[uuid.UUID, int]]:
    for place in places:
        if place.get("page_number"):
            yield uuid.UUID(str(place["document_id"])), place["page_number"]
