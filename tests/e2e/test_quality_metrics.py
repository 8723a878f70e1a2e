"""The seeds' metrics from counters agree with those from the history (S2.7, S3.7)."""

import pytest

from tests.e2e.observed import observed_stack
from tests.e2e.test_observability import POLICY, QUESTION
from tests.simulators.groq.faults import Fault, FaultKind
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("quality")]

QUESTIONS = (QUESTION, "Is a receipt required for a return?", "Who won the cup in 1974?", "How are refunds paid?")
PROMISED = {
    "hallucination_rate",
    "confidence_accuracy",
    "crag_trigger_rate",
    "rerank_score_gain",
    "selection_rate",
    "answerability_rejection_rate",
    "citation_accuracy",
    "citation_coverage",
}


# S2.7, S3.7
def test_what_is_counted_is_what_the_history_says() -> None:
    with observed_stack() as observed:
        http = observed.stack.http
        observed.stack.add_text("policy.md", POLICY, workspace="quality")
        asked: list[str] = []
        for number, question in enumerate(QUESTIONS):
            if number == len(QUESTIONS) - 1:
                observed.provider.fail(Fault(kind=FaultKind.LYING, times=None))
            asked.append(observed.stack.ask(question, workspace="quality")["id"])
        labels = [{"query_id": query_id, "grounded": number < 2} for number, query_id in enumerate(asked)]
        rated = http.post("/v1/quality", json={"labels": labels}).raise_for_status().json()["metrics"]
        wanted = {
            name: metric["value"]
            for name, metric in rated.items()
            if metric["value"] is not None and name in {*PROMISED, "crag_success_rate"}
        }
        assert set(wanted) >= PROMISED, rated
        until(
            lambda: {name: observed.value("citewell_quality", metric=name) for name in wanted} == pytest.approx(wanted),
            seconds=60,
        )
