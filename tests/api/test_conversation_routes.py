"""Conversations over HTTP: begun, listed, searched, named, deleted; their turns asked, replaced, stopped (N9)."""

import threading
import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from db.models import ConversationTurn, QueryStatus
from db.queries.access.workspaces import delete_workspace, get_or_add_workspace
from db.queries.runs.queries import get_query, mark_finished
from db.queries.runs.steps import add_outcomes
from db.session import reading, transaction
from domain.query.options import QueryOptions
from services.queries import conversations
from tests.api.problems import assert_problem
from tests.keys import bearer, make_key
from tests.stored import ANSWER, abstain, complete, fail

Json = dict[str, Any]
PATH = "/v1/conversations"
FIRST, SECOND = "How much pressure does pump 4 run at?", "What about pump 20?"
MEANT = "How much pressure does pump 20 run at?"


@pytest.fixture(autouse=True)
def _workspaces(database: str) -> None:  # pyright: ignore[reportUnusedFunction] - pytest finds it
    with transaction() as session:
        for name in ("w", "other"):
            get_or_add_workspace(session, name)


def begin(http: httpx.Client, **body: Any) -> str:
    response = http.post(PATH, json={"workspace": "w", **body})
    assert response.status_code == 201, response.text
    assert response.headers["location"] == response.json()["links"]["self"]
    return response.json()["id"]


def ask(http: httpx.Client, conversation: str, question: str, **body: Any) -> str:
    response = http.post(f"{PATH}/{conversation}/turns", json={"question": question, **body})
    assert response.status_code == 202, response.text
    return response.json()["id"]


def end(query_id: str, how: Any = complete, restated: str | None = None) -> None:
    """End a query as the workers would."""
    with transaction() as session:
        query = get_query(session, uuid.UUID(query_id))
        if restated:
            add_outcomes(session, [(query.id, "restate_question", "", {"status": "restated", "question": restated})])
        how(session, query)


def asked(http: httpx.Client, conversation: str, question: str, **body: Any) -> str:
    query_id = ask(http, conversation, question, **body)
    end(query_id, fail)
    return query_id


def turns(http: httpx.Client, conversation: str, **params: Any) -> list[Json]:
    return http.get(f"{PATH}/{conversation}/turns", params=params).raise_for_status().json()["turns"]


def said_before(query_id: str) -> list[tuple[str, str]]:
    with reading() as session:
        options = QueryOptions.model_validate(get_query(session, uuid.UUID(query_id)).options)
    return [(turn.role, turn.text) for turn in options.conversation]


def test_each_question_is_asked_with_what_was_said_before_it(http: httpx.Client) -> None:
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    assert said_before(first) == []
    end(first)
    second = ask(http, conversation, SECOND)
    assert said_before(second) == [("user", FIRST), ("assistant", ANSWER)]
    end(second, fail, restated=MEANT)
    # As it was understood; a failed turn has no answer.
    third = ask(http, conversation, "When is it inspected?")
    assert said_before(third) == [("user", FIRST), ("assistant", ANSWER), ("user", MEANT)]


def test_a_turn_is_a_question_that_stands_alone(http: httpx.Client) -> None:
    conversation = begin(http)
    response = http.post(
        f"{PATH}/{conversation}/turns", json={"question": FIRST, "mode": "high", "rerank": {"top_k": 2}}
    )
    accepted = response.json()
    assert (accepted["status"], accepted["conversation_id"]) == ("queued", conversation)
    assert response.headers["location"] == accepted["links"]["self"]
    found = http.get(accepted["links"]["self"]).json()
    assert (found["question"], found["workspace"], found["mode"]) == (FIRST, "w", "high")
    assert found["conversation_id"] == conversation
    assert http.get(accepted["links"]["verifications"]).status_code == 200
    alone = http.post("/v1/queries", json={"question": FIRST, "workspace": "w"}).json()
    assert http.get(alone["links"]["self"]).json()["conversation_id"] is None


def test_the_turns_show_states_and_answers(http: httpx.Client) -> None:
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    end(first)
    second = ask(http, conversation, SECOND)
    end(second, fail, restated=MEANT)
    third = ask(http, conversation, "And pump 21?")
    shown = turns(http, conversation)
    assert [(each["id"], each["position"], each["status"]) for each in shown] == [
        (first, 1, "succeeded"),
        (second, 2, "failed"),
        (third, 3, "queued"),
    ]
    assert (shown[0]["answer"], shown[0]["references"]) == (ANSWER, ["[1] 환불 policy.pdf, p.1"])
    assert (shown[1]["answer"], shown[1]["restated_question"]) == (None, MEANT)
    assert shown[1]["error"]["code"] == "generation_failed"
    assert (shown[0]["restated_question"], shown[2]["restated_question"]) == (None, None)
    assert http.get(shown[1]["links"]["self"]).json()["restated_question"] == MEANT


def test_turns_come_in_pages(http: httpx.Client) -> None:
    conversation = begin(http)
    ids = [asked(http, conversation, f"Question {number}?") for number in range(3)]
    page = http.get(f"{PATH}/{conversation}/turns", params={"limit": 2}).json()
    rest = http.get(f"{PATH}/{conversation}/turns", params={"limit": 2, "cursor": page["next_cursor"]}).json()
    assert [each["id"] for each in page["turns"] + rest["turns"]] == ids
    assert rest["next_cursor"] is None
    for wrong in ("x", "WzEsIDJd1", "WyJhIiwgMV0=", "WzEsIDIsIDNd"):
        response = http.get(f"{PATH}/{conversation}/turns", params={"cursor": wrong})
        assert_problem(response, 422, "cursor_invalid")


def test_the_next_question_waits_for_the_end_of_the_one_before(http: httpx.Client) -> None:
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    refused = http.post(f"{PATH}/{conversation}/turns", json={"question": SECOND})
    assert_problem(refused, 409, "turn_unfinished")
    assert f"DELETE /v1/queries/{first}" in refused.json()["detail"]
    assert http.delete(f"/v1/queries/{first}").json()["status"] == "cancelled"
    ask(http, conversation, SECOND)
    assert [each["status"] for each in turns(http, conversation)] == ["cancelled", "queued"]


def test_of_two_next_questions_at_once_one_is_asked(http: httpx.Client, api_url: str) -> None:
    conversation = begin(http)
    found: list[int] = []

    def ask_too() -> None:
        found.append(httpx.post(f"{api_url}{PATH}/{conversation}/turns", json={"question": "Which?"}).status_code)

    threads = [threading.Thread(target=ask_too) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [202, 409, 409, 409]
    assert len(turns(http, conversation)) == 1


def test_an_edited_question_takes_the_place_of_a_turn_and_nothing_is_lost(http: httpx.Client) -> None:
    conversation = begin(http)
    first, second, third = (asked(http, conversation, f"Question {number}?") for number in range(3))
    edited = ask(http, conversation, "Another question?", replaces=second)
    assert said_before(edited) == [("user", "Question 0?")]
    shown = turns(http, conversation)
    assert [(each["id"], each["position"], each["replaces"]) for each in shown] == [
        (first, 1, None),
        (edited, 2, second),
    ]
    every = turns(http, conversation, set_aside=True)
    assert [each["id"] for each in every] == [first, second, edited, third]
    assert [each["set_aside_at"] is not None for each in every] == [False, True, False, True]
    assert http.get(f"/v1/queries/{third}").json()["conversation_id"] == conversation
    again = http.post(f"{PATH}/{conversation}/turns", json={"question": "And?", "replaces": second})
    assert_problem(again, 404, "turn_not_found")


def test_what_is_replaced_while_it_runs_is_cancelled(http: httpx.Client) -> None:
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    edited = ask(http, conversation, SECOND, replaces=first)
    assert http.get(f"/v1/queries/{first}").json()["status"] == "cancelled"
    assert http.get(f"/v1/queries/{edited}").json()["status"] == "queued"


def test_a_turn_of_another_conversation_is_not_replaced(http: httpx.Client) -> None:
    theirs = asked(http, begin(http), FIRST)
    conversation = begin(http)
    response = http.post(f"{PATH}/{conversation}/turns", json={"question": SECOND, "replaces": theirs})
    assert_problem(response, 404, "turn_not_found")
    assert turns(http, conversation) == []


def test_a_repeated_request_asks_once(http: httpx.Client) -> None:
    keyed = {"Idempotency-Key": "k1"}
    conversation = http.post(PATH, json={"workspace": "w"}, headers=keyed).json()["id"]
    again = http.post(PATH, json={"workspace": "w"}, headers=keyed)
    assert (again.json()["id"], again.headers["idempotent-replayed"]) == (conversation, "true")
    path, keyed = f"{PATH}/{conversation}/turns", {"Idempotency-Key": "k2"}
    first = http.post(path, json={"question": FIRST}, headers=keyed)
    again = http.post(path, json={"question": FIRST}, headers=keyed)
    assert (again.status_code, again.json()) == (202, first.json())
    assert again.headers["idempotent-replayed"] == "true"
    assert_problem(http.post(path, json={"question": SECOND}, headers=keyed), 422, "idempotency_key_reused")
    assert len(turns(http, conversation)) == 1


def test_a_turn_that_is_retried_keeps_its_place(http: httpx.Client) -> None:
    conversation = begin(http)
    first = asked(http, conversation, FIRST)
    second = asked(http, conversation, SECOND)
    retried = http.post(f"/v1/queries/{first}/replay").json()["id"]
    shown = turns(http, conversation)
    assert [(each["id"], each["position"], each["replaces"]) for each in shown] == [
        (retried, 1, first),
        (second, 2, None),
    ]
    assert [each["id"] for each in turns(http, conversation, set_aside=True)] == [first, retried, second]
    # What was set aside has no place that a retry could keep.
    http.delete(f"/v1/queries/{retried}")
    http.post(f"/v1/queries/{first}/replay").raise_for_status()
    assert [each["id"] for each in turns(http, conversation)] == [retried, second]


def test_the_title_is_made_from_the_first_question_until_there_is_one(http: httpx.Client) -> None:
    conversation = begin(http)
    path = f"{PATH}/{conversation}"
    assert http.get(path).json()["title"] is None
    first = ask(http, conversation, "How much\n pressure " + "and how much temperature " * 9 + "has pump 4?")
    title = http.get(path).json()["title"]
    assert title.startswith("How much pressure and how much temperature")
    assert title.endswith("…")
    assert len(title) <= 80
    ask(http, conversation, FIRST, replaces=first)
    assert http.get(path).json()["title"] == FIRST
    assert http.patch(path, json={"title": " Pumps "}).json()["title"] == "Pumps"
    assert http.patch(path, json={"title": None}).json()["title"] == FIRST
    assert begin(http, title="A title") != conversation
    for wrong in ({"title": ""}, {"title": "a\nb"}, {"title": "x" * 201}, {}, {"title": "a", "workspace": "w"}):
        assert_problem(http.patch(path, json=wrong), 422, "request_invalid")


def test_conversations_are_listed_the_last_asked_first_and_searched(http: httpx.Client) -> None:
    pumps, hoses, other = begin(http), begin(http, title="About 호스"), begin(http, workspace="other")
    replaced = asked(http, hoses, "100% cotton?")
    asked(http, hoses, "How long is a hose?", replaces=replaced)
    asked(http, pumps, FIRST)

    def listed(**params: Any) -> list[str]:
        return [each["id"] for each in http.get(PATH, params=params).raise_for_status().json()["conversations"]]

    assert listed() == [pumps, hoses, other]
    assert listed(workspace="w") == [pumps, hoses]
    assert listed(workspace="nowhere") == []
    assert listed(search="PRESSURE") == [pumps]
    assert listed(search="호스") == [hoses]
    # Signs of patterns are text, and what was set aside is not part of it.
    assert listed(search="%") == listed(search="_") == listed(search="cotton") == []
    assert listed(search="long is a HOSE") == [hoses]
    page = http.get(PATH, params={"limit": 2}).json()
    assert [each["turns"] for each in page["conversations"]] == [1, 1]
    assert listed(limit=2, cursor=page["next_cursor"]) == [other]


def test_a_deleted_conversation_leaves_its_questions(http: httpx.Client) -> None:
    conversation = begin(http)
    first = ask(http, conversation, FIRST)
    end(first)
    second = ask(http, conversation, SECOND)
    assert http.delete(f"{PATH}/{conversation}").status_code == 204
    assert_problem(http.get(f"{PATH}/{conversation}"), 404, "conversation_not_found")
    assert_problem(http.get(f"{PATH}/{conversation}/turns"), 404, "conversation_not_found")
    assert_problem(http.delete(f"{PATH}/{conversation}"), 404, "conversation_not_found")
    kept = http.get(f"/v1/queries/{first}").json()
    assert (kept["answer"], kept["conversation_id"]) == (ANSWER, None)
    assert http.get(f"/v1/queries/{second}").json()["status"] == "cancelled"


def test_with_its_workspace_a_conversation_goes(http: httpx.Client) -> None:
    conversation = begin(http)
    asked(http, conversation, FIRST)
    with transaction() as session:
        delete_workspace(session, "w")
    assert_problem(http.get(f"{PATH}/{conversation}"), 404, "conversation_not_found")
    with reading() as session:
        assert session.scalars(select(ConversationTurn)).all() == []


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"question": " ?! "}, 422, "question_invalid"),
        ({"question": "Why?", "mode": "fast"}, 422, "mode_unknown"),
        ({"question": "Why?", "workspace": "w"}, 422, "request_invalid"),
        ({"question": "Why?", "replaces": "x"}, 422, "request_invalid"),
        ({"question": "Why?", "callback_url": "ftp://example.com"}, 422, "webhook_url_invalid"),
    ],
)
def test_a_wrong_turn_is_refused_and_takes_no_place(http: httpx.Client, body: Json, status: int, code: str) -> None:
    conversation = begin(http)
    assert_problem(http.post(f"{PATH}/{conversation}/turns", json=body), status, code)
    assert turns(http, conversation) == []


def test_a_conversation_is_about_a_workspace_that_there_is(http: httpx.Client) -> None:
    assert_problem(http.post(PATH, json={"workspace": "nowhere"}), 404, "workspace_not_found")
    unknown = http.post(f"{PATH}/{uuid.uuid4()}/turns", json={"question": FIRST})
    assert_problem(unknown, 404, "conversation_not_found")


def test_only_the_last_turns_are_read_again(http: httpx.Client) -> None:
    conversation = begin(http)
    for number in range(12):
        query_id = ask(http, conversation, f"Question {number}?")
        with transaction() as session:
            mark_finished(session, uuid.UUID(query_id), QueryStatus.CANCELLED)
    last = ask(http, conversation, "And?")
    assert said_before(last) == [("user", f"Question {number}?") for number in range(2, 12)]


def test_a_conversation_is_one_file_of_its_turns(http: httpx.Client) -> None:
    conversation = begin(http, title="About pumps")
    assert_problem(http.get(f"{PATH}/{conversation}/export"), 409, "query_unfinished")
    for question, how in ((FIRST, complete), (SECOND, fail), ("And pump 7?", abstain)):
        end(ask(http, conversation, question), how)
    for format in ("markdown", "html", "docx"):
        file = http.get(f"{PATH}/{conversation}/export", params={"format": format})
        assert 'filename="About pumps 2' in file.headers["content-disposition"]
    text = http.get(f"{PATH}/{conversation}/export").text
    places = [text.index(part) for part in ("# About pumps", FIRST, "[^1.1]", SECOND, "**No answer.**", "pump 7")]
    assert places == sorted(places)
    assert "No model of the chain answered." in text
    assert text.count("[^1.1]") == 2
    other = bearer(make_key(tenant="other"))
    assert_problem(http.get(f"{PATH}/{conversation}/export", headers=other), 404, "conversation_not_found")


def test_a_conversation_with_too_many_turns_for_a_file_says_what_to_do(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:  # issue 43
    monkeypatch.setattr(conversations, "MOST_OF_A_FILE", 2)
    conversation = begin(http)
    end(ask(http, conversation, FIRST), complete)
    end(ask(http, conversation, SECOND), fail)
    assert http.get(f"{PATH}/{conversation}/export").status_code == 200
    end(ask(http, conversation, "And pump 7?"), abstain)
    problem = assert_problem(http.get(f"{PATH}/{conversation}/export"), 422, "conversation_too_long")
    assert "more than 2 turns" in problem["detail"]
    assert "one by one" in problem["detail"]
