"""The history at a glance: one row per question or verification with its results (S5.7, A4)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from config.settings import settings
from db.models import Query, QueryKind, Verification, VerificationSentence
from db.queries.runs.queries import get_query
from db.queries.runs.results import StoredVerification, add_verification
from db.session import transaction
from services.external.acceptance import submit_verification
from services.external.request import NewSource, NewVerification
from tests.api.problems import assert_problem
from tests.factories import make_query
from tests.stored import ANSWER, abstain, complete, fail, store_answered_query


def entries(http: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    return http.get("/v1/history", params=params).raise_for_status().json()["entries"]


def test_an_answer_is_told_with_its_verdicts_its_scores_and_its_cost(http: httpx.Client) -> None:  # S5.7
    with transaction() as session:
        query_id = str(store_answered_query(session, question="How long?").id)
    (row,) = entries(http)
    times = {name: datetime.fromisoformat(row.pop(name)) for name in ("created_at", "finished_at")}
    assert times["created_at"] <= times["finished_at"]
    assert row == {
        "id": query_id,
        "kind": "answer",
        "status": "succeeded",
        "stage": "succeeded",
        "workspace": "w",
        "question": "How long?",
        "custom_id": None,
        "excerpt": ANSWER,
        "provider": "offline",
        "error": None,
        "sentences": {"supported": 1, "no_claim": 1},
        "signal": {
            "word": "Copied from the documents",
            "level": "green",
            "reason": "About 9 of 10 answers that share so much with their question were right.",
            "probability": 0.93,
        },
        "confidence": 0.93,
        "confidence_level": "High",
        "accuracy_rate": 0.5,
        "is_grounded": True,
        "attempts": 0,
        "abstained": False,
        "removed_citations": 1,
        "llm_calls": 1,
        "cost_usd": 0.00025,
    }


def test_what_is_not_known_is_null(http: httpx.Client) -> None:  # N4
    with transaction() as session:
        make_query(session)
        fail(session, make_query(session))
        abstain(session, make_query(session))
    found = {row["status"]: row for row in entries(http)}
    abstained, failed, waiting = found["succeeded"], found["failed"], found["queued"]
    assert (abstained["abstained"], abstained["removed_citations"], abstained["confidence"]) == (True, 0, None)
    assert (abstained["signal"]["word"], failed["signal"], waiting["signal"]) == ("Not answered", None, None)
    listed = {row["status"]: row["signal"] for row in http.get("/v1/queries").json()["queries"]}
    assert listed == {"succeeded": abstained["signal"], "failed": None, "queued": None}
    assert (failed["status"], failed["error"]["code"], failed["abstained"]) == ("failed", "generation_failed", None)
    assert (waiting["sentences"], waiting["llm_calls"], waiting["cost_usd"]) == ({}, 0, 0)


def test_the_newest_round_counts_and_a_verification_as_it_was_given(http: httpx.Client) -> None:  # S2.3, N2
    given = NewVerification(answer="It is 30 days [1].", sources=[NewSource(text="30 days.")], workspace="w")
    verification_id = submit_verification(given, settings()).query_id
    with transaction() as session:
        query = make_query(session)
        for of, kind, state, confidence in (
            (query.id, "attempt", "unsupported", 0.2),
            (query.id, "published", "supported", 0.9),
            (verification_id, "attempt", "contradicted", 0.1),
            (verification_id, "published", "supported", 1.0),
        ):
            add_verification(session, verified(of, kind, state, confidence))
    (answer,) = entries(http)
    assert (answer["sentences"], answer["confidence"]) == ({"supported": 1}, 0.9)
    (checked,) = entries(http, kind="verification")
    assert (checked["sentences"], checked["confidence"]) == ({"contradicted": 1}, 0.1)
    assert (checked["id"], checked["kind"], checked["question"]) == (str(verification_id), "verification", None)


def verified(of: Any, kind: str, state: str, confidence: float) -> StoredVerification:
    nothing: dict[str, Any] = {name: [] for name in ("issues", "verified_sources", "unverified_claims")}
    verification = Verification(
        query_id=of, round=0, kind=kind, answer="It is.", confidence=0.5, calibrated_confidence=confidence,
        claims_checked=1, claims_supported=0, checks={}, **nothing,
    )  # fmt: skip
    sentence = VerificationSentence(position=0, start=0, end=6, text="It is.", status=state, reason="")
    return StoredVerification(verification, [sentence], [], [])


def test_filters_and_pages(http: httpx.Client) -> None:  # A3
    with transaction() as session:
        ids = [str(make_query(session, workspace=name).id) for name in ("w", "w", "other")]
        complete(session, get_query(session, make_query(session, workspace="w").id, QueryKind.ANSWER))
        session.execute(update(Query).where(Query.id == ids[0]).values(created_at=datetime(2026, 1, 1, tzinfo=UTC)))
    assert len(entries(http)) == 4
    assert [row["id"] for row in entries(http, workspace="other")] == [ids[2]]
    assert len(entries(http, status="succeeded")) == 1
    assert [row["id"] for row in entries(http, created_before="2026-01-02T00:00:00Z")] == [ids[0]]
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert entries(http, created_after=tomorrow) == []
    seen, cursor = list[str](), None
    while len(seen) < 10:
        page = http.get("/v1/history", params={"limit": 3, **({"cursor": cursor} if cursor else {})}).json()
        seen += [row["id"] for row in page["entries"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 4


def test_a_part_of_the_question_finds_it_and_the_total_counts_all_pages(http: httpx.Client) -> None:  # A3
    with transaction() as session:
        for question in (
            "How long is the warranty?",
            "보증 기간은 얼마인가요?",
            "What does 100% mean?",
            "What is 1000?",
        ):
            make_query(session, question=question)
    found = {
        text: [row["question"] for row in entries(http, text=text)] for text in ("WARRANTY", "보증", "100%", "_", "no")
    }
    assert found == {
        "WARRANTY": ["How long is the warranty?"],
        "보증": ["보증 기간은 얼마인가요?"],
        "100%": ["What does 100% mean?"],
        "_": [],
        "no": [],
    }
    assert http.get("/v1/history", params={"limit": 1}).json()["total"] == 4
    assert http.get("/v1/history", params={"limit": 1, "text": "what"}).json()["total"] == 2
    given = NewVerification(answer="It is.", sources=[NewSource(text="It is.")], workspace="w", custom_id="Ticket-77")
    submit_verification(given, settings())
    assert len(entries(http, kind="verification", text="ticket-7")) == 1


@pytest.mark.parametrize(
    "params",
    [
        {"text": ""},
        {"kind": "both"},
        {"status": "well"},
        {"limit": 201},
        {"created_after": "2026-01-01"},
        {"workspace": ""},
    ],
)
def test_a_filter_that_cannot_be_used_is_refused(http: httpx.Client, params: dict[str, Any]) -> None:  # A8
    assert_problem(http.get("/v1/history", params=params), 422, "request_invalid")


def test_a_cursor_of_somebody_is_refused(http: httpx.Client) -> None:  # A8
    assert_problem(http.get("/v1/history", params={"cursor": "x"}), 422, "cursor_invalid")
