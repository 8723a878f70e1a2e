"""Claims steps with their inputs and stores their results, with one database function each."""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from citewell_verify.evidence.passages import Passage
from db.queries.documents.chunks import read_passages
from db.queries.runs.events import EventData
from db.queries.runs.model_calls import SettledCalls
from db.queries.runs.steps import FIRST_OF, Key, Outcomes
from db.round_trips import call, text_array


@dataclass(frozen=True, slots=True)
class Claimant:
    """The identity and the terms of a claim: see `steps.claim_items`."""

    worker: str
    lease_s: float
    launch: int
    below_tries: int


class ClaimedSteps(NamedTuple):
    """A query at the start of a step, the attempt numbers of the `claimed` keys, and whether the stage was `entered`.

    `rounds` are the outcomes stored when the claim was made; `accepted_at` orders the query's model calls in the
    limiter.
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
    accepted_at: float
    used_s: float
    spent_usd: float
    claimed: dict[Key, int]
    rounds: dict[int, Outcomes]
    entered: bool


class ClaimRequest(NamedTuple):
    """A request to claim `keys` of a round, with the query's new `stage` and the `passages` to load."""

    round: int
    keys: Sequence[Key]
    by: Claimant
    stage: str | None = None
    passages: Sequence[int] = ()


_NOTED_EVERY_S = 1.0
"""The interval of progress updates within a stage; the search for stalled queries waits much longer."""


async def claim_steps(query_id: str, request: ClaimRequest) -> ClaimedSteps | None:
    """Claim the keys that are neither done nor held, and enter the stage if any was claimed. None when the query has
    ended or was launched again."""
    rows = await call(_CLAIM, {"q": query_id, "note_every": _NOTED_EVERY_S, **_columns(request)})
    if not rows:
        return None
    *columns, claimed, outcomes, entered = rows[0]
    rounds: dict[int, Outcomes] = {}
    for number, step, item, value in outcomes or ():
        rounds.setdefault(number, {})[step, item] = value
    return ClaimedSteps(*columns, claimed=_attempts(claimed), rounds=rounds, entered=entered)


# Every value carries its type, so the statement is planned once for all values.
_NEXT = """
    %(next_round)s::int, %(next_steps)s::text[], %(next_items)s::text[], %(worker)s::text, %(lease)s::float8,
    %(launch)s::int, %(tries)s::int, %(stage)s::text
"""
_CLAIM = f"""
    SELECT * FROM enter_steps_v1(%(tenant)s::bigint, %(q)s::uuid, {_NEXT}, %(note_every)s::float8)
"""  # noqa: S608 - only constants are put together


def _columns(request: ClaimRequest) -> dict[str, Any]:
    # The keys are in one order, so that two claims of the same rows do not deadlock.
    keys = sorted(request.keys)
    return {
        "next_round": request.round,
        "next_steps": text_array(step for step, _ in keys),
        "next_items": text_array(item for _, item in keys),
        "worker": request.by.worker,
        "lease": request.by.lease_s,
        "launch": request.by.launch,
        "tries": request.by.below_tries,
        "stage": request.stage,
        "passages": list(request.passages),
    }


def _attempts(claimed: Iterable[tuple[str, str, int]] | None) -> dict[Key, int]:
    return {(step, item): attempt for step, item, attempt in claimed or ()}


@dataclass(frozen=True, slots=True)
class Completion:
    """Results of a round's steps: `values` under the `attempts` that fence them, `also` those of steps that only follow
    from these, `adopted` those that were produced elsewhere; model calls as columns of `ModelCall`, begun calls that
    are `settled`, and events.

    With `notes` the query's row is locked: the query cannot end before the transaction ends.
    """

    query_id: str
    round: int
    values: Mapping[Key, Mapping[str, Any]]
    attempts: Mapping[Key, int]
    also: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Any])
    adopted: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict[Key, Any])
    calls: Sequence[Mapping[str, Any]] = ()
    settled: Sequence[SettledCalls] = ()
    events: Sequence[EventData] = ()
    notes: bool = False


class CompletionResult(NamedTuple):
    """The result of a completion: `kept` if the outcomes were stored; the next claims, the query's use of its budget by
    then, whether it `entered` another stage, and the requested passages."""

    kept: bool
    claimed: dict[Key, int]
    used_s: float
    spent_usd: float
    entered: bool
    passages: list[Passage]


NOT_STORED = CompletionResult(kept=False, claimed={}, used_s=0.0, spent_usd=0.0, entered=False, passages=[])


async def complete_steps(completion: Completion, following: ClaimRequest | None = None) -> CompletionResult:
    """Store the outcomes, all or none, publish the events, and claim the following steps. Model calls are stored in any
    case.

    No outcome is stored when the query has ended, or when another worker took over one of the claims (the fence). A
    worker busy with an `adopted` item loses its claim on it. If all of `following` is claimed for the first time, the
    commit does not wait for the disk.
    """
    statement = _COMPLETE_UNFLUSHED if following is not None else _complete("%(tenant)s")
    [row] = await call(statement, _completion_columns(completion, following))
    return _result(row[:6])


def complete_steps_within(
    session: Session, completion: Completion, following: ClaimRequest | None = None
) -> CompletionResult:
    row = session.connection().exec_driver_sql(_COMPLETE_WITHIN, _completion_columns(completion, following)).one()
    return _result(row[:6])


def _completion_columns(completion: Completion, following: ClaimRequest | None) -> dict[str, Any]:
    keys = sorted(completion.values)
    return {
        "q": completion.query_id,
        "round": completion.round,
        "steps": text_array(step for step, _ in keys),
        "items": text_array(item for _, item in keys),
        "attempts": [completion.attempts[key] for key in keys],
        "values": text_array(json.dumps(completion.values[key]) for key in keys),
        "also_steps": text_array(completion.also),
        "also_values": text_array(map(json.dumps, completion.also.values())),
        "calls": json.dumps(completion.calls) if completion.calls else None,
        "settled": [call.token for call in completion.settled],
        "note": completion.notes or bool(completion.events),
        "types": text_array(type_ for type_, _ in completion.events),
        "data": text_array(json.dumps(data) for _, data in completion.events),
        "adopted_steps": text_array(step for step, _ in completion.adopted),
        "adopted_items": text_array(item for _, item in completion.adopted),
        "adopted_values": text_array(map(json.dumps, completion.adopted.values())),
        **_columns(following or _NOTHING),
    }


def _result(row: Sequence[Any]) -> CompletionResult:
    kept, claimed, used_s, spent_usd, entered, passages = row
    return CompletionResult(kept, _attempts(claimed), used_s, spent_usd, entered, read_passages(passages or ()))


_NOTHING = ClaimRequest(0, (), Claimant("", 0.0, 0, 0))


def _complete(tenant: str, more: str = "") -> str:
    return f"""
        SELECT left_.*{more} FROM leave_steps_v1(
            {tenant}::bigint, %(q)s::uuid,
            %(round)s::int, %(steps)s::text[], %(items)s::text[], %(attempts)s::int[], %(values)s::text[]::jsonb[],
            %(also_steps)s::text[], %(also_values)s::text[]::jsonb[], %(calls)s::json, %(settled)s::uuid[],
            %(note)s, %(types)s::text[], %(data)s::text[]::jsonb[], {_NEXT}, %(passages)s::bigint[],
            %(adopted_steps)s::text[], %(adopted_items)s::text[], %(adopted_values)s::text[]::jsonb[]) AS left_
    """  # noqa: S608 - only constants are put together


# The next step runs in this process, so nobody else depends on these outcomes yet. If Postgres crashes before they are
# on disk, the query resumes from the step before, and its paid replies are found again. Other workers get a message
# only after a later commit that waits for the disk, and that commit also writes this one. Only first claims may be
# lost: when they are made again they get another number, so the fence still rejects late results.
_COMPLETE_UNFLUSHED = _complete(
    "%(tenant)s",
    f""", set_config('synchronous_commit', CASE
        WHEN json_array_length(left_.claimed) = cardinality(%(next_steps)s::text[]) AND NOT EXISTS (
            SELECT FROM json_array_elements(left_.claimed) AS each WHERE (each ->> 2)::int %% {FIRST_OF} <> 1)
        THEN 'off' ELSE current_setting('synchronous_commit') END, true)""",
)
# The other rows that steps save are also looked up by their keys, so these statements are planned once per connection,
# and not for each query.
_COMPLETE_WITHIN = _complete(
    "current_setting('citewell.tenant')", ", set_config('plan_cache_mode', 'force_generic_plan', true)"
)
