"""Multi-query search: the question rewritten, results merged and reranked, and the best five kept (S3.2)."""

import pytest

from services.queries.question_rewriting import NONE_WRITTEN, rewrite_question
from services.queries.results import read_history
from services.retrieval.candidates import retrieve
from services.retrieval.reranking import score_chunks, select
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

RETURNS = "Returns policy. Returns are accepted within 30 days of the purchase date."
REFUNDS = "Refunds. Refunds are paid to the original card within 10 business days."
WARRANTY = "Warranty terms. Every laptop has a warranty of 24 months from the day of delivery."
QUESTION = "Within how many days are returns accepted?"


def reworded(story: Story, *queries: str) -> Story:
    return story.set("rewrite_question", {"status": "reworded", "queries": list(queries)})


def test_the_fast_model_rewrites_the_question(groq: Play) -> None:  # S3.2
    story = Story("Are returns free, and who pays the postage?", play=groq, multi_query=2)
    outcome = story.run("rewrite_question", rewrite_question)
    assert outcome == {"status": "reworded", "queries": ["Are returns free", "who pays the postage"]}
    assert [(call.prompt, call.model) for call in story.log.records] == [("rewrite_question", "openai/gpt-oss-20b")]


def test_rewritings_are_told_to_those_who_watch() -> None:  # S3.2, A4
    story = Story("What are the refund fees?", multi_query=3)
    told = story.run("rewrite_question", rewrite_question)
    assert told["queries"] == ["refund fees", "refund fee"]


def test_a_model_that_fails_leaves_the_question_alone_and_an_issue(stage: GroqStage, groq: Play) -> None:  # S3.2, N4
    stage.sim.fail(Fault(kind=FaultKind.FORBIDDEN, match="\nrewrite_question\n", times=None))
    story = Story(QUESTION, play=groq, multi_query=3, top_k=1)
    story.add("a.md", RETURNS)
    story.add("b.md", REFUNDS)
    outcome = story.run("rewrite_question", rewrite_question)
    assert (outcome["status"], outcome["queries"]) == ("fallback", [])
    story.retrieve()
    assert "merged" not in story.outcome("retrieve")
    assert len(story.outcome("select")["selected"]) == 1
    (issue,) = [issue for issue in story.outcome("select")["issues"] if "own words only" in issue]
    assert outcome["reason"] in issue


def test_a_question_without_other_words_is_searched_for_alone() -> None:  # S3.2
    outcome = Story("refund", multi_query=2).run("rewrite_question", rewrite_question)
    assert outcome == {"status": "fallback", "queries": [], "reason": NONE_WRITTEN}


def test_results_are_merged_and_each_chunk_is_scored_once(groq: Play) -> None:  # S3.1, S3.2
    story = Story(QUESTION, play=groq, multi_query=2, k=2, top_k=1, merged_top_k=3, min_evidence_score=0.0)
    keys = [story.add("a.md", RETURNS), story.add("b.md", REFUNDS), story.add("c.md", WARRANTY)]
    reworded(story, "laptop warranty months", "days returns accepted")
    story.retrieve()
    found = story.outcome("retrieve")
    assert sorted(key for key, _ in found["candidates"]) == keys
    assert found["merged"] is True
    assert story.asked() == ["rerank_chunk"] * 3
    assert sorted(story.outcome("select")["selected"]) == keys


def test_what_is_merged_is_bounded() -> None:  # S3.2
    story = Story(QUESTION, k=1)
    for name, text in (("a.md", RETURNS), ("b.md", REFUNDS), ("c.md", WARRANTY)):
        story.add(name, text)
    reworded(story, "laptop warranty months", "refunds paid to the card")
    assert len(story.run("retrieve", retrieve)["candidates"]) == 2


def test_an_empty_workspace_is_told_with_the_issue_of_the_search() -> None:  # S2.6, S3.2
    story = Story(QUESTION).set("rewrite_question", {"status": "fallback", "queries": [], "reason": "no model"})
    story.retrieve()
    assert story.outcome("select")["status"] == "refused"
    assert story.outcome("select")["issues"][1:] == ["The question was searched for in its own words only: no model."]
    assert story.conclude()["verification"]["issues"][1:] == story.outcome("select")["issues"][1:]


def test_one_search_keeps_what_one_search_kept() -> None:  # S3.1, S3.2
    story = Story(QUESTION, k=2, top_k=1, min_evidence_score=0.0)
    keys = [story.add("a.md", RETURNS), story.add("b.md", REFUNDS)]
    found = story.run("retrieve", retrieve)
    assert "merged" not in found
    story.run("score_chunks", score_chunks, *map(str, keys))
    assert len(story.run("select", select)["selected"]) == 1
    assert read_history(story.query_id)["run"] == "structured"
