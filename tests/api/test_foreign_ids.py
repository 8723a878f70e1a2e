"""No list shows anything of another tenant, and no body reaches it (A8).

The operations come from OpenAPI, so that a new one is covered; those with an id stand in the matrix of callers
(tests.api.people.test_matrix).
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from sqlalchemy import select, update

from api.schemas.formats.responses import ResponseCreate, response_id
from config.settings import settings
from db.models import DeliveryStatus, Document, DocumentFile, ModelChoice, Query, QueryStatus, WebhookDelivery
from db.queries.access.keys import get_or_add_tenant
from db.queries.access.model_choices import begin_trial
from db.queries.access.people import set_member, store_person
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.documents.imports import add_import
from db.queries.documents.reingestions import ReingestionFilter, add_reingestion
from db.queries.documents.sources import add_source
from db.queries.runs.responses import add_response
from db.queries.verifications.feedback import add_feedback
from db.session import acting_for, current_tenant, system_transaction, transaction
from domain.keys import parse_key
from domain.people import Role
from domain.webhooks.delivery import EventType
from services.external.acceptance import submit_batch, submit_verification
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish
from services.queries import conversations
from services.queries.sharing import share_answer
from services.webhooks.outbox import announce
from tests.api.operations import operations
from tests.api.problems import assert_problem
from tests.factories import make_chunk, make_query
from tests.keys import bearer, make_key
from tests.stored import store_answered_query
from tests.webhooks import register

MARK = "of-the-first"
TURN = uuid.UUID("0190d5a2-7c1e-7c3a-9d2f-6f1f7b0e4a11")
# How to create the resource named by a path parameter, for the current tenant.
IDS: dict[str, Callable[[], str]] = {
    "query_id": lambda: _stored_query(),
    "response_id": lambda: _stored_response(),
    "conversation_id": lambda: _stored_conversation(),
    "thread_id": lambda: str(conversations.begin(MARK, f"Thread {MARK}")[0]["id"]),
    "document_id": lambda: _stored_document(),
    "feedback_id": lambda: _stored_feedback(),
    "share_id": lambda: _stored_share(),
    "import_id": lambda: _stored_import(),
    "source_id": lambda: _stored_source(),
    "reingestion_id": lambda: _stored_reingestion(),
    "verification_id": lambda: _finished_verification(),
    "number": lambda: "1",  # of a source of the verification
    "chunk_index": lambda: _stored_chunk(),
    "batch_id": lambda: str(submit_batch([_given()], None, settings()).query_id),
    "webhook_id": lambda: str(register("https://hooks.example.com/citewell")[0]),
    "delivery_id": lambda: _finished_delivery(),
    "model": lambda: _stored_workspace(),
    "workspace": lambda: _stored_workspace(),
    "person_id": lambda: str(_stored_member()[0]),
    "member_id": lambda: str(_stored_member()[1]),
    "trial_id": lambda: str(_begun_trial()),
    "key_id": lambda: parse_key(make_key(tenant="first", name=f"key-{MARK}")).id,
}
# Bodies of operations with an id in their path, where an empty object is not enough.
BODIES: dict[str, dict[str, Any]] = {
    "POST /v1/webhooks/{webhook_id}/replay": {"since": "2026-01-01T00:00:00Z"},
    "PATCH /v1/documents/{document_id}/chunks/{chunk_index}": {"excluded": True},
    "POST /v1/documents/{document_id}/chunks/{chunk_index}/corrections": {"text": "Theirs"},
    "PATCH /v1/people/{person_id}": {"revoked": True},
    "PATCH /v1/workspaces/{workspace}": {"title": "Theirs"},
    "POST /v1/queries/{query_id}/feedback": {"rating": "up"},
    "POST /v1/queries/{query_id}/share": {"hours": 1},
    "PATCH /v1/conversations/{conversation_id}": {"title": "Another"},
    "POST /v1/conversations/{conversation_id}/branches": {"turn": str(TURN)},
    "POST /v1/conversations/{conversation_id}/turns": {"question": "What?"},
}
# Covers all tenants together, and is refused to each of them.
OF_ALL = {"/metrics"}
# Which models answer is the installation's, and only an admin of its first tenant may look.
OF_THE_FIRST = "/v1/model-servers"


@dataclass(frozen=True)
class Tenants:
    """The headers of two tenants, and the ids of the first one's resources."""

    first: dict[str, str]
    second: dict[str, str]
    ids: dict[str, str]


@pytest.fixture
def tenants(database: str) -> Tenants:
    assert database
    keys = {name: bearer(make_key(tenant=name)) for name in ("first", "second")}
    with system_transaction() as session:
        first = get_or_add_tenant(session, "first", "whsec_")
    with acting_for(first):
        return Tenants(keys["first"], keys["second"], {name: make() for name, make in IDS.items()})


def _stored_query() -> str:
    with transaction() as session:
        return str(store_answered_query(session, workspace=MARK, question=f"What is {MARK}?").id)


def _stored_conversation() -> str:
    """Its one turn has ended."""
    with transaction() as session:
        make_query(session, workspace=MARK, question=f"Which is {MARK}?", query_id=TURN)
        finish(session, TURN, QueryStatus.CANCELLED)
    return str(conversations.continue_question(TURN, f"About {MARK}")[0]["id"])


def _stored_workspace() -> str:
    with transaction() as session:
        return get_or_add_workspace(session, MARK).name


def _stored_document() -> str:
    with transaction() as session:
        document_id = session.scalars(select(Document.id)).one()
        if session.get(DocumentFile, document_id) is None:
            session.add(DocumentFile(document_id=document_id, content=MARK.encode()))
        return str(document_id)


def _stored_member() -> tuple[uuid.UUID, uuid.UUID]:
    """The ids of a person, and of their membership."""
    with transaction() as session:
        person = store_person(
            session,
            current_tenant(),
            issuer="https://id.example.com",
            subject=MARK,
            name=MARK,
            email=None,
            everywhere=Role.NONE,
        )
        workspace = get_or_add_workspace(session, MARK)
        return person.id, set_member(session, workspace.id, person.id, Role.READER, None)


def _stored_chunk() -> str:
    with transaction() as session:
        return str(make_chunk(session, session.scalars(select(Document)).one(), 0, 8, index=70_707).chunk_index)


def _stored_feedback() -> str:
    with transaction() as session:
        query = session.scalars(select(Query)).first()
        assert query is not None
        return str(add_feedback(session, query.id, place="answer", rating="up", author=MARK).id)


def _begun_trial() -> int:
    with system_transaction() as session:
        begin_trial(session)
        # A number that stands nowhere else.
        return session.scalars(update(ModelChoice).values(id=70_707_071).returning(ModelChoice.id)).one()


def _stored_response() -> str:
    with transaction() as session:
        query = session.scalars(select(Query)).first()
        assert query is not None
        add_response(session, query.id, ResponseCreate(model=MARK, input=f"What is {MARK}?").beside)
    return response_id(query.id)


def _stored_share() -> str:
    with transaction() as session:
        query = session.scalars(select(Query).where(Query.status == "succeeded")).first()
        assert query is not None
    return str(share_answer(query.id, 1)["id"])


def _stored_source() -> str:
    with transaction() as session:
        workspace = get_or_add_workspace(session, MARK)
        values: dict[str, Any] = {"name": MARK, "kind": "folder", "location": MARK, "settings": {}, "due_at": None}
        added = add_source(session, workspace.id, **values)
        assert added
        return str(added.id)


def _stored_reingestion() -> str:
    with transaction() as session:
        wanted = ReingestionFilter(get_or_add_workspace(session, MARK).id, name_contains=MARK)
        return str(add_reingestion(session, wanted, {"kind": None, "before": None, "name_contains": MARK})[0])


def _stored_import() -> str:
    with transaction() as session:
        workspace = get_or_add_workspace(session, MARK)
        values: dict[str, Any] = {"sha256": "0" * 64, "size_bytes": 1, "source": "test", "details": {}}
        return str(add_import(session, workspace.id, filename=f"{MARK}.zip", **values).id)


def _given() -> NewVerification:
    return NewVerification(answer=f"It is {MARK} [1].", sources=[NewSource(text=f"It is {MARK}.")], workspace=MARK)


def _finished_verification() -> str:
    # Finished, because its stream would not end before that.
    verification_id = submit_verification(_given(), settings()).query_id
    with transaction() as session:
        finish(session, verification_id, QueryStatus.FAILED, error={"code": "gave_up", "message": "It stopped."})
    return str(verification_id)


def _finished_delivery() -> str:
    with transaction() as session:
        announce(session, EventType.DOCUMENT_READY, {})
        delivery = session.scalars(select(WebhookDelivery)).first()
        assert delivery is not None
        delivery.status = DeliveryStatus.FAILED
        return str(delivery.id)


def test_every_parameter_of_a_path_can_be_made() -> None:  # A8
    named = {name for operation in operations() if operation.scope for name in operation.parameters}
    assert named == IDS.keys(), "say in IDS how to make what a new parameter names"


def test_lists_show_nothing_of_another_tenant(http: httpx.Client, tenants: Tenants) -> None:  # A8
    shown_to_the_first: set[str] = set()
    for operation in operations():
        if (
            operation.method != "GET"
            or operation.parameters
            or not operation.scope
            or operation.path in OF_ALL
            or operation.path.startswith(OF_THE_FIRST)
        ):
            continue
        own = operation.call(http, {}, tenants.first)
        foreign = operation.call(http, {}, tenants.second)
        # Without a model of the operator's there is nothing to guard.
        expected = 404 if operation.path == "/v1/guard/models" else 200
        assert (own.status_code, foreign.status_code) == (expected, expected), operation
        hidden = (MARK, *(made for name, made in tenants.ids.items() if name != "number"))
        assert [text for text in hidden if text in foreign.text] == [], operation
        if any(text in own.text for text in hidden):
            shown_to_the_first.add(operation.path)
    assert shown_to_the_first >= {
        "/v1/documents",
        "/v1/queries",
        "/v1/history",
        "/v1/workspaces",
        "/v1/keys",
        "/v1/conversations",
    }
    for path in OF_ALL:
        assert {http.get(path, headers=headers).status_code for headers in (tenants.first, tenants.second)} == {403}
    for path in ("/v1/quality", "/v1/quality/series"):
        counted = [http.get(path, headers=headers).json()["queries"] for headers in (tenants.first, tenants.second)]
        assert counted == [1, 0], path


def test_ids_and_names_in_a_body_are_looked_up_for_the_caller_only(http: httpx.Client, tenants: Tenants) -> None:  # A8
    cited = {"document_id": tenants.ids["document_id"], "chunk_index": 0, "claim_text": "x", "expected_text_span": "x"}
    refused = http.post("/api/verify-citation", json=cited, headers=tenants.second)
    assert_problem(refused, 404, "document_not_found")
    for path, body in (
        ("/v1/queries", {"question": "What?", "workspace": MARK}),
        ("/v1/search", {"query": "What?", "workspace": MARK}),
        ("/query", {"query": "What?", "workspace": MARK}),
        ("/agentic/chat", {"question": "What?", "workspace": MARK}),
        ("/multiagent/chat", {"question": "What?", "workspace": MARK}),
        ("/api/query", {"query": "What?", "workspace": MARK}),
        ("/v1/responses", {"input": "What?", "model": MARK}),
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "What?"}], "model": MARK}),
    ):
        assert_problem(http.post(path, json=body, headers=tenants.second), 404, "workspace_not_found")


def test_workspaces_of_the_same_name_are_two(http: httpx.Client, tenants: Tenants) -> None:  # A8, S2.5
    new = {"filename": "a.txt", "text": "The same text.", "workspace": "same"}
    ids = [http.post("/v1/documents", json=new, headers=key).json()["id"] for key in (tenants.first, tenants.second)]
    assert ids[0] != ids[1]


def test_requests_on_one_connection_act_for_their_own_tenants(http: httpx.Client, tenants: Tenants) -> None:  # A8
    for headers, count in [(tenants.first, 2), (tenants.second, 0), (tenants.first, 2), ({}, 0)] * 3:
        # One endpoint runs in a thread, the other in the event loop.
        assert len(http.get("/v1/queries", headers=headers).json()["queries"]) == count
        found = http.get(f"/v1/queries/{tenants.ids['query_id']}", headers=headers).status_code
        assert found == (200 if count else 404)
