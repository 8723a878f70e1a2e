"""`citewell chat`: questions from a prompt or from standard input (N9)."""

import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import uuid
from typing import Any

import pytest
from sqlalchemy import select

from citewell.cli.questions import chatting
from db.models import Query, QueryStatus
from db.session import reading
from services.queries import conversations
from tests.cli.conftest import Citewell
from tests.cli.standing_in import workers
from tests.stored import IDK, abstain, fail

pytestmark = pytest.mark.usefixtures("workspace_w")

FIRST, SECOND = "How much pressure does pump 4 run at?", "What about pump 20?"


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def listed() -> list[str]:
    """The ids of all conversations, the last asked first."""
    return [each["id"] for each in conversations.read_conversations(None, None, after=None, limit=10)]


def questions_of(conversation: str) -> list[str]:
    turns, _ = conversations.read_turns(uuid.UUID(conversation), with_set_aside=False, after=None, limit=10)
    return [turn["question"] for turn in turns]


@pytest.mark.slow
def test_each_line_is_a_turn_of_one_conversation(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, FIRST, "", SECOND, "/history", "/quit", "never asked")
    with workers(query=abstain):
        outcome = citewell("chat", "-w", "w")
    (conversation,) = listed()
    assert outcome.code == 0
    assert questions_of(conversation) == [FIRST, SECOND]
    assert outcome.out.count(IDK) == 4
    assert outcome.out.count("Why: No passage is relevant.") == 2
    assert f"2. {SECOND}" in outcome.out
    assert outcome.err == f"`citewell chat --conversation {conversation}` goes on with it\n"


@pytest.mark.slow
def test_another_conversation_is_begun_and_an_old_one_goes_on(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workers(query=abstain):
        typed(monkeypatch, FIRST, "/new", "/history", "Another?")
        first = citewell("chat", "-w", "w", "--mode", "high")
        another, old = listed()
        typed(monkeypatch, SECOND)
        second = citewell("chat", "--conversation", old)
    assert (first.code, second.code) == (0, 0)
    assert "nothing was asked yet" in first.err
    assert (questions_of(old), questions_of(another)) == ([FIRST, SECOND], ["Another?"])
    with reading() as session:
        assert set(session.scalars(select(Query.mode).where(Query.question != SECOND))) == {"high"}


def test_for_programs_each_answer_is_a_json_object(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, FIRST, SECOND)
    with workers(query=abstain):
        outcome = citewell("chat", "-w", "w", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    assert [json.loads(line)["question"] for line in outcome.out.splitlines()] == [FIRST, SECOND]


@pytest.mark.slow
def test_a_failed_question_ends_neither_the_conversation_nor_well(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, FIRST, "???", "/what", SECOND)
    with workers(query=fail):
        outcome = citewell("chat", "-w", "w")
    assert outcome.code == 1
    assert questions_of(listed()[0]) == [FIRST, SECOND]
    assert outcome.err.count("citewell: the question failed: No model of the chain answered.") == 2
    assert "citewell: The question is empty" in outcome.err
    assert "/new begins another conversation" in outcome.err


def test_an_unknown_conversation_is_said_at_once(citewell: Citewell, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, FIRST)
    outcome = citewell("chat", "--conversation", str(uuid.uuid4()))
    assert outcome.code == 2
    assert "There is no conversation" in outcome.complaint


def test_an_interrupt_stops_the_question_and_not_the_conversation(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, FIRST, "/history")
    is_followed, follow = threading.Event(), chatting.follow

    def followed(*arguments: Any) -> Any:
        is_followed.set()
        return follow(*arguments)

    monkeypatch.setattr(chatting, "follow", followed)

    def interrupt() -> None:
        assert is_followed.wait(90)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    outcome = citewell("chat", "-w", "w")
    thread.join()
    assert outcome.code == 1
    assert "stopped\n" in outcome.err
    assert outcome.out.split() == f"1. {FIRST} cancelled".split()
    with reading() as session:
        assert session.scalars(select(Query.status)).all() == [QueryStatus.CANCELLED]


@pytest.mark.slow
def test_at_a_terminal_there_is_a_prompt_and_the_draft_is_shown(api_url: str) -> None:
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "citewell.cli.main", "chat", "-w", "w", "--url", api_url]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with (
        workers(query=abstain),
        subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment) as process,
    ):
        os.close(follower)
        os.write(leader, f"{FIRST}\n".encode())
        shown = _read_until(leader, "Why: ")
        os.write(leader, b"\x04")
        shown += _read_until(leader, "goes on with it")
        assert process.wait(60) == 0
    os.close(leader)
    assert "workspace w" in shown
    assert "› " in shown
    assert IDK in shown


def _read_until(leader: int, wanted: str) -> str:
    shown = ""
    while wanted not in shown:
        shown += os.read(leader, 4096).decode(errors="replace")
    return shown
