"""Whatever the model's server does, a query ends, nothing is called supported, and a reason is given."""

from typing import Any

import pytest

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

POLICY = (
    "Refund policy. All returns must be made within 30 days of the purchase date. A receipt is required for every "
    "return. Refunds are paid to the original payment method within 10 business days."
)
QUESTION = "Within how many days must returns be made?"
CHECKS = ("check_statement", "check_alignment")
ALWAYS = [
    FaultKind.SERVER_ERROR,
    FaultKind.RATE_LIMITED,
    FaultKind.FORBIDDEN,
    FaultKind.HANG,
    FaultKind.HTML,
    FaultKind.BAD_JSON,
    FaultKind.NO_CHOICES,
    FaultKind.LENGTH,
    FaultKind.RESET,
    FaultKind.CUT,
]


@pytest.fixture(scope="module")
def workspace(groq_stack: Stack) -> str:
    groq_stack.add_text("policy.md", POLICY, workspace="faults")
    return "faults"


def test_with_every_call_failing_every_query_ends_with_a_reason(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # N4, S1.6
    # One kind after another: a model that is away for one question is away for all.
    asked: dict[FaultKind, str] = {}
    for kind in ALWAYS:
        provider.faults.faults[:] = [Fault(kind=kind, times=None)]
        # The step that writes the answer waits until the deadline; a call that hangs ends after 6 s.
        deadline_s = 10 if kind is FaultKind.HANG else 6
        asked[kind] = groq.submit(QUESTION, workspace=workspace, deadline_s=deadline_s)
        groq.wait(asked[kind])
    for kind, query_id in asked.items():
        query = groq.wait(query_id)
        assert query["status"] in {"succeeded", "failed"}, kind
        verification: dict[str, Any] = query["verification"] or {"sentences": []}
        assert [s for s in verification["sentences"] if s["status"] == "supported"] == [], kind
        reasons = [call["error"] for call in groq.history(query_id)["model_calls"]]
        # No call is made of a model that is left alone after the questions before; the query says why.
        assert reasons or query["status"] == "failed", kind
        assert all(reasons), kind
        if query["status"] == "failed":
            assert "gpt-oss" in query["error"]["message"], kind


@pytest.mark.parametrize("kind", [FaultKind.SERVER_ERROR, FaultKind.WRONG_SCHEMA, FaultKind.LENGTH])
def test_checks_that_fail_leave_an_answer_that_is_not_checked(
    groq: Stack, provider: GroqSimulator, workspace: str, kind: FaultKind
) -> None:  # N4, S1.2, S1.4
    provider.fail(*(Fault(kind=kind, match=f"\n{call}\n", times=None) for call in CHECKS))
    query = groq.ask(QUESTION, workspace=workspace)
    verification = query["verification"]
    assert query["status"] == "succeeded"
    assert "30 days" in query["answer"]
    assert {s["status"] for s in verification["sentences"]} == {"not_checked"}
    assert verification["checks"]["check_alignment"]["status"] == "fallback"
    assert verification["checks"]["check_facts"]["status"] == "not_checked"
    assert verification["fact_verification_score"] == 0.5
    assert verification["is_grounded"] is False
    assert {c["status"] for c in query["citations"]} == {"uncertain"}


def test_an_unreadable_relevance_score_keeps_the_chunk_and_is_reported(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S3.1
    provider.fail(Fault(kind=FaultKind.WRONG_SCHEMA, match="\nrerank_chunk\n", times=None))
    query = groq.ask(QUESTION, workspace=workspace)
    assert query["status"] == "succeeded"
    assert [source["rerank_score"] for source in query["sources"]] == [None]
    assert any("could not be scored" in issue for issue in query["verification"]["issues"])


def test_a_passing_fault_is_retried_and_both_calls_are_recorded(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # A4
    provider.fail(Fault(kind=FaultKind.SERVER_ERROR, match="\nrerank_chunk\n", times=1))
    query = groq.ask(QUESTION, workspace=workspace)
    scored = [c for c in groq.history(query["id"])["model_calls"] if c["prompt"] == "rerank_chunk"]
    assert [(call["attempt"], call["error"] is None) for call in scored] == [(1, False), (2, True)]


def test_invented_quotes_are_never_stored(groq: Stack, provider: GroqSimulator, workspace: str) -> None:  # N3
    provider.fail(Fault(kind=FaultKind.LYING, match="\nextract_citations\n", times=None))
    query = groq.ask(QUESTION, workspace=workspace)
    assert query["citations"]
    for citation in query["citations"]:
        assert citation["text_span"] in POLICY
