"""What is kept about a query besides its result: the model calls."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.models import ModelCall


@dataclass(frozen=True, slots=True)
class UsageTotals:
    """Sums over all model calls of a query."""

    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: Decimal


def add_model_calls(session: Session, calls: Sequence[ModelCall]) -> None:
    """Store calls; they are never changed."""
    session.add_all(calls)


def usage_of_query(session: Session, query_id: uuid.UUID) -> UsageTotals:
    """What the query has cost so far."""
    row = session.execute(
        select(
            func.count(ModelCall.id),
            func.coalesce(func.sum(ModelCall.prompt_tokens), 0),
            func.coalesce(func.sum(ModelCall.completion_tokens), 0),
            func.coalesce(func.sum(ModelCall.cost_usd), 0),
        ).where(ModelCall.query_id == query_id)
    ).one()
    return UsageTotals(int(row[0]), int(row[1]), int(row[2]), Decimal(row[3]))


def list_model_calls(session: Session, query_id: uuid.UUID) -> list[ModelCall]:
    """All calls of a query in order."""
    return list(session.scalars(select(ModelCall).where(ModelCall.query_id == query_id).order_by(ModelCall.id)))
