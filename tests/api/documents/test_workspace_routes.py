"""Workspaces as objects: listed with what they contain, created, renamed, deleted with everything in them."""

import uuid
from datetime import datetime
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select, text

from config.settings import settings
from db.base import Base
from db.models import Batch, Document, DocumentChange, Query
from db.queries.access import workspaces
from db.queries.access.keys import get_or_add_tenant
from db.queries.access.workspaces import get_or_add_workspace, get_workspace
from db.queries.runs.queries import get_query
from db.session import acting_for, reading, system_transaction, transaction
from domain.errors.missing import WorkspaceNotFound
from services.external.acceptance import submit_batch
from services.external.request import NewSource, NewVerification
from tests.api.problems import assert_problem
from tests.factories import make_chunk, make_document, make_query
from tests.stored import store_answered_query
from verify_material.rows import for_all_rows
from workers.background.reconciler import reconcile

NAME = "finance"
NO_INSTRUCTIONS: dict[str, Any] = {"language": None, "tone": None, "length": None, "glossary": {}, "refusal": None}
NO_SETTINGS: dict[str, Any] = {
    "models": {"main": None, "fast": None},
    "mode": None,
    "preset": None,
    "instructions": NO_INSTRUCTIONS,
    "answer_schema": None,
    "review": {
        "confidence_below": None,
        "contradicted": False,
        "conflicts": False,
        "unread": False,
        "hold": False,
        "email": [],
    },
}
TABLES = [table for table in Base.metadata.sorted_tables if "workspace_id" in table.c]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take longer than the second after which a deletion goes on in the background."""
    monkeypatch.setattr("api.routes.documents.workspaces._AT_ONCE_S", 60.0)


def create(http: httpx.Client, name: str = NAME, **fields: Any) -> httpx.Response:
    return http.post("/v1/workspaces", json={"name": name, **fields})


def listed(http: httpx.Client, **params: Any) -> list[str]:
    return [each["name"] for each in http.get("/v1/workspaces", params=params).json()["workspaces"]]


def long_ago(session: Any) -> None:
    """Let all that has ended have ended long ago."""
    session.execute(text("UPDATE queries SET finished_at = now() - interval '1 hour' WHERE finished_at IS NOT NULL"))


def test_a_workspace_is_created_and_read(http: httpx.Client) -> None:
    made = create(http, title="Finance, 2026")
    assert made.status_code == 201
    assert made.headers["location"] == "/v1/workspaces/finance"
    assert made.json() == http.get("/v1/workspaces/finance").json()
    assert made.json() | {"created_at": ""} == {
        "name": NAME,
        "title": "Finance, 2026",
        "status": "active",
        "documents": {"queued": 0, "processing": 0, "ready": 0, "failed": 0, "superseded": 0},
        "size_bytes": 0,
        "passages": 0,
        "settings": NO_SETTINGS,
        "embedding": None,
        "created_at": "",
        "used_at": None,
    }
    assert_problem(create(http), 409, "workspace_name_taken")
    assert_problem(http.get("/v1/workspaces/nothing"), 404, "workspace_not_found")


@pytest.mark.parametrize("name", ["재무", "Q\U0002b911", "prüfung", "finance-2026"])
def test_the_location_of_a_new_workspace_leads_to_it_whatever_its_name_is(http: httpx.Client, name: str) -> None:
    created = http.post("/v1/workspaces", json={"name": name})
    assert created.status_code == 201, created.text
    assert http.get(created.headers["location"]).json()["name"] == name


def test_the_list_counts_what_each_contains(http: httpx.Client) -> None:
    create(http)
    with transaction() as session:
        store_answered_query(session, workspace="asked")
        document = make_document(session, "Refunds take 14 days.", workspace="read")
        make_chunk(session, document, 0, 21)
        make_document(session, "", workspace="read", number=1, status="failed", size_bytes=4)
    with transaction() as session:
        asked_at = make_query(session, workspace="read").created_at
    found = {each["name"]: each for each in http.get("/v1/workspaces").json()["workspaces"]}
    assert list(found) == ["asked", NAME, "read", "w"]
    read = found["read"]
    assert {state: count for state, count in read["documents"].items() if count} == {"ready": 1, "failed": 1}
    assert (read["size_bytes"], read["passages"]) == (25, 1)
    assert read["embedding"] == {"model": "use-multilingual-v3", "dimension": 512}
    assert datetime.fromisoformat(read["used_at"]) == asked_at > datetime.fromisoformat(read["created_at"])
    assert found[NAME]["used_at"] is None


def test_pages_are_by_name(http: httpx.Client) -> None:
    for name in ("b", "a", "회의록", "c"):
        create(http, name)
    first = http.get("/v1/workspaces", params={"limit": 3}).json()
    assert [each["name"] for each in first["workspaces"]] == ["a", "b", "c"]
    create(http, "aa")  # on a page that was read already
    assert listed(http, limit=3, cursor=first["next_cursor"]) == ["회의록"]
    assert_problem(http.get("/v1/workspaces", params={"cursor": "nonsense"}), 422, "cursor_invalid")


@for_all_rows("name", ["Bad Name!", "a/b", "a:high", ".hidden", "", "a" * 101])
def test_a_name_outside_of_the_rule_is_refused_with_the_rule(http: httpx.Client, name: str) -> None:
    refused = create(http, name)
    assert refused.status_code == 422
    if 0 < len(name) <= 100:
        assert "letters, digits" in assert_problem(refused, 422, "workspace_name_invalid")["detail"]
    new = {"filename": "a.txt", "text": "A text.", "workspace": name}
    assert http.post("/v1/documents", json=new).status_code == 422
    assert listed(http) == []


def test_a_refused_upload_leaves_no_workspace_behind(http: httpx.Client) -> None:
    for new in ({"filename": "a.zip", "text": "x"}, {"filename": "a.txt", "text": ""}):
        assert http.post("/v1/documents", json={**new, "workspace": "new"}).status_code in (415, 422)
    given = {"answer": "It is so [1].", "sources": [{"document_id": str(uuid.uuid4())}], "workspace": "new"}
    assert_problem(http.post("/v1/verifications", json=given), 404, "document_not_found")
    assert http.post("/v1/imports", files={"file": ("a.zip", b"no archive")}, data={"workspace": "new"}).is_error
    assert listed(http) == []


def test_a_renamed_workspace_keeps_everything(http: httpx.Client) -> None:
    with transaction() as session:
        query_id = store_answered_query(session, workspace="w").id
    before = {path: http.get(path).text for path in ("/v1/documents", "/v1/history", f"/v1/queries/{query_id}")}
    changed = http.patch("/v1/workspaces/w", json={"name": "policies", "title": "Policies"}).json()
    assert (changed["name"], changed["title"], changed["documents"]["ready"]) == ("policies", "Policies", 1)
    assert_problem(http.get("/v1/workspaces/w"), 404, "workspace_not_found")

    for path, found in before.items():
        renamed = found.replace('"workspace":"w"', '"workspace":"policies"').replace('["w"]', '["policies"]')
        assert http.get(path).text == renamed != found, path
    for path in ("/v1/documents", "/v1/queries", "/v1/history"):
        assert f"{query_id}" in http.get("/v1/queries", params={"workspace": "policies"}).text
        listed_there = http.get(path, params={"workspace": "w"}).json()
        assert [] in listed_there.values(), path
    assert http.get(f"/v1/queries/{query_id}/audit/check").json()["intact"]


def test_a_change_that_cannot_be_is_refused(http: httpx.Client) -> None:
    create(http, "a")
    create(http, "b")
    assert_problem(http.patch("/v1/workspaces/a", json={"name": "b"}), 409, "workspace_name_taken")
    assert_problem(http.patch("/v1/workspaces/a", json={"name": "b c"}), 422, "workspace_name_invalid")
    assert_problem(http.patch("/v1/workspaces/a", json={}), 422, "request_invalid")
    assert_problem(http.patch("/v1/workspaces/c", json={"name": "d"}), 404, "workspace_not_found")
    assert http.patch("/v1/workspaces/a", json={"name": "a", "title": "A"}).json()["title"] == "A"
    assert http.patch("/v1/workspaces/a", json={"title": None}).json()["title"] is None


def test_settings_are_stored_changed_and_set_back(http: httpx.Client) -> None:
    wanted = {"mode": "high", "instructions": {"tone": "formal", "glossary": {"PTO": "paid time off"}}}
    made = create(http, settings=wanted).json()["settings"]
    assert (made["mode"], made["preset"], made["instructions"]["tone"]) == ("high", None, "formal")
    change = {"models": {"main": "openai/gpt-oss-20b"}, "instructions": {"tone": None, "refusal": " Ask  us. "}}
    changed = http.patch("/v1/workspaces/finance", json={"settings": change}).json()
    assert changed["settings"] == {
        "models": {"main": "openai/gpt-oss-20b", "fast": None},
        "mode": "high",
        "preset": None,
        "instructions": {**NO_INSTRUCTIONS, "glossary": {"PTO": "paid time off"}, "refusal": "Ask us."},
        "answer_schema": None,
        "review": NO_SETTINGS["review"],
    }
    asked = http.post("/v1/queries", json={"question": "What?", "workspace": NAME}).headers["location"]
    assert http.get(asked).json()["mode"] == "high"
    assert http.patch("/v1/workspaces/finance", json={"title": "T"}).json()["settings"] == changed["settings"]


@for_all_rows(
    ("wanted", "code"),
    [
        ({"mode": "extreme"}, "request_invalid"),
        ({"answer_format": "json"}, "request_invalid"),
        ({"answer_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}, "answer_schema_invalid"),
        ({"models": {"main": "unknown"}}, "model_not_allowed"),
        ({"instructions": {"tone": "x" * 301}}, "request_invalid"),
        ({"instructions": {"tone": " "}}, "request_invalid"),
        ({"instructions": {"glossary": {f"term {n}": "x" for n in range(51)}}}, "request_invalid"),
        ({"instructions": {"language": "xx"}}, "request_invalid"),
        ({"instructions": {"refusal": "a\x00b"}}, "request_invalid"),
    ],
)
def test_settings_that_cannot_be_are_refused(http: httpx.Client, wanted: dict[str, Any], code: str) -> None:
    assert_problem(create(http, settings=wanted), 422, code)
    create(http)
    assert_problem(http.patch("/v1/workspaces/finance", json={"settings": wanted}), 422, code)
    assert http.get("/v1/workspaces/finance").json()["settings"] == NO_SETTINGS


def test_an_empty_workspace_is_deleted_without_more(http: httpx.Client) -> None:
    create(http)
    assert http.delete("/v1/workspaces/finance").status_code == 204
    assert_problem(http.delete("/v1/workspaces/finance"), 404, "workspace_not_found")


def test_one_with_questions_alone_is_not_empty(http: httpx.Client) -> None:
    given = {"answer": "It is so [1].", "sources": [{"text": "It is so."}], "workspace": NAME}
    assert http.post("/v1/verifications", json=given).status_code == 202
    assert_problem(http.delete("/v1/workspaces/finance"), 409, "workspace_not_empty")


def test_a_workspace_is_deleted_with_all_that_it_contains_and_nothing_else(http: httpx.Client) -> None:
    with transaction() as session:
        gone = store_answered_query(session, workspace="gone").id
        kept = make_query(session, workspace="kept").id
        for name in ("gone", "kept"):
            make_chunk(session, make_document(session, "A text.", workspace=name, filename="b.txt", number=3), 0, 7)
        make_document(session, "Cited.", workspace="gone", number=4)
        long_ago(session)
        gone_id = get_workspace(session, "gone").id
    source = NewSource(text="It is so.")
    item = NewVerification(answer="It is so [1].", sources=[source], workspace="gone")
    batch = submit_batch([item], None, settings()).query_id
    refused = assert_problem(http.delete("/v1/workspaces/gone"), 409, "workspace_not_empty")
    assert "2 documents" in refused["detail"]
    assert "confirm=gone" in refused["detail"]
    assert_problem(http.delete("/v1/workspaces/gone", params={"confirm": "kept"}), 409, "workspace_not_empty")
    assert http.get("/v1/workspaces/gone").json()["status"] == "active"

    left = http.delete("/v1/workspaces/gone", params={"confirm": "gone"})
    # The batch was cancelled just now: whoever waits for it can still read that.
    assert (left.status_code, left.json()["status"]) == (202, "deleting")
    assert http.get(f"/v1/verifications/batches/{batch}").json()["cancelled"] == 1
    with transaction() as session:
        long_ago(session)
    assert http.delete("/v1/workspaces/gone", params={"confirm": "gone"}).status_code == 204
    assert listed(http) == ["kept", "w"]
    assert http.get(f"/v1/queries/{gone}").status_code == 404
    assert http.get(f"/v1/queries/{kept}").json()["status"] == "queued"
    with reading() as session:
        for table in TABLES:
            left_over = select(func.count()).select_from(table).where(table.c.workspace_id == gone_id)
            assert session.scalar(left_over) == 0, table.name
        assert session.scalar(select(func.count()).select_from(Batch)) == 0


def test_while_it_is_deleted_it_accepts_nothing_and_its_questions_end(http: httpx.Client) -> None:
    with transaction() as session:
        running = make_query(session, workspace="gone")
        make_document(session, "A text.", workspace="gone")
    assert http.delete("/v1/workspaces/gone", params={"confirm": "gone"}).status_code == 202
    ended = http.get(f"/v1/queries/{running.id}").json()
    assert ended["status"] == "cancelled"
    events = http.get(f"/v1/queries/{running.id}/events").text
    assert "event: cancelled" in events
    refused = [
        http.post("/v1/queries", json={"question": "What?", "workspace": "gone"}),
        http.post("/v1/search", json={"query": "What?", "workspace": "gone"}),
        http.post("/v1/documents", json={"filename": "a.txt", "text": "A text.", "workspace": "gone"}),
        http.post("/v1/verifications", json={"answer": "So [1].", "sources": [{"text": "So."}], "workspace": "gone"}),
        http.post(f"/v1/queries/{running.id}/replay"),
        http.patch("/v1/workspaces/gone", json={"name": "back"}),
    ]
    for response in refused:
        assert_problem(response, 409, "workspace_deleting")
    assert http.get("/v1/models").json()["data"] == []


def test_the_reconciler_ends_a_deletion_that_was_begun(http: httpx.Client) -> None:
    with transaction() as session:
        store_answered_query(session, workspace="gone")
    assert http.delete("/v1/workspaces/gone", params={"confirm": "gone"}).status_code == 202
    reconcile(settings().recovery)
    assert listed(http) == ["gone", "w"]
    with transaction() as session:
        long_ago(session)
    reconcile(settings().recovery)
    assert listed(http) == ["w"]


def test_many_documents_go_in_portions(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction() as session:
        for number in range(45):
            make_document(session, f"Text {number}.", workspace="gone", number=number)
    portions: list[int] = []
    delete = workspaces.delete_documents

    def noted(session: Any, ids: Any) -> None:
        portions.append(len(ids))
        delete(session, ids)

    monkeypatch.setattr(workspaces, "delete_documents", noted)
    assert http.delete("/v1/workspaces/gone", params={"confirm": "gone"}).status_code == 204
    assert [each for each in portions if each] == [20, 20, 5]
    with reading() as session:
        assert session.scalar(select(func.count()).select_from(Document)) == 0


def test_answers_elsewhere_learn_that_what_they_cite_is_gone(http: httpx.Client) -> None:  # N7
    with transaction() as session:
        store_answered_query(session, workspace="asked")  # it cites a document of workspace `w`
        long_ago(session)
    assert http.delete("/v1/workspaces/w", params={"confirm": "w"}).status_code == 204
    with reading() as session:
        assert session.scalars(select(DocumentChange.filename)).all() == ["환불 policy.pdf"]


def test_another_tenant_deletes_and_renames_only_its_own(http: httpx.Client) -> None:  # A8
    with system_transaction() as session:
        other = get_or_add_tenant(session, "other", "whsec_")
    with acting_for(other), transaction() as session:
        theirs = make_query(session, workspace=NAME).id
    create(http)
    assert http.patch("/v1/workspaces/finance", json={"name": "mine"}).json()["name"] == "mine"
    create(http)
    assert http.delete("/v1/workspaces/finance", params={"confirm": NAME}).status_code == 204
    with acting_for(other), reading() as session:
        assert get_query(session, theirs).status == "queued"
        assert get_workspace(session, NAME).name == NAME
    with reading() as session:
        with pytest.raises(WorkspaceNotFound):
            get_workspace(session, NAME)
        assert session.query(Query).count() == 0
    with transaction() as session:
        assert get_or_add_workspace(session, NAME).title is None
