"""Threads over HTTP: conversations and single questions as one list; a conversation begun with a question, or out of
one that was asked alone."""

import threading
import uuid
from typing import Any

import httpx
import pytest

from db.models import QueryStatus
from db.queries.access.workspaces import get_or_add_workspace, get_workspace
from db.queries.runs.queries import mark_finished
from db.session import transaction
from domain.keys import Scope
from tests.api.problems import assert_problem
from tests.api.test_conversation_routes import FIRST, PATH, SECOND, ask, asked, begin, end, said_before, turns
from tests.factories import make_options, make_query
from tests.keys import bearer, make_key
from tests.stored import ANSWER, abstain, fail

Json = dict[str, Any]
THREADS = "/v1/threads"


@pytest.fixture(autouse=True)
def _workspaces(database: str) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    with transaction() as session:
        for name in ("w", "other"):
            get_or_add_workspace(session, name)


def alone(http: httpx.Client, question: str = FIRST, workspace: str = "w") -> str:
    return http.post("/v1/queries", json={"question": question, "workspace": workspace}).raise_for_status().json()["id"]


def threads(http: httpx.Client, **params: Any) -> list[Json]:
    return http.get(THREADS, params=params).raise_for_status().json()["threads"]


def ids(http: httpx.Client, **params: Any) -> list[str]:
    return [thread["id"] for thread in threads(http, **params)]


def continued(http: httpx.Client, query_id: str, **body: Any) -> httpx.Response:
    return http.post(PATH, json={"query_id": query_id, **body})


def test_a_conversation_begins_with_its_first_question(http: httpx.Client) -> None:
    body, keyed = {"question": FIRST, "workspace": "w", "mode": "high"}, {"Idempotency-Key": "k"}
    response = http.post(f"{PATH}/turns", json=body, headers=keyed)
    assert response.status_code == 202, response.text
    turn = response.json()
    assert response.headers["location"] == turn["links"]["self"]
    query = http.get(turn["links"]["self"]).json()
    assert (query["mode"], query["workspace"], query["conversation_id"]) == ("high", "w", turn["conversation_id"])
    assert [shown["id"] for shown in turns(http, turn["conversation_id"])] == [turn["id"]]
    again = http.post(f"{PATH}/turns", json=body, headers=keyed)
    assert (again.status_code, again.json(), again.headers["idempotent-replayed"]) == (202, turn, "true")
    assert ids(http) == [turn["conversation_id"]]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"question": " ?! "}, 422, "question_invalid"),
        ({"question": "Why?", "workspace": "nowhere"}, 404, "workspace_not_found"),
        ({"question": "Why?", "workspaces": ["w", "other"]}, 422, "request_invalid"),
        ({"workspace": "w"}, 422, "request_invalid"),
    ],
)
def test_a_wrong_first_question_begins_nothing(http: httpx.Client, body: Json, status: int, code: str) -> None:
    assert_problem(http.post(f"{PATH}/turns", json=body), status, code)
    assert threads(http) == []


def test_a_question_that_was_asked_alone_becomes_the_first_turn(http: httpx.Client) -> None:
    first, later = alone(http), alone(http, "Something else?")
    end(first)
    response = continued(http, first)
    assert response.status_code == 201, response.text
    begun = response.json()
    assert (begun["turns"], begun["title"], begun["workspace"]) == (1, FIRST, "w")
    # Nothing was asked meanwhile, so it keeps its place.
    assert ids(http) == [later, begun["id"]]
    second = http.post(f"{PATH}/{begun['id']}/turns", json={"question": SECOND}).raise_for_status().json()["id"]
    assert said_before(second) == [("user", FIRST), ("assistant", ANSWER)]
    assert ids(http) == [begun["id"], later]
    again = continued(http, second)
    assert (again.json()["id"], again.headers["idempotent-replayed"]) == (begun["id"], "true")
    assert ids(http, search="pump 20") == ids(http, search="pump 4") == [begun["id"]]


def test_a_question_in_work_is_continued_when_it_has_ended(http: httpx.Client) -> None:
    first = alone(http)
    conversation = continued(http, first, title="Pumps").json()
    assert conversation["title"] == "Pumps"
    refused = http.post(f"{PATH}/{conversation['id']}/turns", json={"question": SECOND})
    assert_problem(refused, 409, "turn_unfinished")
    end(first)
    assert http.post(f"{PATH}/{conversation['id']}/turns", json={"question": SECOND}).status_code == 202


def test_of_several_that_continue_a_question_at_once_all_get_one_conversation(http: httpx.Client, api_url: str) -> None:
    first = alone(http)
    got: list[str] = []

    def continue_too() -> None:
        got.append(httpx.post(f"{api_url}{PATH}", json={"query_id": first}).json()["id"])

    running = [threading.Thread(target=continue_too) for _ in range(4)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    assert [thread["id"] for thread in threads(http)] * 4 == got


def test_what_cannot_be_continued_says_why_and_stays_as_it_is(http: httpx.Client) -> None:
    with transaction() as session:
        both = [get_workspace(session, name).id for name in ("w", "other")]
        options = {**make_options().model_dump(mode="json"), "workspaces": both}
        several = str(make_query(session, workspace="w", options=options).id)
    assert_problem(continued(http, several), 422, "conversation_elsewhere")
    assert_problem(continued(http, str(uuid.uuid4())), 404, "query_not_found")
    assert_problem(continued(http, several, workspace="w"), 422, "request_invalid")
    given = {"answer": "So it is [1].", "sources": [{"text": "So it is."}], "workspace": "w"}
    verification = http.post("/v1/verifications", json=given).json()["id"]
    assert_problem(continued(http, verification), 404, "query_not_found")
    assert_problem(http.get(f"{THREADS}/{verification}"), 404, "thread_not_found")
    assert [(thread["id"], thread["conversation_id"]) for thread in threads(http)] == [(several, None)]


def test_a_key_of_one_workspace_continues_and_lists_nothing_of_another(http: httpx.Client) -> None:  # A8
    theirs, own = alone(http, workspace="other"), alone(http)
    conversation = begin(http, workspace="other")
    asked(http, conversation, FIRST)
    key = bearer(make_key(Scope.READ, Scope.ASK, workspaces=["w"]))
    assert_problem(http.post(PATH, json={"query_id": theirs}, headers=key), 404, "query_not_found")
    for hidden in (theirs, conversation):
        assert_problem(http.get(f"{THREADS}/{hidden}", headers=key), 404, "thread_not_found")
    listed = http.get(THREADS, headers=key).json()["threads"]
    assert [thread["id"] for thread in listed] == [own]
    assert http.get(f"/v1/queries/{theirs}", headers=bearer(make_key())).json()["conversation_id"] is None


def test_threads_are_listed_once_each_the_last_asked_first_in_pages(http: httpx.Client) -> None:
    single = alone(http, "How long is a hose?")
    conversation = begin(http)
    asked(http, conversation, FIRST)
    replaced = asked(http, conversation, "What is set aside?")
    http.post(f"{PATH}/{conversation}/turns", json={"question": SECOND, "replaces": replaced}).raise_for_status()
    newest = alone(http, "100% 호스?")
    assert ids(http) == [newest, conversation, single]
    first = http.get(THREADS, params={"limit": 2}).json()
    rest = http.get(THREADS, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [thread["id"] for thread in first["threads"] + rest["threads"]] == [newest, conversation, single]
    assert rest["next_cursor"] is None
    assert ids(http, search="HOSE") == [single]
    assert ids(http, search="호스") == ids(http, search="%") == [newest]
    assert ids(http, search="pump 20") == ids(http, search=" 20  PUMP ") == [conversation]
    assert ids(http, search="set aside") == ids(http, search="hose set") == ids(http, search="hose days") == []
    end(single, abstain)
    end(replaced)
    assert ids(http, search="hose know") == [single]  # issue 41: by its answer, but by none that was set aside
    assert ids(http, search="days") == []
    shown = next(thread for thread in threads(http) if thread["id"] == conversation)
    assert (shown["turns"], shown["title"], shown["conversation_id"]) == (2, FIRST, conversation)
    for id_ in (conversation, replaced):
        assert http.get(f"{THREADS}/{id_}").json() == shown
    assert http.get(f"{THREADS}/{single}").json()["conversation_id"] is None


def test_the_state_of_a_thread_is_that_of_its_last_question(http: httpx.Client) -> None:
    def cancel(session: Any, query: Any) -> None:
        mark_finished(session, query.id, QueryStatus.CANCELLED)

    def ends(query_id: str, state: str) -> None:
        end(query_id, {"not_answered": abstain, "failed": fail, "cancelled": cancel}[state])

    answered = alone(http)
    end(answered)
    wanted = {begin(http): "empty", alone(http): "running", answered: "answered"}
    for state in ("not_answered", "failed", "cancelled"):
        single, conversation = alone(http), begin(http)
        asked(http, conversation, FIRST)
        ends(single, state)
        ends(ask(http, conversation, SECOND), state)
        wanted |= {single: state, conversation: state}
    assert {thread["id"]: thread["state"] for thread in threads(http)} == wanted


def test_a_deleted_conversation_leaves_no_threads(http: httpx.Client) -> None:
    conversation = continued(http, alone(http)).json()["id"]
    http.delete(f"{PATH}/{conversation}").raise_for_status()
    assert threads(http) == []
    assert len(http.get("/v1/queries").json()["queries"]) == 1


def test_a_question_that_is_retried_takes_the_place_of_its_thread(http: httpx.Client) -> None:
    failed = alone(http)
    end(failed, fail)
    retried = http.post(f"/v1/queries/{failed}/replay").json()["id"]
    assert ids(http) == [retried]
    conversation = continued(http, retried).json()["id"]
    end(retried, fail)
    http.post(f"/v1/queries/{retried}/replay").raise_for_status()
    assert ids(http) == [conversation]
