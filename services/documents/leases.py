"""The lease of a worker on a job, such as a document or an archive: extended while it works, lost to another worker."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from sqlalchemy.orm import Session

from db.session import transaction


class LeaseLost(Exception):
    """Another worker holds the job now, or its owner ended it; this worker stops and stores nothing more."""


@dataclass(frozen=True, slots=True)
class Lease:
    """`extend` stores values of the job and extends its lease; it returns False when this worker holds it no more."""

    extend: Callable[..., bool]
    lease_s: float
    lost: Event = field(default_factory=Event)
    """Set by a renewal that found that another worker has the job."""

    def renew(self) -> None:
        """Extend the lease, from the thread that does so while another one works."""
        with transaction() as session:
            if not self.extend(session, lease_s=self.lease_s):
                self.lost.set()

    def check(self) -> None:
        """Raise LeaseLost if a renewal has found that, because further calls would be paid for in vain."""
        if self.lost.is_set():
            raise LeaseLost

    def advance(self, session: Session, *, lease_s: float | None = None, **values: object) -> None:
        """Store progress and extend the lease. Raises LeaseLost."""
        if not self.extend(session, lease_s=self.lease_s if lease_s is None else lease_s, **values):
            raise LeaseLost
