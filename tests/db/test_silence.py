"""Slow statements are not taken for silent ones; those are tried in tests/e2e/test_frozen_database.py."""

import time
from collections.abc import Generator
from typing import Any

import psycopg
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


@pytest.mark.parametrize(
    ("host", "answers"), [("host=127.0.0.1 port=9", True), ("host=nowhere.invalid", False), ("host=240.0.0.1", False)]
)
def test_a_refusal_is_an_answer_and_a_machine_that_is_away_is_none(host: str, answers: bool) -> None:  # A7
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(f"{host} connect_timeout=2")
    assert silence.is_answer(caught.value) == answers


def test_a_server_that_refuses_with_its_own_words_answers(database: str) -> None:  # A7
    with pytest.raises(psycopg.OperationalError) as caught:
        psycopg.connect(database.replace("postgresql+psycopg", "postgresql"), dbname="nothing_of_this_name")
    assert silence.is_answer(caught.value)


def test_the_silence_ends_although_the_look_for_it_failed(database: str, monkeypatch: pytest.MonkeyPatch) -> None:  # A7
    server = silence.Server()
    server.opened({"conninfo": database.replace("postgresql+psycopg", "postgresql")}).close()
    connect, failures = psycopg.connect, [OSError(24, "Too many open files")]

    def connecting(**named: Any) -> Any:
        if failures:
            raise failures.pop()
        return connect(**named)

    monkeypatch.setattr(psycopg, "connect", connecting)
    server.fall_silent()
    deadline = time.monotonic() + 20
    while server.is_silent and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (failures, server.is_silent) == ([], False)
