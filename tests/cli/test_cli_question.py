"""The command line's output for a question that is refused, or answered in part."""

import io
from typing import Any, cast

import pytest
from rich.console import Console

from citewell.cli.show.answer import answer_view
from citewell.cli.show.verification import verification_view
from citewell_client.types import Query, Scores

_SCORES: dict[str, Any] = {
    "overall_score": 0.9,
    "answer_source_alignment": 0.9,
    "citation_coverage": 0.9,
    "fact_verification_score": 0.9,
    "issues": [],
    "confidence": 0.9,
    "confidence_level": "High",
    "claims_checked": 1,
    "claims_supported": 1,
    "sentences": [],
}
_QUERY: dict[str, Any] = {
    "id": "1",
    "question": "How many kilograms does the Omega machine weigh?",
    "answer": "I don't know based on the documents.",
    "abstained": True,
    "abstain_reason": "No passage names it.",
    "references": [],
    "citations": [],
    "removed_citations": [],
    "verification": None,
    "usage": {"llm_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "cost_usd": 0.0},
    "timings": {},
    "provider": "offline",
    "mode": "balanced",
    "preset": "standard",
    "restated_question": None,
    "signal": None,
    "mentions": [],
    "conflicts": [],
}


def shown(view: object) -> str:
    console = Console(file=io.StringIO(), width=200)
    console.print(view)
    return cast("io.StringIO", console.file).getvalue()


def verdict(**changed: object) -> dict[str, Any]:
    told: dict[str, Any] = {
        "relevant": "yes",
        "complete": True,
        "open_parts": [],
        "missing_names": [],
        "probability": 0.9,
        "reason": "The answer is to the point.",
    }
    return {**_SCORES, "question": {**told, **changed}}


def test_what_an_answer_leaves_open_is_one_line() -> None:  # V8
    told = verdict(relevant="partly", complete=False, open_parts=["when did it close?"], reason="A part is left open.")
    assert "Left open: when did it close? (A part is left open.)" in shown(verification_view(cast("Scores", told)))


def test_nothing_is_said_of_an_answer_to_the_point() -> None:  # V8
    for told in (verdict(), _SCORES):
        text = shown(verification_view(cast("Scores", told)))
        assert "Left open" not in text
        assert "to the point" not in text


@pytest.mark.parametrize(
    ("provider", "heading"), [("groq", "These passages come closest"), ("offline", "no model read them")]
)
def test_a_refusal_shows_the_closest_passages_and_whether_a_model_read_them(provider: str, heading: str) -> None:  # V8
    mentions = [{"document": "machines.md", "page": 3, "quote": "The Theta machine weighs 18 kilograms."}]
    text = shown(answer_view(cast("Query", {**_QUERY, "provider": provider, "mentions": mentions})))
    assert heading in text
    assert "“The Theta machine weighs 18 kilograms.”" in text
    assert "machines.md" in text
    assert heading not in shown(answer_view(cast("Query", {**_QUERY, "provider": provider})))


@pytest.mark.parametrize(
    ("level", "word", "probability"),
    [
        ("green", "✓ Quoted exactly", 0.88),
        ("amber", "◐ Quoted exactly; may not be what you asked", 0.49),
        ("red", "✗ Not proven", None),
        ("grey", "· Not checked", None),
    ],
)
def test_an_answer_shows_its_signal_and_no_level_of_the_seeds(
    level: str, word: str, probability: float | None
) -> None:  # V10
    signal = {"word": word[2:], "level": level, "reason": "So it is.", "probability": probability}
    scores = {**_SCORES, "confidence": 0.49, "confidence_level": "Very Low"}
    query = {**_QUERY, "abstained": False, "answer": "It weighs 18 kg.", "verification": scores, "signal": signal}
    text = shown(answer_view(cast("Query", query)))
    assert word in text
    assert "No language model was asked" in text
    assert ("Probability" in text) is (probability is not None)
    for other in ("Very Low", "overall", "model calls", "$", "1 of 1", *(["0.49"] if level != "amber" else [])):
        assert other not in text
    asked = {**query, "provider": "groq"}
    assert "model calls: 0 · 0 tokens · $0.0000" in shown(answer_view(cast("Query", asked)))


def test_a_refusal_is_told_once_and_never_as_proven() -> None:  # V10
    signal = {"word": "Not answered", "level": "grey", "reason": "No answer was given.", "probability": None}
    text = shown(answer_view(cast("Query", {**_QUERY, "verification": _SCORES, "signal": signal})))
    assert "· Not answered" in text
    assert text.count("No passage names it.") == 1
    assert "✓" not in text
