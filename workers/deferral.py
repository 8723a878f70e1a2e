"""Steps that come again later instead of holding a worker: those whose model calls would have to wait (A7).

The claim is handed back with a lease that covers the wait, so that nobody takes the query for stopped; the message
comes again then. When whoever keeps it for that long dies, the lease runs out and the reconciler starts the query anew.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from clients.llm.protocol import CallDeferred, Terms
from config.settings import settings
from db.queries import budgets
from db.session import transaction
from services.step import StepContext
from workers.work import Claim

SHORTEST_S = 0.5
LONGEST_S = 60.0
"""Of one wait: a longer one is split, so that a message that is lost meanwhile is not missed for longer."""


def terms_of(context: StepContext, now: float) -> Terms:
    """For whom the step's calls are made; `now` is a time of this process's monotonic clock.

    Only the time that is left counts here, so a worker's own clock may be wrong.
    """
    query, left_s = context.query, context.budget.left_s
    return Terms(
        scope=str(query.id),
        is_batch=query.batch_id is not None,
        since=query.accepted_at,
        ends_at=None if left_s is None else now + max(left_s, 0.0),
        patience_s=settings().models.patience_s,
        fast=query.options.judge_model,
    )


class PutOff(CallDeferred):
    """The step was handed back; its message has to come again at `eta`, by the database's clock."""

    def __init__(self, wait_s: float, reason: str, eta: datetime) -> None:
        super().__init__(wait_s, reason)
        self.eta = eta


def put_off(claim: Claim, context: StepContext, deferred: CallDeferred, pay: Callable[[Session], None]) -> PutOff:
    """Store by `pay` what the claim's steps have cost, hand the claim back, and return when the message has to come
    again."""
    wait_s = _wait_s(context, deferred.wait_s)
    with transaction() as session:
        pay(session)
        # A little less, so that a message that comes a little early finds it free.
        claim.hand_back(session, wait_s - SHORTEST_S / 2 + settings().recovery.lease_s)
        # Not by this worker's clock: another one may wait for it.
        now = budgets.database_time(session)
    return PutOff(wait_s, deferred.reason, now + timedelta(seconds=wait_s))


def _wait_s(context: StepContext, wait_s: float) -> float:
    """Never much longer than until the deadline: then nothing waits for a model any more."""
    left_s = context.budget.left_s
    waits = [max(wait_s, SHORTEST_S), LONGEST_S] + ([] if left_s is None else [max(left_s, 0.0) + 0.1])
    return min(waits)
