"""Messages written when something ends: their receivers, their content, and that they are atomic with the end (A6)."""

import json
import uuid
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import IngestionSettings, settings
from db.models import Answer, QueryKind, QueryStatus, WebhookMessage
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.verifications.batches import unfinished_items
from db.session import acting_for, reading, transaction
from domain.errors.requests import AddressForbidden, WebhookUrlInvalid
from domain.webhooks.delivery import MAX_BYTES
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest
from services.external.acceptance import submit_batch
from services.external.batches import cancel_batch
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish
from services.queries import conversations
from services.queries.submission import NewQuery, submit_query
from services.webhooks import endpoints
from services.webhooks.endpoints import EndpointChange
from services.webhooks.outbox import announce
from tests.factories import make_query
from tests.leases import hold
from tests.stored import complete
from tests.webhooks import LIMITS, all_deliveries, as_other_tenant, end_query, register

pytestmark = pytest.mark.usefixtures("database")

URL = "https://example.com/hooks"
Json = dict[str, Any]


def written() -> list[Json]:
    """The bodies, oldest first."""
    with reading() as session:
        rows = session.scalars(select(WebhookMessage).order_by(WebhookMessage.created_at))
        return [json.loads(row.payload) for row in rows]


# A6
@pytest.mark.parametrize("kind", QueryKind)
@pytest.mark.parametrize("status", [QueryStatus.SUCCEEDED, QueryStatus.FAILED])
def test_the_kind_and_the_end_of_a_query_decide_the_type(kind: QueryKind, status: QueryStatus) -> None:
    family = {QueryKind.ANSWER: "query", QueryKind.VERIFICATION: "verification"}[kind]
    place = {QueryKind.ANSWER: "queries", QueryKind.VERIFICATION: "verifications"}[kind]
    history = {QueryKind.ANSWER: "verifications", QueryKind.VERIFICATION: "history"}[kind]
    register(URL, f"{family}.*")
    with transaction() as session:
        query = make_query(session)
        query.kind, query.custom_id, query_id = kind, "mine-1", query.id
    error = {"code": "gave_up", "message": "It stopped."} if status is QueryStatus.FAILED else None
    with transaction() as session:
        finish(session, query_id, status, error=error)
    [body] = written()
    assert body.keys() == {"type", "timestamp", "data"}
    assert body["type"] == f"{family}.{status}"
    assert datetime.fromisoformat(body["timestamp"]).utcoffset() is not None
    audit = body["data"].pop("audit")
    assert (len(audit["head"]), audit["records"]) == (64, 2)
    signal = body["data"].pop("signal")
    assert (signal["word"] if signal else None) == ("Not checked" if status == "succeeded" else None)
    assert body["data"] == {
        "id": str(query_id),
        "status": status,
        "kind": kind,
        "workspace": "w",
        "question": "How long?",
        "custom_id": "mine-1",
        "conversation_id": None,
        "abstained": None,
        "answer": None,
        "error": error,
        "scores": None,
        "links": {"self": f"/v1/{place}/{query_id}", history: f"/v1/{place}/{query_id}/{history}"},
        "truncated": False,
    }


# A6, N9
def test_the_conversation_of_a_turn_is_told() -> None:
    register(URL, "query.*")
    with transaction() as session:
        workspace = get_or_add_workspace(session, "w").name
    conversation = conversations.begin(workspace, None)[0]["id"]
    asked = conversations.ask(uuid.UUID(conversation), NewQuery("How long?"), settings())
    with transaction() as session:
        finish(session, asked.query_id, QueryStatus.SUCCEEDED)
    [body] = written()
    assert body["data"]["conversation_id"] == conversation


# A6
def test_the_answer_and_its_scores_are_told_and_no_text_of_documents() -> None:
    register(URL, "query.succeeded")
    with transaction() as session:
        query = make_query(session)
        complete(session, query)
        query.status, query.finished_at = QueryStatus.RUNNING, None
        query_id = query.id
    with transaction() as session:
        assert finish(session, query_id, QueryStatus.SUCCEEDED)
    [body] = written()
    assert body["data"]["answer"].startswith("A product can be returned")
    assert body["data"]["abstained"] is False
    assert body["data"]["scores"].keys() == {"confidence", "confidence_level", "accuracy_rate", "overall_score"}
    assert "Customers may return" not in json.dumps(body)


# A6
def test_a_long_answer_is_left_out() -> None:
    register(URL)
    with transaction() as session:
        query = make_query(session, question="왜?" * 4)
        answer = Answer(query_id=query.id, round=0, text="답" * 7_000, original_text="", abstained=False)
        answer.references, answer.removed_citations, answer.edits = [], [], []
        session.add(answer)
        session.flush()
        finish(session, query.id, QueryStatus.SUCCEEDED)
    [body] = written()
    assert (body["data"]["answer"], body["data"]["truncated"]) == (None, True)
    assert body["data"]["question"] == "왜?" * 4
    assert len(json.dumps(body, ensure_ascii=False).encode()) < MAX_BYTES


# A6
def test_each_endpoint_hears_what_its_filters_say_and_the_callback_everything() -> None:
    answers, _ = register(URL, "query.*")
    failures, _ = register(URL, "query.failed", "document.failed")
    everything, _ = register(URL)
    register(URL, "verification.*", "batch.completed")
    off, _ = register(URL)
    endpoints.change(off, EndpointChange(status="disabled"), LIMITS)
    end_query(callback_url="https://Example.com:8443/once?job=7")
    with reading() as session:
        [message] = session.scalars(select(WebhookMessage))
    assert message.id.startswith("msg_")
    assert "." not in message.id
    found = {delivery.endpoint_id: delivery for delivery in all_deliveries()}
    assert found.keys() == {answers, everything, None}
    assert failures not in found
    assert {delivery.message_id for delivery in found.values()} == {message.id}
    assert (found[None].url, found[None].destination) == (
        "https://Example.com:8443/once?job=7",
        "https://example.com:8443",
    )
    assert found[answers].destination == str(answers)


# A6
def test_of_a_cancelled_query_nobody_hears() -> None:
    register(URL)
    end_query(QueryStatus.CANCELLED, callback_url=URL)
    assert written() == []


# A6
def test_a_query_ends_once_and_is_announced_once() -> None:
    register(URL)
    query_id = end_query()
    with transaction() as session:
        assert not finish(session, query_id, QueryStatus.FAILED, error={"code": "x", "message": "late"})
    assert [body["type"] for body in written()] == ["query.succeeded"]


# A6
def test_without_the_commit_nothing_is_announced() -> None:
    register(URL)

    def end_and_break() -> None:
        with transaction() as session:
            query = make_query(session, callback_url=URL)
            finish(session, query.id, QueryStatus.SUCCEEDED)
            raise RuntimeError("the power failed")

    with pytest.raises(RuntimeError):
        end_and_break()
    assert written() == []
    assert all_deliveries() == []


def test_nothing_is_written_when_nobody_wants_it() -> None:
    register(URL, "document.*")
    end_query()
    assert written() == []


# A6, A8
def test_endpoints_of_another_tenant_hear_nothing() -> None:
    with as_other_tenant() as other:
        register(URL)
    end_query(callback_url=URL)
    assert [delivery.endpoint_id for delivery in all_deliveries()] == [None]
    with acting_for(other):
        assert written() == all_deliveries() == []


# A6
@pytest.mark.parametrize(
    ("content", "type_", "code"),
    [(b"Returns within 30 days.", "document.ready", None), (b" \n ", "document.failed", "document_empty")],
)
def test_the_end_of_an_ingestion_is_announced(content: bytes, type_: str, code: str | None) -> None:
    register(URL, "document.*")
    document_id = accept_document(NewDocument("policy.txt", content, "w"), settings()).document_id
    ingest(document_id, default_embedder(), IngestionSettings(), hold)
    [body] = written()
    assert body["type"] == type_
    data = body["data"]
    assert (data["id"], data["filename"], data["workspace"]) == (str(document_id), "policy.txt", "w")
    assert (data["error"]["code"] if data["error"] else None) == code
    assert data["links"] == {"self": f"/v1/documents/{document_id}"}
    assert "30 days" not in json.dumps(body)


# A6, N2
def test_others_announce_what_is_theirs() -> None:
    register(URL, "batch.*")
    batch_id = str(uuid.uuid4())
    with transaction() as session:
        announce(session, "batch.completed", {"id": batch_id, "total": 3}, callback_url="https://example.com/batch")
    [body] = written()
    assert (body["type"], body["data"]) == ("batch.completed", {"id": batch_id, "total": 3})
    assert {delivery.url for delivery in all_deliveries()} == {URL, "https://example.com/batch"}


# A6
@pytest.mark.parametrize(
    ("url", "error"),
    [("http://example.com/x", AddressForbidden), ("https://10.0.0.1/", AddressForbidden), ("ftp:x", WebhookUrlInvalid)],
)
def test_a_callback_that_cannot_be_called_is_refused_at_once(url: str, error: type[Exception]) -> None:
    with transaction() as session:
        make_query(session)
    with pytest.raises(error):
        submit_query(NewQuery("How long?", workspace="w", callback_url=url), settings())


# A6, N2
def test_a_batch_is_announced_once_when_its_last_item_has_ended() -> None:
    register(URL, "*")
    given = NewVerification(answer="It is so [1].", sources=[NewSource(text="It is so.")])
    batch_id = submit_batch([given, given], None, settings()).query_id
    with reading() as session:
        items = unfinished_items(session, batch_id, 2)
    for item in items:
        assert written() == []
        with transaction() as session:
            finish(session, item, QueryStatus.FAILED, error={"code": "gave_up", "message": "It stopped."})
    [body] = written()
    assert body["type"] == "batch.completed"
    here = f"/v1/verifications/batches/{batch_id}"
    assert body["data"] == {
        "id": str(batch_id),
        "total": 2,
        "succeeded": 0,
        "failed": 2,
        "cancelled": 0,
        "links": {"self": here, "results": f"{here}/results"},
    }


# A6, N2
def test_of_a_cancelled_batch_nobody_hears() -> None:
    register(URL, "*")
    given = NewVerification(answer="It is so [1].", sources=[NewSource(text="It is so.")])
    cancel_batch(submit_batch([given], None, settings()).query_id)
    assert written() == []
