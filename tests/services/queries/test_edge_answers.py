"""Edge cases of answers: no context, no claims, an opinion, hundreds of sentences; each has a defined result (S2.6)."""

from functools import partial
from typing import Any

import pytest

from citewell_verify.verdicts.states import SentenceStatus
from db.models import QueryStatus
from db.queries.documents.documents import add_document
from db.session import transaction
from services.queries.results import read_history
from services.retrieval.candidates import NOTHING_FOUND
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story, with_groq, with_offline

pytestmark = pytest.mark.usefixtures("database")

POLICY = (
    "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for every return."
)
IDK = "I don't know based on the documents."


def written(story: Story, text: str, *keys: int) -> Story:
    """Set what `story` wrote from these chunks."""
    return story.selected(*keys).set("generate", {"status": "complete", "text": text, "model": "m"})


def assert_defined(query: dict[str, Any]) -> None:
    """N4: a final state, a reason where there is no answer, and one known state for every sentence."""
    assert query["status"] == QueryStatus.SUCCEEDED
    assert query["abstained"] is bool(query["abstain_reason"])
    assert (query["answer"] == IDK) is query["abstained"]
    for sentence in query["verification"]["sentences"]:
        assert SentenceStatus(sentence["status"])
        assert query["answer"][sentence["start"] : sentence["end"]] == sentence["text"]


@pytest.mark.parametrize("mode", ["low", "balanced", "high"])
def test_without_a_document_the_answer_is_i_dont_know(play: Play, mode: str) -> None:  # S2.6
    story = Story("Within how many days are returns accepted?", play=play, mode=mode)
    query = story.retrieve().conclude()
    assert_defined(query)
    assert (query["answer"], query["abstain_reason"]) == (IDK, NOTHING_FOUND)
    assert (query["sources"], query["citations"], query["references"]) == ([], [], [])
    assert query["verification"]["confidence"] is None
    assert NOTHING_FOUND in query["verification"]["issues"]
    assert story.asked() == []


@pytest.mark.parametrize(
    ("unread", "reason"), [(1, "A document of the workspace is"), (3, "3 documents of the workspace are")]
)
def test_documents_that_are_still_being_read_are_the_reason(play: Play, unread: int, reason: str) -> None:  # S2.6
    story = Story("Within how many days are returns accepted?", play=play)
    with transaction() as session:
        for n in range(unread):
            add_document(
                session,
                story.workspace_id,
                filename=f"{n}.md",
                content=b"Returns are accepted within 30 days.",
                sha256=f"{n:064}",
                source="upload",
                details={},
            )
    assert story.retrieve().conclude()["abstain_reason"].startswith(f"{reason} still being read. ")


def test_documents_about_something_else_are_no_context(play: Play) -> None:  # S2.6, S3.5
    story = Story("Who won the chess world championship?", play=play)
    story.add("a.md", POLICY)
    story.retrieve()
    if story.outcome("select")["status"] == "selected":
        story.write()
    query = story.conclude()
    assert_defined(query)
    assert (query["answer"], query["citations"]) == (IDK, [])


@pytest.mark.parametrize(
    "text", ["Is that what you wanted to know?", "In summary.", "## Returns", "Here is a summary:"]
)
def test_an_answer_without_claims_is_published_and_not_grounded(play: Play, text: str) -> None:  # S2.6
    story = Story("Within how many days are returns accepted?", play=play, verify_answer=False)
    written(story, text, story.add("a.md", POLICY)).check()
    assessed = story.assess()
    # A model may list a question as a claim without support; it never counts for the answer.
    assert assessed["confidence"] in (None, 0.0)
    assert (assessed["failing"], assessed["decision"]) == ([], "finish")
    query = story.conclude()
    assert_defined(query)
    assert query["answer"] == text
    verification = query["verification"]
    assert [sentence["status"] for sentence in verification["sentences"]] == ["no_claim"]
    assert (verification["is_grounded"], verification["accuracy_rate"]) == (False, None)


def test_without_claims_on_either_side_there_is_nothing_to_be_confident_of() -> None:  # S2.6
    story = Story("Within how many days are returns accepted?", max_crag_attempts=2)
    written(story, "Is that what you wanted to know?", story.add("a.md", POLICY)).check()
    assessed = story.assess()
    assert (assessed["confidence"], assessed["gaps"], assessed["decision"]) == (None, [], "finish")
    verification = story.conclude()["verification"]
    assert (verification["confidence"], verification["confidence_level"]) == (None, None)
    assert (verification["claims_checked"], verification["claims_supported"]) == (0, 0)


@pytest.mark.parametrize(
    "question", ["What do you think of the returns policy?", "Is it fair that a receipt is required for every return?"]
)
def test_an_opinion_is_answered_from_the_documents_or_not_at_all(play: Play, question: str) -> None:  # S2.6
    story = Story(question, play=play)
    story.add("a.md", POLICY)
    story.retrieve()
    if story.outcome("select")["status"] == "selected" and story.write().outcome("generate")["status"] == "complete":
        story.check().repair()
    query = story.conclude()
    assert_defined(query)
    assert all(citation["text_span"] in POLICY for citation in query["citations"])


def test_an_opinion_that_was_written_is_no_supported_claim(play: Play) -> None:  # S2.6, N4
    story = Story("Is the policy fair?", play=play, repair="citations", verify_answer=False)
    text = "In my opinion the management deserves warm praise for its generous spirit [†1]."
    query = written(story, text, story.add("a.md", POLICY)).check().repair().conclude()
    assert_defined(query)
    assert query["verification"]["sentences"][0]["status"] in {"unsupported", "partial", "contradicted"}
    assert query["verification"]["is_grounded"] is False


def long_answer(sentences: int) -> str:
    """An answer in which every third sentence states another figure than the source."""
    return " ".join(f"Room {n} has {n + (500 if n % 3 == 0 else 100)} seats [†1]." for n in range(1, sentences + 1))


@pytest.mark.parametrize("without_model", [True, False])
@pytest.mark.slow
def test_a_very_long_answer_is_checked_to_its_last_sentence(stage: GroqStage, without_model: bool) -> None:  # S2.6, N4
    play = partial(with_offline, embeddings=False) if without_model else with_groq(stage)
    source = " ".join(f"Room {n} has {n + 100} seats." for n in range(1, 9))
    story = Story("How many seats do the rooms have?", play=play, repair="citations", verify_answer=False)
    key = story.add("rooms.md", source)
    query = written(story, long_answer(300), key).check().repair().conclude()
    assert_defined(query)
    states = [sentence["status"] for sentence in query["verification"]["sentences"]]
    assert len(states) == 300
    assert "no_claim" not in states
    # Wrong sentences are never called right, nor those the source says nothing about.
    assert "supported" not in [*states[2::3], *states[8:]]
    assert query["verification"]["is_grounded"] is False
    assert len(read_history(story.query_id)["verifications"][-1]["citation_checks"]) == 300
    assert len(story.outcome("assess")["gaps"]) <= 8
