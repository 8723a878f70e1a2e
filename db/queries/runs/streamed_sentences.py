"""Sentences handed out for checking while their answer is still being written, and the results of those checks (N1)."""

import json
import uuid
from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session


def add_once(
    session: Session, query_id: uuid.UUID, round_: int, step: str, item: str, value: Mapping[str, Any]
) -> bool:
    """Store an input for other workers; False when it exists already."""
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
