"""A follow-up question of a conversation is searched, answered and checked as it is meant (N9)."""

import asyncio

import pytest

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.models import QueryKind
from db.queries.runs.queries import get_query
from db.queries.runs.steps import list_outcomes
from db.session import reading
from domain.query.conversation import last_turns
from services.audit.replay import replay_answer
from services.audit.reverification import Reverification, reverify
from services.core.context import StepContext, StepResult
from services.queries.question_rewriting import LONGEST, restate_question
from services.queries.results import read_history, read_query
from services.retrieval.candidates import retrieve
from services.retrieval.reranking import score_chunks, select
from tests.clients.groq_stage import GroqStage
from tests.services.audited_story import AuditedStory
from tests.services.story import Play, Story
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

SAID = last_turns([("user", "Within how many days are returns accepted?"), ("assistant", "Within 30 days [1].")])
RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date."
OPENED = "Opened items. Returns of opened items are accepted within 14 days of the purchase date."
FOLLOW_UP = "And opened items?"
MEANT = "Within how many days are opened items accepted?"
MEANT_BY_A_MODEL = f"{SAID[0].text} {FOLLOW_UP}"


def test_everything_after_it_is_about_the_restated_question(stage: GroqStage, groq: Play) -> None:  # N9
    # Harmless: it marks the calls whose prompts contain the restated question.
    stage.sim.fail(Fault(kind=FaultKind.OBEYING, match=MEANT_BY_A_MODEL, times=None))
    story = Story(FOLLOW_UP, play=groq, conversation=SAID)
    story.add("returns.md", RETURNS)
    story.add("opened.md", OPENED)
    assert story.run("restate_question", restate_question) == {"status": "restated", "question": MEANT_BY_A_MODEL}
    story.retrieve().write().check()
    assert "14 days" in story.outcome("generate")["text"]
    about_the_question = {"rerank_chunk", "generate_answer", "check_alignment", "check_answerability"}
    calls = stage.sim.ledger.entries
    assert {call.kind for call in calls if call.fault} >= about_the_question
    assert not [call.kind for call in calls if call.kind in about_the_question and not call.fault]


def test_a_later_round_remembers_what_was_meant() -> None:  # N9, S2.3
    story = Story(FOLLOW_UP, conversation=SAID, max_crag_attempts=1)
    story.run("restate_question", restate_question)
    story.rounds[1], story.round = {}, 1
    meant: list[str] = []

    def plan(context: StepContext) -> StepResult:
        meant.append(context.question)
        return StepResult.single({"status": "planned", "queries": []})

    story.run("plan_queries", plan)
    assert meant == [MEANT]


def test_a_question_that_stands_by_itself_is_left_alone() -> None:  # N9
    asked = "What does a warranty of a laptop cover?"
    story = Story(asked, conversation=SAID)
    assert story.run("restate_question", restate_question)["question"] == asked
    assert read_query(story.query_id)["restated_question"] is None


@pytest.mark.parametrize("kind", [FaultKind.FORBIDDEN, FaultKind.SAYING])
def test_without_a_usable_one_the_question_is_taken_as_it_stands_and_that_is_told(
    stage: GroqStage, groq: Play, kind: FaultKind
) -> None:  # N9, N4
    said = '{"standalone_question": " ?! "}'
    stage.sim.fail(Fault(kind=kind, match="\nrestate_question\n", quote=said, times=None))
    story = Story(FOLLOW_UP, play=groq, conversation=SAID, min_evidence_score=0.0)
    key = story.add("opened.md", OPENED)
    outcome = story.run("restate_question", restate_question)
    assert (outcome["status"], outcome["question"]) == ("fallback", None)
    story.run("retrieve", retrieve)
    story.run("score_chunks", score_chunks, str(key))
    (issue,) = [issue for issue in story.run("select", select)["issues"] if "taken as it stands" in issue]
    assert outcome["reason"] in issue
    assert read_query(story.query_id)["restated_question"] is None


def test_it_is_replayed_and_verified_again_as_it_was_meant(groq: Play) -> None:  # N9, N6
    story = AuditedStory(FOLLOW_UP, play=groq, conversation=SAID)
    story.add("returns.md", RETURNS)
    story.add("opened.md", OPENED)
    story.run("restate_question", restate_question)
    story.retrieve().write().check().repair().finish()
    found = asyncio.run(replay_answer(story.query_id, settings(), default_embedder(), None))
    assert (found.differences, found.unanswered) == ([], 0)
    again = reverify(story.query_id, QueryKind.ANSWER, Reverification(), settings()).query_id
    with reading() as session:
        assert get_query(session, again, QueryKind.VERIFICATION).question == MEANT_BY_A_MODEL


@pytest.mark.parametrize("asked", ["What does a warranty\nof a  laptop cover?", "What is covered? " + "x" * LONGEST])
def test_what_is_meant_as_it_was_asked_keeps_its_form_and_tells_nothing(asked: str) -> None:  # N9
    story = Story(asked, conversation=SAID)
    assert story.run("restate_question", restate_question) == {"status": "restated", "question": asked}
    assert read_history(story.query_id)["events"] == []
    assert ("restate_question" in story.asked()) is (len(asked) <= LONGEST)


def test_that_it_was_not_restated_is_told_of_a_later_round_too() -> None:  # N9, N4, S2.3
    story = Story(FOLLOW_UP, conversation=SAID, max_crag_attempts=1, min_evidence_score=0.0)
    story.add("opened.md", OPENED)
    story.set("restate_question", {"status": "fallback", "question": None, "reason": "no model"})
    story.rounds[1], story.round = {}, 1
    story.set("plan_queries", {"status": "planned", "queries": ["opened items"]}).retrieve()
    assert [issue for issue in story.outcome("select")["issues"] if "taken as it stands" in issue]


def test_a_restated_question_may_be_longer_than_one_may_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:  # N9, N6
    story = Story(FOLLOW_UP, conversation=SAID, min_evidence_score=0.0)
    story.add("opened.md", OPENED)
    story.run("restate_question", restate_question)
    story.retrieve().write().check().repair().finish()
    monkeypatch.setenv("CITEWELL_QUESTION_MAX_CHARS", str(len(FOLLOW_UP)))
    settings.cache_clear()
    again = reverify(story.query_id, QueryKind.ANSWER, Reverification(), settings()).query_id
    with reading() as session:
        assert get_query(session, again, QueryKind.VERIFICATION).question == MEANT


def test_the_result_says_how_the_question_was_understood() -> None:  # N9
    story = Story(FOLLOW_UP, conversation=SAID)
    story.run("restate_question", restate_question)
    found = read_query(story.query_id)
    assert (found["question"], found["restated_question"]) == (FOLLOW_UP, MEANT)
    with reading() as session:
        assert list_outcomes(session, story.query_id)[0]["restate_question", ""]["status"] == "restated"
