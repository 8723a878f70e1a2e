"""What people may do, and when it ends: members, personal keys, streams, what is on record (issue 43)."""

import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from clients.notifications import notify_end
from db.models import Query
from db.queries.access.people import delete_old_deeds
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.runs.queries import get_query
from db.session import system_transaction, transaction
from domain.keys import Scope
from services.operations import api_keys
from tests.api.people.browsers import SHELF, browser, sign_in
from tests.api.people.provider import Provider
from tests.api.people.test_sign_in import changed
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.keys import bearer, make_key
from tests.stored import IDK, abstain, store_answered_query
from tests.waiting import until

Json = dict[str, Any]


class People:
    """Browsers of people who are signed in, by name."""

    def __init__(self, url: str, provider: Provider, opened: ExitStack) -> None:
        self.url, self.provider, self._opened = url, provider, opened

    def signed_in(self, name: str, *groups: str) -> httpx.Client:
        client = self._opened.enter_context(browser(self.url))
        assert "problem" not in sign_in(client, self.provider, name, *groups).headers["location"]
        return client

    def with_key(self, key: str) -> httpx.Client:
        return self._opened.enter_context(httpx.Client(base_url=self.url, timeout=30, headers=bearer(key)))


@pytest.fixture
def people(provider: Provider, api_url: str) -> Iterator[People]:
    with ExitStack() as opened:
        yield People(api_url, provider, opened)


def asked(client: httpx.Client, workspace: str = SHELF) -> str:
    answer = client.post("/v1/queries", json={"question": "What?", "workspace": workspace})
    assert answer.status_code == 202, answer.text
    return answer.json()["id"]


def own_key(client: httpx.Client, *scopes: str, **limits: Any) -> str:
    made = client.post("/v1/me/keys", json={"name": "mine", "scopes": scopes or ["read", "ask"], **limits})
    assert made.status_code == 201, made.text
    return made.json()["key"]


def id_of(client: httpx.Client) -> str:
    return client.get("/v1/me").json()["id"]


def noticed() -> None:
    """Wait for as long as what was known a moment ago is trusted (see conftest)."""
    time.sleep(0.3)


def test_a_reader_here_may_own_another_workspace(people: People) -> None:  # 43
    ada = people.signed_in("ada", "readers", "elsewhere")
    assert {each["name"] for each in ada.get("/v1/workspaces").json()["workspaces"]} == {SHELF, "elsewhere"}
    document = {"filename": "a.txt", "text": "A text."}
    refused = ada.post("/v1/documents", json={**document, "workspace": SHELF})
    assert "these are: elsewhere" in assert_problem(refused, 403, "workspace_forbidden")["detail"]
    assert ada.post("/v1/documents", json={**document, "workspace": "elsewhere"}).status_code == 202
    assert ada.post("/v1/documents", json={**document, "workspace": "of nobody"}).status_code in (403, 422)
    assert ada.patch(f"/v1/workspaces/{SHELF}", json={"title": "Mine"}).status_code == 403
    assert ada.patch("/v1/workspaces/elsewhere", json={"title": "Mine"}).status_code == 200
    both = ada.post("/v1/search", json={"query": "What?", "workspaces": [SHELF, "elsewhere"]})
    assert both.status_code in (200, 409, 422), both.text


def test_a_role_in_all_workspaces_makes_none(people: People) -> None:  # 43
    admin, helper = people.signed_in("root", "admins"), people.signed_in("hal", "helpers")
    assert admin.post("/v1/workspaces", json={"name": "later"}).status_code == 201
    document = {"filename": "a.txt", "text": "A text."}
    given = {"answer": "So it is [1].", "sources": [{"text": "So it is."}]}
    for path, body in (("/v1/documents", document), ("/v1/verifications", given)):
        assert helper.post(path, json={**body, "workspace": "later"}).status_code == 202
        assert_problem(helper.post(path, json={**body, "workspace": "new"}), 404, "workspace_not_found")
    assert_problem(helper.post("/v1/workspaces", json={"name": "new"}), 403, "role_missing")
    assert helper.patch("/v1/workspaces/later", json={"title": "Mine"}).status_code == 403
    assert admin.post("/v1/documents", json={**document, "workspace": "new"}).status_code == 202


def test_an_owner_chooses_members(people: People) -> None:  # 43
    owner, newcomer = people.signed_in("olga", "owners"), people.signed_in("nia", "newcomers")
    listed = owner.get("/v1/people").json()["people"]
    (person,) = [each["id"] for each in listed if each["name"] == "Nia"]
    assert newcomer.get("/v1/documents").status_code == 403
    for role, status in (("contributor", 202), ("reader", 403)):
        given = owner.post("/v1/members", json={"workspace": SHELF, "person_id": person, "role": role})
        assert given.json()["set_by"] == f"person:{id_of(owner)}"
        document = {"filename": f"{role}.txt", "text": "A text.", "workspace": SHELF}
        assert newcomer.post("/v1/documents", json=document).status_code == status
    # A reader gives nobody a role, themselves neither; nor does an owner in a workspace that is not theirs.
    raised = {"workspace": SHELF, "person_id": person, "role": "owner"}
    assert_problem(newcomer.post("/v1/members", json=raised), 403, "role_missing")
    with transaction() as session:
        get_or_add_workspace(session, "elsewhere")
    assert owner.post("/v1/members", json={**raised, "workspace": "elsewhere"}).status_code == 403
    member = given.json()["id"]
    assert newcomer.delete(f"/v1/members/{member}").status_code == 403
    assert owner.delete(f"/v1/members/{member}").status_code == 204
    assert newcomer.get("/v1/documents").status_code == 403
    (own,) = [each for each in owner.get("/v1/members").json()["members"] if each["name"] == "Olga"]
    assert_problem(owner.delete(f"/v1/members/{own['id']}"), 403, "role_of_group")
    assert owner.post("/v1/members", json={**raised, "person_id": str(uuid.uuid4())}).status_code == 404


def test_what_an_owner_gave_outlasts_a_sign_in(people: People) -> None:  # 43
    owner, newcomer = people.signed_in("olga", "owners"), people.signed_in("nia", "newcomers")
    given = {"workspace": SHELF, "person_id": id_of(newcomer), "role": "reader"}
    assert owner.post("/v1/members", json=given).status_code == 200
    again = people.signed_in("nia", "newcomers")
    assert again.get("/v1/me").json()["workspaces"] == [{"name": SHELF, "role": "reader"}]
    # A member of none of the groups any more loses this, too.
    with browser(people.url) as client:
        assert "problem=nobody" in sign_in(client, people.provider, "nia", "strangers").headers["location"]
    noticed()
    assert again.get("/v1/me").status_code == 401
    assert [each["name"] for each in owner.get("/v1/members").json()["members"]] == ["Olga"]


def test_a_reader_ends_what_they_asked_and_nothing_else(people: People) -> None:  # 43
    ada, bob = people.signed_in("ada", "readers"), people.signed_in("bob", "readers")
    query = asked(ada)
    assert_problem(bob.delete(f"/v1/queries/{query}"), 403, "role_missing")
    assert ada.delete(f"/v1/queries/{query}").status_code == 200
    begun = ada.post("/v1/conversations/turns", json={"question": "What?", "workspace": SHELF}).json()
    place = f"/v1/conversations/{begun['conversation']['id'] if 'conversation' in begun else begun['conversation_id']}"
    assert_problem(bob.patch(place, json={"title": "Bob's"}), 403, "conversation_of_another")
    assert ada.patch(place, json={"title": "Ada's"}).status_code == 200
    ada.delete(f"/v1/queries/{query}")
    with transaction() as session:
        answered = store_answered_query(session, workspace=SHELF).id
    assert_problem(ada.post(f"/v1/queries/{answered}/share", json={"hours": 1}), 403, "role_missing")
    assert people.signed_in("cleo", "contributors").delete(place).status_code == 204


def test_a_personal_key_may_do_what_its_person_may(people: People) -> None:  # 43
    owner, ada = people.signed_in("olga", "owners"), people.signed_in("ada", "newcomers")
    given = {"workspace": SHELF, "person_id": id_of(ada), "role": "contributor"}
    member = owner.post("/v1/members", json=given).json()["id"]
    program = people.with_key(own_key(ada, "read", "documents"))
    document = {"filename": "a.txt", "text": "A text.", "workspace": SHELF}
    assert program.post("/v1/documents", json=document).status_code == 202
    assert_problem(program.post("/v1/queries", json={"question": "What?", "workspace": SHELF}), 403, "scope_missing")
    # No more than that: not the person's other keys, no members, nothing of the tenant.
    assert_problem(program.post("/v1/me/keys", json={"name": "n", "scopes": ["read"]}), 403, "person_required")
    for method, path in (("GET", "/v1/members"), ("GET", "/v1/people"), ("GET", "/v1/keys"), ("GET", "/v1/webhooks")):
        assert program.request(method, path).status_code == 403, path
    assert owner.post("/v1/members", json={**given, "role": "reader"}).status_code == 200
    noticed()
    assert program.post("/v1/documents", json={**document, "filename": "b.txt"}).status_code == 403
    assert program.get("/v1/documents").status_code == 200
    assert owner.delete(f"/v1/members/{member}").status_code == 204
    noticed()
    assert_problem(program.get("/v1/documents"), 403, "role_missing")


def test_a_personal_key_is_its_persons_only(people: People) -> None:  # 43
    ada, bob = people.signed_in("ada", "readers"), people.signed_in("bob", "readers")
    program = people.with_key(own_key(ada))
    (listed,) = ada.get("/v1/me/keys").json()["keys"]
    assert (listed["person_id"], bob.get("/v1/me/keys").json()["keys"]) == (id_of(ada), [])
    assert bob.delete(f"/v1/me/keys/{listed['id']}").status_code == 404
    assert ada.delete(f"/v1/me/keys/{listed['id']}").status_code == 204
    noticed()
    assert_problem(program.get("/v1/documents"), 401, "key_revoked")
    refused = ada.post("/v1/me/keys", json={"name": "n", "scopes": ["admin"]})
    assert refused.status_code == 422
    elsewhere = ada.post("/v1/me/keys", json={"name": "n", "scopes": ["read"], "workspaces": ["elsewhere"]})
    assert elsewhere.status_code in (403, 404)


def test_keys_and_sessions_end_with_the_person(people: People) -> None:  # 43: revoked
    admin, ada = people.signed_in("root", "admins"), people.signed_in("ada", "owners")
    program, person = people.with_key(own_key(ada)), id_of(ada)
    assert ada.patch(f"/v1/people/{person}", json={"revoked": False}).status_code == 403
    assert admin.patch(f"/v1/people/{person}", json={"revoked": True}).json()["revoked_at"]
    assert_problem(ada.get("/v1/me"), 401, "sign_in_required")
    assert_problem(program.get("/v1/documents"), 401, "key_revoked")
    with browser(people.url) as client:
        assert "problem=revoked" in sign_in(client, people.provider, "ada", "owners").headers["location"]
        assert client.get("/v1/me").status_code == 401
    assert admin.patch(f"/v1/people/{person}", json={"revoked": False}).json()["revoked_at"] is None
    assert people.signed_in("ada", "owners").get("/v1/me").status_code == 200
    assert program.get("/v1/documents").status_code == 200


def test_a_personal_key_rests_while_its_person_stays_away(people: People) -> None:  # 43: expired
    program = people.with_key(own_key(people.signed_in("ada", "readers")))
    assert program.get("/v1/documents").status_code == 200
    changed("UPDATE persons SET signed_in_at = now() - interval '31 days'")
    assert_problem(program.get("/v1/documents"), 401, "key_revoked")
    people.signed_in("ada", "readers")
    noticed()
    assert program.get("/v1/documents").status_code == 200


def test_a_stream_ends_when_its_workspace_is_closed(people: People) -> None:  # 43: opened before the removal
    owner, ada = people.signed_in("olga", "owners"), people.signed_in("nia", "newcomers")
    given = {"workspace": SHELF, "person_id": id_of(ada), "role": "reader"}
    member = owner.post("/v1/members", json=given).json()["id"]
    with transaction() as session:
        query = make_query(session, workspace=SHELF).id
    ended: list[httpx.Response] = []
    began = threading.Event()

    def last() -> None:
        began.set()
        ended.append(ada.get(f"/v1/queries/{query}/events", timeout=60))

    thread = threading.Thread(target=last)
    thread.start()
    began.wait()
    time.sleep(0.7)
    assert ended == []
    assert owner.delete(f"/v1/members/{member}").status_code == 204
    thread.join(timeout=40)
    assert [response.status_code for response in ended] == [200]
    assert ada.get(f"/v1/queries/{query}").status_code == 403


def test_a_right_that_ends_while_one_waits_shows_nothing(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:  # 43: at the end it counts at once
    owner, ada = people.signed_in("olga", "owners"), people.signed_in("nia", "newcomers")
    given = {"workspace": SHELF, "person_id": id_of(ada), "role": "reader"}
    assert owner.post("/v1/members", json=given).status_code == 200
    monkeypatch.setattr(api_keys, "TRUST_FOR_S", 60)
    query, chat = asked(ada), {"model": SHELF, "messages": [{"role": "user", "content": "What?"}]}
    ways: list[tuple[str, str, Json | None]] = [
        ("GET", f"/v1/queries/{query}?wait=30", None),
        ("GET", f"/v1/queries/{query}/events", None),
        ("POST", "/v1/queries?wait=30", {"question": "What?", "workspace": SHELF}),
        ("POST", "/v1/chat/completions", chat),
        ("POST", "/v1/chat/completions", {**chat, "stream": True}),
        ("POST", "/v1/responses", {"model": SHELF, "input": "What?"}),
        ("POST", "/v1/responses", {"model": SHELF, "input": "What?", "stream": True}),
    ]
    with ThreadPoolExecutor(len(ways)) as pool:
        waiting = [pool.submit(ada.request, method, path, json=body, timeout=60) for method, path, body in ways]
        until(lambda: len(unfinished()) == 6, seconds=20)
        # Not by the API, which would make its process look the session up again.
        changed("DELETE FROM members WHERE origin = 'owner'")
        for query_id in unfinished():
            with transaction() as session:
                abstain(session, get_query(session, query_id))
            notify_end(query_id)
        told = [response.result() for response in waiting]
    assert [(response.status_code, IDK in response.text) for response in told] == [
        (200 if "stream" in str(body) or path.endswith("events") else 401, False) for _, path, body in ways
    ]


def unfinished() -> list[uuid.UUID]:
    with system_transaction() as session:
        return list(session.scalars(select(Query.id).where(Query.finished_at.is_(None))))


def test_a_role_stays_with_the_workspace_and_not_with_its_name(people: People) -> None:  # 43: renamed
    owner, ada = people.signed_in("olga", "owners"), people.signed_in("ada", "readers")
    assert owner.patch(f"/v1/workspaces/{SHELF}", json={"name": "archive"}).status_code == 403
    admin = people.signed_in("root", "admins")
    assert admin.patch(f"/v1/workspaces/{SHELF}", json={"name": "archive"}).status_code == 200
    assert admin.post("/v1/workspaces", json={"name": SHELF}).status_code == 201
    assert [each["name"] for each in ada.get("/v1/workspaces").json()["workspaces"]] == ["archive"]
    assert ada.get(f"/v1/workspaces/{SHELF}").status_code == 403
    # A workspace that is no rule's may be renamed, but not into the name of a rule's.
    with transaction() as session:
        workspace = get_or_add_workspace(session, "own").id
    given = {"workspace": "own", "person_id": id_of(ada), "role": "owner"}
    assert (workspace, admin.post("/v1/members", json=given).status_code) == (workspace, 200)
    assert ada.patch("/v1/workspaces/own", json={"name": "elsewhere"}).status_code == 403
    assert ada.patch("/v1/workspaces/own", json={"name": "mine"}).status_code == 200


def test_what_a_person_did_is_on_record(people: People) -> None:  # 43: audit
    ada, admin = people.signed_in("ada", "readers"), people.signed_in("root", "admins")
    actor, query = f"person:{id_of(ada)}", asked(ada)
    assert ada.delete(f"/v1/queries/{query}").status_code == 200
    assert ada.get("/v1/deeds").status_code == 403
    deeds = admin.get("/v1/deeds", params={"actor": actor}).json()["deeds"]
    assert [(deed["operation"], deed["path"]) for deed in deeds] == [
        ("cancel_query", f"/v1/queries/{query}"),
        ("create_query", "/v1/queries"),
    ]
    older = admin.get("/v1/deeds", params={"actor": actor, "before": deeds[0]["id"]}).json()["deeds"]
    assert [deed["operation"] for deed in older] == ["create_query"]
    changed(f"UPDATE deeds SET created_at = now() - interval '40 days' WHERE id = {deeds[1]['id']}")
    with system_transaction() as session:
        delete_old_deeds(session, 30)
    assert admin.get("/v1/deeds", params={"actor": actor}).json()["deeds"] == deeds[:1]


def test_keys_of_programs_work_as_before(people: People) -> None:  # 43
    people.signed_in("olga", "owners")
    program = people.with_key(make_key(Scope.READ, Scope.ASK))
    assert program.get("/v1/me").json()["kind"] == "key"
    assert SHELF in program.get("/v1/workspaces").text
    asked(program)
    until(lambda: program.get("/v1/documents").status_code == 200, seconds=5)
