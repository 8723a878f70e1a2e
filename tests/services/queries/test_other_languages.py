"""An answer in a language that the rules do not read stays as it is, and says so of itself."""

from functools import partial

import pytest

from citewell_verify.answers.refusals import REFUSALS
from citewell_verify.verdicts.confidence import calibrations
from tests.services.given_story import GivenStory
from tests.services.story import Story, with_offline

pytestmark = pytest.mark.usefixtures("database")

by_words = partial(with_offline, embeddings=False)
SOURCE = "Der Gewinn stieg um 4,8 Prozent auf 12,8 Mio. Euro. Die Stadt Lindau erhält davon ein Drittel."
REWORDED = "Der Gewinn wuchs um 4,8 % auf 12,8 Millionen Euro"
UNREAD = "the rules read English and Korean; this is German"


def test_a_given_answer_is_kept_and_marked_as_not_checked_but_for_what_it_copies() -> None:  # N4, V1
    answer = "Die Stadt Lindau erhält davon ein Drittel [1]. Der Gewinn wuchs um 8,4 % auf 12,8 Millionen Euro [1]."
    result = GivenStory(answer, SOURCE, play=by_words).verified()
    copied, changed = result["sentences"]
    assert result["repaired_answer"] == answer
    assert (copied["status"], changed["status"], changed["reason"]) == ("supported", "not_checked", UNREAD)
    assert [(each["status"], each["is_accurate"]) for each in result["citations"]] == [
        ("accurate", True),
        ("not_checked", None),
    ]
    assert (result["verification"]["confidence"], result["verification"]["confidence_level"]) == (0.5, "Uncalibrated")


def test_an_answer_that_was_only_not_checked_is_no_refusal() -> None:  # S3.4, V9
    story = Story("Um wie viel wuchs der Gewinn?", play=by_words)
    story.calibration = calibrations()["offline"]
    story.selected(story.add("bericht.md", SOURCE))
    story.set("generate", {"status": "complete", "text": f"{REWORDED} [†1].", "model": "m"})
    result = story.check().repair().conclude()
    assert (result["answer"], result["abstained"]) == (f"{REWORDED}. [1]", False)
    verification = result["verification"]
    assert [(each["status"], each["reason"]) for each in verification["sentences"]] == [("not_checked", UNREAD)]
    assert (verification["confidence"], verification["calibration"]["holds"]) == (None, False)
    assert verification["calibration"]["reason"].endswith("this answer is in German.")


def test_a_question_without_an_answer_is_refused_in_its_language() -> None:  # S3.4, S5.3
    story = Story("¿Quién paga?", play=by_words)
    story.add("contrato.md", "El inquilino paga la luz y el agua de la vivienda.")
    result = story.set(
        "select", {"status": "refused", "selected": [], "ranked": [], "sources": [], "issues": []}
    ).conclude()
    assert result["answer"] == REFUSALS["es"]
