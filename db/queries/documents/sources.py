"""Sources of documents: set up, due, claimed by one worker at a time, finished."""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, case, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from db.models import Document, DocumentStatus, Source, SourcePhase, SourceStatus, Tenant, Workspace
from db.queries.leases import extend_lease, is_free, lease_end
from db.queries.paging import Place, page
from db.session import current_tenant
from domain.errors.missing import DocumentSourceNotFound

_UNREAD = (DocumentStatus.QUEUED, DocumentStatus.PROCESSING)


def add_source(session: Session, workspace_id: int, **values: Any) -> Source | None:
    """Add a source that is due at once; None when the workspace has one of that name."""
    row = {"id": uuid.uuid4(), "workspace_id": workspace_id, "due_at": func.now(), **values}
    added = session.scalar(insert(Source).values(row).on_conflict_do_nothing().returning(Source.id))
    return None if added is None else session.get_one(Source, added)


def get_source(session: Session, source_id: uuid.UUID) -> Source:
    source = session.get(Source, source_id)
    if source is None:
        raise DocumentSourceNotFound(f"There is no source of documents {source_id}.")
    return source


def lock_source(session: Session, source_id: uuid.UUID) -> Source:
    """Return the source, whose status then cannot change until the transaction ends. Raises DocumentSourceNotFound."""
    source = session.scalar(select(Source).where(Source.id == source_id).with_for_update(key_share=True))
    return source or get_source(session, source_id)


def tenant_name(session: Session) -> str:
    return session.get_one(Tenant, current_tenant()).name


def list_sources(
    session: Session, workspace: str | None, *, after: Place | None = None, limit: int
) -> list[tuple[Source, str]]:
    """Return one page of (source, workspace name), newest first."""
    statement = select(Source, Workspace.name).join(Workspace, Workspace.id == Source.workspace_id)
    if workspace is not None:
        statement = statement.where(Workspace.name == workspace)
    rows = session.execute(page(statement, Source.created_at, Source.id, after=after, limit=limit))
    return [(source, name) for source, name in rows]


def change_source(session: Session, source_id: uuid.UUID, values: Mapping[str, Any]) -> None:
    if values:
        session.execute(update(Source).where(Source.id == source_id).values(values))


def make_due(session: Session, source_id: uuid.UUID) -> None:
    session.execute(update(Source).where(Source.id == source_id).values(due_at=func.now()))


def reschedule(session: Session, source_id: uuid.UUID) -> None:
    """Set when the source is due: by its schedule, or at once if a run is under way."""
    interval = func.make_interval(0, 0, 0, 0, 0, 0, Source.every_s)
    begun = func.coalesce(Source.started_at, Source.created_at)
    by_schedule = case((Source.every_s.is_not(None), func.greatest(func.now(), begun + interval)))
    due = case((Source.phase != SourcePhase.IDLE, func.now()), (Source.run == 0, func.now()), else_=by_schedule)
    session.execute(update(Source).where(Source.id == source_id).values(due_at=due))


# The k-th source of a tenant that runs or is due counts k, and the smallest counts start, so that a tenant with many
# sources does not keep out another.
_ADMIT = text("""
WITH running AS (
    SELECT tenant_id, count(*) AS n FROM sources WHERE lease_until > now() GROUP BY tenant_id
),
due AS (
    SELECT id, sources.tenant_id, due_at,
           row_number() OVER (PARTITION BY sources.tenant_id ORDER BY due_at, id) + coalesce(running.n, 0) AS share
    FROM sources LEFT JOIN running ON running.tenant_id = sources.tenant_id
    WHERE due_at <= now() AND status <> 'paused' AND (lease_until IS NULL OR lease_until <= now())
),
chosen AS (
    SELECT id FROM due ORDER BY share, due_at, id
    LIMIT greatest(0, :at_a_time - (SELECT coalesce(sum(n), 0) FROM running))
)
UPDATE sources SET due_at = now() + make_interval(secs => :again_s)
FROM chosen WHERE sources.id = chosen.id RETURNING sources.id, sources.tenant_id
""")


def admit_sources(session: Session, *, at_a_time: int, again_s: float) -> list[tuple[uuid.UUID, int]]:
    """Return (id, tenant) of the sources that a worker has to look at now. A source that no worker claims is due again
    after `again_s`."""
    rows = session.execute(_ADMIT, {"at_a_time": at_a_time, "again_s": again_s})
    return [(source_id, tenant_id) for source_id, tenant_id in rows]


def claim_source(session: Session, source_id: uuid.UUID, lease_s: float) -> int | None:
    """Claim a source whose lease is free, and begin a run unless one is in progress; return the attempt that fences
    this worker.

    A message may come late, or twice: it begins a run only if the source is due within the `lease_s` by which admission
    postpones it.
    """
    begins = and_(Source.phase == SourcePhase.IDLE, Source.status == SourceStatus.ACTIVE)
    return session.scalar(
        update(Source)
        .where(
            Source.id == source_id,
            Source.status != SourceStatus.PAUSED,
            is_free(Source),
            or_(~begins, Source.due_at <= func.now() + timedelta(seconds=lease_s)),
        )
        .values(
            attempt=Source.attempt + 1,
            strikes=Source.strikes + 1,
            lease_until=lease_end(lease_s),
            run=case((begins, Source.run + 1), else_=Source.run),
            started_at=case((begins, func.now()), else_=Source.started_at),
            finished_at=case((begins, None), else_=Source.finished_at),
            phase=case((begins, SourcePhase.LISTING), else_=Source.phase),
            error=case((begins, None), else_=Source.error),
        )
        .returning(Source.attempt)
    )


def advance_source(session: Session, claimed: Source, attempt: int, *, lease_s: float, **values: object) -> bool:
    """Store progress and extend the lease if `attempt` still holds it; False if another worker took over, or if the
    source was paused or deleted since it was `claimed`."""
    held = (
        Source.id == claimed.id,
        Source.attempt == attempt,
        Source.lease_until.is_not(None),
        Source.status == claimed.status,
    )
    return extend_lease(session, Source, held, lease_s, **values)


def release_source(session: Session, source_id: uuid.UUID, attempt: int, *, again_s: float | None) -> None:
    """Release the claim on a source, whatever its status; it is due again in `again_s` seconds. None keeps its time."""
    values: dict[str, Any] = {"lease_until": None}
    if again_s is not None:
        values["due_at"] = func.now() + timedelta(seconds=again_s)
    session.execute(update(Source).where(Source.id == source_id, Source.attempt == attempt).values(values))


def end_run(session: Session, source_id: uuid.UUID, attempt: int, error: dict[str, Any] | None) -> bool:
    """End the run. The next one begins by the schedule, counted from the beginning of this run."""
    interval = func.make_interval(0, 0, 0, 0, 0, 0, Source.every_s)
    done = session.scalar(
        update(Source)
        .where(Source.id == source_id, Source.attempt == attempt, Source.phase != SourcePhase.IDLE)
        .values(
            phase=SourcePhase.IDLE,
            error=error,
            strikes=0,
            lease_until=None,
            finished_at=func.now(),
            due_at=case((Source.every_s.is_not(None), func.greatest(func.now(), Source.started_at + interval))),
        )
        .returning(Source.id)
    )
    return done is not None


def count_unread(session: Session, most: int) -> int:
    """Return how many documents of the tenant are not read yet, counted up to `most`."""
    some = select(Document.id).where(Document.status.in_(_UNREAD)).limit(most).subquery()
    return session.scalar(select(func.count()).select_from(some)) or 0


def running_s(session: Session, source_id: uuid.UUID) -> float:
    since = select(func.extract("epoch", func.now() - Source.started_at)).where(Source.id == source_id)
    return float(session.scalar(since) or 0)
