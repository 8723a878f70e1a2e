"""Retrying failed queries and failed documents."""

import uuid
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from config.settings import settings
from db.models import Query, QueryStatus
from db.queries.runs import parking, queries, steps
from db.session import reading, transaction
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from services.finishing.completion import finish
from tests.api.problems import assert_problem
from tests.factories import finish_items, make_document, make_query
from tests.stored import store_answered_query

WRITTEN: dict[str, dict[str, Any]] = {
    "retrieve": {"status": "found", "candidates": [[1, 0.5]]},
    "select": {"status": "selected", "selected": [1], "ranked": [1], "sources": [], "issues": []},
    "generate": {"status": "complete", "text": "It is so [†1].", "model": "m"},
    "check_coverage": {"status": "checked", "verdict": {"score": 1.0}},
    "check_answerability": {"status": "not_checked", "verdict": None, "reason": "the model was away"},
    "assess": {"status": "assessed"},
}


def ended(status: QueryStatus | None, **over: Any) -> uuid.UUID:
    with transaction() as session:
        query = make_query(session, question="Why?", provider=settings().provider, **over)
        for step, value in WRITTEN.items():
            attempts = steps.claim_items(session, str(query.id), 0, step, [""], worker="w", lease_s=10)
            assert finish_items(session, query.id, 0, step, {"": value}, attempts)
        error = {"code": "gave_up", "message": "It stopped."} if status is QueryStatus.FAILED else None
        if status is not None:
            finish(session, query.id, status, error=error)
        return query.id


def outcomes(query_id: uuid.UUID | str) -> dict[tuple[str, str], dict[str, Any]]:
    with reading() as session:
        return steps.list_outcomes(session, uuid.UUID(str(query_id))).get(0, {})


@pytest.mark.parametrize("status", [QueryStatus.FAILED, QueryStatus.CANCELLED])
def test_what_ended_badly_is_asked_again_with_what_was_finished(http: httpx.Client, status: QueryStatus) -> None:  # A5
    old = ended(status, callback_url="https://example.com/hook")
    accepted = http.post(f"/v1/queries/{old}/replay")
    assert accepted.status_code == 202
    new = accepted.json()["id"]
    assert accepted.headers["location"] == f"/v1/queries/{new}"
    told = http.get(f"/v1/queries/{new}").json()
    assert (told["replay_of"], told["question"], told["status"]) == (str(old), "Why?", "queued")
    assert outcomes(new) == {(step, ""): WRITTEN[step] for step in ("retrieve", "select", "generate", "check_coverage")}
    with reading() as session:
        before, after = session.get_one(Query, old), session.get_one(Query, uuid.UUID(new))
        assert (after.options, after.callback_url, after.workspace_id) == (
            before.options,
            before.callback_url,
            before.workspace_id,
        )
    # The old one stays what it is.
    assert http.get(f"/v1/queries/{old}").json()["status"] == status
    assert http.get(f"/v1/queries/{old}").json()["replay_of"] is None


def test_what_another_provider_said_is_not_taken_over(http: httpx.Client) -> None:  # A5
    old = ended(QueryStatus.FAILED)
    with transaction() as session:
        queries.get_query(session, old).provider = "groq"
    assert outcomes(http.post(f"/v1/queries/{old}/replay").json()["id"]) == {}


def test_only_what_ended_badly_is_asked_again(http: httpx.Client) -> None:  # A5
    with transaction() as session:
        answered = store_answered_query(session).id
    for query_id in (answered, ended(None)):
        assert_problem(http.post(f"/v1/queries/{query_id}/replay"), 409, "not_replayable")
    assert_problem(http.post(f"/v1/queries/{uuid.uuid4()}/replay"), 404, "query_not_found")


def test_an_answer_with_a_parked_step_is_asked_again(http: httpx.Client) -> None:  # A5
    query_id = ended(None)
    with transaction() as session:
        steps.claim_items(session, str(query_id), 0, "check_alignment", [""], worker="w", lease_s=10)
        parked = {"status": "not_checked", "verdict": None, "reason": "parked"}
        parking.park_items(session, str(query_id), 0, "check_alignment", [""], "parked", parked)
        finish(session, query_id, QueryStatus.SUCCEEDED)
    history = http.get(f"/v1/queries/{query_id}/verifications").json()
    assert [(each["step"], each["reason"]) for each in history["parked"]] == [("check_alignment", "parked")]
    new = http.post(f"/v1/queries/{query_id}/replay").json()["id"]
    assert ("check_alignment", "") not in outcomes(new)
    assert ("generate", "") in outcomes(new)


def test_one_key_asks_again_once(http: httpx.Client) -> None:  # A3
    old, headers = ended(QueryStatus.FAILED), {"Idempotency-Key": "again"}
    answers = [http.post(f"/v1/queries/{old}/replay", headers=headers) for _ in range(2)]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert answers[1].headers["idempotent-replayed"] == "true"


def test_a_verification_is_made_again_from_its_stored_sources(http: httpx.Client) -> None:  # A5, N2
    sources = [NewSource(text="It is so.", id="a"), NewSource(text="It is not.", title="b")]
    new = NewVerification(answer="It is so [1].", sources=sources, checks=["citations"], custom_id="mine")
    old = submit_verification(new, settings()).query_id
    assert_problem(http.post(f"/v1/verifications/{old}/replay"), 409, "not_replayable")
    assert_problem(http.post(f"/v1/queries/{old}/replay"), 404, "query_not_found")
    with transaction() as session:
        finish(session, old, QueryStatus.FAILED, error={"code": "gave_up", "message": "It stopped."})
    accepted = http.post(f"/v1/verifications/{old}/replay").json()
    assert accepted["custom_id"] == "mine"
    told = http.get(f"/v1/verifications/{accepted['id']}").json()
    assert (told["replay_of"], told["answer"], told["status"]) == (str(old), "It is so [1].", "queued")
    assert [each["title"] for each in told["sources"]] == ["Source 1", "b"]
    before, after = outcomes(old), outcomes(accepted["id"])
    assert before.keys() == after.keys()
    assert not set(before["select", ""]["selected"]) & set(after["select", ""]["selected"])
    with reading() as session:
        rows = session.execute(
            text("SELECT id, text FROM given_sources WHERE query_id = :q ORDER BY number"), {"q": accepted["id"]}
        ).all()
    assert [row.id for row in rows] == after["select", ""]["selected"]
    assert [row.text for row in rows] == ["It is so.", "It is not."]


def test_a_document_that_failed_is_tried_once_more(http: httpx.Client) -> None:  # A5
    with transaction() as session:
        failed = make_document(session, "words", status="failed", error={"code": "x", "message": "y"}).id
        ready = make_document(session, "words", number=1).id
    tried = http.post(f"/v1/documents/{failed}/retry")
    assert (tried.status_code, tried.json()["status"], tried.json()["error"]) == (202, "queued", None)
    assert_problem(http.post(f"/v1/documents/{ready}/retry"), 409, "document_not_failed")


@pytest.mark.parametrize("limits", [{"deadline_s": 0}, {"deadline_s": 90_000}, {"max_cost_usd": 0}])
def test_limits_that_nothing_can_keep_are_refused(http: httpx.Client, limits: dict[str, float]) -> None:  # A7
    assert http.post("/v1/queries", json={"question": "Why?", **limits}).status_code == 422
    sent = {"answer": "So.", "sources": [{"text": "So."}], **limits}
    assert http.post("/v1/verifications", json=sent).status_code == 422


def test_the_limits_of_a_request_are_kept_with_it(http: httpx.Client) -> None:  # A7
    with transaction() as session:
        make_query(session, workspace="default")
    limits = {"deadline_s": 12.5, "max_cost_usd": 0.25}
    sent = {"answer": "So.", "sources": [{"text": "So."}], **limits}
    for path, body in (("/v1/queries", {"question": "Why?", **limits}), ("/v1/verifications", sent)):
        query_id = http.post(path, json=body).json()["id"]
        with reading() as session:
            options = session.get_one(Query, uuid.UUID(query_id)).options
        assert {name: options[name] for name in limits} == limits
