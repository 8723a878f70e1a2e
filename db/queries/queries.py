"""Queries: accepted, launched, advanced, finished."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, insert, or_, select, true, update
from sqlalchemy.orm import Session

from db.models import Query, QueryKind, QueryStatus, StepOutcome, Workspace
from db.queries.paging import Place, page
from domain.errors import QueryNotFound, VerificationNotFound


class Launch(NamedTuple):
    """A start of a query's canvas; `launch` is the number that was read."""

    query_id: uuid.UUID
    launch: int
    tenant_id: int


UNFINISHED = (QueryStatus.QUEUED, QueryStatus.RUNNING)


def add_query(session: Session, workspace_id: int, *, query_id: uuid.UUID | None = None, **values: Any) -> Query:
    """Accept a query: from the commit on it reaches exactly one final state. `values` are columns of `Query`."""
    query = Query(id=query_id or uuid.uuid4(), workspace_id=workspace_id, **values)
    session.add(query)
    session.flush()
    return query


def add_queries(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Accept many; each of `rows` has the same columns of `Query`, its `id` among them."""
    session.execute(insert(Query), list(rows))


def get_query(session: Session, query_id: uuid.UUID, kind: QueryKind | None = None) -> Query:
    """Raise QueryNotFound when there is none, VerificationNotFound when there is none of that `kind`."""
    query = session.get(Query, query_id)
    if query is None or kind not in (None, query.kind):
        if kind is QueryKind.VERIFICATION:
            raise VerificationNotFound(f"There is no verification {query_id}.")
        raise QueryNotFound(f"There is no query {query_id}.")
    return query


def workspace_name_of(session: Session, query: Query) -> str:
    """The name of the query's workspace."""
    return session.get_one(Workspace, query.workspace_id).name


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """Which queries a list holds; None leaves a property open. Times are half-open: from `since` to before `until`."""

    workspace: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    kind: QueryKind = QueryKind.ANSWER


def list_queries(
    session: Session, wanted: QueryFilter, *, after: Place | None = None, limit: int
) -> list[tuple[Query, str]]:
    """One page of (query, workspace name), the newest first."""
    conditions = [
        Query.kind == wanted.kind,
        *([Workspace.name == wanted.workspace] if wanted.workspace is not None else []),
        *([Query.status == wanted.status] if wanted.status is not None else []),
        *([Query.created_at >= wanted.since] if wanted.since is not None else []),
        *([Query.created_at < wanted.until] if wanted.until is not None else []),
    ]
    statement = select(Query, Workspace.name).join(Workspace, Workspace.id == Query.workspace_id).where(*conditions)
    rows = session.execute(page(statement, Query.created_at, Query.id, after=after, limit=limit))
    return [(query, name) for query, name in rows]


def mark_launched(session: Session, query_id: uuid.UUID, seen_launch: int) -> int | None:
    """Count a new start of the canvas; messages of earlier ones are ignored from now on.

    Return the number, or None when the query is finished or somebody else launched it since `seen_launch` was read.
    """
    return session.scalar(
        update(Query)
        .where(Query.id == query_id, Query.status.in_(UNFINISHED), Query.launch == seen_launch)
        .values(
            status=QueryStatus.RUNNING,
            launch=Query.launch + 1,
            started_at=func.coalesce(Query.started_at, func.now()),
            progress_at=func.now(),
        )
        .returning(Query.launch)
    )


def find_current(session: Session, query_id: str, launch: int) -> Query | None:
    """The query, if it is unfinished and `launch` is its newest start; None makes a message stale."""
    query = session.get(Query, uuid.UUID(query_id))
    return query if query and query.status in UNFINISHED and query.launch == launch else None


def is_unfinished(session: Session, query_id: str) -> bool:
    """Whether somebody still waits for the query's end."""
    status = session.scalar(select(Query.status).where(Query.id == uuid.UUID(query_id)))
    return status in UNFINISHED


def lock_unfinished(session: Session, query_id: uuid.UUID) -> bool:
    """The same, and so it stays until the transaction ends: whoever would end the query waits."""
    status = session.scalar(select(Query.status).where(Query.id == query_id).with_for_update(key_share=True))
    return status in UNFINISHED


def unlaunch(session: Session, query_id: uuid.UUID, launch: int) -> None:
    """Undo `mark_launched` when the message could not be published: the reconciler then starts the query soon.

    It does not count as a start: a broker that is away for long must not use up the starts of what was accepted.
    """
    session.execute(
        update(Query)
        .where(Query.id == query_id, Query.launch == launch, Query.status == QueryStatus.RUNNING)
        .values(status=QueryStatus.QUEUED, launch=Query.launch - 1)
    )


def mark_stage(session: Session, query: Query, stage: str) -> bool:
    """Note progress; `stage` is what a waiting user is shown. True when the query has just entered the stage."""
    entering = query.stage != stage
    changed = Query.stage != stage if entering else true()
    noted = session.scalar(
        update(Query)
        .where(Query.id == query.id, Query.status.in_(UNFINISHED), changed)
        .values(stage=stage, progress_at=func.now())
        .returning(Query.id)
        .execution_options(synchronize_session=False)
    )
    # Of several steps that enter a stage at the same time one finds it unentered.
    return entering and noted is not None


def advance_round(session: Session, query_id: uuid.UUID, round_: int) -> None:
    """S2.3: from now on a new start begins at corrective round `round_`."""
    session.execute(
        update(Query)
        .where(Query.id == query_id, Query.status.in_(UNFINISHED), Query.round < round_)
        .values(round=round_, progress_at=func.now())
    )


def mark_finished(
    session: Session, query_id: uuid.UUID, status: QueryStatus, *, error: dict[str, Any] | None = None
) -> bool:
    """Enter a final state, once: False when the query had one already."""
    done = session.scalar(
        update(Query)
        .where(Query.id == query_id, Query.status.in_(UNFINISHED))
        .values(status=status, stage=status, error=error, finished_at=func.clock_timestamp(), progress_at=func.now())
        .returning(Query.id)
    )
    return done is not None


def list_stalled(session: Session, *, lease_s: float, stalled_s: float, limit: int = 100) -> list[Launch]:
    """Unfinished, launched queries on which nobody works, and which need a new start.

    Soon when a step's lease ran out (its process died), late when nothing is known (its message was lost, or waits in
    a long queue). Both waits double with every launch, so that a backlog is not mistaken for a loss again and again.
    """
    since = func.extract("epoch", func.now() - Query.progress_at)
    patience = func.power(2, func.least(Query.launch, 6) - 1)
    waited = or_(
        and_(_claim(StepOutcome.lease_until < func.now()), since > lease_s * patience), since > stalled_s * patience
    )
    rows = session.execute(
        select(Query.id, Query.launch, Query.tenant_id)
        .where(Query.status == QueryStatus.RUNNING, waited, ~_claim(StepOutcome.lease_until > func.now()))
        .order_by(Query.created_at)
        .limit(limit)
    )
    return [Launch(*row) for row in rows]


def list_unpublished(session: Session, older_than_s: float, limit: int = 100) -> list[Launch]:
    """Queries that were accepted but never started: the broker was away. Items of a batch wait for their turn."""
    rows = session.execute(
        select(Query.id, Query.launch, Query.tenant_id)
        .where(
            Query.status == QueryStatus.QUEUED,
            Query.batch_id.is_(None),
            Query.created_at < func.now() - timedelta(seconds=older_than_s),
        )
        .order_by(Query.created_at)
        .limit(limit)
    )
    return [Launch(*row) for row in rows]


def _claim(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return (
        select(StepOutcome.query_id)
        .where(StepOutcome.query_id == Query.id, StepOutcome.value.is_(None), condition)
        .exists()
    )
