"""Who began a conversation or branch changes it; others need the role for what others began (issue 43)."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import httpx
import pytest

from domain.keys import Scope
from tests.api.people.browsers import SHELF
from tests.api.people.provider import Provider
from tests.api.people.test_rights import People, own_key
from tests.api.problems import assert_problem
from tests.api.test_conversation_routes import end, said_before
from tests.keys import make_key
from tests.stored import IDK, abstain, fail

PATH = "/v1/conversations"


@pytest.fixture
def people(provider: Provider, api_url: str) -> Iterator[People]:
    with ExitStack() as opened:
        yield People(api_url, provider, opened)


class Threads(NamedTuple):
    """Two readers; `conversation` has one answered turn, `alone` is an answered question of none. Both are Ada's."""

    ada: httpx.Client
    bob: httpx.Client
    conversation: str
    turn: str
    alone: str


@pytest.fixture
def threads(people: People) -> Threads:
    ada, bob = people.signed_in("ada", "readers"), people.signed_in("bob", "readers")
    begun = ada.post(f"{PATH}/turns", json={"question": "How long?", "workspace": SHELF}).raise_for_status().json()
    alone = ada.post("/v1/queries", json={"question": "How much?", "workspace": SHELF}).raise_for_status().json()["id"]
    end(begun["id"])
    end(alone, abstain)
    return Threads(ada, bob, begun["conversation_id"], begun["id"], alone)


def ids(client: httpx.Client, conversation: str, **params: Any) -> list[str]:
    listed = client.get(f"{PATH}/{conversation}/turns", params=params).raise_for_status().json()["turns"]
    return [turn["id"] for turn in listed]


def conversation_of(client: httpx.Client, response: str) -> str | None:
    query = response.removeprefix("resp_")
    return client.get(f"/v1/queries/{query}").raise_for_status().json()["conversation_id"]


def test_a_reader_changes_no_conversation_of_another_by_any_way(people: People, threads: Threads) -> None:  # 43
    bob, place = threads.bob, f"{PATH}/{threads.conversation}"
    program = people.with_key(own_key(bob))
    chat = {"model": SHELF, "messages": [{"role": "user", "content": "And sales?"}]}
    named = {"Citewell-Conversation": threads.conversation}
    before = ids(bob, threads.conversation, set_aside=True)
    for client in (bob, program):
        refused = [
            client.post(f"{place}/turns", json={"question": "And sales?"}),
            client.post(f"{place}/turns", json={"question": "And sales?", "replaces": threads.turn}),
            client.patch(place, json={"title": "Bob's"}),
            client.delete(place),
            client.post("/v1/chat/completions", json=chat, headers=named),
            client.post("/v1/responses", json={"model": SHELF, "input": "x", "conversation": threads.conversation}),
            client.post("/v1/chat/completions", json={**chat, "stream": True}, headers=named),
        ]
        for response in refused[:4]:
            assert "branches" in assert_problem(response, 403, "conversation_of_another")["detail"]
        assert [response.status_code for response in refused] == [403] * 7
    assert ids(bob, threads.conversation, set_aside=True) == before
    assert bob.get(place).json()["title"] == "How long?"
    # What another one began they still read and save.
    assert "within 30 days" in bob.get(f"{place}/export").text


def test_a_branch_is_of_who_made_it(threads: Threads) -> None:  # 43: inherited turns make nobody an owner
    ada, bob = threads.ada, threads.bob
    branch = bob.post(f"{PATH}/{threads.conversation}/branches", json={"turn": threads.turn}).raise_for_status().json()
    place = f"{PATH}/{branch['id']}"
    assert_problem(ada.post(f"{place}/turns", json={"question": "Mine?"}), 403, "conversation_of_another")
    assert_problem(ada.delete(place), 403, "conversation_of_another")
    asked = bob.post(f"{place}/turns", json={"question": "And sales?", "replaces": threads.turn})
    assert asked.status_code == 202
    assert ids(bob, branch["id"]) == [asked.json()["id"]]
    assert ids(ada, threads.conversation) == [threads.turn]
    assert bob.patch(place, json={"title": "Bob's"}).status_code == 200
    assert bob.delete(place).status_code == 204
    # An empty one is of who made it, too.
    empty = ada.post(PATH, json={"workspace": SHELF}).json()["id"]
    assert bob.post(f"{PATH}/{empty}/turns", json={"question": "Mine?"}).status_code == 403
    assert ada.post(f"{PATH}/{empty}/turns", json={"question": "Mine?"}).status_code == 202


def test_a_question_of_another_begins_a_conversation_of_ones_own(threads: Threads) -> None:  # 43
    ada, bob = threads.ada, threads.bob
    bobs = bob.post(PATH, json={"query_id": threads.alone}).raise_for_status().json()["id"]
    assert bob.post(PATH, json={"query_id": threads.alone}).json()["id"] == bobs  # once
    asked = bob.post(f"{PATH}/{bobs}/turns", json={"question": "And sales?"}).raise_for_status().json()["id"]
    assert said_before(asked) == [("user", "How much?"), ("assistant", IDK)]
    # Ada's question is where it was, and goes on as she likes.
    assert ada.get(f"/v1/queries/{threads.alone}").json()["conversation_id"] is None
    assert ada.get(f"/v1/threads/{threads.alone}").json()["id"] == threads.alone
    adas = ada.post(PATH, json={"query_id": threads.alone}).raise_for_status().json()["id"]
    assert adas != bobs
    assert ada.get(f"/v1/threads/{threads.alone}").json()["id"] == adas
    assert_problem(bob.delete(f"{PATH}/{adas}"), 403, "conversation_of_another")
    assert bob.post(PATH, json={"query_id": threads.alone}).json()["id"] == bobs
    assert ada.post(PATH, json={"query_id": threads.alone}).json()["id"] == adas


def test_a_turn_of_another_in_ones_own_conversation_takes_nothing_away(people: People, threads: Threads) -> None:  # 43
    ada, cleo = threads.ada, people.signed_in("cleo", "contributors")
    place = f"{PATH}/{threads.conversation}"
    added = cleo.post(f"{place}/turns", json={"question": "And sales?"}).raise_for_status().json()["id"]
    end(added, fail)
    assert ada.patch(place, json={"title": "Ada's"}).status_code == 200
    replaced = ada.post(f"{place}/turns", json={"question": "And in May?", "replaces": added})
    assert replaced.status_code == 202
    # A contributor here, who only reads elsewhere, is a reader there.
    assert cleo.delete(place).status_code == 204


def test_a_response_after_that_of_another_is_a_branch(people: People, threads: Threads) -> None:  # 43, 44
    """For personal keys, and for keys of programs among themselves."""
    one, other = people.with_key(make_key(Scope.READ, Scope.ASK)), people.with_key(make_key(Scope.READ, Scope.ASK))
    for first, second in ((threads.ada, threads.bob), (one, other)):
        body = {"model": SHELF, "input": "How long do returns take?", "background": True}
        begun = first.post("/v1/responses", json=body).raise_for_status().json()["id"]
        end(begun.removeprefix("resp_"), abstain)
        after = {**body, "input": "And sales?", "previous_response_id": begun}
        listed = second.get(PATH).json()
        assert second.post("/v1/responses", json={**after, "model": "elsewhere"}).is_client_error
        assert second.get(PATH).json() == listed  # a refused question leaves no conversation
        theirs = second.post("/v1/responses", json=after).raise_for_status().json()
        assert len(ids(second, str(conversation_of(second, theirs["id"])))) == 2
        assert [text for _, text in said_before(theirs["id"].removeprefix("resp_"))] == [body["input"], IDK]
        assert conversation_of(first, begun) is None
        own = first.post("/v1/responses", json=after).raise_for_status().json()
        conversation = str(conversation_of(first, own["id"]))
        assert len(ids(first, conversation)) == 2
        end(own["id"].removeprefix("resp_"), fail)
        third = {**after, "previous_response_id": own["id"]}
        assert conversation_of(second, second.post("/v1/responses", json=third).raise_for_status().json()["id"]) is None
        assert len(ids(first, conversation)) == 2


def test_a_key_of_a_program_acts_for_all_conversations(people: People, threads: Threads) -> None:  # A8
    program = people.with_key(make_key(Scope.READ, Scope.ASK))
    assert program.post(f"{PATH}/{threads.conversation}/turns", json={"question": "And sales?"}).status_code == 202
