"""Reads results: the query of the public interface, its events, and its verification history with the cited places."""

import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from db.base import row_json
from db.models import Query, QueryKind, QueryStatus
from db.queries.access.workspaces import workspace_name_of
from db.queries.documents.boxes import find_marks
from db.queries.runs import events, model_calls, queries, results, steps
from db.queries.runs.parking import parked_of_query
from db.session import reading, system_transaction
from domain.documents.text_marks import UNMARKED, Marks, TextMarks
from domain.errors.state import AnswerHeld, QueryUnfinished
from domain.query.workspace_rules import STATE_AFTER, is_withheld
from services.queries.result_json import (
    NO_ANSWER,
    UNTOUCHED,
    answer_json,
    attempt_json,
    call_json,
    check_json,
    closest_json,
    elapsed_ms,
    head_json,
    object_json,
    source_json,
    steps_json,
    verification_json,
)
from services.reporting.assessment import stored_signal
from services.reporting.comparison import read_reverifications
from services.retrieval.candidates import copies_of_cited

Json = dict[str, Any]
Outcomes = Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]


def marked(session: Session, attempts: Sequence[Json], outcomes: Outcomes) -> list[Json]:
    """Return the attempts with the places of all sentences, claims and citation checks."""
    selected = (steps.get(("select", ""), {}) for steps in outcomes.values())
    sources: list[Json] = [source for outcome in selected for source in outcome.get("sources") or ()]
    # Given sources (N2) have no documents.
    passages = {source["chunk_id"]: source for source in sources if "chunk_id" in source}
    checked = [_place_of_check(check, passages) for attempt in attempts for check in attempt["citation_checks"]]
    stated = (statement for attempt in attempts for statement in (*attempt["sentences"], *attempt["claims"]))
    places: list[Json] = [*(statement["source"] for statement in stated if statement["source"]), *filter(None, checked)]
    marks = find_marks(session, ((uuid.UUID(str(place["document_id"])), place.get("page_number")) for place in places))
    return [_attempt(attempt, passages, marks) for attempt in attempts]


def _attempt(attempt: Json, passages: Mapping[str, Json], marks: TextMarks) -> Json:
    def sourced(statement: Json) -> Json:
        source = statement["source"]
        return {**statement, "source": source and {**source, **_marks(source, marks)}}

    checks = [{**check, **_marks(_place_of_check(check, passages), marks)} for check in attempt["citation_checks"]]
    parts = {name: [sourced(statement) for statement in attempt[name]] for name in ("sentences", "claims")}
    return {**attempt, **parts, "citation_checks": checks}


def _marks(place: Mapping[str, Any] | None, marks: TextMarks) -> Marks:
    if place is None:
        return UNMARKED
    return marks.of(place["document_id"], place.get("page_number"), place["source_start"], place["source_end"])


def _place_of_check(check: Json, passages: Mapping[str, Json]) -> Json | None:
    """Return the place of the words that decided a check; the whole passage if there are none."""
    passage = passages.get(check["chunk_id"] or "")
    if passage is None:
        return None
    words = check["evidence"] or passage["text"]
    at = passage["text"].find(words)
    if at < 0:
        at, words = 0, passage["text"]
    start = passage["start_index"] + at
    return {**passage, "source_start": start, "source_end": start + len(words)}


FINAL = frozenset({"succeeded", "failed", "cancelled", "held"})


def read_status(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> str:
    with reading() as session:
        return queries.get_status(session, query_id, kind)


def without_unfinished(query_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of the queries, of all tenants, that have ended or do not exist any more."""
    with system_transaction() as session:
        return {*query_ids} - queries.find_unfinished(session, query_ids)


def read_succeeded(query_id: uuid.UUID) -> dict[str, Any]:
    """Return the query with its answer. Raises QueryNotFound, AnswerHeld, and QueryUnfinished when it has none."""
    query = read_query(query_id)
    if query["status"] == QueryStatus.HELD:
        raise AnswerHeld
    if query["status"] != "succeeded":
        raise QueryUnfinished(f"The question is {query['status']}; only one that has succeeded has an answer to show.")
    return query


def read_query(query_id: uuid.UUID, *, to_reviewer: bool = False) -> dict[str, Any]:
    """Return the query; a reviewer also sees an answer and checks that nobody else may see yet, or any more."""
    with reading() as session:
        query, workspace = queries.get_named_query(session, query_id, QueryKind.ANSWER)
        whole = results.read_whole(session, query_id, query.round, with_correction=not to_reviewer)
        restated = restated_question(session, query)
        searched = queries.searched_workspaces(session, [query])
        # With a filter, documents that it excludes do not count.
        places = () if query.options.get("filter") else (query.workspace_id, *query.options.get("workspaces", ()))
        copies = copies_of_cited(session, whole.passages, places)
    is_hidden = query.status != QueryStatus.SUCCEEDED and not to_reviewer and withheld(query)
    if query.status == QueryStatus.CANCELLED or is_hidden:
        # The answer may have been concluded, but was never published.
        whole = whole._replace(answer=None, published=None, sources=[] if is_hidden else whole.sources)
    if whole.answer is None or (query.review == STATE_AFTER["correct"] and not to_reviewer):
        whole = whole._replace(filled=None, conflicts=())
    is_told = query.status == QueryStatus.SUCCEEDED or (to_reviewer and whole.answer)
    signal = stored_signal(query, whole.answer, whole.published) if is_told else None
    # Without a model, a passage that the answer does not cite may still contain what was asked.
    in_doubt = query.provider == "offline" and signal is not None and signal["level"] == "amber"
    return {
        **head_json(query, workspace, searched),
        "request": query.options.get("request", {}),
        "restated_question": restated,
        "attached_texts": query.options.get("given_sources", []),
        "conversation_id": str(whole.conversation_id) if whole.conversation_id else None,
        **(answer_json(*whole.answer, whole.added, whole.marks, whole.cells, copies) if whole.answer else NO_ANSWER),
        "review": {"state": query.review, **(whole.review or {})} if query.review else None,
        "signal": signal,
        "answer_object": object_json(whole.filled) if whole.filled else None,
        "conflicts": list(whole.conflicts),
        "mentions": closest_json(restated or query.question, whole, in_doubt=in_doubt),
        "sources": [source_json(source, whole.added, whole.marks) for source in whole.sources],
        "verification": verification_json(whole.published, query.options, whole.marks) if whole.published else None,
        "usage": whole.usage,
        "timings": {**whole.timings, "total": elapsed_ms(query)},
        "degraded": whole.degraded,
        "audit": whole.audit,
        "standing": whole.standing or (UNTOUCHED if query.status == QueryStatus.SUCCEEDED else None),
    }


def withheld(query: Query) -> bool:
    return is_withheld(query.options, query.status, query.review)


def usage_json(session: Session, query_id: uuid.UUID) -> dict[str, Any]:
    usage = model_calls.usage_of_query(session, query_id)
    counts = row_json(usage, "llm_calls unknown_calls prompt_tokens cached_tokens completion_tokens")
    return {**counts, "cost_usd": float(usage.cost_usd)}


def timings_json(session: Session, query: Query) -> dict[str, Any]:
    """Return milliseconds per step, and from acceptance to the end."""
    return {**steps.stage_timings(session, query.id), "total": elapsed_ms(query)}


def read_head(query_id: uuid.UUID) -> dict[str, Any]:
    with reading() as session:
        query, workspace = queries.get_named_query(session, query_id)
        return head_json(query, workspace, queries.searched_workspaces(session, [query]))


def answers_by_schema(query_id: uuid.UUID) -> bool:
    """Return whether the answer is also requested as an object. Raises QueryNotFound."""
    with reading() as session:
        return queries.get_query(session, query_id).options.get("answer_schema") is not None


def read_history(
    query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER, *, to_reviewer: bool = False
) -> dict[str, Any]:
    """Return everything that was checked, asked and decided, in order (A4). Raises QueryNotFound, VerificationNotFound,
    and AnswerHeld where only reviewers may see it."""
    with reading() as session:
        query = queries.get_query(session, query_id, kind)
        if withheld(query) and not to_reviewer:
            raise AnswerHeld
        outcomes = steps.list_outcomes(session, query_id)
        attempts = [attempt_json(verification) for verification in results.list_verifications(session, query_id)]
        return {
            **head_json(query, workspace_name_of(session, query), queries.searched_workspaces(session, [query])),
            "verifications": marked(session, attempts, outcomes),
            "parked": parked_of_query(session, query_id),
            "reverifications": read_reverifications(session, query_id),
            "steps": steps_json(outcomes),
            "model_calls": [call_json(call) for call in model_calls.list_model_calls(session, query_id)],
            "events": [
                {"id": event.seq, "type": event.type, "data": event.data, "at": event.created_at.isoformat()}
                for event in events.list_events(session, query_id)
            ],
        }


def read_citation_checks(query_id: uuid.UUID) -> list[dict[str, Any]]:
    """S5.4: return the check of each (statement, number) pair of the original answer, in the order of its
    statements."""
    with reading() as session:
        published = results.find_published_verification(session, query_id)
        checks = published.citation_checks if published else []
        cited = [check for check in checks if check.citation_number and not check.item.endswith(":repair")]
        # Items are `s0:c1`, `s10:c2`; sorted as text they would not be in the order of the statements.
        return [
            check_json(check)
            for check in sorted(cited, key=lambda check: [int(number) for number in re.findall(r"\d+", check.item)])
        ]


_WITHOUT_TEXT = FINAL | {"stage", "final"}


class StreamedEvent(NamedTuple):
    """One event of a query; `seq` counts up from 1."""

    seq: int
    type: str
    data: dict[str, Any]


def read_events(query_id: uuid.UUID, after: int, kind: QueryKind | None = None) -> tuple[list[StreamedEvent], bool]:
    """Return the events after number `after`, and whether these are the last.

    A replay from the start leaves out drafts, because their result is known. Of an answer that is held back, or may
    come to be, only the stages and the end are included. Raises QueryNotFound, and VerificationNotFound when there is
    none of that `kind`.
    """
    with reading() as session:
        progress = events.read_progress(session, query_id, after)
    if progress is None or kind not in (None, progress.kind):
        raise queries.not_found(query_id, kind)
    is_finished = progress.status in FINAL
    # After a reviewer's decision, the event that the answer is held is out of date.
    stored = [StreamedEvent(*event) for event in progress.events]
    if progress.status != QueryStatus.HELD:
        stored = [event for event in stored if event.type != QueryStatus.HELD]
    if is_withheld(progress.options, progress.status, progress.review):
        return [event for event in stored if event.type in _WITHOUT_TEXT], is_finished
    return [event for event in stored if after or not is_finished or event.type != events.DRAFT], is_finished


def restated_question(session: Session, query: Query) -> str | None:
    if not query.options.get("conversation"):
        return None
    restated = (steps.find_outcome(session, query.id, 0, "restate_question") or {}).get("question")
    return None if restated == query.question else restated
