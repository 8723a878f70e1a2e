"""The history at a glance: pages of questions or verifications with their results."""

import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

from db.models import Query, QueryStatus
from db.queries.paging import Place
from db.queries.reports import overview
from db.queries.reports.overview import Answered, Judged, Paid
from db.queries.runs import queries
from db.queries.runs.queries import QueryFilter
from db.session import reading
from services.reporting.answer_confidence import shown_confidence
from services.reporting.signal import signal_json

MOST_COUNTED = 10_000


def count_entries(wanted: QueryFilter) -> int:
    with reading() as session:
        return queries.count_queries(session, wanted, most=MOST_COUNTED)


def read_overview(wanted: QueryFilter, *, after: Place | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        rows = queries.list_queries(session, wanted, after=after, limit=limit)
        ids = [query.id for query, _ in rows]
        judged = overview.list_judged(session, ids, wanted.kind)
        states = overview.count_states(session, [each.verification_id for each in judged.values()])
        answered = overview.list_answered(session, ids)
        paid = overview.sum_paid(session, ids)
        return [
            _entry(
                query,
                workspace,
                judged.get(query.id),
                answered.get(query.id),
                paid.get(query.id, _NOTHING_PAID),
                states.get(_key(judged, query.id), {}),
            )
            for query, workspace in rows
        ]


_NOTHING_PAID = Paid(0, 0.0)


def _key(judged: dict[uuid.UUID, Judged], query_id: uuid.UUID) -> int:
    found = judged.get(query_id)
    return found.verification_id if found else 0


def _entry(
    query: Query,
    workspace: str,
    judged: Judged | None,
    answered: Answered | None,
    paid: Paid,
    states: Mapping[str, int],
) -> dict[str, Any]:
    row = _fields(judged, Judged)
    shown = shown_confidence(row["confidence"], row["confidence_level"], row["calibration"])
    signal = signal_json(
        query,
        abstained=answered is not None and answered.abstained,
        is_quoted=bool(answered and answered.is_quoted),
        states=list(states) if judged and not judged.is_broken else None,
        shown=shown,
        question=row["relevance"],
    )
    told = {**row, **shown, **_fields(answered, Answered)}
    return {
        **_head(query, workspace),
        **{name: value for name, value in told.items() if name not in _NOT_TOLD},
        **paid._asdict(),
        "sentences": states,
        "signal": signal if query.status == QueryStatus.SUCCEEDED else None,
    }


_NOT_TOLD = frozenset({"verification_id", "calibration", "relevance", "is_broken", "is_quoted"})


def _head(query: Query, workspace: str) -> dict[str, Any]:
    return {
        "id": str(query.id),
        "kind": query.kind,
        "status": query.status,
        "stage": query.stage,
        "workspace": workspace,
        "question": query.question or None,
        "custom_id": query.custom_id,
        "provider": query.provider,
        "error": query.error,
        "created_at": query.created_at.isoformat(),
        "finished_at": query.finished_at.isoformat() if query.finished_at else None,
    }


def _fields(found: Judged | Answered | None, kind: type[NamedTuple]) -> dict[str, Any]:
    return found._asdict() if found else dict.fromkeys(kind._fields)
