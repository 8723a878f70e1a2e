"""Sessions of people in their browsers, and sign-ins that have begun. All of them run in `system_transaction`."""

import uuid
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from db.models import PersonSession, SignIn

_USE_NOTED_EVERY = timedelta(minutes=1)
SIGN_IN_WITHIN = timedelta(minutes=10)
"""How long people may take at the provider."""


class BegunSignIn(NamedTuple):
    """What a sign-in began with."""

    browser_digest: str
    nonce: str
    verifier: str
    place: str


def add_sign_in(session: Session, state_digest: str, begun: BegunSignIn) -> None:
    session.execute(delete(SignIn).where(SignIn.created_at < func.now() - SIGN_IN_WITHIN))
    session.add(SignIn(state_digest=state_digest, **begun._asdict()))


def take_sign_in(session: Session, state_digest: str) -> BegunSignIn | None:
    """The sign-in, which nobody gets a second time; None when there is none or it took too long."""
    taken = delete(SignIn).where(SignIn.state_digest == state_digest)
    columns = (SignIn.browser_digest, SignIn.nonce, SignIn.verifier, SignIn.place)
    in_time = SignIn.created_at > func.now() - SIGN_IN_WITHIN
    row = session.execute(taken.returning(*columns, in_time)).one_or_none()
    return BegunSignIn(*row[:4]) if row is not None and row[4] else None


def add_session(session: Session, digest: str, person_id: uuid.UUID, tenant_id: int, hours: float) -> None:
    session.execute(delete(PersonSession).where(PersonSession.expires_at < func.now()))
    row = PersonSession(digest=digest, person_id=person_id, tenant_id=tenant_id)
    row.expires_at = func.now() + timedelta(hours=hours)
    session.add(row)


def find_session(session: Session, digest: str, idle_minutes: float) -> PersonSession | None:
    """The session, if it has not ended by age or by lying idle."""
    in_use = PersonSession.seen_at > func.now() - timedelta(minutes=idle_minutes)
    young = PersonSession.expires_at > func.now()
    return session.scalar(select(PersonSession).where(PersonSession.digest == digest, in_use, young))


def record_use(session: Session, digest: str) -> None:
    noted = PersonSession.seen_at < func.now() - _USE_NOTED_EVERY
    session.execute(update(PersonSession).where(PersonSession.digest == digest, noted).values(seen_at=func.now()))


def delete_session(session: Session, digest: str) -> None:
    session.execute(delete(PersonSession).where(PersonSession.digest == digest))
