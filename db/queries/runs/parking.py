"""Claims that end without an outcome: handed back, or parked after crashing workers too often (A5)."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import case, func, select, text, update
from sqlalchemy.orm import Session

from db.base import row_json
from db.models import Query, StepOutcome, Tenant
from db.queries.runs.steps import IS_FREE, UNFINISHED


class OpenItem(NamedTuple):
    """An item without an outcome that could not be claimed; `is_free` means that no worker holds it now.

    `put_off_s` is the time until a handed-back item may be claimed, None when a worker has it.
    """

    item: str
    tries: int
    is_free: bool
    put_off_s: float | None


def list_open_items(
    session: Session,
    query_id: str,
    round_: int,
    step: str,
    items: Sequence[str],
    *,
    launch: int,
    lease_s: float,
) -> list[OpenItem]:
    """Return the `items` that have a claim and no outcome, as a message of `launch` sees them."""
    rows = session.execute(
        _OPEN, {"q": query_id, "r": round_, "s": step, "items": list(items), "launch": launch, "lease": lease_s}
    )
    return [OpenItem(*row) for row in rows]


_OPEN = text(f"""
    SELECT item, tries, {IS_FREE},
           CASE WHEN worker = '' THEN greatest(0, extract(epoch FROM lease_until - now()) - :lease)::float END
    FROM step_outcomes
    WHERE query_id = CAST(:q AS uuid) AND round = :r AND step = :s AND item = ANY(CAST(:items AS text[]))
        AND value IS NULL AND parked_at IS NULL
    ORDER BY item
""")  # noqa: S608 - only constants are put together


def hand_back(
    session: Session, query_id: str, round_: int, step: str, attempts: Mapping[str, int], hold_s: float = 0.0
) -> bool:
    """Release claims as if they had not been made. They look held for `hold_s` seconds, and can be claimed again one
    lease before that. False when all of them have ended."""
    handed = 0
    for item, attempt in attempts.items():
        values = {"q": query_id, "r": round_, "s": step, "i": item, "a": attempt, "hold": hold_s}
        handed += len(session.execute(_HAND_BACK, values).all())
    return handed > 0


# If another worker took the item over meanwhile, its lease stays, and this claim still does not count as an attempt.
_HAND_BACK = text("""
    UPDATE step_outcomes
    SET tries = greatest(tries - 1, 0), worker = CASE WHEN attempt = :a THEN '' ELSE worker END,
        lease_until = CASE
            WHEN attempt = :a THEN clock_timestamp() + make_interval(secs => :hold) ELSE lease_until
        END
    WHERE query_id = CAST(:q AS uuid) AND round = :r AND step = :s AND item = :i
        AND value IS NULL AND attempt >= :a AND NOT (attempt = :a AND worker = '')
    RETURNING 1
""")


def hand_back_all(session: Session, worker_prefix: str) -> int:
    """Release everything that workers whose names have this prefix still hold, in all tenants; return the number of
    released claims."""
    handed = session.execute(_HAND_BACK_ALL, {"prefix": worker_prefix})
    return len(handed.all())


_HAND_BACK_ALL = text("""
    UPDATE step_outcomes SET tries = greatest(tries - 1, 0), worker = '', lease_until = clock_timestamp()
    WHERE value IS NULL AND starts_with(worker, :prefix)
    RETURNING 1
""")


def park_items(
    session: Session,
    query_id: str,
    round_: int,
    step: str,
    items: Sequence[str],
    reason: str,
    value: Mapping[str, Any] | None,
) -> None:
    """Never try these items again; `value`, if any, becomes their outcome."""
    done = {"value": dict(value), "finished_at": func.now()} if value is not None else {}
    session.execute(
        update(StepOutcome)
        .where(
            StepOutcome.query_id == uuid.UUID(query_id),
            StepOutcome.round == round_,
            StepOutcome.step == step,
            StepOutcome.item.in_(list(items)),
            StepOutcome.value.is_(None),
        )
        # A new attempt number fences a worker that may still come back.
        .values(
            parked_at=func.now(),
            parked_reason=reason,
            attempt=StepOutcome.attempt + 1,
            lease_until=func.now(),
            **done,
        )
    )


class Parked(NamedTuple):
    """An item that is not tried again; `worker` is the last worker that it crashed."""

    tenant: str
    query_id: uuid.UUID
    round: int
    step: str
    item: str
    worker: str
    reason: str
    at: datetime


def list_parked(session: Session, limit: int) -> list[Parked]:
    rows = session.execute(
        select(Tenant.name, *_SHOWN)
        .join(Query, Query.id == StepOutcome.query_id)
        .join(Tenant, Tenant.id == Query.tenant_id)
        .where(StepOutcome.parked_at.is_not(None))
        .order_by(StepOutcome.parked_at.desc())
        .limit(limit)
    )
    return [Parked(*row) for row in rows]


_SHOWN = (
    StepOutcome.query_id,
    StepOutcome.round,
    StepOutcome.step,
    StepOutcome.item,
    StepOutcome.worker,
    StepOutcome.parked_reason.label("reason"),
    StepOutcome.parked_at.label("at"),
)


def parked_of_query(session: Session, query_id: uuid.UUID) -> list[dict[str, Any]]:
    rows = session.execute(
        select(*_SHOWN)
        .where(StepOutcome.query_id == query_id, StepOutcome.parked_at.is_not(None))
        .order_by(StepOutcome.parked_at, StepOutcome.step, StepOutcome.item)
    )
    return [row_json(row, "round step item worker reason at") for row in rows]


def list_degraded(session: Session, query_id: uuid.UUID) -> list[dict[str, str]]:
    """Return {step, reason} of every step that left something out, or that a model failed."""
    value = StepOutcome.value
    degraded = value["degraded"].astext
    failure = case((value["status"].astext.in_(UNFINISHED), value["reason"].astext))
    rows = session.execute(
        select(StepOutcome.step, func.coalesce(degraded, func.min(failure)))
        .where(StepOutcome.query_id == query_id, degraded.is_not(None) | failure.is_not(None))
        .group_by(StepOutcome.step, degraded)
        .order_by(func.min(StepOutcome.finished_at), StepOutcome.step)
    )
    return [{"step": step, "reason": reason} for step, reason in rows]
