"""Conversations in the client, against the API itself (N9)."""

import uuid

import pytest

from citewell_client import ApiProblem
from db.models import QueryStatus
from db.queries.runs.queries import mark_finished
from db.session import transaction
from tests.client.halves import Half

pytestmark = pytest.mark.usefixtures("workspace_w")


def end(query_id: str) -> None:
    with transaction() as session:
        mark_finished(session, uuid.UUID(query_id), QueryStatus.CANCELLED)


def test_a_conversation_is_begun_asked_and_read(half: Half, api_url: str) -> None:
    begun = half(api_url, lambda client: client.conversations.create("w"))
    first = half(api_url, lambda client: client.conversations.submit(begun["id"], "Pump 4?", mode="high"))
    assert first["conversation_id"] == begun["id"]
    with pytest.raises(ApiProblem) as caught:
        half(api_url, lambda client: client.conversations.submit(begun["id"], "Pump 5?"))
    assert (caught.value.status, caught.value.code) == (409, "turn_unfinished")
    end(first["id"])
    asked = half(api_url, lambda client: client.conversations.ask(begun["id"], "Pump 6?", wait=0, replaces=first["id"]))
    assert (asked["question"], asked["status"], asked["conversation_id"]) == ("Pump 6?", "queued", begun["id"])
    (turn,) = half(api_url, lambda client: client.conversations.turns(begun["id"]))
    assert (turn["id"], turn["position"], turn["replaces"]) == (asked["id"], 1, first["id"])
    every = half(api_url, lambda client: client.conversations.turns(begun["id"], set_aside=True))
    assert [each["id"] for each in every] == [first["id"], asked["id"]]


def test_a_conversation_begins_with_a_question_or_out_of_one_that_was_asked_alone(half: Half, api_url: str) -> None:
    turn = half(api_url, lambda client: client.conversations.begin("Pump 4?", workspace="w", mode="high"))
    alone = half(api_url, lambda client: client.submit("Pump 5?", workspace="w"))
    listed = half(api_url, lambda client: client.conversations.threads())
    assert [thread["id"] for thread in listed] == [alone["id"], turn["conversation_id"]]
    continued = half(api_url, lambda client: client.conversations.create(query_id=alone["id"]))
    assert (continued["title"], continued["workspace"], continued["turns"]) == ("Pump 5?", "w", 1)
    (found,) = half(api_url, lambda client: client.conversations.threads(search="PUMP 5"))
    assert found["conversation_id"] == continued["id"]


# 41
def test_a_conversation_is_branched(half: Half, api_url: str) -> None:
    turn = half(api_url, lambda client: client.conversations.begin("Pump 4?", workspace="w"))
    half(api_url, lambda client: client.cancel(turn["id"]))
    original = turn["conversation_id"]
    branch = half(api_url, lambda client: client.conversations.branch(original, turn["id"], "Other pumps"))
    assert (branch["title"], branch["turns"], branch["branched_from"]) == ("Other pumps", 1, original)


def test_conversations_are_listed_named_and_deleted(half: Half, api_url: str) -> None:
    ids = [
        half(api_url, lambda client, title=title: client.conversations.create("w", title, idempotency_key=title))["id"]
        for title in ("pumps", "hoses", "pumps")
    ]
    assert ids[0] == ids[2]
    listed = half(api_url, lambda client: client.conversations.list("w"))
    assert [each["id"] for each in listed] == [ids[1], ids[0]]
    assert half(api_url, lambda client: client.conversations.list(limit=1)) == listed[:1]
    found = half(api_url, lambda client: client.conversations.list(search="PUMP"))
    assert [each["id"] for each in found] == [ids[0]]
    assert half(api_url, lambda client: client.conversations.rename(ids[0], "valves"))["title"] == "valves"
    assert half(api_url, lambda client: client.conversations.rename(ids[0], None))["title"] is None
    half(api_url, lambda client: client.conversations.delete(ids[0]))
    with pytest.raises(ApiProblem) as caught:
        half(api_url, lambda client: client.conversations.get(ids[0]))
    assert caught.value.code == "conversation_not_found"


def test_all_turns_are_read_whatever_the_size_of_a_page(half: Half, api_url: str) -> None:
    begun = half(api_url, lambda client: client.conversations.create("w"))["id"]
    ids: list[str] = []
    for number in range(3):
        ids.append(half(api_url, lambda client, number=number: client.conversations.submit(begun, f"{number}?"))["id"])
        end(ids[-1])
    assert [each["id"] for each in half(api_url, lambda client: client.conversations.turns(begun))] == ids
    assert [each["id"] for each in half(api_url, lambda client: client.conversations.turns(begun, limit=2))] == ids[:2]
