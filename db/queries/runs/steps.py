"""Step outcomes: claimed under a natural key, stored once, leases renewed while a process works on them."""

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, insert, select, text
from sqlalchemy.orm import Session

from db.models import StepOutcome

Key = tuple[str, str]
"""(step, item)."""
Outcomes = dict[Key, dict[str, Any]]


def list_outcomes(session: Session, query_id: uuid.UUID) -> dict[int, Outcomes]:
    rows = session.execute(
        select(StepOutcome.round, StepOutcome.step, StepOutcome.item, StepOutcome.value).where(
            StepOutcome.query_id == query_id, StepOutcome.value.is_not(None)
        )
    )
    outcomes: dict[int, Outcomes] = {}
    for round_, step, item, value in rows:
        if value is not None:
            outcomes.setdefault(round_, {})[step, item] = value
    return outcomes


def find_outcome(session: Session, query_id: uuid.UUID, round_: int, step: str) -> dict[str, Any] | None:
    key = {"query_id": query_id, "round": round_, "step": step, "item": ""}
    outcome = session.get(StepOutcome, key)
    return outcome.value if outcome else None


def claim_items(
    session: Session,
    query_id: str,
    round_: int,
    step: str,
    items: Sequence[str],
    *,
    worker: str,
    lease_s: float,
    launch: int = 0,
    below_tries: int | None = None,
) -> dict[str, int]:
    """Claim those of `items` that have no outcome yet; return the attempt number of each claim.

    A held claim is taken over when its lease has expired, when it was handed back, or when `launch` is newer; its late
    holder is fenced by the attempt number. Items that were tried `below_tries` times or more are left alone.
    """
    rows = session.execute(
        _CLAIM,
        {
            "q": query_id,
            "round": round_,
            "w": worker,
            "lease": lease_s,
            "steps": [step] * len(items),
            "items": sorted(items),
            "launch": launch,
            "tries": below_tries,
        },
    )
    return {item: attempt for _, item, attempt in rows}


IS_FREE = """
    (step_outcomes.worker = '' AND step_outcomes.lease_until - make_interval(secs => :lease) <= now()
     OR step_outcomes.lease_until < now() OR step_outcomes.launch < :launch)
"""

# Plain SQL: an INSERT built from values is recompiled for each number of them, a third of a step's CPU time.
CLAIM = f"""
    INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, launch, tries)
    SELECT query.id, :round, asked.step, asked.item, :w, now() + make_interval(secs => :lease), :launch, 1
    FROM query, unnest(CAST(:steps AS text[]), CAST(:items AS text[])) AS asked (step, item)
    ON CONFLICT (query_id, round, step, item) DO UPDATE
    SET attempt = step_outcomes.attempt + 1, tries = step_outcomes.tries + 1, worker = excluded.worker,
        lease_until = excluded.lease_until, launch = excluded.launch, started_at = now()
    WHERE step_outcomes.value IS NULL AND step_outcomes.parked_at IS NULL AND {IS_FREE}
        AND step_outcomes.tries < coalesce(CAST(:tries AS int), step_outcomes.tries + 1)
    RETURNING step, item, attempt
"""  # noqa: S608 - only constants are put together
"""SQL to be completed with `query`, a table expression that has the query's id."""
_CLAIM = text(f"WITH query AS (SELECT CAST(:q AS uuid) AS id) {CLAIM}")


def add_outcomes(session: Session, outcomes: Sequence[tuple[uuid.UUID, str, str, dict[str, Any]]]) -> None:
    """Store (query, step, item, outcome) of round 0 that came with the request (N2), so that no step computes them."""
    rows = [
        {"query_id": query_id, "round": 0, "step": step, "item": item, "worker": "request", "value": value}
        for query_id, step, item, value in outcomes
    ]
    done = {"lease_until": func.now(), "finished_at": func.now()}
    session.execute(insert(StepOutcome).values(done), rows)


UNFINISHED = ("not_checked", "fallback", "failed", "unreadable")
"""The states of an outcome without the requested work of a model; its `reason` says why."""
FIRST_OF = 1000
"""The first claim of an item has one of many numbers, each one more than a multiple of this (the default of
`StepOutcome.attempt`)."""


def is_taken_over(attempt: int) -> bool:
    return attempt % FIRST_OF != 1


class HeldItem(NamedTuple):
    """A claim held by this process."""

    query_id: str
    round: int
    step: str
    item: str


def renew_leases(session: Session, held: Sequence[HeldItem], worker: str, lease_s: float) -> set[str]:
    """Extend this worker's leases on the claims in `held`; return the queries that have ended meanwhile.

    Locked rows are skipped until the next renewal: they are being stored or taken over, and must not delay the others.
    """
    queries, rounds, names, items = (list(column) for column in zip(*held, strict=True))
    keys = {"queries": queries, "rounds": rounds, "steps": names, "items": items}
    return set(session.scalars(_RENEW, {**keys, "w": worker, "lease": lease_s}))


_RENEW = text("""
    WITH held AS (
        SELECT stored.query_id, stored.round, stored.step, stored.item
        FROM step_outcomes AS stored
        JOIN unnest(CAST(:queries AS uuid[]), CAST(:rounds AS int[]), CAST(:steps AS text[]), CAST(:items AS text[]))
            AS held (query_id, round, step, item) USING (query_id, round, step, item)
        WHERE stored.worker = :w AND stored.value IS NULL
        FOR UPDATE OF stored SKIP LOCKED
    ), renewed AS (
        UPDATE step_outcomes AS stored SET lease_until = now() + make_interval(secs => :lease)
        FROM held
        WHERE (stored.query_id, stored.round, stored.step, stored.item)
            = (held.query_id, held.round, held.step, held.item)
    )
    SELECT CAST(id AS text) FROM queries
    WHERE id = ANY(CAST(:queries AS uuid[])) AND status NOT IN ('queued', 'running')
""")


def stage_timings(session: Session, query_id: uuid.UUID) -> dict[str, float]:
    """Return milliseconds from the first start to the last end of every step, in order of their start."""
    started = func.min(StepOutcome.started_at)
    elapsed = func.extract("epoch", func.max(StepOutcome.finished_at) - started) * 1000
    rows = session.execute(
        select(StepOutcome.step, elapsed)
        .where(StepOutcome.query_id == query_id, StepOutcome.value.is_not(None))
        .group_by(StepOutcome.step)
        .order_by(started)
    )
    return {step: round(float(milliseconds), 1) for step, milliseconds in rows}


def add_once(
    session: Session, query_id: uuid.UUID, round_: int, step: str, item: str, value: Mapping[str, Any]
) -> bool:
    """Store an input for other workers, such as sentences of an answer that still grows (N1); False when it exists
    already."""
    columns = {"q": query_id, "r": round_, "s": step, "i": item, "v": json.dumps(value)}
    return bool(session.execute(_ADD, columns).all())


_ADD = text("""
    INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, value, finished_at)
    VALUES (:q, :r, :s, :i, 'generate', now(), CAST(:v AS jsonb), now())
    ON CONFLICT (query_id, round, step, item) DO NOTHING RETURNING 1
""")


def list_values(
    session: Session, query_id: uuid.UUID, round_: int, step: str, items: Collection[str]
) -> list[dict[str, Any]]:
    return list(session.scalars(_VALUES, {"q": query_id, "r": round_, "s": step, "i": list(items)}))


_VALUES = text("""
    SELECT value FROM step_outcomes
    WHERE query_id = :q AND round = :r AND step = :s AND item = ANY(CAST(:i AS text[])) AND value IS NOT NULL
""")
