"""One answer has one confidence, wherever it is shown, and none once the answer is replaced (V9)."""

import json
from typing import Any

import pytest
from sqlalchemy import select

from api.adapters.completions import completion
from api.adapters.seeds import chat_reply
from api.schemas.questions.sharing import SharedAnswer
from citewell.mcp.shapes import Scored, SignalFound
from citewell_verify.verdicts.confidence import Calibration, calibrations
from citewell_verify.verification import sentences
from db.models import QueryKind, WebhookMessage
from db.queries.runs.queries import QueryFilter
from db.session import reading
from domain.quality.summary_line import verifier_note
from services.core.context import Outcome
from services.queries.overview import read_overview, read_queries
from services.queries.results import read_history, read_query
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story, checked, no, ruling, with_groq, with_offline, yes
from tests.webhooks import register

pytestmark = pytest.mark.usefixtures("database")

POLICY = "Returns are accepted within 30 days of purchase. A receipt is required for every return."
FIRST, SECOND = "Returns are accepted within 30 days of purchase. [†1]", "A receipt is required for every return. [†1]"


def told(text: str, *verdicts: Any, calibration: Calibration | None = None, question: str = "") -> Story:
    """A query whose draft has these verdicts, ready to be concluded; a webhook is registered for its end.

    It asks nothing, so that its confidence is that of its statements alone.
    """
    register("https://example.com/hooks", "query.*")
    story = Story(question, play=with_offline)
    story.calibration = calibration
    key = story.add("policy.md", POLICY)
    return story.selected(key).drafted(text, *verdicts)


def signals_everywhere(story: Story) -> dict[str, dict[str, Any]]:
    """The signal of the story's answer, by the place that shows it."""
    query = read_query(story.query_id)
    wanted = QueryFilter(workspace=story.workspace, kind=QueryKind.ANSWER)
    with reading() as session:
        (payload,) = session.scalars(select(WebhookMessage.payload).where(WebhookMessage.query_id == story.query_id))
    return {
        "result": query["signal"],
        "list": read_queries(wanted, after=None, limit=5)[0]["signal"],
        "history": read_overview(wanted, after=None, limit=5)[0]["signal"],
        "webhook": json.loads(payload)["data"]["signal"],
        "chat completion": completion(query, "w", "full")["citewell"]["signal"],
        "mcp": SignalFound.model_validate(query["signal"]).model_dump(),
        "shared": SharedAnswer.model_validate({**query["verification"], **query, "notes": []}).model_dump()["signal"],
    }


def shown_everywhere(story: Story) -> dict[str, float | None]:
    """The confidence of the story's answer, by the place that shows it."""
    query = read_query(story.query_id)
    verification = query["verification"]
    (entry,) = read_overview(QueryFilter(workspace=story.workspace, kind=QueryKind.ANSWER), after=None, limit=5)
    attempt = next(one for one in read_history(story.query_id)["verifications"] if one["kind"] == "published")
    with reading() as session:
        (payload,) = session.scalars(select(WebhookMessage.payload).where(WebhookMessage.query_id == story.query_id))
    return {
        "result": verification["confidence"],
        "list": entry["confidence"],
        "history": attempt["confidence"],
        "webhook": json.loads(payload)["data"]["scores"]["confidence"],
        "chat completion": completion(query, "w", "full")["citewell"]["verification"]["confidence"],
        "mcp": Scored.model_validate(verification).confidence,
    }


def test_every_interface_shows_the_same_number() -> None:  # V9
    story = told(f"{FIRST} {SECOND}", yes(confidence=0.97), yes(confidence=0.84), calibration=calibrations()["offline"])
    verification = story.conclude()["verification"]
    assert (verification["confidence"], verification["confidence_level"]) == (0.84, "Medium")
    assert set(shown_everywhere(story).values()) == {0.84}


@pytest.mark.parametrize(
    ("verdicts", "question", "word"),
    [
        ([yes(confidence=0.97), yes(confidence=0.97)], "", "Quoted exactly"),
        ([yes(confidence=0.97), None], "", "Not checked"),
        ([yes(confidence=0.97), yes(confidence=0.6)], "", "Partly supported"),
        (
            [yes(confidence=0.97), yes(confidence=0.97)],
            "Who wrote the policy?",
            "Quoted exactly; may not be what you asked",
        ),
    ],
)
def test_every_interface_shows_the_same_signal(verdicts: list[Any], question: str, word: str) -> None:  # V10
    story = told(f"{FIRST} {SECOND}", *verdicts, calibration=calibrations()["offline"], question=question)
    story.conclude()
    shown = signals_everywhere(story)
    assert shown["result"]["word"] == word
    assert list(shown.values()) == [shown["result"]] * len(shown)


def test_the_seeds_block_keeps_its_own_formula() -> None:  # S2.2
    query = told(f"{FIRST} {SECOND}", yes(confidence=0.97), yes(confidence=0.84)).conclude()
    assert chat_reply(query)["verification"]["confidence"] == query["verification"]["claims_score"] == 1.0
    assert query["verification"]["confidence"] == 0.84


def test_a_replaced_answer_takes_its_confidence_along() -> None:  # V9
    story = told(FIRST, yes(), calibration=calibrations()["offline"])
    story.set("check_answerability", {"status": "checked", "verdict": {"supported": False, "reason": "not in it"}})
    query = story.conclude()
    assert query["abstained"]
    assert set(shown_everywhere(story).values()) == {None}
    assert query["verification"]["confidence_level"] is None


def test_a_statement_that_is_gone_says_nothing_about_the_answer_that_is_left() -> None:  # V9
    story = told(f"{FIRST} Returns cost 5 dollars. [†1]", yes(confidence=0.95), no(confidence=0.95))
    story.set("repair_statements", {"status": "dropped", "text": None, "reason": "no source says it"}, "s1")
    story.repair()
    verification = story.conclude()["verification"]
    assert [each["status"] for each in verification["sentences"]] == ["supported"]
    assert verification["confidence"] == 0.95


def test_the_weakest_statement_decides_and_what_was_not_checked_is_an_even_chance() -> None:  # V9, N4
    verification = told(f"{FIRST} {SECOND}", yes(confidence=0.95), None).conclude()["verification"]
    assert verification["confidence"] == 0.5


def test_a_supported_answer_to_another_question_has_little_confidence(monkeypatch: pytest.MonkeyPatch) -> None:  # V9
    asked: list[tuple[str, str]] = []

    def hardly(question: str, answer: str) -> float:
        asked.append((question, answer))
        return 0.2

    monkeypatch.setattr(sentences, "answer_relevance", hardly)
    story = told(FIRST, yes(confidence=0.95), calibration=calibrations()["offline"], question="Who wrote the policy?")
    query = story.conclude()
    assert (query["verification"]["confidence"], query["verification"]["confidence_level"]) == (0.19, "Very Low")
    assert asked == [("Who wrote the policy?", query["answer"])]


DROPPED: Outcome = {"status": "dropped", "keys": [], "text": None, "verdict": None, "reason": "no source says it"}
ASKED = "Can I get my money back?"
PAID = "Refunds are paid to the original payment method within 14 days."


def judged(
    stage: GroqStage, answers: str, text: str = f"{PAID} [†1]", *verdicts: Any, play: Play | None = None
) -> Story:
    """An answer in words of its own, of which a model said whether it answers the question."""
    register("https://example.com/hooks", "query.*")
    story = Story(ASKED, play=play or with_groq(stage))
    story.selected(story.add("policy.md", f"{PAID} {POLICY}")).drafted(text, *(verdicts or [yes(confidence=0.95)]))
    alignment = {"asked": "whether", "answers": answers, "open_parts": list[str](), "score": 1.0, "reason": "so it is"}
    return story.set("check_alignment", checked(alignment))


@pytest.mark.parametrize("answers", ["yes", "partly", "no"])
def test_what_a_model_says_of_the_question_is_in_the_number(stage: GroqStage, answers: str) -> None:  # V9, V10
    story = judged(stage, answers)
    verification = story.conclude()["verification"]
    assert verification["question"]["relevant"] == answers
    assert verification["confidence"] == pytest.approx(0.95 * verification["question"]["probability"], abs=0.006)
    level = {"yes": "High", "partly": "Very Low", "no": "Very Low"}[answers]
    assert (verification["confidence_level"], verification["calibration"]) == (level, None)
    assert set(shown_everywhere(story).values()) == {verification["confidence"]}


def test_without_a_model_the_words_decide_as_before(stage: GroqStage) -> None:  # V9
    verification = judged(stage, "yes", play=with_offline).conclude()["verification"]
    relevance = sentences.answer_relevance(ASKED, PAID)
    assert relevance < 0.2
    assert verification["confidence"] == pytest.approx(0.95 * relevance, abs=0.006)


@pytest.mark.parametrize(
    "other", [SECOND.removesuffix(" [†1]"), "The money back guarantee of Acme is golden.", "Gift wrap is golden."]
)
@pytest.mark.parametrize("first", [True, False])
def test_of_an_answer_that_lost_a_sentence_a_yes_counts_as_partly(
    stage: GroqStage, other: str, first: bool
) -> None:  # V9, V10
    kept, dropped = (PAID, other) if first else (other, PAID)
    story = judged(stage, "yes", f"{kept} [†1] {dropped} [†1]", yes(confidence=0.95), no(confidence=0.95))
    story.assess()
    story.set("repair_statements", DROPPED, "s1")
    verification = story.conclude()["verification"]
    assert [each["text"] for each in verification["sentences"]] == [kept]
    assert verification["question"]["relevant"] == "partly"
    assert 0.3 < verification["confidence"] < 0.6


def test_a_value_put_right_leaves_what_a_model_said(stage: GroqStage) -> None:  # V9
    question, wrong, right = (
        "Must I pay within 30 days?",
        "Invoices are due in 30 days.",
        "Invoices are due in 14 days.",
    )
    story = Story(question, play=with_groq(stage))
    key = story.add("policy.md", right)
    story.selected(key).drafted(f"{wrong} [†1]", no(confidence=0.95, relation="contradicts"))
    alignment = {"asked": "whether", "answers": "yes", "open_parts": list[str](), "score": 1.0, "reason": "so it is"}
    story.set("check_alignment", checked(alignment)).assess()
    verdict = ruling(True, "supports", 0.95, "the source says so")
    rewritten = {"status": "rewritten", "keys": [key], "text": right, "verdict": verdict, "reason": "30 is not 14"}
    story.set("repair_statements", rewritten, "s0")
    verification = story.conclude()["verification"]
    assert [each["text"] for each in verification["sentences"]] == [right]
    assert (verification["question"]["relevant"], verification["confidence"] > 0.8) == ("yes", True)


def test_without_a_measured_verifier_the_word_is_uncalibrated() -> None:  # V9
    verification = told(FIRST, yes(confidence=0.99)).conclude()["verification"]
    assert (verification["confidence"], verification["confidence_level"]) == (0.99, "Uncalibrated")
    assert verification["calibration"] is None
    assert verifier_note(verification["calibration"]) == ""


def test_an_answer_in_a_language_that_was_not_measured_is_uncalibrated_and_says_why() -> None:  # V9
    german = "Rückgaben werden innerhalb von 30 Tagen nach dem Kauf angenommen. [†1]"
    verification = told(german, yes(confidence=0.99), calibration=calibrations()["offline"]).conclude()["verification"]
    assert (verification["confidence_level"], verification["calibration"]["holds"]) == ("Uncalibrated", False)
    assert verifier_note(verification["calibration"]) == verification["calibration"]["reason"]


def test_a_reader_is_told_what_the_verifier_misses() -> None:  # V9
    measured = calibrations()["offline"]
    verification = told(FIRST, yes(), calibration=measured).conclude()["verification"]
    assert measured.false_pass is not None
    assert f"about {measured.false_pass * 100:.0f} supported" in verifier_note(verification["calibration"])
