"""Records what a session sends: the round trips that a test counts."""

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import event
from sqlalchemy.orm import Session


@contextmanager
def statements(session: Session) -> Generator[list[str]]:
    """The statements sent in the block."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        sent.append(statement)

    event.listen(session.connection(), "before_cursor_execute", note)
    yield sent
    event.remove(session.connection(), "before_cursor_execute", note)
