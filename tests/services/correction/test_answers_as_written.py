"""Right answers with what models write around them, and false claims that hide there (S3.4)."""

from functools import partial
from typing import Any

import pytest

from domain.answers.drafts import without_frames
from tests.services.story import Story, answerable, checked, no, with_offline, yes

pytestmark = [pytest.mark.usefixtures("database"), pytest.mark.slow]

QUESTION = "How long is a ticket valid, and do dogs pay?"
SOURCE = "Fares. A ticket is valid for 90 minutes. Dogs ride free of charge. Bicycles need a ticket of their own."
RIGHT = "A ticket is valid for 90 minutes[†1]. Dogs ride free of charge[†1]."
WORDS = partial(with_offline, embeddings=False)
PUBLISHED = "A ticket is valid for 90 minutes. [1] Dogs ride free of charge. [1]"


def answered(draft: str, **options: Any) -> tuple[Story, dict[str, Any]]:
    """Judge `draft` by rules, as with `preset: small`; return the story and the finished query."""
    story = Story(QUESTION, play=WORDS, **options)
    story.selected(story.add("fares.md", SOURCE))
    story.set("generate", {"status": "complete", "text": without_frames(draft), "model": "m"})
    return story, story.check().repair().conclude()


@pytest.mark.parametrize(
    "draft",
    [
        f"{RIGHT}\n\nReferences:\n[†1] fares.md",
        f"{RIGHT}\n\n**Sources:**\n- [†1] fares.md",
        f"{RIGHT}\n\nSource: [†1]",
        f"Sure! {RIGHT}",
        f"Based on the provided sources:\n\n{RIGHT}",
        f"{RIGHT} I hope this helps!",
        f"{RIGHT}\n\nDo not hesitate to write again.",
        f"{RIGHT}\n\nThe sources mention no exceptions.",
    ],
)
def test_a_right_answer_stays_whatever_stands_around_it(draft: str) -> None:  # S3.4
    query = answered(draft)[1]
    assert query["abstained"] is False
    assert PUBLISHED in query["answer"]


@pytest.mark.parametrize("claim", ["Platinum members travel abroad.", "Cash is refused: cards only, said the mayor."])
def test_an_uncited_claim_without_support_is_not_published_as_proven(claim: str) -> None:  # N4, S3.4
    query = answered(f"{RIGHT} {claim}")[1]
    states = {each["text"]: each["status"] for each in query["verification"]["sentences"]}
    assert states.get(claim) in (None, "partial", "unsupported", "contradicted")


def whole_refused(answers: str, *verdicts: Any) -> Story:
    """A draft whose parts have `verdicts`, and that a model refuses as a whole."""
    story = Story(QUESTION, play=WORDS, max_crag_attempts=2)
    story.selected(story.add("fares.md", SOURCE)).drafted(f"{RIGHT} Ask again!", *verdicts)
    alignment: dict[str, Any] = {"asked": "", "open_parts": [], "answers": answers, "reason": "", "score": 0.9}
    story.set("check_alignment", checked(alignment))
    return story.set("check_answerability", answerable(False, "“Ask again!” is not in the context"))


def test_a_verdict_on_the_whole_does_not_outvote_supported_parts_that_answer() -> None:  # S3.4
    story = whole_refused("yes", yes(), yes(), no())
    assessed = story.assess()
    assert (assessed["draft"], assessed["decision"]) == ("complete", "finish")
    assert story.conclude()["abstained"] is False


def test_a_verdict_on_the_whole_counts_when_a_sentence_that_cites_is_refused() -> None:  # S3.4
    story = whole_refused("yes", yes(), no(), no())
    assert (story.assess()["draft"], story.conclude()["abstained"]) == ("unanswerable", True)


def test_supported_sentences_that_do_not_answer_the_question_do_not_count() -> None:  # S3.4, V8
    story = Story("Who drives the trains on Sundays?", play=WORDS, max_crag_attempts=0)
    story.selected(story.add("fares.md", SOURCE)).drafted("Bicycles need a ticket of their own[†1].", yes())
    story.check()
    assert story.set("check_answerability", answerable(False)).assess()["draft"] == "unanswerable"
    assert story.conclude()["abstained"] is True


def test_a_round_follows_when_the_unsupported_sentence_answers_more_than_the_others() -> None:  # S2.3
    story = Story("How long is a ticket valid? When does the museum open?", play=WORDS, max_crag_attempts=2)
    draft = "A ticket is valid for 90 minutes[†1]. The museum opens at 9 a.m."
    story.selected(story.add("fares.md", SOURCE)).set("generate", {"status": "complete", "text": draft, "model": "m"})
    assert story.check().assess()["decision"] == "correct"
