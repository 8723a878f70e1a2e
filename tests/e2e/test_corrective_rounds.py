"""An answer without support is searched for, written and checked again, at most as often as allowed; the best is kept.

The simulated model writes wrong figures: the first time, or every time.
"""

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
FEES = "Restocking fees. A restocking fee of 15 percent is deducted for electronics that have been opened."
QUESTION = "Within how many days must returns be made?"


@pytest.fixture(scope="module")
def workspace(groq_stack: Stack) -> str:
    groq_stack.add_text("policy.md", POLICY, workspace="rounds")
    groq_stack.add_text("fees.md", FEES, workspace="rounds")
    return "rounds"


def lie(provider: GroqSimulator, times: int | None) -> None:
    provider.fail(Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=times))


def attempts(groq: Stack, query: dict[str, Any]) -> list[tuple[str, int]]:
    return [(each["kind"], each["round"]) for each in groq.history(query["id"])["verifications"]]


def test_an_answer_above_the_threshold_gets_no_further_round(groq: Stack, workspace: str) -> None:  # S2.3
    query = groq.ask(QUESTION, workspace=workspace)
    verification = query["verification"]
    assert (verification["crag_attempts"], verification["additional_context_used"]) == (0, False)
    assert verification["claims_score"] >= 0.7
    assert attempts(groq, query) == [("published", 0)]


def test_a_wrong_answer_is_corrected_and_the_better_attempt_is_kept(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S2.3, S2.4
    lie(provider, times=1)
    query = groq.ask(QUESTION, workspace=workspace, verification={"show_claims": True})
    verification = query["verification"]
    assert "30 days" in query["answer"]
    assert verification["crag_attempts"] == verification["attempts"] == 1
    assert verification["is_grounded"] is True
    assert {claim["status"] for claim in verification["claims"]} == {"SUPPORTED"}
    assert all(claim["evidence"] in POLICY for claim in verification["claims"])
    first, second, published = groq.history(query["id"])["verifications"]
    assert (first["kind"], second["kind"], published["kind"]) == ("attempt", "attempt", "published")
    assert first["claims_score"] < 0.7 <= second["claims_score"]
    assert published["round"] == 1
    calls = [call["prompt"] for call in groq.history(query["id"])["model_calls"]]
    assert calls.count("plan_queries") == 1
    assert calls.count("regenerate_answer") == 1
    events = [event["type"] for event in groq.history(query["id"])["events"]]
    assert events.count("corrective_round") == 1


@pytest.mark.parametrize("allowed", [0, 1, 2])
def test_rounds_end_at_the_limit_and_each_is_in_the_history(
    groq: Stack, provider: GroqSimulator, workspace: str, allowed: int
) -> None:  # S2.3
    lie(provider, times=None)
    query = groq.ask(QUESTION, workspace=workspace, verification={"max_crag_attempts": allowed, "repair": "citations"})
    assert query["status"] == "succeeded"
    assert query["verification"]["crag_attempts"] == allowed
    kinds = attempts(groq, query)
    assert [each for each in kinds if each[0] == "attempt"] == [
        ("attempt", n) for n in range(allowed + 1 if allowed else 0)
    ]
    assert kinds[-1][0] == "published"
    assert not any(each["status"] == "supported" for each in query["verification"]["sentences"])


def test_a_threshold_of_zero_asks_for_no_correction(groq: Stack, provider: GroqSimulator, workspace: str) -> None:
    lie(provider, times=None)
    query = groq.ask(QUESTION, workspace=workspace, verification={"confidence_threshold": 0.0})
    assert query["verification"]["crag_attempts"] == 0


def test_a_round_whose_model_fails_leaves_the_earlier_answer(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S2.3, N4
    provider.fail(
        Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=1),
        Fault(kind=FaultKind.FORBIDDEN, match="An earlier answer made claims", times=None),
    )
    query = groq.ask(QUESTION, workspace=workspace, verification={"repair": "citations"})
    assert query["status"] == "succeeded"
    assert query["verification"]["crag_attempts"] == 1
    assert not any(each["status"] == "supported" for each in query["verification"]["sentences"])


def test_a_wrong_figure_is_rewritten_from_the_source_and_checked_again(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # N5
    lie(provider, times=None)
    query = groq.ask(QUESTION, workspace=workspace, verification={"max_crag_attempts": 0})
    edit = next(edit for edit in query["edits"] if edit["kind"] == "rewritten")
    assert edit["before"] in query["original_answer"].replace("[†1]", "").replace("[†2]", "")
    assert "30 days" in edit["after"]
    assert "30 days" in query["answer"]
    verification = query["verification"]
    assert [each["status"] for each in verification["sentences"] if "30 days" in each["text"]] == ["supported"]
    assert verification["draft_claims_score"] < verification["claims_score"]
    for sentence in verification["sentences"]:
        assert query["answer"][sentence["start"] : sentence["end"]] == sentence["text"]
    for citation in query["citations"]:
        assert citation["text_span"] in POLICY + FEES


def test_a_verifier_that_believes_everything_is_overruled_by_the_source(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S4.4, N4
    lie(provider, times=None)
    provider.fail(Fault(kind=FaultKind.LYING, match="\ncheck_statement\n", times=None))
    query = groq.ask(QUESTION, workspace=workspace, verification={"max_crag_attempts": 0, "repair": "citations"})
    checks = groq.history(query["id"])["verifications"][-1]["citation_checks"]
    wrong = [check for check in checks if "30" not in check["statement"]]
    assert wrong
    assert {check["status"] for check in wrong} == {"inaccurate"}
    assert {check["decided_by"] for check in wrong} == {"evidence"}
