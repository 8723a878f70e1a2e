"""Answers whose sources change, and their audit, on a whole stack: real workers, a real receiver, real commands."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from typing import Any

import psycopg
import pytest
from standardwebhooks import Webhook

from tests.e2e.stack import Stack
from tests.simulators.sink import Sink
from tests.waiting import until

pytestmark = pytest.mark.slow

POLICY = "All returns must be made within 30 days of the purchase date. A receipt is required for every return."
OTHER = POLICY.replace("30", "14")
WARRANTY = "The warranty of a lamp lasts for two years. It begins on the day of the delivery."
WORKSPACE = "standing"


@pytest.fixture
def sink() -> Generator[Sink]:
    with Sink() as running:
        yield running


def asked(stack: Stack, question: str) -> dict[str, Any]:
    query = stack.ask(question, workspace=WORKSPACE)
    assert query["citations"], query
    assert query["standing"]["state"] == "valid"
    return query


def audit(stack: Stack, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`citewell audit …` as a user runs it."""
    environment = {
        **os.environ,
        "CITEWELL_URL": stack.supervisor.url,
        "CITEWELL_DATABASE_URL": stack.supervisor.database_url,
    }
    command = [sys.executable, "-m", "citewell.cli.main", "audit", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_who_cites_a_document_that_changes_or_goes_is_told_once(offline: Stack, sink: Sink) -> None:  # N7, A6
    kept = offline.add_text("warranty.md", WARRANTY, workspace=WORKSPACE)
    offline.add_text("policy.md", POLICY, workspace=WORKSPACE)
    changed = asked(offline, "Within how many days must returns be made?")
    gone = asked(offline, "How long does the warranty of a lamp last?")
    hook = offline.http.post("/v1/webhooks", json={"url": sink.url + "/standing", "events": ["answer.*"]}).json()

    def told() -> list[dict[str, Any]]:
        """The messages about these two answers: those about other tests' documents may still arrive."""
        all_told = [
            Webhook(hook["secret"]).verify(each.body, dict(each.headers)) for each in sink.received("/standing")
        ]
        return [each for each in all_told if each["data"]["id"] in {changed["id"], gone["id"]}]

    try:
        offline.add_text("policy.md", OTHER, workspace=WORKSPACE)
        until(lambda: len(told()) == 1)
        offline.http.delete(f"/v1/documents/{kept}").raise_for_status()
        until(lambda: len(told()) == 2)
        # Both were looked at a second time, and nothing was sent again.
        until(lambda: all(_second_looks_are_over(offline, query["id"]) for query in (changed, gone)))
        assert [(each["type"], each["data"]["id"]) for each in told()] == [
            ("answer.invalidated", changed["id"]),
            ("answer.invalidated", gone["id"]),
        ]
    finally:
        offline.http.delete(f"/v1/webhooks/{hook['id']}").raise_for_status()
    for query, why in ((changed, "do not stand"), (gone, "was deleted")):
        found = offline.http.get(f"/v1/queries/{query['id']}").json()
        assert found["standing"]["state"] == "invalidated"
        assert why in found["standing"]["reason"]
        # Later changes are no part of what was proven: of a deleted document only the hashes remain.
        checked = offline.http.get(f"/v1/queries/{query['id']}/audit/check", params={"head": query["audit"]["head"]})
        assert checked.json()["intact"], checked.json()


def _second_looks_are_over(stack: Stack, query_id: str) -> bool:
    with psycopg.connect(stack.supervisor.database_url.replace("+psycopg", "")) as connection:
        connection.execute("SELECT set_config('citewell.system', 'on', true)")
        found = connection.execute(
            "SELECT count(*), count(done_at) FROM document_changes "
            "WHERE document_id = (SELECT document_id FROM answer_standings WHERE query_id = %s)",
            [query_id],
        ).fetchone()
    assert found is not None
    return found[0] == found[1] > 0


def test_commands_replay_verify_and_reverify_an_answer(groq: Stack) -> None:  # N6
    groq.add_text("policy.md", POLICY, workspace=WORKSPACE)
    query = asked(groq, "Within how many days must returns be made?")
    replayed = audit(groq, "replay", query["id"], "--json")
    assert (replayed.returncode, json.loads(replayed.stdout)) == (0, {"equal": True, "differences": []})

    again = audit(groq, "reverify", query["id"], "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert [each["changed"] for each in found["comparison"]["sentences"]] == [False]
    assert [each["id"] for each in groq.history(query["id"])["reverifications"]] == [found["id"]]
    for query_id, head in ((query["id"], query["audit"]["head"]), (found["id"], found["audit"]["head"])):
        verified = audit(groq, "verify", query_id, "--head", head)
        assert (verified.returncode, verified.stdout[:3]) == (0, "OK:"), verified
    forged = audit(groq, "verify", query["id"], "--head", "0" * 64)
    assert (forged.returncode, "broken" in forged.stdout) == (1, True)
