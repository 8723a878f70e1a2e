"""What the checks of a round come to: states, confidence, gaps (N4, S2.2, S2.3)."""

from typing import Any

import pytest

from domain.verdicts import SentenceStatus
from services.step import Outcome
from tests.services.story import Story, checked, claim, claims, no, yes

pytestmark = pytest.mark.usefixtures("database")

TEXT = "Returns are accepted within 30 days. Refunds take 10 business days. A receipt is required."
DRAFT = "Returns are accepted within 30 days [†1]. Refunds take 10 business days [†1]. A receipt is required [†1]."
FIRST, SECOND, THIRD = DRAFT.replace(" [†1]", "").replace(". ", ".\n").split("\n")


def written(text: str = DRAFT, *verdicts: Outcome | None, **options: Any) -> Story:
    """A round that wrote `text` from one source; its checks found support unless others are given."""
    story = Story(**options)
    return story.selected(story.add("a.md", TEXT)).drafted(text, *(verdicts or [yes()] * 3))


@pytest.mark.parametrize(
    ("listed", "verdicts", "expected"),
    [
        ([], [yes(), yes(), yes()], 1.0),
        # The model lists one good claim: two sentences without support still count.
        ([claim(FIRST)], [yes(), no(), no()], 0.133333333),
        # The sentences are fine; of the claims one is not.
        ([claim(FIRST), claim(SECOND, "UNSUPPORTED")], [yes(), yes(), yes()], 0.4),
        ([claim(FIRST), claim(SECOND, "PARTIALLY_SUPPORTED")], [yes(), yes(), yes()], 0.6),
        ([claim(FIRST), claim(SECOND)], [yes(), yes(), yes()], 1.0),
    ],
)
def test_whichever_says_less_counts_claims_or_sentences(
    listed: list[dict[str, Any]], verdicts: list[Outcome], expected: float
) -> None:  # S2.1, S2.2
    story = written(DRAFT, *verdicts).set("check_claims", claims(*listed))
    assert story.assess()["confidence"] == expected
    query = story.conclude()
    assert query["verification"]["confidence"] == expected
    assert query["verification"]["is_grounded"] is (expected == 1.0)


@pytest.mark.parametrize("outcome", [None, checked(None, "bad JSON")])
def test_claims_that_were_not_checked_leave_the_sentences(outcome: Outcome | None) -> None:  # S2.1, N4
    story = written()
    if outcome:
        story.set("check_claims", outcome)
    assert story.assess()["confidence"] == 1.0
    issues = story.conclude()["verification"]["issues"]
    assert "The claims of the answer were not checked one by one; its sentences were." in issues


@pytest.mark.parametrize("missing", [None, checked(None, "timeout")])
def test_what_was_not_checked_is_no_support_and_no_failure(missing: Outcome | None) -> None:  # N4
    story = written(DRAFT, yes(), missing, yes())
    assessed = story.assess()
    assert assessed["confidence"] == pytest.approx(2 / 3)  # and no bonus: nobody knows
    assert (assessed["gaps"], assessed["failing"]) == ([], [])
    query = story.conclude()
    states = [sentence["status"] for sentence in query["verification"]["sentences"]]
    assert states == ["supported", "not_checked", "supported"]
    assert query["verification"]["is_grounded"] is False


def test_nothing_checked_is_no_confidence_at_all() -> None:  # N4
    story = written(DRAFT, None, None, None, max_crag_attempts=2)
    assessed = story.assess()
    assert (assessed["confidence"], assessed["decision"]) == (0.0, "finish")


def test_gaps_are_claims_then_sentences_each_once() -> None:  # S2.3
    story = written(DRAFT, yes(), no(), no("only in part", "partially_supports"))
    listed = [claim(FIRST), claim("Staff is friendly.", "UNSUPPORTED"), claim(SECOND.upper(), "PARTIALLY_SUPPORTED")]
    gaps = story.set("check_claims", claims(*listed)).assess()["gaps"]
    assert [gap.casefold() for gap in gaps] == ["staff is friendly.", SECOND.casefold(), THIRD.casefold()]


def test_there_are_at_most_eight_gaps() -> None:  # S2.3
    story = written(" ".join(f"Fact number {n} is that it rains [†1]." for n in range(20)), *[no()] * 20)
    assessed = story.assess()
    assert len(assessed["gaps"]) == 8
    assert assessed["gaps"][0] == "Fact number 0 is that it rains."
    assert assessed["failing"] == list(range(20))


def test_the_same_words_about_the_same_source_share_their_verdict() -> None:  # S5.4
    story = written(DRAFT.split(". ", maxsplit=1)[0] + ". " + DRAFT.split(". ", maxsplit=1)[0] + ".", no())
    assert story.assess()["failing"] == [0, 1]


def test_an_uncited_claim_is_held_against_all_sources() -> None:  # S5.4, N4
    story = written("The moon is made of cheese.", no())
    assessed = story.assess()
    assert (assessed["failing"], assessed["gaps"]) == ([0], ["The moon is made of cheese."])


@pytest.mark.parametrize(("threshold", "failing"), [(0.7, [0]), (0.9, [0]), (0.91, [])])
def test_a_no_is_sure_from_the_threshold_of_the_query_on(threshold: float, failing: list[int]) -> None:  # S5.4, N5
    story = written("The moon is made of cheese.", no(confidence=0.9), citation_confidence=threshold)
    assert story.assess()["failing"] == failing


def test_a_model_that_contradicts_itself_decides_nothing() -> None:  # S5.4
    verdict = checked({**yes()["verdict"], "relation": "contradicts", "confidence": 0.5})
    story = written("The moon is made of cheese.", verdict)
    assert story.assess()["failing"] == []
    assert story.conclude()["verification"]["sentences"][0]["status"] == SentenceStatus.UNSUPPORTED
