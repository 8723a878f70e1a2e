"""`citewell history`: the questions, and everything that was checked."""

import json

import pytest

from citewell_client import CitewellClient
from db.session import transaction
from tests.cli.conftest import Citewell
from tests.client.recording import recording, told
from tests.factories import make_query
from tests.stored import SPAN, fail, store_answered_query


def test_questions_are_listed_newest_first(citewell: Citewell) -> None:
    for question in ("first", "second"):
        with transaction() as session:
            make_query(session, question=question)
    outcome = citewell("history")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.index("second") < outcome.out.index("first")
    assert outcome.out.count("queued") == 2
    assert "first" not in citewell("history", "--limit", "1").out
    assert "no questions yet" in citewell("history", "-w", "elsewhere").out
    listed = [json.loads(line) for line in citewell("history", "--json").out.splitlines()]
    assert [query["question"] for query in listed] == ["second", "first"]


def test_one_question_is_shown_with_every_check(citewell: Citewell, api_url: str) -> None:  # A4
    with transaction() as session:
        query_id = str(store_answered_query(session).id)
    outcome = citewell("history", query_id)
    assert (outcome.code, outcome.err) == (0, "")
    shown = " ".join(outcome.out.split())
    for part in (
        "succeeded · mode balanced · offline · workspace w",
        "Verification 1,",
        "✓ supported",
        f"“{SPAN}”",
        "check_alignment: fallback (keyword overlap)",
        "✓ supported 30 days",
        "It is there.",
        "†1 ✓ accurate 0.93",
        "generate_answer",
        "$0.00025",
        "stage: generate",
    ):
        assert part in shown
    with CitewellClient(api_url) as client:
        assert json.loads(citewell("history", query_id, "--json").out) == client.history(query_id)


def test_the_reason_of_a_failure_is_shown(citewell: Citewell) -> None:
    with transaction() as session:
        query = make_query(session)
        fail(session, query)
    assert "failed: No model of the chain answered." in citewell("history", str(query.id)).out


# A8
def test_the_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch, citewell: Citewell) -> None:
    monkeypatch.setenv("CITEWELL_API_KEY", "cw_1")
    with recording(told({"queries": []})) as server:
        assert citewell("history", "--url", server.url).code == 0
    assert [asked.headers["authorization"] for asked in server.asked] == ["Bearer cw_1"]
    monkeypatch.setenv("CITEWELL_API_KEY", "schlüssel")
    refused = citewell("history", "--url", server.url)
    assert refused.code == 2
    assert "CITEWELL_API_KEY" in refused.complaint
