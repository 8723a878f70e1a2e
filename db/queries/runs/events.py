"""Events of a query, numbered so that a reader can detect a gap."""

import json
import uuid
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from sqlalchemy import and_, delete, func, literal_column, select, text
from sqlalchemy.orm import Session

from db.models import Event, Query

EventData = tuple[str, dict[str, Any]]
"""(type, data)."""
DRAFT = "draft"
"""The type of the events that carry unchecked model output; all others are milestones."""


def add_event(session: Session, type_: str, data: dict[str, Any], *, query_id: uuid.UUID) -> None:
    add_events(session, query_id, [(type_, data)])


def add_events(session: Session, query_id: uuid.UUID, events: Sequence[EventData]) -> None:
    """Append events of a query in order.

    The query's row is locked until the transaction ends, so numbers become visible in order: a reader that has seen
    event N has missed no earlier one.
    """
    if events:
        session.execute(_APPEND, _columns(query_id, events))


def record_progress(
    session: Session, query_id: uuid.UUID, stage: str | None = None, events: Sequence[EventData] = ()
) -> bool | None:
    """Append events and enter `stage`, which adds one event unless the query is in that stage already.

    True when the stage was entered; None when the query has ended, and then nothing is stored. Otherwise the query
    cannot end before the transaction does.
    """
    staged = [("stage", {"stage": stage})] if stage is not None else []
    columns = _columns(query_id, [*events, *staged]) | {"n": len(events), "stage": stage}
    return session.execute(_NOTE, columns).scalar_one_or_none()


class Claim(NamedTuple):
    """A step's hold on its only item, lost once the item has another attempt number."""

    query_id: uuid.UUID
    launch: int
    round: int
    step: str
    attempt: int


def add_events_while_held(session: Session, claim: Claim, events: Sequence[EventData]) -> bool:
    """Append events in the middle of a step; False, without effect, when another worker has taken the step over."""
    held = {"launch": claim.launch, "round": claim.round, "step": claim.step, "attempt": claim.attempt}
    return bool(session.execute(_APPEND_HELD, _columns(claim.query_id, events) | held).scalars().all())


def _columns(query_id: uuid.UUID, events: Sequence[EventData]) -> dict[str, Any]:
    return {
        "q": query_id,
        "n": len(events),
        "types": [type_ for type_, _ in events],
        "data": [json.dumps(data) for _, data in events],
    }


# One statement, because drafts arrive many times a second.
_SQL = """
    WITH numbered AS (
        UPDATE queries SET event_seq = event_seq + :n WHERE id = :q {condition} RETURNING event_seq - :n AS before
    )
    INSERT INTO events (query_id, seq, type, data)
    SELECT :q, numbered.before + given.position, given.type, given.data
    FROM numbered,
         unnest(CAST(:types AS text[]), CAST(:data AS jsonb[])) WITH ORDINALITY AS given (type, data, position)
    RETURNING seq
"""
_HELD = """
    AND status = 'running' AND launch = :launch AND EXISTS (
        SELECT FROM step_outcomes AS held
        WHERE held.query_id = :q AND held.round = :round AND held.step = :step AND held.item = ''
          AND held.attempt = :attempt AND held.value IS NULL)
"""
_NOTE = text("""
    WITH was AS (
        SELECT id, stage, event_seq FROM queries WHERE id = :q AND status IN ('queued', 'running') FOR NO KEY UPDATE
    ), noted AS (
        UPDATE queries SET stage = coalesce(CAST(:stage AS text), was.stage), progress_at = now(),
            event_seq = was.event_seq + :n + CAST(was.stage IS DISTINCT FROM coalesce(:stage, was.stage) AS int)
        FROM was WHERE queries.id = was.id
        RETURNING was.event_seq AS before, was.stage <> queries.stage AS entered
    ), told AS (
        INSERT INTO events (query_id, seq, type, data)
        SELECT :q, noted.before + given.position, given.type, given.data
        FROM noted,
             unnest(CAST(:types AS text[]), CAST(:data AS jsonb[])) WITH ORDINALITY AS given (type, data, position)
        WHERE given.position <= :n OR noted.entered
    )
    SELECT entered FROM noted
""")
_APPEND = text(_SQL.format(condition=""))
_APPEND_HELD = text(_SQL.format(condition=_HELD))


def drop_old_drafts(session: Session, keep_s: float) -> None:
    until = func.now() - timedelta(seconds=keep_s)
    ended = select(Query.id).where(Query.id == Event.query_id, Query.finished_at < until).exists()
    # A literal: with a parameter Postgres could not tell that the partial index of drafts applies.
    is_draft = Event.type == literal_column(f"'{DRAFT}'")
    session.execute(delete(Event).where(is_draft, Event.created_at < until, ended))


def list_events(session: Session, query_id: uuid.UUID) -> list[Event]:
    return list(session.scalars(select(Event).where(Event.query_id == query_id).order_by(Event.seq)))


class Progress(NamedTuple):
    """A query's status and kind, and its (number, type, data) of later events, all at one moment."""

    status: str
    kind: str
    options: dict[str, Any]
    """The options that reviews need, and no others."""
    review: str | None
    events: list[tuple[int, str, dict[str, Any]]]


def read_progress(session: Session, query_id: uuid.UUID, after: int) -> Progress | None:
    later = and_(Event.query_id == Query.id, Event.seq > after)
    rules = Query.options["review"].label("rules")
    columns = (Query.status, Query.kind, Query.review, rules, Event.seq, Event.type, Event.data)
    statement = select(*columns).outerjoin(Event, later)
    rows = session.execute(statement.where(Query.id == query_id).order_by(Event.seq)).all()
    if not rows:
        return None
    first = rows[0]
    told = [(row.seq, row.type, row.data) for row in rows if row.seq]
    return Progress(first.status, first.kind, {"review": first.rules}, first.review, told)
