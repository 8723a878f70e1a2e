"""Who may see and decide on an answer that is held back: nobody without a key's scope `review` (issue 44)."""

import uuid
from typing import Any

import httpx
import pytest

from db.models import QueryStatus
from db.queries.runs.queries import get_query
from db.queries.verifications.feedback import add_feedback
from db.session import transaction
from domain.keys import Scope
from tests.keys import bearer, make_key
from tests.stored import ANSWER


@pytest.fixture
def entry(query_id: str) -> str:
    """The id of the entry in the queue; the answer to the question is held back."""
    with transaction() as session:
        query = get_query(session, uuid.UUID(query_id))
        query.status, query.review = QueryStatus.HELD, "held"
        query.options = {**query.options, "review": {"confidence_below": 1.0, "hold": True}}
        session.flush()
        return str(add_feedback(session, query.id, place="answer", excerpt=ANSWER, reasons=["confidence"]).id)


def test_who_asks_neither_sees_nor_decides(http: httpx.Client, query_id: str, entry: str) -> None:  # A8
    asker = bearer(make_key(Scope.READ, Scope.ASK))
    decision = {"decision": "release"}
    told = [
        http.get(f"/v1/queries/{query_id}", headers=asker),
        http.get(f"/v1/queries/{query_id}/events", headers=asker),
        http.get("/v1/queries", headers=asker),
        http.get("/v1/feedback", headers=asker),
        http.get(f"/v1/feedback/{entry}", headers=asker),
        http.post("/v1/feedback", json={"query_id": query_id, "rating": "down"}, headers=asker),
    ]
    for response in told:
        assert (response.is_success, ANSWER in response.text) == (True, False), response.url
    refused = [
        http.get(f"/v1/feedback/{entry}/answer", headers=asker),
        http.patch(f"/v1/feedback/{entry}", json=decision, headers=asker),
    ]
    assert [(response.status_code, response.json()["code"]) for response in refused] == [(403, "scope_missing")] * 2
    reviewer = bearer(make_key(Scope.READ, Scope.ASK, Scope.REVIEW))
    shown: dict[str, Any] = http.get(f"/v1/feedback/{entry}/answer", headers=reviewer).raise_for_status().json()
    assert (shown["answer"], shown["status"]) == (ANSWER, "held")
