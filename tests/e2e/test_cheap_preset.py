"""Preset `cheap` through the simulated provider: the same answer and verdicts, with a fraction of the calls."""

from collections import Counter
from typing import Any

import pytest

from tests.e2e.corpus import assert_exact
from tests.e2e.stack import Stack
from tests.simulators.groq.ledger import totals
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

WORKSPACE = "cheap"
TEXTS = {
    "returns.md": "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for "
    "returns.",
    "refunds.md": "Refunds policy. Refunds are paid to the original card within 10 business days. Refunds for gift "
    "cards are not paid.",
    "shipping.md": "Shipping policy. Shipping takes five business days. Shipping is free above forty euros.",
    "warranty.md": "Warranty policy. Every laptop has a warranty of 24 months.",
}
QUESTION = "Within how many days are returns accepted, how are refunds paid, and how long does shipping take?"
SAME = ("answer", "original_answer", "references", "citations", "removed_citations", "edits")


@pytest.fixture(scope="module")
def workspace(groq_stack: Stack) -> str:
    for name, text in TEXTS.items():
        groq_stack.add_text(name, text, workspace=WORKSPACE)
    return WORKSPACE


def prompts(history: dict[str, Any]) -> Counter[str]:
    return Counter(call["prompt"] for call in history["model_calls"])


def test_a_cheap_answer_is_the_standard_one_for_fewer_calls(
    groq: Stack, provider: GroqSimulator, workspace: str
) -> None:  # S3.1, S5.4, A4
    standard = groq.ask(QUESTION, workspace=workspace)
    provider.reset()
    cheap = groq.ask(QUESTION, workspace=workspace, preset="cheap")
    assert (standard["preset"], cheap["preset"]) == ("standard", "cheap")
    assert cheap["status"] == "succeeded"
    assert len(cheap["verification"]["sentences"]) >= 3
    assert {name: cheap[name] for name in SAME} == {name: standard[name] for name in SAME}
    assert_exact(groq, cheap)
    statuses = [[s["status"] for s in query["verification"]["sentences"]] for query in (standard, cheap)]
    assert statuses[0] == statuses[1]
    many, few = (prompts(groq.history(query["id"])) for query in (standard, cheap))
    assert (few["rerank_chunks"], few["check_statements"]) == (1, 1)
    assert (many["rerank_chunk"], few["rerank_chunk"], few["check_statement"]) == (4, 0, 0)
    assert many["check_statement"] >= 3
    usage = cheap["usage"]
    assert usage["llm_calls"] == sum(few.values()) == len(provider.ledger.entries)
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == totals(provider.ledger.entries)[:2]
    assert usage["llm_calls"] < standard["usage"]["llm_calls"]
    assert usage["cost_usd"] < standard["usage"]["cost_usd"]


def test_a_given_answer_can_be_verified_with_shared_calls(groq: Stack, provider: GroqSimulator) -> None:  # N2
    body = {
        "answer": "Returns are accepted within 30 days of the purchase date [1]. Shipping takes nine business days "
        "[2]. A receipt is required for returns [1].",
        "sources": [{"text": TEXTS["returns.md"]}, {"text": TEXTS["shipping.md"]}],
        "preset": "cheap",
        "checks": ["citations"],
        "repair": "off",
    }
    accepted = groq.http.post("/v1/verifications", json=body, params={"wait": 60}).raise_for_status().json()
    path = f"/v1/verifications/{accepted['id']}"
    result = groq.http.get(path, params={"wait": 60}).raise_for_status().json()
    assert (result["status"], result["preset"]) == ("succeeded", "cheap")
    assert [sentence["status"] for sentence in result["sentences"]] == ["supported", "contradicted", "supported"]
    assert [entry.kind for entry in provider.ledger.entries] == ["check_statements"]
