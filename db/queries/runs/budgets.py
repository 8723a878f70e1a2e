"""Time budgets of queries. All times are the database's: no worker's clock counts."""

from datetime import datetime, timedelta

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import Session

from db.models import Query, StepOutcome
from db.queries.runs.queries import Launch

# A batch item waits for its turn by design, so its time starts with its launch; until then it has no start.
_BEGINNING = case((Query.batch_id.is_(None), Query.created_at), else_=Query.started_at)


_HANGS = 10


def database_time(session: Session) -> datetime:
    return session.execute(select(func.clock_timestamp())).scalar_one()


def list_overdue(session: Session, grace_s: float, limit: int = 100) -> list[Launch]:
    """Return unfinished queries whose deadline passed more than `grace_s` ago and that have made no progress since.

    After ten times the grace a live lease no longer protects a query, because a stuck thread renews its lease for ever.
    """
    deadline_s = Query.options["deadline_s"].as_float()
    ended = _BEGINNING + func.make_interval(0, 0, 0, 0, 0, 0, deadline_s)
    grace = timedelta(seconds=grace_s)
    held = (
        select(StepOutcome.query_id)
        .where(StepOutcome.query_id == Query.id, StepOutcome.value.is_(None), StepOutcome.lease_until > func.now())
        .exists()
    )
    rows = session.execute(
        select(Query.id, Query.launch, Query.tenant_id)
        .where(
            Query.finished_at.is_(None),
            ended < func.now() - grace,
            or_(and_(Query.progress_at < func.now() - grace, ~held), ended < func.now() - _HANGS * grace),
        )
        .order_by(Query.created_at)
        .limit(limit)
    )
    return [Launch(*row) for row in rows]
