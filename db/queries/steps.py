"""Steps: claimed under a natural key, finished once, renewed while a process works on them."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import StepOutcome


def list_outcomes(session: Session, query_id: uuid.UUID, round_: int) -> dict[tuple[str, str], dict[str, Any]]:
    """All finished outcomes of a round by (step, item)."""
    rows = session.execute(
        select(StepOutcome.step, StepOutcome.item, StepOutcome.value).where(
            StepOutcome.query_id == query_id, StepOutcome.round == round_, StepOutcome.value.is_not(None)
        )
    )
    return {(step, item): value for step, item, value in rows if value is not None}


def claim_items(
    session: Session,
    query_id: str,
    round_: int,
    step: str,
    items: Sequence[str],
    *,
    worker: str,
    lease_s: float,
) -> dict[str, int]:
    """Claim those of `items` that have no outcome yet; return the attempt number of each claim.

    A claim that somebody else holds is taken over: the caller holds a message of the current launch, so the earlier
    holder is dead or will be fenced by the attempt number.
    """
    values = [
        {
            "query_id": uuid.UUID(query_id),
            "round": round_,
            "step": step,
            "item": item,
            "worker": worker,
            "lease_until": func.now() + timedelta(seconds=lease_s),
        }
        for item in items
    ]
    statement = insert(StepOutcome).values(values)
    rows = session.execute(
        statement.on_conflict_do_update(
            index_elements=["query_id", "round", "step", "item"],
            set_={
                "attempt": StepOutcome.attempt + 1,
                "worker": worker,
                "lease_until": statement.excluded.lease_until,
                "started_at": func.now(),
            },
            where=StepOutcome.value.is_(None),
        ).returning(StepOutcome.item, StepOutcome.attempt)
    )
    return dict(rows.all())


def finish_items(
    session: Session,
    query_id: uuid.UUID,
    round_: int,
    step: str,
    values: Mapping[str, dict[str, Any]],
    attempts: Mapping[str, int],
) -> bool:
    """Store the outcomes, all or none; False when another worker took over one of the claims (the fence)."""
    with session.begin_nested() as savepoint:
        if all(
            _finish(session, (query_id, round_, step, item), value, attempts[item]) for item, value in values.items()
        ):
            return True
        savepoint.rollback()
    return False


def _finish(session: Session, key: tuple[uuid.UUID, int, str, str], value: dict[str, Any], attempt: int) -> bool:
    query_id, round_, step, item = key
    stored = session.scalar(
        update(StepOutcome)
        .where(
            StepOutcome.query_id == query_id,
            StepOutcome.round == round_,
            StepOutcome.step == step,
            StepOutcome.item == item,
            StepOutcome.attempt == attempt,
            StepOutcome.value.is_(None),
        )
        .values(value=value, finished_at=func.clock_timestamp())
        .returning(StepOutcome.item)
    )
    return stored is not None


def renew_lease(
    session: Session,
    query_id: str,
    round_: int,
    step: str,
    items: Iterable[str],
    worker: str,
    lease_s: float,
) -> None:
    """Extend this worker's claims on `items`."""
    session.execute(
        update(StepOutcome)
        .where(
            StepOutcome.query_id == uuid.UUID(query_id),
            StepOutcome.round == round_,
            StepOutcome.step == step,
            StepOutcome.item.in_(list(items)),
            StepOutcome.worker == worker,
            StepOutcome.value.is_(None),
        )
        .values(lease_until=func.now() + timedelta(seconds=lease_s))
    )


def stage_timings(session: Session, query_id: uuid.UUID) -> dict[str, float]:
    """Milliseconds from the first start to the last end of every step, in order of their start."""
    started = func.min(StepOutcome.started_at)
    elapsed = func.extract("epoch", func.max(StepOutcome.finished_at) - started) * 1000
    rows = session.execute(
        select(StepOutcome.step, elapsed)
        .where(StepOutcome.query_id == query_id, StepOutcome.value.is_not(None))
        .group_by(StepOutcome.step)
        .order_by(started)
    )
    return {step: round(float(milliseconds), 1) for step, milliseconds in rows}
