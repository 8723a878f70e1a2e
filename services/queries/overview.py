"""The history at a glance: pages of questions or verifications with their results."""

import uuid
from typing import Any, NamedTuple

from db.models import Query
from db.queries.paging import Place
from db.queries.reports import overview
from db.queries.reports.overview import Answered, Judged, Paid
from db.queries.runs import queries
from db.queries.runs.queries import QueryFilter
from db.session import reading
from services.reporting.answer_confidence import shown_confidence

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
            {
                **_head(query, workspace),
                **_judged(judged.get(query.id)),
                **_fields(answered.get(query.id), Answered),
                **paid.get(query.id, _NOTHING_PAID)._asdict(),
                "sentences": states.get(_key(judged, query.id), {}),
            }
            for query, workspace in rows
        ]


_NOTHING_PAID = Paid(0, 0.0)


def _key(judged: dict[uuid.UUID, Judged], query_id: uuid.UUID) -> int:
    found = judged.get(query_id)
    return found.verification_id if found else 0


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


def _judged(found: Judged | None) -> dict[str, Any]:
    fields = _fields(found, Judged)
    shown = shown_confidence(fields["confidence"], fields["confidence_level"], fields["calibration"])
    return {
        name: value for name, value in {**fields, **shown}.items() if name not in ("verification_id", "calibration")
    }


def _fields(found: Judged | Answered | None, kind: type[NamedTuple]) -> dict[str, Any]:
    return found._asdict() if found else dict.fromkeys(kind._fields)
