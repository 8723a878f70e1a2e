"""What is kept about a query besides its result: the model calls."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from db.models import ModelCall


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums over all model calls of a query; kept replies are none."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal


def add_model_calls(session: Session, calls: Sequence[Mapping[str, Any]]) -> None:
    """Store calls, columns of `ModelCall` each; they are never changed."""
    if calls:
        session.execute(_ADD, {"calls": json.dumps(calls)})


_COLUMNS = """
    query_id uuid, round int, step text, item text, provider text, model text, prompt text, prompt_version text,
    attempt int, status int, error text, finish_reason text, request_id text, prompt_tokens int, cached_tokens int,
    completion_tokens int, reasoning_tokens int, estimated bool, cost_usd numeric, duration_ms float, reply_text text,
    kept bool, hedged bool, prompt_sha256 text
"""
_NAMES = ", ".join(column.split()[0] for column in _COLUMNS.split(","))
# One statement however many there are, so that it is prepared once.
_ADD = text(f"""
    INSERT INTO model_calls ({_NAMES})
    SELECT {_NAMES} FROM json_to_recordset(CAST(:calls AS json)) AS calls ({_COLUMNS})
""")  # noqa: S608 - only constants are put together


def usage_of_query(session: Session, query_id: uuid.UUID) -> UsageTotals:
    """What the query has cost so far."""
    row = session.execute(
        select(
            func.count(ModelCall.id).filter(~ModelCall.kept),
            func.coalesce(func.sum(ModelCall.prompt_tokens), 0),
            func.coalesce(func.sum(ModelCall.completion_tokens), 0),
            func.coalesce(func.sum(ModelCall.cost_usd), 0),
        ).where(ModelCall.query_id == query_id)
    ).one()
    return UsageTotals(int(row[0]), int(row[1]), int(row[2]), Decimal(row[3]))


def list_model_calls(session: Session, query_id: uuid.UUID) -> list[ModelCall]:
    """All calls of a query in order."""
    return list(session.scalars(select(ModelCall).where(ModelCall.query_id == query_id).order_by(ModelCall.id)))
