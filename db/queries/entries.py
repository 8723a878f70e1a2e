"""The two statements of a step: what it begins with, and what it leaves.

Plain SQL in as few round trips as there are looks at the rows: they are the larger part of what a step costs.
"""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from db.queries.steps import CLAIM, Key, Outcomes


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who claims, and on what terms: see `steps.claim_items`."""

    worker: str
    lease_s: float
    launch: int
    below_tries: int


class Entry(NamedTuple):
    """A query as a step finds it, and the attempt numbers of what was `claimed`.

    `rounds` are the outcomes that were there when the claim was made; `quiet_s` is how long nothing was noted of it;
    `accepted_at` is the time by which its calls stand in line.
    """

    id: uuid.UUID
    workspace_id: int
    question: str
    mode: str
    provider: str
    kind: str
    options: dict[str, Any]
    batch_id: uuid.UUID | None
    traceparent: str | None
    stage: str
    accepted_at: float
    used_s: float
    spent_usd: float
    quiet_s: float
    claimed: dict[Key, int]
    rounds: dict[int, Outcomes]


def enter(session: Session, query_id: str, round_: int, keys: Sequence[Key], by: Claimant) -> Entry | None:
    """Claim those of `keys` that nobody has done or does. None when the query has ended, or was started again since."""
    found = session.execute(_ENTER, {"q": query_id, **_wanted(round_, keys, by)}).one_or_none()
    if found is None:
        return None
    *columns, claimed, outcomes = found
    rounds: dict[int, Outcomes] = {}
    for number, step, item, value in outcomes or ():
        rounds.setdefault(number, {})[step, item] = value
    return Entry(*columns, claimed=_attempts(claimed), rounds=rounds)


def _wanted(round_: int, keys: Sequence[Key], by: Claimant) -> dict[str, Any]:
    # In one order, so that two that want the same rows do not wait for each other.
    wanted = sorted(keys)
    return {
        "round": round_,
        "steps": [step for step, _ in wanted],
        "items": [item for _, item in wanted],
        "w": by.worker,
        "lease": by.lease_s,
        "launch": by.launch,
        "tries": by.below_tries,
    }


def _attempts(claimed: Iterable[tuple[str, str, int]] | None) -> dict[Key, int]:
    return {(step, item): attempt for step, item, attempt in claimed or ()}


_CLAIMED = "(SELECT json_agg(json_build_array(step, item, attempt)) FROM claimed)"
# By the database's clock: no worker's counts. An item of a batch has its time from its turn on.
_USED_S = """
    coalesce(extract(epoch FROM clock_timestamp() - CASE WHEN batch_id IS NULL THEN created_at ELSE started_at END), 0)
    ::float
"""
_SPENT_USD = """
    CASE WHEN options ->> 'max_cost_usd' IS NULL THEN 0
    ELSE (SELECT coalesce(sum(cost_usd), 0) FROM model_calls WHERE query_id = query.id) END::float
"""
_CURRENT = "status IN ('queued', 'running') AND launch = :launch"

# Among the calls that wait for the provider a person's take the turn of the oldest scripted query that runs of the same
# tenant, just before it and in their own order: no other tenant's calls come later for it.
_TURN = """
    extract(epoch FROM CASE WHEN batch_id IS NOT NULL OR is_scripted THEN created_at ELSE least(created_at, (
        SELECT min(older.created_at) - interval '0.1 s' + least(
            greatest(query.created_at - min(older.created_at), interval '0 s'), interval '1000 s') / 20000
        FROM queries AS older
        WHERE older.status = 'running' AND older.batch_id IS NULL AND older.is_scripted
            AND older.tenant_id = query.tenant_id
    )) END)::float
"""

_ENTER = text(f"""
    WITH query AS (SELECT * FROM queries WHERE id = CAST(:q AS uuid) AND {_CURRENT}), claimed AS ({CLAIM})
    SELECT id, workspace_id, question, mode, provider, kind, options, batch_id, traceparent, stage,
           {_TURN}, {_USED_S}, {_SPENT_USD},
           extract(epoch FROM now() - progress_at)::float, {_CLAIMED},
           (SELECT json_agg(json_build_array(round, step, item, value)) FROM step_outcomes AS done
            WHERE done.query_id = query.id AND done.value IS NOT NULL)
    FROM query
""")  # noqa: S608 - only constants are put together


class Wanted(NamedTuple):
    """What is to be claimed in the transaction that stores what was done before it: `keys` of a round, by somebody."""

    round: int
    keys: Sequence[Key]
    by: Claimant


class Left(NamedTuple):
    """Whether the outcomes were stored; what was claimed of what follows, and what the query had used by then."""

    kept: bool
    claimed: dict[Key, int]
    used_s: float
    spent_usd: float


def leave(
    session: Session,
    query_id: str,
    round_: int,
    values: Mapping[Key, Mapping[str, Any]],
    attempts: Mapping[Key, int],
    following: Wanted | None = None,
) -> Left:
    """Store the outcomes, all or none, and claim what follows.

    None are stored when the query has ended, or when another worker took over one of the claims (the fence).
    """
    keys = sorted(values)
    given = {
        "given_round": round_,
        "given_steps": [step for step, _ in keys],
        "given_items": [item for _, item in keys],
        "attempts": [attempts[key] for key in keys],
        "values": [json.dumps(values[key]) for key in keys],
        "n": len(values),
    }
    wanted = _wanted(*following) if following is not None else _NOTHING
    kept, claimed, used_s, spent_usd = session.execute(_LEAVE, {"q": query_id, **given, **wanted}).one()
    return Left(kept, _attempts(claimed), used_s, spent_usd)


_NOTHING = _wanted(0, (), Claimant("", 0.0, 0, 0))
# Whoever is late meets the row as it is now, not as it was when the statement began: the lock sees to that.
_LEAVE = text(f"""
    WITH given AS (
        SELECT * FROM unnest(CAST(:given_steps AS text[]), CAST(:given_items AS text[]), CAST(:attempts AS int[]),
                             CAST(:values AS jsonb[])) AS given (step, item, attempt, value)
    ), held AS (
        SELECT stored.item FROM step_outcomes AS stored JOIN given USING (step, item)
        WHERE stored.query_id = CAST(:q AS uuid) AND stored.round = :given_round AND stored.attempt = given.attempt
            AND stored.value IS NULL
        FOR UPDATE OF stored
    ), wanted AS (
        SELECT * FROM queries
        WHERE id = CAST(:q AS uuid) AND status IN ('queued', 'running') AND (SELECT count(*) FROM held) = :n
    ), finished AS (
        UPDATE step_outcomes AS stored SET value = given.value, finished_at = clock_timestamp()
        FROM given, wanted
        WHERE stored.query_id = wanted.id AND stored.round = :given_round AND stored.step = given.step
            AND stored.item = given.item
    ), query AS (SELECT * FROM wanted WHERE launch = :launch), claimed AS ({CLAIM})
    SELECT EXISTS (SELECT FROM wanted), {_CLAIMED}, {_USED_S}, {_SPENT_USD}
    FROM (SELECT) AS always LEFT JOIN query ON true
""")  # noqa: S608 - only constants are put together
