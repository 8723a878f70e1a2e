"""Branches over HTTP: a conversation that keeps the turns of another up to one of them (issue 41)."""

import uuid
from typing import Any

import httpx
import pytest

from db.queries.access.workspaces import get_or_add_workspace
from db.session import transaction
from tests.api.problems import assert_problem
from tests.api.test_conversation_routes import FIRST, MEANT, PATH, SECOND, ask, asked, begin, end, said_before, turns
from tests.keys import bearer, make_key
from tests.stored import ANSWER, fail

Json = dict[str, Any]
THIRD = "And when is it inspected?"


@pytest.fixture(autouse=True)
def _workspaces(database: str) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    with transaction() as session:
        get_or_add_workspace(session, "w")


@pytest.fixture
def three(http: httpx.Client) -> tuple[str, list[str]]:
    """A conversation with three turns, the second answered from the first, and the ids of its questions."""
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    end(first)
    second = ask(http, conversation, SECOND)
    end(second, fail, restated=MEANT)
    return conversation, [first, second, asked(http, conversation, THIRD)]


def branched(http: httpx.Client, conversation: str, turn: str, **body: Any) -> Json:
    response = http.post(f"{PATH}/{conversation}/branches", json={"turn": turn, **body})
    assert response.status_code == 201, response.text
    assert response.headers["location"] == response.json()["links"]["self"]
    return response.json()


def ids(http: httpx.Client, conversation: str) -> list[str]:
    return [turn["id"] for turn in turns(http, conversation)]


def test_a_branch_keeps_the_turns_up_to_one_and_the_original_stays_whole(
    http: httpx.Client, three: tuple[str, list[str]]
) -> None:
    conversation, (first, second, third) = three
    before = turns(http, conversation)
    branch = branched(http, conversation, second)
    assert (branch["turns"], branch["workspace"], branch["branched_from"]) == (2, "w", conversation)
    assert ids(http, branch["id"]) == [first, second]
    assert [turn["inherited"] for turn in turns(http, branch["id"])] == [True, True]
    own = ask(http, branch["id"], "What about pump 10?")
    # It is understood from what the branch keeps, and from nothing that was said afterwards.
    assert said_before(own) == [("user", FIRST), ("assistant", ANSWER), ("user", MEANT)]
    assert ids(http, branch["id"]) == [first, second, own]
    assert turns(http, conversation) == before
    fourth = ask(http, conversation, "And pump 7?")
    assert ids(http, conversation) == [first, second, third, fourth]
    assert http.get(f"/v1/queries/{first}").json()["conversation_id"] == conversation
    assert http.get(f"/v1/queries/{own}").json()["conversation_id"] == branch["id"]


def test_a_branch_is_a_thread_named_after_its_own_first_question(
    http: httpx.Client, three: tuple[str, list[str]]
) -> None:
    conversation, (first, _, _) = three
    branch = branched(http, conversation, first)
    assert branch["title"] == FIRST
    ask(http, branch["id"], "What about pump 10?")
    listed = http.get("/v1/threads").json()["threads"]
    assert [(thread["id"], thread["title"], thread["branched_from"]) for thread in listed] == [
        (branch["id"], "What about pump 10?", conversation),
        (conversation, FIRST, None),
    ]
    assert http.get(f"{PATH}/{branch['id']}").json()["title"] == "What about pump 10?"
    assert http.get(f"/v1/threads/{first}").json()["id"] == conversation
    assert {found["id"] for found in http.get("/v1/threads", params={"search": "pump 4"}).json()["threads"]} == {
        branch["id"],
        conversation,
    }
    named = branched(http, conversation, first, title="Other pumps")
    assert named["title"] == "Other pumps"


def test_what_is_replaced_or_deleted_in_a_branch_is_so_only_there(
    http: httpx.Client, three: tuple[str, list[str]]
) -> None:
    conversation, kept = three
    branch = branched(http, conversation, kept[1])["id"]
    other = ask(http, branch, "What about pump 10?", replaces=kept[0])
    assert ids(http, branch) == [other]
    assert ids(http, conversation) == kept
    http.delete(f"{PATH}/{branch}").raise_for_status()
    assert ids(http, conversation) == kept
    assert http.get(f"/v1/queries/{other}").json()["status"] == "cancelled"


def test_a_branch_outlives_its_original(http: httpx.Client, three: tuple[str, list[str]]) -> None:
    conversation, kept = three
    branch = branched(http, conversation, kept[1])["id"]
    http.delete(f"{PATH}/{conversation}").raise_for_status()
    assert ids(http, branch) == kept[:2]
    assert http.get(f"{PATH}/{branch}").json()["branched_from"] is None
    assert http.get(f"/v1/threads/{kept[0]}").json()["id"] == branch
    assert http.get(f"/v1/queries/{kept[0]}").json()["conversation_id"] == branch
    # What nobody keeps is in no thread, as before.
    assert http.get(f"/v1/queries/{kept[2]}").json()["conversation_id"] is None


def test_a_branch_can_be_branched(http: httpx.Client, three: tuple[str, list[str]]) -> None:
    conversation, kept = three
    branch = branched(http, conversation, kept[1])["id"]
    own = asked(http, branch, "What about pump 10?")
    second = branched(http, branch, own)
    assert second["branched_from"] == branch
    assert ids(http, second["id"]) == [*kept[:2], own]
    assert http.get(f"/v1/threads/{own}").json()["id"] == branch


def test_a_failed_turn_that_is_retried_is_retried_wherever_it_stands(
    http: httpx.Client, three: tuple[str, list[str]]
) -> None:
    conversation, (first, second, third) = three
    branch = branched(http, conversation, second)["id"]
    retried = http.post(f"/v1/queries/{second}/replay").raise_for_status().json()["id"]
    assert ids(http, conversation) == [first, retried, third]
    assert ids(http, branch) == [first, retried]
    assert http.get(f"/v1/queries/{retried}").json()["conversation_id"] == conversation
    # It is the original's, so the end of the branch does not stop it.
    http.delete(f"{PATH}/{branch}").raise_for_status()
    assert http.get(f"/v1/queries/{retried}").json()["status"] == "queued"


def test_the_same_branch_is_made_once_for_one_key(http: httpx.Client, three: tuple[str, list[str]]) -> None:
    conversation, kept = three
    body, keyed = {"turn": kept[0]}, {"Idempotency-Key": "k"}
    first = http.post(f"{PATH}/{conversation}/branches", json=body, headers=keyed)
    again = http.post(f"{PATH}/{conversation}/branches", json=body, headers=keyed)
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.json(), again.headers["idempotent-replayed"]) == (first.json(), "true")
    assert len(http.get(PATH).json()["conversations"]) == 2


def test_only_an_ended_turn_of_the_conversation_can_be_branched_from(
    http: httpx.Client, three: tuple[str, list[str]]
) -> None:
    conversation, kept = three
    path = f"{PATH}/{conversation}/branches"
    assert_problem(http.post(path, json={"turn": str(uuid.uuid4())}), 404, "turn_not_found")
    assert_problem(http.post(path, json={}), 422, "request_invalid")
    running = ask(http, conversation, "And pump 7?")
    assert_problem(http.post(path, json={"turn": running}), 409, "turn_unfinished")
    other = ask(http, conversation, "And pump 8?", replaces=kept[2])
    # The one that it took the place of is no part of the conversation any more.
    assert_problem(http.post(path, json={"turn": kept[2]}), 404, "turn_not_found")
    end(other, fail)
    assert ids(http, branched(http, conversation, other)["id"]) == [*kept[:2], other]
    gone = f"{PATH}/{uuid.uuid4()}/branches"
    assert_problem(http.post(gone, json={"turn": kept[0]}), 404, "conversation_not_found")


def test_a_conversation_of_another_tenant_cannot_be_branched(http: httpx.Client) -> None:
    mine, other = bearer(make_key()), bearer(make_key(tenant="other"))
    conversation = http.post(PATH, json={"workspace": "w"}, headers=mine).raise_for_status().json()["id"]
    asking = http.post(f"{PATH}/{conversation}/turns", json={"question": FIRST}, headers=mine)
    turn = asking.raise_for_status().json()["id"]
    response = http.post(f"{PATH}/{conversation}/branches", json={"turn": turn}, headers=other)
    assert_problem(response, 404, "conversation_not_found")
