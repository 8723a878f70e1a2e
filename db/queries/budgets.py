"""What queries have used of their time and money. Every time here is the database's: no worker's clock counts."""

from datetime import datetime, timedelta

from sqlalchemy import and_, case, func, or_, select
from sqlalchemy.orm import Session

from db.models import Query, StepOutcome
from db.queries.queries import Launch

# An item of a batch waits for its turn by design, so its time begins with it; until then there is none.
_BEGINNING = case((Query.batch_id.is_(None), Query.created_at), else_=Query.started_at)


_HANGS = 10


def database_time(session: Session) -> datetime:
    """What the database's clock says now."""
    return session.execute(select(func.clock_timestamp())).scalar_one()


def list_overdue(session: Session, grace_s: float, limit: int = 100) -> list[Launch]:
    """Unfinished queries whose deadline passed more than `grace_s` ago and on which nobody has worked since.

    After ten times as long the work on it hangs: a thread that waits for ever renews its lease for ever.
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
