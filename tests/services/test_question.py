"""Questions refused before anything is written, and the verdict on whether an answer answers."""

import pytest

from citewell_verify.answers.refusals import IDK, IDK_KOREAN
from domain.query.conversation import Turn
from domain.question.nearest import NOT_A_QUESTION
from tests.clients.groq_stage import GroqStage
from tests.services.story import Play, Story, checked, with_groq
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

MACHINES = "The Theta machine weighs 18 kilograms. The Zeta machine weighs 20 kilograms. The Eta machine is blue."
OMEGA = "How many kilograms does the Omega machine weigh?"


# V8
def test_a_thing_that_no_passage_names_is_refused_with_every_provider(play: Play) -> None:
    story = Story(OMEGA, play=play)
    story.add("machines.md", MACHINES)
    query = story.retrieve().conclude()
    assert (query["answer"], query["abstained"], query["citations"]) == (IDK, True, [])
    assert "“Omega”" in query["abstain_reason"]
    assert "generate_answer" not in story.asked()
    assert query["mentions"][0]["document"] == "machines.md"
    assert "machine weighs 18 kilograms" in query["mentions"][0]["quote"]


def test_a_refusal_shows_the_closest_passages_where_they_stand_also_if_no_word_of_the_question_is_there() -> None:  # V8
    story = Story("Which colour suits Zanzibar?")
    text = "# Machines\n\nThe Theta machine weighs 18 kilograms.\n\nIt is blue and stands in the hall."
    story.add("machines.md", text)
    query = story.retrieve().conclude()
    assert query["abstained"]
    (closest,) = query["mentions"]
    words = text[closest["source_start"] : closest["source_end"]]
    assert " ".join(words.split()) == closest["quote"]
    assert closest["quote"] in " ".join(text.split())


def test_a_thing_that_only_the_files_name_names_is_not_refused(play: Play) -> None:  # V8
    story = Story(OMEGA, play=play)
    story.add("omega-machine.md", "The machine weighs 18 kilograms and is blue.")
    assert story.retrieve().outcome("select")["status"] == "selected"


def test_a_greeting_is_refused_kindly(play: Play) -> None:  # V8
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


@pytest.mark.parametrize(
    ("said", "question", "refusal"),
    [
        ("I don't know.", "How much does the Theta machine cost?", IDK),
        ("The provided documents do not mention the price. [†1]", "How much does the Theta machine cost?", IDK),
        ("I don't know.\n\nReferences:\n- none", "How much does the Theta machine cost?", IDK),
        ("모르겠습니다", "세타 기계의 가격은 얼마인가요?", IDK_KOREAN),
        ("제공된 문서에는 가격 정보가 없습니다.", "세타 기계의 가격은 얼마인가요?", IDK_KOREAN),
    ],
)
def test_a_models_refusal_in_its_own_words_is_one_with_what_comes_nearest(
    stage: GroqStage, said: str, question: str, refusal: str
) -> None:  # V8, S5.3
    stage.sim.go_on()
    stage.sim.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=said, times=None))
    earlier = Turn(role="user", text="How much does the Theta machine weigh?"), Turn(role="assistant", text="18 kg.")
    story = Story(question, play=with_groq(stage), conversation=earlier)
    text = f"{MACHINES} 세타 기계의 가격은 표에 없다." if refusal == IDK_KOREAN else MACHINES
    story.add("machines.md", text)
    query = story.retrieve().write().conclude()
    assert (query["answer"], query["abstained"]) == (refusal, True)
    assert query["abstain_reason"] == "The passages that were found do not contain the answer."
    assert query["mentions"]
    assert query["verification"]["confidence"] is None


def test_an_answer_that_only_begins_like_a_refusal_is_published(stage: GroqStage) -> None:  # V8
    said = "I don't know who built it, but the Theta machine weighs 18 kilograms. [†1]"
    stage.sim.go_on()
    stage.sim.fail(Fault(kind=FaultKind.SAYING, match="\ngenerate_answer\n", quote=said, times=None))
    story = Story("How much does the Theta machine weigh?", play=with_groq(stage))
    key = story.add("machines.md", MACHINES)
    assert story.selected(key).write().outcome("generate")["status"] == "complete"
