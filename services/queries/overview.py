"""Lists: pages of questions, verifications and threads with their results."""

import unicodedata
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from db.base import row_json
from db.models import Query, QueryKind, QueryStatus
from db.queries.paging import Place
from db.queries.reports import overview
from db.queries.reports.overview import Answered, Judged, Paid
from db.queries.runs import queries, threads
from db.queries.runs.queries import QueryFilter
from db.queries.runs.threads import ListedThread
from db.session import reading
from domain.query.conversation import title_of
from services.queries.result_json import head_json
from services.queries.results import withheld
from services.reporting.assessment import shown_confidence, signal_json

Json = dict[str, Any]


def read_threads(search: str | None, *, after: Place | None, limit: int) -> list[Json]:
    wanted = unicodedata.normalize("NFC", search).strip() if search else None
    with reading() as session:
        listed = threads.list_threads(session, search=wanted or None, after=after, limit=limit)
    return [_thread_json(thread) for thread in listed]


def read_thread(id_: uuid.UUID) -> Json:
    """Return the thread of a conversation or question. Raises ThreadNotFound."""
    with reading() as session:
        return _thread_json(threads.get_thread(session, id_))


def _thread_json(thread: ListedThread) -> Json:
    return {
        **row_json(thread, "id branched_from workspace turns last_asked_at"),
        "conversation_id": str(thread.id) if thread.is_conversation else None,
        "title": thread.title or (title_of(thread.first_question) if thread.first_question else None),
        "state": _state(thread),
    }


def _state(thread: ListedThread) -> str:
    match thread.status:
        case None:
            return "empty"
        case "queued" | "running":
            return "running"
        case "succeeded":
            return "not_answered" if thread.abstained else "answered"
        case status:
            return status


MOST_COUNTED = 10_000


def count_entries(wanted: QueryFilter) -> int:
    with reading() as session:
        return queries.count_queries(session, wanted, most=MOST_COUNTED)


def read_overview(wanted: QueryFilter, *, after: Place | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        rows = queries.list_queries(session, wanted, after=after, limit=limit)
        results = _results(session, [query for query, _ in rows], wanted.kind)
        paid = overview.sum_paid(session, list(results))
    return [
        {**_head(query, workspace), **results[query.id], **paid.get(query.id, _NOTHING_PAID)._asdict()}
        for query, workspace in rows
    ]


def read_queries(wanted: QueryFilter, *, after: Place | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        rows = queries.list_queries(session, wanted, after=after, limit=limit)
        asked = [query for query, _ in rows]
        searched = queries.searched_workspaces(session, asked)
        results = _results(session, asked, wanted.kind)
        return [{**head_json(query, name, searched), "signal": results[query.id]["signal"]} for query, name in rows]


def _results(session: Session, asked: Sequence[Query], kind: QueryKind) -> dict[uuid.UUID, dict[str, Any]]:
    ids = [query.id for query in asked]
    judged = overview.list_judged(session, ids, kind)
    states = overview.count_states(session, [verdict.verification_id for verdict in judged.values()])
    answered = overview.list_answered(session, ids)
    by_query: dict[uuid.UUID, dict[str, Any]] = {}
    for query in asked:
        verdict = judged.get(query.id)
        counts = states.get(verdict.verification_id, {}) if verdict else {}
        by_query[query.id] = (
            _result(query, None, None, {})
            if query.status != QueryStatus.SUCCEEDED and withheld(query)
            else _result(query, verdict, answered.get(query.id), counts)
        )
    return by_query


_NOTHING_PAID = Paid(0, 0.0)


def _result(
    query: Query, judged: Judged | None, answered: Answered | None, states: Mapping[str, int]
) -> dict[str, Any]:
    row = _fields(judged, Judged)
    shown = shown_confidence(row["confidence"], row["confidence_level"])
    signal = signal_json(
        query,
        abstained=answered is not None and answered.abstained,
        is_quoted=bool(answered and answered.is_quoted),
        states=list(states) if judged and not judged.is_broken else None,
        shown=shown,
        question=row["relevance"],
    )
    fields = {**row, **shown, **_fields(answered, Answered)}
    return {
        **{name: value for name, value in fields.items() if name not in _NOT_SHOWN},
        "sentences": states,
        "signal": signal if query.status == QueryStatus.SUCCEEDED else None,
    }


_NOT_SHOWN = frozenset({"verification_id", "relevance", "is_broken", "is_quoted"})


def _head(query: Query, workspace: str) -> dict[str, Any]:
    return {
        **row_json(query, "id kind status stage custom_id provider error created_at finished_at"),
        "workspace": workspace,
        "question": query.question or None,
    }


def _fields(row: Judged | Answered | None, kind: type[NamedTuple]) -> dict[str, Any]:
    return row._asdict() if row else dict.fromkeys(kind._fields)
