"""Steps: claimed under a natural key, finished once, renewed while a process works on them."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import bindparam, func, insert, select, text, update
from sqlalchemy.orm import Session

from db.models import StepOutcome

Outcomes = dict[tuple[str, str], dict[str, Any]]
"""By (step, item)."""


def list_outcomes(session: Session, query_id: uuid.UUID) -> dict[int, Outcomes]:
    """All finished outcomes of a query by round."""
    rows = session.execute(
        select(StepOutcome.round, StepOutcome.step, StepOutcome.item, StepOutcome.value).where(
            StepOutcome.query_id == query_id, StepOutcome.value.is_not(None)
        )
    )
    found: dict[int, Outcomes] = {}
    for round_, step, item, value in rows:
        if value is not None:
            found.setdefault(round_, {})[step, item] = value
    return found


def find_outcome(session: Session, query_id: uuid.UUID, round_: int, step: str) -> dict[str, Any] | None:
    """What a step of one item left in a round, if it is finished."""
    key = {"query_id": query_id, "round": round_, "step": step, "item": ""}
    found = session.get(StepOutcome, key)
    return found.value if found else None


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
    rows = session.execute(
        _CLAIM,
        {"q": query_id, "r": round_, "s": step, "w": worker, "lease": lease_s, "items": sorted(items)},
    )
    return dict(rows.all())


# Plain SQL, because an INSERT built from values is compiled anew for every number of them: a third of a step's CPU.
_CLAIM = text("""
    INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until)
    SELECT CAST(:q AS uuid), :r, :s, item, :w, now() + make_interval(secs => :lease)
    FROM unnest(CAST(:items AS text[])) AS item
    ON CONFLICT (query_id, round, step, item) DO UPDATE
    SET attempt = step_outcomes.attempt + 1, worker = excluded.worker, lease_until = excluded.lease_until,
        started_at = now()
    WHERE step_outcomes.value IS NULL
    RETURNING item, attempt
""")


def finish_items(
    session: Session,
    query_id: uuid.UUID,
    round_: int,
    step: str,
    values: Mapping[str, dict[str, Any]],
    attempts: Mapping[str, int],
) -> bool:
    """Store the outcomes, all or none; False when another worker took over one of the claims (the fence)."""
    held = session.execute(
        select(StepOutcome.item, StepOutcome.attempt)
        .where(
            StepOutcome.query_id == query_id,
            StepOutcome.round == round_,
            StepOutcome.step == step,
            StepOutcome.item.in_(list(values)),
            StepOutcome.value.is_(None),
        )
        .with_for_update()
    )
    if dict(held.all()) != {item: attempts[item] for item in values}:
        return False
    # One round trip for all of them: the driver sends a list of parameters as a pipeline.
    session.connection().execute(
        _FINISH, [{"q": query_id, "r": round_, "s": step, "i": item, "v": value} for item, value in values.items()]
    )
    return True


_FINISH = (
    update(StepOutcome)
    .where(
        StepOutcome.query_id == bindparam("q"),
        StepOutcome.round == bindparam("r"),
        StepOutcome.step == bindparam("s"),
        StepOutcome.item == bindparam("i"),
    )
    .values(value=bindparam("v"), finished_at=func.clock_timestamp())
)


def add_outcomes(session: Session, found: Sequence[tuple[uuid.UUID, str, str, dict[str, Any]]]) -> None:
    """Store (query, step, item, outcome) of round 0 that no step has to work out: they came with the request (N2)."""
    rows = [
        {"query_id": query_id, "round": 0, "step": step, "item": item, "worker": "request", "value": value}
        for query_id, step, item, value in found
    ]
    done = {"lease_until": func.now(), "finished_at": func.now()}
    session.execute(insert(StepOutcome).values(done), rows)


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
