"""Queries: accepted, launched, advanced, finished."""

import json
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    UUID,
    BindParameter,
    ColumnElement,
    ScalarSelect,
    Text,
    and_,
    any_,
    bindparam,
    case,
    cast,
    func,
    insert,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session
from sqlalchemy.orm.util import identity_key

from db.base import OWN_TENANT
from db.models import Query, QueryKind, QueryStatus, StepOutcome, Workspace
from db.queries.paging import Place, page
from domain.errors.missing import NotFound, QueryNotFound, VerificationNotFound


class Launch(NamedTuple):
    """A start of a query's canvas; `launch` is the number when it was read."""

    query_id: uuid.UUID
    launch: int
    tenant_id: int


UNFINISHED = (QueryStatus.QUEUED, QueryStatus.RUNNING)


def add_query(session: Session, workspace_id: int, *, query_id: uuid.UUID | None = None, **values: Any) -> Query:
    """Accept a query: once committed, it reaches exactly one final state. `values` are columns of `Query`."""
    query = Query(id=query_id or uuid.uuid4(), workspace_id=workspace_id, **values)
    session.add(query)
    session.flush()
    return query


def add_queries(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    session.execute(insert(Query), list(rows))


def count_in_flight(session: Session, key_id: str | None, most: int) -> int:
    """Return the number of the tenant's unfinished queries sent with this key, or without any; counted up to `most`."""
    return session.execute(_IN_FLIGHT, {"key": key_id, "most": most}).scalar_one()


# Two partial indexes apply, so the statuses are literals (db.queries.admission.admission).
_IN_FLIGHT = text("""
    SELECT count(*) FROM (
        (SELECT FROM queries WHERE status = 'running' AND batch_id IS NULL
            AND tenant_id = current_setting('citewell.tenant')::bigint
            AND asked_by IS NOT DISTINCT FROM CAST(:key AS text) LIMIT :most)
        UNION ALL
        (SELECT FROM queries WHERE status = 'queued' AND batch_id IS NULL
            AND tenant_id = current_setting('citewell.tenant')::bigint
            AND asked_by IS NOT DISTINCT FROM CAST(:key AS text) LIMIT :most)
        LIMIT :most
    ) AS found
""")


def get_query(session: Session, query_id: uuid.UUID, kind: QueryKind | None = None) -> Query:
    """Return the query. Raises QueryNotFound when there is none, VerificationNotFound when there is none of that
    `kind`."""
    query = session.get(Query, query_id)
    if query is None or kind not in (None, query.kind):
        raise not_found(query_id, kind)
    return query


def lock_query(session: Session, query_id: uuid.UUID, kind: QueryKind) -> Query:
    """Return the query, which others neither change nor lock until the transaction ends. Raises the errors of
    `get_query`."""
    query = session.get(Query, query_id, with_for_update={"key_share": True}, populate_existing=True)
    if query is None or kind != query.kind:
        raise not_found(query_id, kind)
    return query


def find_query(session: Session, query_id: uuid.UUID) -> Query | None:
    return session.get(Query, query_id)


def find_replay(session: Session, query_id: uuid.UUID) -> Query | None:
    """Return the newest query that repeats this one."""
    return session.scalar(select(Query).where(Query.replay_of == query_id).order_by(Query.created_at.desc()).limit(1))


def ids_beginning(session: Session, start: str) -> Sequence[uuid.UUID]:
    """Return the ids of queries that begin with `start`, which is in lower case and has no pattern characters."""
    wanted = cast(Query.id, Text).startswith(start, autoescape=True)
    return session.scalars(select(Query.id).where(wanted).order_by(Query.created_at.desc())).all()


def list_reverifications(session: Session, query_id: uuid.UUID) -> list[Query]:
    """Return the re-verifications of the query's answer (N6), the oldest first."""
    made = select(Query).where(Query.reverifies == query_id)
    return list(session.scalars(made.order_by(Query.created_at, Query.id)))


def get_status(session: Session, query_id: uuid.UUID, kind: QueryKind | None = None) -> str:
    """Return the query's status alone. Raises the errors of `get_query`."""
    row = session.execute(select(Query.status, Query.kind).where(Query.id == query_id)).one_or_none()
    if row is None or kind not in (None, row.kind):
        raise not_found(query_id, kind)
    return row.status


def find_unfinished(session: Session, query_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of the queries that wait or run."""
    # With one parameter the statement stays the same and keeps its plan.
    asked = Query.id == any_(cast(list(query_ids), ARRAY(UUID)))
    return {*session.scalars(select(Query.id).where(asked, Query.status.in_(UNFINISHED)))}


def get_named_query(session: Session, query_id: uuid.UUID, kind: QueryKind | None = None) -> tuple[Query, str]:
    """Return the query and the name of its workspace. Raises the errors of `get_query`."""
    statement = select(Query, Workspace.name).join(Workspace, Workspace.id == Query.workspace_id)
    row = session.execute(statement.where(Query.id == query_id)).one_or_none()
    if row is None or kind not in (None, row[0].kind):
        raise not_found(query_id, kind)
    return row[0], row[1]


def not_found(query_id: uuid.UUID, kind: QueryKind | None) -> NotFound:
    if kind is QueryKind.VERIFICATION:
        return VerificationNotFound(f"There is no verification {query_id}.")
    return QueryNotFound(f"There is no query {query_id}.")


def searched_workspaces(session: Session, queries: Iterable[Query]) -> dict[int, str]:
    """Return the names of the workspaces that these queries search, for those queries that search several, by their
    ids."""
    ids = {option for query in queries for option in query.options.get("workspaces", ())}
    named = select(Workspace.id, Workspace.name).where(Workspace.id.in_(ids))
    return dict(session.execute(named).all()) if ids else {}


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """Conditions on listed queries; None leaves a property open. Times are half-open: `since` <= time < `until`.

    `text` is a part of the question, or of the submitter's own id, ignoring case.
    """

    workspace: str | None = None
    status: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    kind: QueryKind = QueryKind.ANSWER
    text: str | None = None


def list_queries(
    session: Session, wanted: QueryFilter, *, after: Place | None = None, limit: int
) -> list[tuple[Query, str]]:
    statement = select(Query, Workspace.name).join(Workspace, Workspace.id == Query.workspace_id)
    statement = statement.where(*_conditions(wanted))
    rows = session.execute(page(statement, Query.created_at, Query.id, after=after, limit=limit))
    return [(query, name) for query, name in rows]


def count_queries(session: Session, wanted: QueryFilter, *, most: int) -> int:
    matching = select(Query.id).where(Query.tenant_id == OWN_TENANT, *_conditions(wanted)).limit(most)
    return session.scalars(select(func.count()).select_from(matching.subquery())).one()


def _conditions(wanted: QueryFilter) -> list[ColumnElement[bool]]:
    text, searched = wanted.text, (Query.question, Query.custom_id)
    return [
        Query.kind == wanted.kind,
        *([Query.workspace_id == workspace_id_of(wanted.workspace)] if wanted.workspace is not None else []),
        *([Query.status == _as_literal(wanted.status)] if wanted.status is not None else []),
        *([Query.created_at >= wanted.since] if wanted.since is not None else []),
        *([Query.created_at < wanted.until] if wanted.until is not None else []),
        *([or_(*(column.icontains(text, autoescape=True) for column in searched))] if text is not None else []),
    ]


def workspace_id_of(name: str) -> ScalarSelect[int]:
    """Return the id of the tenant's workspace as a subquery, because a join by name would not be read in index
    order."""
    own = select(Workspace.id).where(Workspace.name == name, Workspace.tenant_id == OWN_TENANT)
    return own.scalar_subquery()


def _as_literal(status: str) -> BindParameter[str]:
    # With a parameter, Postgres could not tell that the partial index of running or failed queries applies.
    return bindparam("status", status, literal_execute=True)


def mark_launched(session: Session, query_id: uuid.UUID, seen_launch: int) -> int | None:
    """Count a new start of the canvas; messages of earlier launches are ignored from now on.

    Return its number, or None when the query is finished or was launched again since `seen_launch` was read.
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
    """Return the query, if it is unfinished and `launch` is its latest start; None means that the message is stale."""
    query = session.get(Query, uuid.UUID(query_id))
    return query if query and query.status in UNFINISHED and query.launch == launch else None


def unlaunch(session: Session, query_id: uuid.UUID, launch: int) -> None:
    """Undo a launch whose message could not be published: the query waits again and starts soon.

    The launch does not count as a start: a long outage of the broker must not use up the starts of accepted queries.
    """
    session.execute(
        update(Query)
        .where(Query.id == query_id, Query.launch == launch, Query.status == QueryStatus.RUNNING)
        .values(
            status=QueryStatus.QUEUED,
            launch=Query.launch - 1,
            started_at=case((Query.launch > 1, Query.started_at)),
        )
    )


def advance_round(session: Session, query_id: uuid.UUID, round_: int) -> None:
    # A new start begins at this round (S2.3).
    session.execute(
        update(Query)
        .where(Query.id == query_id, Query.status.in_(UNFINISHED), Query.round < round_)
        .values(round=round_, progress_at=func.now())
    )


class Finished(NamedTuple):
    """A query that has just ended, its `seconds` since acceptance, and whether its tenant has endpoints of webhooks."""

    kind: str
    seconds: float
    batch_id: uuid.UUID | None
    callback_url: str | None
    reverifies: uuid.UUID | None
    has_endpoints: bool


def mark_finished(
    session: Session,
    query_id: uuid.UUID,
    status: QueryStatus,
    *,
    error: dict[str, Any] | None = None,
    event: tuple[str, dict[str, Any]] | None = None,
    was_held: bool = False,
) -> Finished | None:
    """Enter a final state, once, with its last `event`; None when the query had one already.

    A query that was held keeps the time at which its answer was written.
    """
    type_, data = event or (None, None)
    columns = {"q": query_id, "status": status, "type": type_, "data": json.dumps(data), "held": was_held}
    done = session.execute(_FINISH, {**columns, "error": None if error is None else json.dumps(error)}).one_or_none()
    if (held := session.identity_map.get(identity_key(Query, query_id))) is not None:
        session.refresh(held)
    return None if done is None else Finished(*done)


# One statement instead of three: the reader of the answer waits for each round trip.
_FINISH = text("""
    WITH ended AS (
        UPDATE queries SET status = :status, stage = :status, error = CAST(:error AS jsonb), progress_at = now(),
            finished_at = coalesce(finished_at, clock_timestamp()),
            event_seq = event_seq + CAST(CAST(:type AS text) IS NOT NULL AS int)
        WHERE id = :q AND (status IN ('queued', 'running') AND NOT :held OR status = 'held' AND :held)
        RETURNING id, event_seq, kind, batch_id, callback_url, reverifies,
            CAST(extract(epoch FROM clock_timestamp() - created_at) AS float8) AS seconds
    ), told AS (
        INSERT INTO events (query_id, seq, type, data)
        SELECT id, event_seq, :type, CAST(:data AS jsonb) FROM ended WHERE CAST(:type AS text) IS NOT NULL
    )
    SELECT kind, seconds, batch_id, callback_url, reverifies, EXISTS (SELECT FROM webhook_endpoints) FROM ended
""")


def list_stalled(
    session: Session, *, lease_s: float, stalled_s: float, doublings: int = 5, limit: int = 100
) -> list[Launch]:
    """Return unfinished, launched queries that hold no live claim and need a new start.

    At once when a lease of this launch expired, because a process died. Soon when a lease of an earlier launch expired.
    Late when nothing is known: the message was lost, or waits in a long queue. The two waits double with every launch,
    up to `doublings` times, so that a backlog is not mistaken for a loss again and again.
    """
    since = func.extract("epoch", func.now() - Query.progress_at)
    patience = func.power(2, func.least(Query.launch - 1, doublings))
    # The lease of a postponed step covers its wait; after that it may be as late as any other step.
    lapsed = StepOutcome.lease_until < func.now() - func.make_interval(0, 0, 0, 0, 0, 0, lease_s * (patience - 1))
    waited = or_(
        # Claims and launches both set `progress_at`: only a claim made since then has a lease that ends after it.
        _claim(
            and_(
                StepOutcome.lease_until < func.now(),
                StepOutcome.lease_until > Query.progress_at,
                StepOutcome.worker != "",
            )
        ),
        and_(_claim(lapsed), since > lease_s * patience),
        since > stalled_s * patience,
    )
    rows = session.execute(
        select(Query.id, Query.launch, Query.tenant_id)
        .where(Query.status == _as_literal(QueryStatus.RUNNING), waited, ~_claim(StepOutcome.lease_until > func.now()))
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
