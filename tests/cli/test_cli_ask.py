"""`citewell ask`: the answer for people and for programs."""

import io
import json
import threading
import uuid
from functools import partial

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from citewell.cli.show import dialogue
from citewell_client import CitewellClient
from clients.notifications import notify_end
from config.settings import settings
from db.models import DEFAULT_TENANT, Query
from db.queries.runs.events import add_events
from db.session import acting_for, after_commit, transaction
from services.queries import load_shedding
from tests.cli.conftest import Citewell
from tests.cli.standing_in import workers
from tests.factories import make_query
from tests.stored import ANSWER, IDK, SPAN, abstain, complete, fail

pytestmark = pytest.mark.usefixtures("workspace_w")

QUESTION = "Bis wann? 언제까지?"


def test_an_answer_is_shown_with_all_that_proves_it(citewell: Citewell) -> None:  # A10
    with workers(query=complete):
        outcome = citewell("ask", QUESTION, "-w", "w")
    assert (outcome.code, outcome.err) == (0, "")
    shown = " ".join(outcome.out.split())
    for part in (
        ANSWER,
        "[1] 환불 policy.pdf, p.1",
        "✓ accurate 0.93",
        "✓ supported",
        "· no claim",
        f"“{SPAN}”",
        "✓ Copied from the documents About 9 of 10 answers that share so much with their question were right.",
        "Probability that the documents say all of it and that it answers the question: 0.93.",
        "No language model was asked: the sentences are copied from the documents.",
        "Of 100 statements that the sources do not support, this verifier calls about 33 supported",
        "! 1 of 3 chunks could not be scored",
        "Citations of the draft that were removed: 2;",
        "offline · mode balanced",
    ):
        assert part in shown
    for part in ("High", "overall", "model calls", "tokens", "$"):
        assert part not in shown
    assert "\x1b" not in outcome.out


def test_briefly_it_is_the_answer_and_its_references(citewell: Citewell) -> None:
    with workers(query=complete):
        outcome = citewell("ask", QUESTION, "-w", "w", "--brief")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"{ANSWER}\n\n[1] 환불 policy.pdf, p.1\n"


def test_a_sentence_is_printed_when_it_has_passed(citewell: Citewell) -> None:  # N1
    draft = "A product can be returned within 30 days [3]. Nobody knows more."
    passed = {"round": 0, "sentence": 0, "text": "A product can be returned within 30 days."}
    cited = [{"citation_number": 3, "status": "accurate", "source": None}]
    began: list[uuid.UUID] = []
    seen: list[str] = []

    def one_sentence_then_the_end(session: Session, query: Query) -> None:
        if query.id not in began:
            began.append(query.id)
            told = [
                ("draft", {"round": 0, "start": 0, "text": draft}),
                ("sentence.verified", {**passed, "citations": cited}),
            ]
            add_events(session, query.id, told)
        elif (printed := written.getvalue()) or seen:
            seen.append(printed)
            complete(session, query)
            after_commit(session, partial(notify_end, query.id))

    written = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dialogue.out, "_file", written)
        with workers(query=one_sentence_then_the_end):
            assert citewell("ask", QUESTION, "-w", "w", "--brief").code == 0
    assert seen[0] == "A product can be returned within 30 days. [1]"
    assert written.getvalue().endswith(f"바뀌었습니다:*\n\n{ANSWER}\n\n[1] 환불 policy.pdf, p.1\n")


def test_for_programs_it_is_one_json_object_as_the_api_gives_it(citewell: Citewell, api_url: str) -> None:
    with workers(query=complete):
        outcome = citewell("ask", QUESTION, "-w", "w", "--json")
    assert (outcome.code, outcome.err, outcome.out.count("\n")) == (0, "", 1)
    query = json.loads(outcome.out)
    with CitewellClient(api_url) as client:
        assert query == client.query(query["id"])
    assert QUESTION in outcome.out


def test_an_abstention_says_why(citewell: Citewell) -> None:  # S3.4
    with workers(query=abstain):
        outcome = citewell("ask", QUESTION, "-w", "w")
    assert outcome.code == 0
    assert IDK in outcome.out
    assert "Why: No passage is relevant." in outcome.out


def test_a_failed_question_ends_with_its_reason_and_exit_code_1(citewell: Citewell) -> None:
    with workers(query=fail):
        outcome = citewell("ask", QUESTION, "-w", "w", "--json")
    assert outcome.code == 1
    assert outcome.err == "citewell: the question failed: No model of the chain answered.\n"
    assert json.loads(outcome.out)["status"] == "failed"


def test_when_time_is_up_it_says_where_the_question_goes_on(citewell: Citewell) -> None:
    outcome = citewell("ask", QUESTION, "-w", "w", "--wait", "0.1")
    assert outcome.code == 1
    assert "citewell history " in outcome.complaint


@pytest.mark.slow
def test_a_server_without_room_is_asked_again_when_it_says_so(
    citewell: Citewell, monkeypatch: pytest.MonkeyPatch
) -> None:  # F11
    monkeypatch.setenv("CITEWELL_ADMISSION__MAX_QUEUED_PER_TENANT", "1")
    settings.cache_clear()
    with acting_for(DEFAULT_TENANT), transaction() as session:
        for _ in range(2):
            make_query(session)
    load_shedding.reset()
    refused = citewell("ask", QUESTION, "-w", "w", "--wait", "0.5")
    assert "try again in 1 seconds" in refused.complaint

    def end_them() -> None:
        with acting_for(DEFAULT_TENANT), transaction() as session:
            session.execute(text("UPDATE queries SET status = 'cancelled', finished_at = now()"))

    timer = threading.Timer(2.5, end_them)
    timer.start()
    with workers(query=lambda session, query: complete(session, query) if query.question == QUESTION else None):
        outcome = citewell("ask", QUESTION, "-w", "w", "--wait", "60", "--json")
    timer.join()
    assert (outcome.code, json.loads(outcome.out)["status"]) == (0, "succeeded")
