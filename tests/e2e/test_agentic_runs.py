"""Runs in which the model decides what to search for, and multi-query searches, on whole stacks (S3.2, S3.6)."""

from typing import Any

import pytest

from tests.e2e.stack import Stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import GroqSimulator

pytestmark = pytest.mark.slow

Json = dict[str, Any]

DOCUMENTS = {
    "atlas.md": "Atlas. The warranty of the Atlas laptop lasts 24 months from the day of delivery.",
    "nova.md": "Nova. The warranty of the Nova phone lasts 12 months from the day of purchase.",
    "fees.md": "Fees. A restocking fee of 15 percent is deducted for electronics that have been opened.",
    "hours.md": "Opening hours. The service centre in Leeds is open on weekdays from nine to five.",
}
TWO = "How long is the warranty of the Atlas laptop, and how long is the warranty of the Nova phone?"
ONE = "How long does the warranty of the Atlas laptop last?"


def fill(stack: Stack) -> str:
    for name, text in DOCUMENTS.items():
        stack.add_text(name, text, workspace="research")
    return "research"


@pytest.fixture(scope="module")
def workspace(offline: Stack) -> str:
    return fill(offline)


@pytest.fixture(scope="module")
def asked(groq_stack: Stack) -> str:
    return fill(groq_stack)


def steps_of(history: Json, name: str) -> dict[str, Json]:
    """The outcomes of a step by item."""
    return {step["item"]: step["outcome"] for step in history["steps"] if step["step"] == name}


def prompts_of(history: Json) -> list[str]:
    return [call["prompt"] for call in history["model_calls"]]


@pytest.mark.parametrize("path", ["/agentic/chat", "/multiagent/chat"])
def test_the_seeds_two_other_ways_to_run(offline: Stack, workspace: str, path: str) -> None:  # S3.3, S3.6
    response = offline.http.post(path, json={"question": TWO, "workspace": workspace})
    assert response.status_code == 200, response.text
    told = response.json()
    assert "24 months" in told["answer"]
    assert "12 months" in told["answer"]
    assert {citation["metadata"]["filename"] for citation in told["citations"]} >= {"atlas.md", "nova.md"}
    assert len({citation["chunk_id"] for citation in told["citations"]}) == len(told["citations"]) <= 5
    query = offline.http.get(response.headers["location"]).json()
    assert query["run"] == path.split("/")[1]
    history = offline.history(query["id"])
    searches = [search for turn in steps_of(history, "search").values() for search in turn["searches"]]
    assert len(searches) == 2
    assert [event["data"]["query"] for event in history["events"] if event["type"] == "search"] == [
        search["query"] for search in searches
    ]
    assert all(search["chunk_ids"] for search in searches)
    assert steps_of(history, "decide_search")["2"]["action"] == "answer"


def test_the_model_decides_which_searches_are_made(groq: Stack, asked: str) -> None:  # S3.6
    query = groq.ask(TWO, workspace=asked, run="agentic")
    assert "24 months" in query["answer"]
    assert "12 months" in query["answer"]
    history = groq.history(query["id"])
    assert prompts_of(history).count("decide_search") == 2
    # Every chunk is scored once, however many searches have found it.
    assert prompts_of(history).count("rerank_chunk") == len(steps_of(history, "retrieve")[""]["candidates"]) == 4
    assert query["verification"]["claims_score"] == 1.0


def test_the_research_takes_notes_for_the_synthesis(groq: Stack, asked: str) -> None:  # S3.6
    query = groq.ask(TWO, workspace=asked, run="multiagent")
    history = groq.history(query["id"])
    assert {"research_notes", "synthesize_answer"} <= set(prompts_of(history))
    assert "generate_answer" not in prompts_of(history)
    noted = steps_of(history, "research_notes")[""]
    assert noted["notes"]
    texts = "\n".join(DOCUMENTS.values())
    assert all(note["quote"] in texts for note in noted["notes"])
    assert all(citation["text_span"] in texts for citation in query["citations"])


def test_a_weak_answer_of_an_agentic_run_is_corrected(
    groq: Stack, provider: GroqSimulator, asked: str
) -> None:  # S2.3, S3.6
    provider.fail(Fault(kind=FaultKind.LYING, match="\ngenerate_answer\n", times=1))
    query = groq.ask(ONE, workspace=asked, run="agentic")
    assert query["verification"]["crag_attempts"] == 1
    assert "24 months" in query["answer"]
    calls = prompts_of(groq.history(query["id"]))
    assert (calls.count("decide_search"), calls.count("plan_queries")) == (2, 1)


def test_the_question_is_searched_for_in_other_words(groq: Stack, asked: str) -> None:  # S3.2
    query = groq.ask(TWO, workspace=asked, retrieval={"multi_query": 3}, rerank={"top_k": 1})
    history = groq.history(query["id"])
    assert len(steps_of(history, "rewrite_question")[""]["queries"]) == 3
    assert len(query["sources"]) > 1  # S3.1: the best five of merged results
    assert "24 months" in query["answer"]
    assert "12 months" in query["answer"]
