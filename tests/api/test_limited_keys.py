"""No operation shows or changes anything of a workspace that a key does not open (A8).

The operations come from OpenAPI, so that a new one is covered; those with an id stand in the matrix of callers
(tests.api.people.test_matrix).
"""

import contextvars
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import httpx
import pytest
from sqlalchemy import select, text
from sqlalchemy.exc import ProgrammingError

from db.models import DEFAULT_TENANT, Document, Import, Query, Workspace
from db.queries.access.workspaces import get_or_add_workspace, get_workspace
from db.queries.verifications.feedback import add_feedback
from db.session import act_for, reading, transaction
from domain.keys import UNLIMITED, Scope, parse_key
from tests.api.operations import description, operations
from tests.api.problems import assert_problem
from tests.api.test_foreign_ids import IDS, MARK
from tests.factories import make_document, make_options, make_query
from tests.keys import bearer, make_key
from tests.stored import abstain

T = TypeVar("T")

OWN = "opened"
WITHIN = [scope for scope in Scope if scope not in UNLIMITED]
# The least that each operation with a workspace in its body needs beside it.
ASKED: dict[str, dict[str, Any]] = {
    "/v1/documents": {"filename": "a.txt", "text": "A text."},
    "/v1/queries": {"question": "What?"},
    "/v1/conversations": {},
    "/v1/conversations/turns": {"question": "What?"},
    "/v1/search": {"query": "What?"},
    "/v1/search/explain": {"question": "What?"},
    "/v1/reingestions": {},
    "/v1/sources": {"name": "s", "kind": "folder", "location": "shelf"},
    "/v1/verifications": {"answer": "So it is [1].", "sources": [{"text": "So it is."}]},
    "/query": {"query": "What?"},
    "/chat": {"prompt": "What?"},
    "/agent/chat": {"question": "What?"},
    "/agentic/chat": {"question": "What?"},
    "/multiagent/chat": {"question": "What?"},
    "/query/verified": {"question": "What?"},
    "/api/query": {"query": "What?"},
}
# An empty answer is as good as a refusal where a workspace only selects from what a key may read.
READS = {"/v1/quality"}
# Of people and keys: a key that is limited has none of it (tests.api.people).
ELSEWHERE = {"/v1/keys", "/v1/me/keys", "/v1/members"}
ROOTS = {Workspace: Workspace.id, Document: Document.workspace_id, Query: Query.workspace_id}


@dataclass(frozen=True)
class Limited:
    """The headers of a key that opens only `OWN`, and of one that opens all; the ids of resources in other
    workspaces."""

    key: str
    within: dict[str, str]
    everywhere: dict[str, str]
    ids: dict[str, str]

    def hidden(self) -> list[str]:
        """Texts that the limited key must not be shown."""
        return [MARK, *(made for name, made in self.ids.items() if name != "number")]


@pytest.fixture
def limited(database: str) -> Limited:
    assert database
    ids = {name: make() for name, make in IDS.items()} | {"key_id": parse_key(make_key(name=f"key-{MARK}")).id}
    with transaction() as session:
        make_document(session, "Refunds take 14 days.", workspace=OWN, filename="own.txt", number=7)
        make_query(session, workspace=OWN, question="How long do refunds take?")
    key = make_key(*WITHIN, name="limited", workspaces=[OWN])
    return Limited(key, bearer(key), bearer(make_key(name="all")), ids)


def everything() -> list[Any]:
    """What is stored of the workspaces that the key does not open."""
    with reading() as session:
        own = get_workspace(session, OWN).id
        return [
            row
            for table, column in {**ROOTS, Import: Import.workspace_id}.items()
            for row in session.execute(select(text(f"{table.__tablename__}::text")).where(column != own)).all()
        ]


def test_lists_show_nothing_of_another_workspace(http: httpx.Client, limited: Limited) -> None:  # A8
    shown: set[str] = set()
    for operation in operations():
        if operation.method != "GET" or operation.parameters or not operation.scope:
            continue
        for params in ({}, {"workspace": MARK}, {"workspace": "w"}):
            found = http.get(operation.path, headers=limited.within, params=params)
            assert found.status_code in (200, 403, 422) or operation.path == "/v1/guard/models", operation
            assert [each for each in limited.hidden() if each in found.text] == [], operation
        to_all = http.get(operation.path, headers=limited.everywhere).text
        if any(hidden in to_all for hidden in limited.hidden()):
            shown.add(operation.path)
    assert shown >= {
        "/v1/documents",
        "/v1/queries",
        "/v1/history",
        "/v1/imports",
        "/v1/models",
        "/v1/threads",
        "/v1/workspaces",
    }
    for path in ("/v1/quality", "/v1/quality/series"):
        counts = [http.get(path, headers=each).json()["queries"] for each in (limited.everywhere, limited.within)]
        assert counts == [1, 0], path


def test_what_concerns_all_workspaces_needs_another_key(http: httpx.Client, limited: Limited) -> None:  # A8
    for operation in operations():
        if operation.scope not in {scope.value for scope in UNLIMITED}:
            continue
        assert_problem(operation.call(http, limited.ids, limited.within), 403, "scope_missing")


def send_lines(http: httpx.Client, key: dict[str, str], *lines: str) -> httpx.Response:
    headers = {**key, "Content-Type": "application/jsonl"}
    return http.post("/v1/verifications/batches", content="\n".join(lines), headers=headers)


def with_a_workspace() -> set[str]:
    """The operations without an id that take a workspace in their body."""
    schema = description()
    found: set[str] = set()
    for path, methods in schema["paths"].items():
        body = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json")
        if body and "{" not in path:
            name = body["schema"].get("$ref", "").rpartition("/")[2]
            model = schema["components"]["schemas"].get(name, body["schema"])
            if {"workspace", "workspaces"} & model.get("properties", {}).keys():
                found.add(path)
    return found


def test_a_request_for_another_workspace_is_forbidden_whether_or_not_there_is_one(
    http: httpx.Client, limited: Limited
) -> None:  # A8
    assert with_a_workspace() - READS - ELSEWHERE == ASKED.keys(), "say in ASKED what a new one needs"
    before = everything()
    for path, body in ASKED.items():
        for name in (MARK, "w", "nothing"):
            refused = http.post(path, json={**body, "workspace": name}, headers=limited.within)
            told = assert_problem(refused, 403, "workspace_forbidden")["detail"]
            assert told == f"The workspace {name!r} is not open to you for this; these are: {OWN}."
        assert http.post(path, json=body, headers=limited.within).status_code == 403  # `default`, if it is left out
    for path in ("/v1/queries", "/v1/search"):
        both = http.post(path, json={**ASKED[path], "workspaces": [OWN, MARK]}, headers=limited.within)
        assert_problem(both, 403, "workspace_forbidden")
    said = {"messages": [{"role": "user", "content": "What?"}], "model": MARK}
    assert http.post("/v1/chat/completions", json=said, headers=limited.within).status_code == 404
    assert http.post("/v1/quality", json={"workspace": MARK}, headers=limited.within).json()["queries"] == 0
    line = json.dumps({**ASKED["/v1/verifications"], "workspace": OWN})
    other = json.dumps({**ASKED["/v1/verifications"], "workspace": MARK})
    assert_problem(send_lines(http, limited.within, line, other), 403, "workspace_forbidden")
    archive = ("a.zip", b"PK\x05\x06" + bytes(18))
    sent = http.post("/v1/imports", files={"file": archive}, data={"workspace": MARK}, headers=limited.within)
    assert_problem(sent, 403, "workspace_forbidden")
    assert_problem(http.post("/v1/workspaces", json={"name": "n"}, headers=limited.within), 403, "key_limited")
    assert everything() == before


def test_ids_in_a_body_are_looked_up_in_the_keys_workspaces_only(http: httpx.Client, limited: Limited) -> None:  # A8
    document = limited.ids["document_id"]
    cited = {"document_id": document, "chunk_index": 0, "claim_text": "x", "expected_text_span": "x"}
    refused = http.post("/api/verify-citation", json=cited, headers=limited.within)
    assert_problem(refused, 404, "document_not_found")
    given = {"answer": "So it is [1].", "sources": [{"document_id": document}], "workspace": OWN}
    assert_problem(http.post("/v1/verifications", json=given, headers=limited.within), 404, "document_not_found")
    only = {"query": "refunds", "workspace": OWN, "filter": {"document_ids": [document]}}
    assert http.post("/v1/search", json=only, headers=limited.within).json()["passages"] == []
    rated = {"labels": [{"query_id": limited.ids["query_id"], "grounded": True}]}
    assert http.post("/v1/quality", json=rated, headers=limited.within).json()["queries"] == 0


def test_the_key_works_in_its_own_workspace(http: httpx.Client, limited: Limited) -> None:  # A8
    for path in ("/v1/documents", "/v1/queries", "/v1/search", "/v1/verifications"):
        accepted = http.post(path, json={**ASKED[path], "workspace": OWN}, headers=limited.within)
        assert accepted.status_code in (200, 202), accepted.text
        if here := accepted.headers.get("location"):
            assert http.get(here, headers=limited.within).status_code == 200
            assert http.delete(here, headers=limited.within).status_code in (200, 204)
    (listed,) = http.get("/v1/workspaces", headers=limited.within).json()["workspaces"]
    assert listed["name"] == OWN
    assert [each["id"] for each in http.get("/v1/models", headers=limited.within).json()["data"]] == [OWN]
    assert http.get("/v1/documents", headers=limited.within).json()["documents"][0]["filename"] == "own.txt"


def test_a_batch_is_read_by_those_who_may_read_all_of_it(http: httpx.Client, limited: Limited) -> None:  # A8
    line = ASKED["/v1/verifications"]

    def accepted(*workspaces: str) -> str:
        lines = [json.dumps({**line, "workspace": each}) for each in workspaces]
        return send_lines(http, limited.everywhere, *lines).json()["id"]

    for batch, status in ((accepted(OWN, OWN), 200), (accepted(OWN, MARK), 404)):
        for path in (f"/v1/verifications/batches/{batch}", f"/v1/verifications/batches/{batch}/results"):
            assert http.get(path, headers=limited.within).status_code == status
        assert http.delete(f"/v1/verifications/batches/{batch}", headers=limited.within).status_code == status


def test_a_question_about_several_workspaces_is_shown_to_those_who_may_see_all(
    http: httpx.Client, limited: Limited
) -> None:  # A8
    with transaction() as session:
        own, other = (get_or_add_workspace(session, name).id for name in (OWN, MARK))

        def asked(*ids: int) -> str:
            options = {**make_options().model_dump(mode="json"), "workspaces": ids}
            return str(make_query(session, workspace=OWN, options=options).id)

        mixed, allowed = asked(own, other), asked(own)
    for query_id, status in ((mixed, 404), (allowed, 200)):
        assert http.get(f"/v1/queries/{query_id}", headers=limited.within).status_code == status
        assert (query_id in http.get("/v1/queries", headers=limited.within).text) == (status == 200)


def test_feedback_and_links_are_those_of_the_keys_workspaces(http: httpx.Client, limited: Limited) -> None:  # A8
    with transaction() as session:
        query = make_query(session, workspace=OWN)
        abstain(session, query)
        own = query.id
    made = http.post(f"/v1/queries/{own}/feedback", json={"rating": "up"}, headers=limited.within)
    assert made.status_code == 201, made.text
    by_all = http.post(f"/v1/queries/{own}/feedback", json={"rating": "down"}, headers=limited.everywhere).json()
    listed = http.get("/v1/feedback", headers=limited.within).json()["feedback"]
    assert {each["id"] for each in listed} == {made.json()["id"], by_all["id"]}
    assert limited.ids["feedback_id"] in http.get("/v1/feedback", headers=limited.everywhere).text
    reviewed = http.patch(f"/v1/feedback/{by_all['id']}", json={"status": "reviewed"}, headers=limited.within)
    assert reviewed.json()["status"] == "reviewed"
    shared = http.post(f"/v1/queries/{own}/share", json={"hours": 1}, headers=limited.within)
    assert shared.status_code == 201, shared.text
    path = f"/shared/{shared.json()['url'].rpartition('/')[2]}"
    assert http.get(path).status_code == 200
    (link,) = http.get(f"/v1/queries/{own}/share", headers=limited.within).json()["shares"]
    assert http.delete(f"/v1/queries/{own}/share/{link['id']}", headers=limited.within).status_code == 204
    assert http.get(path).status_code == 404
    foreign = {"query_id": limited.ids["query_id"], "rating": "up"}
    assert_problem(http.post("/v1/feedback", json=foreign, headers=limited.within), 404, "query_not_found")


def test_no_row_of_another_workspaces_question_can_be_written(limited: Limited) -> None:  # A8
    with reading() as session:
        own, other = get_workspace(session, OWN).id, uuid.UUID(limited.ids["query_id"])

    def written() -> None:
        act_for(DEFAULT_TENANT, [own])
        with transaction() as session:
            add_feedback(session, other, place="answer", rating="up")

    with pytest.raises(ProgrammingError, match="row-level security"):
        contextvars.copy_context().run(written)


def test_a_key_of_a_deleted_workspace_opens_nothing(http: httpx.Client, limited: Limited) -> None:  # A8
    gone = http.delete(f"/v1/workspaces/{OWN}", params={"confirm": OWN}, headers=limited.within)
    assert gone.status_code == 202
    with transaction() as session:
        session.delete(get_workspace(session, OWN))
        # One of the same name is another one.
        session.flush()
        get_or_add_workspace(session, OWN)
    for path in ("/v1/workspaces", "/v1/documents", "/v1/queries"):
        shown = http.get(path, headers=limited.within).json()
        assert [] in shown.values(), path
    refused = http.post("/v1/queries", json={"question": "What?", "workspace": OWN}, headers=limited.within)
    assert "none that still exists" in assert_problem(refused, 403, "workspace_forbidden")["detail"]
    listed = {each["name"]: each for each in http.get("/v1/keys", headers=limited.everywhere).json()["keys"]}
    assert (listed["limited"]["workspaces"], listed["all"]["workspaces"]) == ([], None)


def test_a_key_follows_its_workspace_to_another_name(http: httpx.Client, limited: Limited) -> None:  # A8
    assert http.patch(f"/v1/workspaces/{OWN}", json={"name": "renamed"}, headers=limited.within).status_code == 200
    assert http.get("/v1/documents", headers=limited.within).json()["documents"][0]["workspace"] == "renamed"
    assert http.get("/v1/workspaces/renamed", headers=limited.within).status_code == 200


def test_limited_keys_are_made_over_http(http: httpx.Client, limited: Limited) -> None:  # A8
    wanted = {"name": "ci", "scopes": ["read", "ask"], "workspaces": [OWN]}
    made = http.post("/v1/keys", json=wanted, headers=limited.everywhere).json()
    assert (made["scopes"], made["workspaces"]) == (["read", "ask"], [OWN])
    assert http.get(f"/v1/workspaces/{OWN}", headers=bearer(made["key"])).status_code == 200
    refusals: list[tuple[dict[str, Any], int, str]] = [
        ({"scopes": ["read", "admin"]}, 422, "'admin'"),
        ({"scopes": ["webhooks"]}, 422, "'webhooks'"),
        ({"workspaces": []}, 422, "workspaces"),
        ({"workspaces": ["nothing"]}, 404, "'nothing'"),
    ]
    for change, status, told in refusals:
        refused = http.post("/v1/keys", json={**wanted, **change}, headers=limited.everywhere)
        assert refused.status_code == status
        assert told in refused.json()["detail"]


def limited_to(workspaces: list[int], act: Callable[[], T]) -> T:
    """The result of `act` in a context that is limited to these workspaces."""

    def run() -> T:
        act_for(DEFAULT_TENANT, workspaces)
        return act()

    return contextvars.Context().run(run)


def test_the_database_keeps_a_limited_transaction_to_its_workspaces(limited: Limited) -> None:  # A8
    assert limited
    with reading() as session:
        own, other = (get_workspace(session, name).id for name in (OWN, MARK))

    def seen() -> dict[str, set[int]]:
        with reading() as session:
            return {table.__tablename__: set(session.scalars(select(column))) for table, column in ROOTS.items()}

    assert limited_to([own], seen) == {table.__tablename__: {own} for table in ROOTS}
    assert limited_to([], seen) == {table.__tablename__: set() for table in ROOTS}
    assert all({own, other} <= ids for name, ids in seen().items() if name != "documents")

    def changed() -> list[int]:
        with transaction() as session:
            rows = session.execute(text("UPDATE queries SET mode = 'high' RETURNING workspace_id"))
            deleted = session.execute(text("DELETE FROM imports RETURNING workspace_id"))
            return [*rows.scalars(), *deleted.scalars()]

    assert set(limited_to([own], changed)) == {own}

    def moved() -> None:
        with transaction() as session:
            session.execute(text("UPDATE queries SET workspace_id = :other"), {"other": other})

    with pytest.raises(ProgrammingError, match="row-level security"):
        limited_to([own], moved)
