"""A statement may say where it is from: what its source is called needs no evidence. Evidence has a bound."""

import json
from typing import Any

import pytest

from services.external.request import NewSource
from tests.clients.groq_stage import GroqStage
from tests.services.given_story import GivenStory
from tests.services.story import Scenario, StepResult, with_groq, with_offline
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

RULES = NewSource(text="Visitors must sign in. The canteen opens at noon.", title="Visitor Rules 2023")
KNOWN = {"ticker": "ACME", "company": "Acme Inc.", "year": 2023, "form": "10-Q"}
FILING = NewSource(text="Net sales fell 1 percent in the third quarter.", title="q3.htm", metadata=KNOWN)
KOREAN = NewSource(text="방문자는 출입 명부를 작성해야 한다.", title="출입 규정 2023")
NAMED = (
    "According to the Visitor Rules 2023, visitors must sign in [1].",
    "The canteen opens at noon (Visitor Rules 2023) [1].",
    "In the ACME 10-Q filing, net sales fell 1 percent in the third quarter [2].",
    "Acme's 2023 10-Q says that net sales fell 1 percent in the third quarter [2].",
    "출입 규정 2023에 따르면 방문자는 출입 명부를 작성해야 한다 [3].",
)
WRONG = (
    "According to the Visitor Rules 2022, visitors must sign in [1].",
    "According to the Visitor Rules 2023, the canteen opens at nine [1].",
    "The ACME 10-Q says that net sales fell 2 percent in the third quarter [2].",
    "출입 규정 2023에 따르면 방문자는 출입 명부를 작성할 필요가 없다 [3].",
)


def by_words(scenario: Scenario) -> StepResult:
    return with_offline(scenario, embeddings=False)


def states(told: dict[str, Any]) -> set[str]:
    return {each["status"] for each in told["sentences"]}


def test_sentences_that_name_their_source_are_supported_and_stay_as_they_are() -> None:  # V1
    told = GivenStory(" ".join(NAMED), RULES, FILING, KOREAN, play=by_words).verified()
    assert states(told) == {"supported"}
    assert (told["changed"], "brackets" in told["sources"][0]) == (False, False)


def test_what_a_named_source_does_not_say_is_not_supported() -> None:  # V3
    told = GivenStory(" ".join(WRONG), RULES, FILING, KOREAN, play=by_words, repair="off").verified()
    assert "supported" not in states(told)


def test_a_judge_that_quotes_everything_is_cut_to_what_states_the_sentence(stage: GroqStage) -> None:  # N3
    filler = " ".join(f"Hall {number} has a door and two windows." for number in range(100))
    text = f"{filler} The bridge opened in 1998. {filler}"
    reply: dict[str, Any] = {"evidence": text, "differences": [], "explanation": "so it is", "relation": "supports"}
    quote = json.dumps({**reply, "is_accurate": True, "confidence": 0.95})
    stage.sim.fail(Fault(kind=FaultKind.SAYING, match="\ncheck_statement\n", quote=quote, times=None))
    told = GivenStory("The bridge opened in 1998 [1].", text, play=with_groq(stage), checks=["citations"]).verified()
    assert told["sentences"][0]["evidence"] == told["citations"][0]["evidence"] == "The bridge opened in 1998."
