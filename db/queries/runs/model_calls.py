"""The ledger of model calls: begun calls and finished ones."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from db.models import ModelCall


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums over a query's model calls without cached replies; `unknown_calls` of them have no known outcome."""

    llm_calls: int
    unknown_calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: Decimal


class SettledCalls(NamedTuple):
    """Calls that a step began and that are now in the ledger, or were never made."""

    query_id: uuid.UUID
    token: uuid.UUID


def add_model_calls(session: Session, calls: Sequence[Mapping[str, Any]], settled: Sequence[SettledCalls] = ()) -> None:
    """Store calls, given as columns of `ModelCall`; they are never changed. `settled` calls no longer count as begun.

    Each call of an execution is stored once: a call that is already stored is skipped.
    """
    if settled:
        # This comes first, as a statement of its own: another process that books the calls of a dead one has then
        # committed, or finds none.
        queries, tokens = [call.query_id for call in settled], [call.token for call in settled]
        session.execute(_SETTLE, {"queries": queries, "tokens": tokens})
    if calls:
        session.execute(_ADD, {"calls": json.dumps(calls)})


_COLUMNS = """
    query_id uuid, round int, step text, item text, provider text, model text, prompt text, prompt_version text,
    attempt int, status int, error text, finish_reason text, request_id text, prompt_tokens int, cached_tokens int,
    completion_tokens int, reasoning_tokens int, estimated bool, cost_usd numeric, duration_ms float, reply_text text,
    kept bool, hedged bool, prompt_sha256 text, execution uuid
"""
_NAMES = ", ".join(column.split()[0] for column in _COLUMNS.split(","))
_SETTLE = text("""
    DELETE FROM begun_calls WHERE query_id = ANY(CAST(:queries AS uuid[])) AND token = ANY(CAST(:tokens AS uuid[]))
""")
# One statement for any number of calls, so that it is prepared once.
_ADD = text(f"""
    INSERT INTO model_calls ({_NAMES})
    SELECT {_NAMES}
    FROM ROWS FROM (json_to_recordset(CAST(:calls AS json)) AS ({_COLUMNS})) WITH ORDINALITY AS calls ({_NAMES}, place)
    WHERE NOT EXISTS (
        SELECT FROM model_calls AS booked
        WHERE booked.query_id = calls.query_id AND booked.execution = calls.execution
            AND (booked.item, booked.attempt, booked.hedged, booked.kept)
                = (calls.item, calls.attempt, calls.hedged, calls.kept)
            AND booked.prompt_sha256 IS NOT DISTINCT FROM calls.prompt_sha256)
    ORDER BY place
""")  # noqa: S608 - only constants are put together


def write_off_calls(session: Session, after_s: float) -> int:
    """Move begun calls to the ledger if their process has not held their step for `after_s` seconds, because it was
    killed. Calls that had not ended are unknown there, because their outcome will never be known. Returns the number of
    calls."""
    return len(session.execute(_WRITE_OFF, {"after": after_s}).all())


# The text of a reply is in the reply cache.
_BOOK_DEAD = f"""
    INSERT INTO model_calls (tenant_id, created_at, unknown, {_NAMES})
    SELECT dead.tenant_id, dead.begun_at, dead.ended IS NULL, {_NAMES}
    FROM dead, jsonb_to_record(dead.call || coalesce(dead.ended, '{{}}') || jsonb_build_object('reply_text', (
        SELECT reply.reply_text FROM kept_replies AS reply
        WHERE reply.tenant_id = dead.tenant_id AND reply.key = decode(dead.ended ->> 'key', 'hex')
    ))) AS calls ({_COLUMNS})
    RETURNING model_calls.id
"""  # noqa: S608 - only constants are put together
# The delay is for processes that are merely late: they store their calls themselves when they resume.
_WRITE_OFF = text(f"""
    WITH dead AS (
        DELETE FROM begun_calls AS begun
        WHERE begun_at < now() - make_interval(secs => :after) AND NOT EXISTS (
            SELECT FROM step_outcomes AS held
            WHERE held.query_id = begun.query_id AND held.round = begun.round AND held.step = begun.step
                AND held.worker = begun.worker AND held.value IS NULL
                AND held.lease_until > now() - make_interval(secs => :after))
        RETURNING tenant_id, begun_at, call, ended
    )
    {_BOOK_DEAD}
""")  # noqa: S608 - only constants are put together


def book_ended_calls(session: Session, query_id: uuid.UUID, round_: int, steps: Sequence[str], worker: str) -> int:
    """Move the ended calls of these steps to the ledger that processes other than `worker` have made and not booked:
    these processes are dead, or late, and another process does their steps. Returns the number of calls."""
    values = {"query": query_id, "round": round_, "steps": list(steps), "worker": worker}
    return len(session.execute(_BOOK_ENDED, values).all())


_BOOK_ENDED = text(f"""
    WITH dead AS (
        DELETE FROM begun_calls
        WHERE query_id = :query AND round = :round AND step = ANY(CAST(:steps AS text[])) AND worker <> :worker
            AND ended IS NOT NULL
        RETURNING tenant_id, begun_at, call, ended
    )
    {_BOOK_DEAD}
""")  # noqa: S608 - only constants are put together


def usage_of_query(session: Session, query_id: uuid.UUID) -> UsageTotals:
    row = session.execute(
        select(
            func.count(ModelCall.id).filter(~ModelCall.kept),
            func.count(ModelCall.id).filter(ModelCall.unknown),
            func.coalesce(func.sum(ModelCall.prompt_tokens), 0),
            func.coalesce(func.sum(ModelCall.cached_tokens), 0),
            func.coalesce(func.sum(ModelCall.completion_tokens), 0),
            func.coalesce(func.sum(ModelCall.cost_usd), 0),
        ).where(ModelCall.query_id == query_id)
    ).one()
    calls, unknown, prompt, cached, completion, cost = row
    return UsageTotals(calls, unknown, int(prompt), int(cached), int(completion), Decimal(cost))


def list_model_calls(session: Session, query_id: uuid.UUID) -> list[ModelCall]:
    return list(session.scalars(select(ModelCall).where(ModelCall.query_id == query_id).order_by(ModelCall.id)))


def find_last_failure(session: Session, query_id: uuid.UUID, step: str) -> tuple[str, str] | None:
    """Return the model and the error of the step's last call, or of the query's if the step made none; None if it
    succeeded or there is none."""
    last = select(ModelCall.model, ModelCall.error).where(ModelCall.query_id == query_id, ~ModelCall.kept)
    newest = last.order_by((ModelCall.step == step).desc(), ModelCall.id.desc()).limit(1)
    call = session.execute(newest).one_or_none()
    return (call.model, call.error) if call is not None and call.error else None
