"""Replays: copies an old query's inputs and outcomes to a new one."""

import uuid
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from db.models import GivenSource, StepOutcome

# The `worker` of outcomes that came with a request (db.queries.runs.steps.add_outcomes).
_FROM_REQUEST = "request"


def copy_outcomes(session: Session, old: uuid.UUID, new: uuid.UUID, keys: Sequence[tuple[int, str, str]]) -> None:
    rounds, names, items = zip(*keys, strict=True) if keys else ((), (), ())
    session.execute(_COPY, {"old": old, "new": new, "rounds": list(rounds), "steps": list(names), "items": list(items)})


_COPY = text("""
    INSERT INTO step_outcomes (query_id, round, step, item, worker, lease_until, value, finished_at)
    SELECT CAST(:new AS uuid), o.round, o.step, o.item, 'replay', now(), o.value, now()
    FROM step_outcomes AS o
    JOIN unnest(CAST(:rounds AS int[]), CAST(:steps AS text[]), CAST(:items AS text[])) AS kept (round, step, item)
        ON (o.round, o.step, o.item) = (kept.round, kept.step, kept.item)
    WHERE o.query_id = CAST(:old AS uuid) AND o.value IS NOT NULL
""")


def copy_sources(session: Session, old: uuid.UUID, new: uuid.UUID) -> dict[int, int]:
    """Copy the given sources (N2) from query `old` to `new`; return the new keys by the old ones."""
    session.execute(_COPY_SOURCES, {"old": old, "new": new})
    numbered = select(GivenSource.number, GivenSource.id)
    before = session.execute(numbered.where(GivenSource.query_id == old)).all()
    after = dict(session.execute(numbered.where(GivenSource.query_id == new)).all())
    return {key: after[number] for number, key in before}


_COPY_SOURCES = text("""
    INSERT INTO given_sources (query_id, number, title, url, document_id, metadata, text, pages, sections, context,
        passages)
    SELECT CAST(:new AS uuid), number, title, url, document_id, metadata, text, pages, sections, context, passages
    FROM given_sources WHERE query_id = CAST(:old AS uuid)
    ORDER BY number
""")


def outcomes_of_request(session: Session, query_id: uuid.UUID) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (step, item, outcome) of everything that came with the request (N2)."""
    rows = session.execute(
        select(StepOutcome.step, StepOutcome.item, StepOutcome.value).where(
            StepOutcome.query_id == query_id, StepOutcome.worker == _FROM_REQUEST, StepOutcome.value.is_not(None)
        )
    )
    return [(step, item, value) for step, item, value in rows if value is not None]
