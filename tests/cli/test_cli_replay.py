"""`citewell replay` and `citewell parked`."""

import json

from db.models import QueryStatus
from db.queries.runs import parking, steps
from db.session import transaction
from services.finishing.completion import finish
from tests.cli.conftest import Citewell
from tests.factories import make_query
from tests.stored import store_answered_query


def test_a_question_that_was_cancelled_is_asked_again(citewell: Citewell) -> None:  # A5
    with transaction() as session:
        query_id = str((query := make_query(session, question="Why?")).id)
        finish(session, query.id, QueryStatus.CANCELLED)
    outcome = citewell("replay", query_id, "--wait", "0.1")
    assert outcome.code == 1
    assert "asked again as" in outcome.err
    assert "still in work" in outcome.err
    asked = [json.loads(line) for line in citewell("history", "--json").out.splitlines()]
    assert [each["replay_of"] for each in asked] == [query_id, None]


def test_what_ended_well_is_not_asked_again(citewell: Citewell) -> None:  # A5
    with transaction() as session:
        query_id = str(store_answered_query(session).id)
    outcome = citewell("replay", query_id)
    assert outcome.code != 0
    assert "none of its finished steps was parked" in outcome.complaint


def test_parked_steps_of_all_tenants_are_listed(citewell: Citewell) -> None:  # A5
    assert "nothing is parked" in citewell("parked").err
    with transaction() as session:
        query_id = str(make_query(session).id)
        steps.claim_items(session, query_id, 0, "score_chunks", ["7"], worker="w:1", lease_s=10)
        parking.park_items(session, query_id, 0, "score_chunks", ["7"], "it broke", {"status": "unreadable"})
    outcome = citewell("parked", "--json")
    (step,) = [json.loads(line) for line in outcome.out.splitlines()]
    told = {name: step[name] for name in ("tenant", "query_id", "step", "item", "worker", "reason")}
    assert told == {
        "tenant": "default",
        "query_id": query_id,
        "step": "score_chunks",
        "item": "7",
        "worker": "w:1",
        "reason": "it broke",
    }
    assert "score_chunks" in citewell("parked").out
