"""Questions refused before anything is written, and the verdict on whether an answer answers."""

import pytest

from domain.query.refusals import IDK, IDK_KOREAN
from domain.question.nearest import NOT_A_QUESTION
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story, checked, with_groq

pytestmark = pytest.mark.usefixtures("database")

MACHINES = "The Theta machine weighs 18 kilograms. The Zeta machine weighs 20 kilograms. The Eta machine is blue."
OMEGA = "How many kilograms does the Omega machine weigh?"


# V8, seeds-audit B11
def test_a_thing_that_no_passage_names_is_refused_with_every_provider(play: Play) -> None:
    story = Story(OMEGA, play=play)
    story.add("machines.md", MACHINES)
    query = story.retrieve().conclude()
    assert (query["answer"], query["abstained"], query["citations"]) == (IDK, True, [])
    assert "“Omega”" in query["abstain_reason"]
    assert "generate_answer" not in story.asked()
    assert query["mentions"][0]["document"] == "machines.md"
    assert "machine weighs 18 kilograms" in query["mentions"][0]["quote"]


def test_a_thing_that_only_the_files_name_names_is_not_refused(play: Play) -> None:  # V8
    story = Story(OMEGA, play=play)
    story.add("omega-machine.md", "The machine weighs 18 kilograms and is blue.")
    assert story.retrieve().outcome("select")["status"] == "selected"


def test_a_greeting_is_refused_kindly(play: Play) -> None:  # V8, users 1.2
    story = Story("thanks!", play=play)
    story.add("cloud.md", "Thanks to cloud computing, all machines are in one place.")
    query = story.retrieve().conclude()
    assert (query["answer"], query["abstain_reason"], query["mentions"]) == (IDK, NOT_A_QUESTION, [])


def test_the_refusal_speaks_the_questions_language_or_english() -> None:  # V8, S5.3
    for language, expected in (("question", IDK_KOREAN), ("en", IDK)):
        story = Story("오메가 기계의 무게는 얼마인가요?", refusal_language=language)
        query = story.retrieve().conclude()
        assert (query["answer"], query["abstained"]) == (expected, True)


def test_the_verdict_on_the_question_is_stored_and_shown() -> None:  # V8
    story = Story("How much does the Theta machine weigh, and when was it built?")
    key = story.add("machines.md", MACHINES)
    story.selected(key).set(
        "generate", {"status": "complete", "text": "The Theta machine weighs 18 kilograms. [†1]", "model": "m"}
    )
    verdict = story.check().conclude()["verification"]["question"]
    assert (verdict["relevant"], verdict["complete"]) == ("partly", False)
    assert verdict["open_parts"] == ["when was it built?"]


# V8, V4
def test_a_models_yes_does_not_make_an_answer_of_another_things_figures(stage: GroqStage) -> None:
    story = Story(OMEGA, play=with_groq(stage), verify_answer=False)
    key = story.add("machines.md", MACHINES)
    story.selected(key, ranked=(key,)).set(
        "generate", {"status": "complete", "text": "The Theta machine weighs 18 kilograms. [†1]", "model": "m"}
    )
    story.check()
    yes = {"asked": "a weight", "open_parts": list[str](), "answers": "yes", "score": 1.0, "reason": "fine"}
    verdict = story.set("check_alignment", checked(yes)).conclude()["verification"]["question"]
    assert (verdict["relevant"], verdict["missing_names"]) == ("no", ["Omega"])
    assert verdict["probability"] <= 0.05
