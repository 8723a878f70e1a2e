"""What is left out when a query's time or money runs short, and how its result reports that."""

import pytest

from domain.query.budget import Budget
from services.core.context import Outcome
from services.retrieval.reranking import select
from tests.services.given_story import GivenStory
from tests.services.story import Story, checked, no, yes

pytestmark = pytest.mark.usefixtures("database")

SOURCE = "Returns are accepted within 30 days of the purchase date. A receipt is required."
GOOD, WRONG = "A receipt is required [†1].", "Returns are accepted within 60 days of the purchase date [†1]."
DEADLINE = "the query's deadline passed"
LATE: Outcome = {"status": "not_checked", "verdict": None, "reason": DEADLINE, "degraded": DEADLINE}


def weak(used_s: float, max_crag_attempts: int = 1) -> Story:
    story = Story(max_crag_attempts=max_crag_attempts)
    key = story.add("a.txt", SOURCE)
    story.selected(key).drafted(f"{GOOD} {WRONG}", yes(), no("30 days", "contradicts"))
    story.budget = Budget(used_s, 100.0)
    return story


def test_in_time_a_weak_answer_is_corrected_and_repaired() -> None:  # A7, S2.3
    assert weak(69).assess()["decision"] == "correct"
    assessed = weak(84, max_crag_attempts=0).assess()
    assert (assessed["failing"], assessed.get("repairs", True), assessed.get("degraded")) == ([1], True, None)


def test_late_no_corrective_round_is_begun() -> None:  # A7, S2.3
    assessed = weak(70).assess()
    assert (assessed["decision"], assessed["degraded"]) == ("finish", "70% of the query's time was used")
    assert assessed.get("repairs", True)


def test_later_what_fails_is_marked_and_its_citation_goes() -> None:  # A7, N5
    story = weak(85, max_crag_attempts=0)
    assert story.assess()["repairs"] is False
    query = story.conclude()
    assert query["answer"] == "A receipt is required. [1] Returns are accepted within 60 days of the purchase date."
    assert [each["status"] for each in query["verification"]["sentences"]] == ["supported", "contradicted"]
    reason = "85% of the query's time was used"
    assert query["degraded"] == [{"step": "assess", "reason": reason}]
    assert f"Left out (assess): {reason}." in query["verification"]["issues"]


def test_nothing_is_told_of_an_answer_that_lacks_nothing() -> None:  # A7
    story = Story()
    story.selected(story.add("a.txt", SOURCE)).drafted(GOOD, yes())
    story.budget = Budget(99, 100)
    story.assess()
    assert story.conclude()["degraded"] == []


def test_what_was_not_checked_in_time_is_never_supported() -> None:  # A7, N4
    story = Story()
    story.selected(story.add("a.txt", SOURCE)).drafted(f"{GOOD} {WRONG}", yes(), LATE)
    for step in ("check_alignment", "check_coverage", "check_answerability"):
        story.set(step, LATE)
    story.budget = Budget(101, 100)
    story.assess()
    query = story.conclude()
    assert query["status"] == "succeeded"
    assert [each["status"] for each in query["verification"]["sentences"]] == ["supported", "not_checked"]
    assert query["verification"]["is_grounded"] is False
    (issue,) = [each for each in query["verification"]["issues"] if each.startswith("Left out")]
    assert DEADLINE in issue
    assert "check statements" in issue


@pytest.mark.parametrize(
    ("late", "code"),
    [("generate", "deadline_exceeded"), ("retrieve", "deadline_exceeded"), ("spent", "cost_ceiling")],
)
def test_without_an_answer_the_query_fails_with_what_ran_out(late: str, code: str) -> None:  # A7
    story = Story()
    story.budget = Budget(1, 100, 2.0, 1.0) if late == "spent" else Budget(101, 100)
    told = {"reason": story.budget.reason, "degraded": story.budget.reason, "code": story.budget.code}
    if late == "retrieve":
        story.set("retrieve", {"status": "failed", "candidates": [], **told})
        story.run("select", select)
    else:
        story.selected(story.add("a.txt", SOURCE))
        story.set("generate", {"status": "failed", "text": "", "model": None, **told})
    query = story.conclude()
    assert (query["status"], query["error"]["code"]) == ("failed", code)
    assert query["error"]["message"] == story.budget.reason


def test_a_given_answer_is_told_which_sentences_were_not_checked() -> None:  # A7, N2
    story = GivenStory("A receipt is required [1].", SOURCE, checks=["citations"])
    story.set("check_statements", checked(None, DEADLINE) | {"degraded": DEADLINE}, "s0:c1")
    story.set("check_coverage", LATE)
    story.budget = Budget(101, 100)
    story.assess()
    result = story.conclude()
    assert [each["status"] for each in result["sentences"]] == ["not_checked"]
    assert any(DEADLINE in issue for issue in result["verification"]["issues"])
