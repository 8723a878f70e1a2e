"""The results of a round's checks: states, confidence, gaps (N4, S2.2, S2.3)."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell_verify.verdicts.states import SentenceStatus
from services.core.context import Outcome
from tests.services.story import Story, answerable, checked, no, ruling, yes

pytestmark = pytest.mark.usefixtures("database")

TEXT = "Returns are accepted within 30 days. Refunds take 10 business days. A receipt is required."
DRAFT = "Returns are accepted within 30 days [†1]. Refunds take 10 business days [†1]. A receipt is required [†1]."
UNCHECKED = checked(None, "timeout")
FIRST, SECOND, THIRD = DRAFT.replace(" [†1]", "").replace(". ", ".\n").split("\n")


def written(text: str = DRAFT, *verdicts: Outcome | None, **options: Any) -> Story:
    """A round that wrote `text` from one source; its checks found support unless others are given."""
    story = Story(**options)
    return story.selected(story.add("a.md", TEXT)).drafted(text, *(verdicts or [yes()] * 3))


PARTLY = no("only in part", "partially_supports")
AGAINST = no("it says 20", "contradicts")


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([yes(), yes(), yes()], 1.0),
        ([yes(), no(), no()], 0.133333333),
        ([yes(), AGAINST, yes()], 0.566666667),
        ([yes(), PARTLY, yes()], 0.766666667),
    ],
)
def test_confidence_follows_from_the_states_of_the_sentences(verdicts: list[Outcome], expected: float) -> None:  # S2.2
    story = written(DRAFT, *verdicts, repair="off")
    assert story.assess()["confidence"] == expected
    verification = story.conclude()["verification"]
    assert verification["claims_score"] == expected
    assert verification["is_grounded"] is (expected == 1.0)


CLAIM_OF = {"supported": "SUPPORTED", "partial": "PARTIALLY_SUPPORTED"}


@given(verdicts=st.lists(st.sampled_from([yes(), no(), PARTLY, AGAINST, UNCHECKED]), min_size=3, max_size=3))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sentences_claims_facts_and_counts_say_the_same(verdicts: list[Outcome]) -> None:  # V10, S1.4, S2.1
    story = written(DRAFT, *verdicts, repair="citations", show_claims=True)
    story.assess()
    verification = story.conclude()["verification"]
    claiming = [each for each in verification["sentences"] if each["status"] != "no_claim"]
    checked_ones = [each for each in claiming if each["status"] != "not_checked"]
    assert [(each["claim"], each["status"]) for each in verification["claims"]] == [
        (each["text"], CLAIM_OF.get(each["status"], "UNSUPPORTED")) for each in checked_ones
    ]
    assert [each["evidence"] for each in verification["claims"]] == [each["evidence"] for each in checked_ones]
    supported = [each for each in checked_ones if each["status"] == "supported"]
    assert (verification["claims_checked"], verification["claims_supported"]) == (len(checked_ones), len(supported))
    if len(checked_ones) == len(claiming):
        assert [(each["claim"], each["verified"]) for each in verification["facts"]] == [
            (each["text"], each["status"] == "supported") for each in claiming
        ]
        assert verification["fact_verification_score"] == pytest.approx(len(supported) / len(claiming))
        assert verification["unverified_claims"] == [e["text"] for e in claiming if e["status"] != "supported"]
    else:
        assert (verification["facts"], verification["fact_verification_score"]) == ([], 0.5)


def test_suggested_corrections_are_what_differs() -> None:  # S2.1
    differing = checked(ruling(False, "contradicts", 0.9, "it says 10", "the source says 10, not 45"))
    agreeing = checked(ruling(True, "supports", 0.95, "so it is", "nothing of note"))
    story = written(DRAFT, agreeing, differing, PARTLY, repair="off")
    story.assess()
    assert story.conclude()["verification"]["suggested_corrections"] == ["the source says 10, not 45"]


def test_claims_of_a_mended_answer_are_those_of_its_sentences_now() -> None:  # V10, N5
    story = Story("How long are refunds?", show_claims=True)
    wrong, right = "Refunds take 45 business days", "Refunds take 10 business days"
    story.selected(story.add("a.md", TEXT)).drafted(f"{FIRST[:-1]} [†1]. {wrong} [†1].", yes(), AGAINST)
    query = story.repair().conclude()
    assert right in query["answer"]
    told = [(each["claim"], each["status"]) for each in query["verification"]["claims"]]
    assert told == [(each["text"], "SUPPORTED") for each in query["verification"]["sentences"]]
    assert query["verification"]["unverified_claims"] == []


def test_nothing_of_a_withdrawn_answer_is_told_as_a_claim() -> None:  # V10, S3.4
    story = written(show_claims=True).set("check_answerability", answerable(False, "not in the context"))
    story.assess()
    verification = story.conclude()["verification"]
    assert (verification["claims"], verification["claims_checked"]) == ([], 0)


def test_when_the_model_is_down_facts_and_claims_say_so() -> None:  # S1.4, N4
    story = written(DRAFT, UNCHECKED, UNCHECKED, UNCHECKED)
    story.assess()
    verification = story.conclude()["verification"]
    for name in ("check_facts", "check_claims"):
        assert verification["checks"][name]["status"] == "not_checked"
        assert verification["checks"][name]["reason"] == "timeout"
    assert verification["fact_verification_score"] == 0.5
    assert "Facts: not checked (timeout)" in verification["issues"]


@pytest.mark.parametrize("missing", [None, checked(None, "timeout")])
def test_what_was_not_checked_is_no_support_and_no_failure(missing: Outcome | None) -> None:  # N4
    story = written(DRAFT, yes(), missing, yes())
    assessed = story.assess()
    assert assessed["confidence"] == pytest.approx(2 / 3)  # and no bonus, because it is unknown
    assert (assessed["gaps"], assessed["failing"]) == ([], [])
    query = story.conclude()
    states = [sentence["status"] for sentence in query["verification"]["sentences"]]
    assert states == ["supported", "not_checked", "supported"]
    assert query["verification"]["is_grounded"] is False


def test_nothing_checked_is_no_confidence_at_all() -> None:  # N4
    story = written(DRAFT, None, None, None, max_crag_attempts=2)
    assessed = story.assess()
    assert (assessed["confidence"], assessed["decision"]) == (0.0, "finish")


def test_gaps_are_the_sentences_without_support_each_once() -> None:  # S2.3
    story = written(f"{DRAFT} {SECOND.upper()[:-1]} [†1].", yes(), no(), PARTLY)
    assert story.assess()["gaps"] == [SECOND.upper(), THIRD]


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
    verdict = no(relation="partially_supports", confidence=0.9)
    story = written("The moon is made of cheese.", verdict, citation_confidence=threshold)
    assert story.assess()["failing"] == failing


def test_a_model_that_contradicts_itself_decides_nothing() -> None:  # S5.4
    verdict = checked({**yes()["verdict"], "relation": "contradicts", "confidence": 0.5})
    story = written("The moon is made of cheese.", verdict)
    assert story.assess()["failing"] == []
    assert story.conclude()["verification"]["sentences"][0]["status"] == SentenceStatus.UNSUPPORTED
