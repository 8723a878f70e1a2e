"""Slow statements are not taken for silent ones; those are tried in tests/e2e/test_frozen_database.py."""

from collections.abc import Generator

import pytest
from sqlalchemy import text

from db import session as sessions
from db import silence
from db.session import dispose, end_silent_statements, reading


@pytest.fixture
def watched(database: str, monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """This process ends silent statements, soon."""
    monkeypatch.setattr(silence, "_QUIET_S", 0.2)
    monkeypatch.setattr(sessions, "_server", None)
    end_silent_statements()
    yield database
    dispose()


def test_a_slow_statement_of_a_server_that_answers_is_not_ended(watched: str) -> None:  # A7
    assert watched
    with reading() as session:
        assert session.scalar(text("SELECT 1 FROM pg_sleep(1)")) == 1
