"""Facts and claims are asked about a few sentences at a time; the result is that of one call (S1.4, S2.1, N4)."""

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from config.settings import settings
from services.submission import NewQuery, resolve_options
from services.whole_checks import check_claims, check_facts
from tests.clients.groq_stage import GroqStage
from tests.services.story import Story, with_groq, yes
from tests.simulators.groq.faults import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("database")

POLICY = "Returns are accepted within 30 days. Refunds take 10 business days. A receipt is required for every return."
GUIDE = "Access tokens expire after 30 minutes. Every client signs in with OAuth 2.0."
DRAFT = (
    "## Rules\n\nReturns are accepted within 30 days[†1]. Refunds take 45 business days[†1]. "
    "A receipt is required for every return[†1]. Access tokens expire after 30 minutes[†2]. The moon is a cheese."
)
SECOND = "<answer>\nRefunds take 45 business days."
"""The call about the second claim alone."""


def written(*, play: Any = None, sentences_per_call: int = 1) -> Story:
    story = Story(**({"play": play} if play else {}), sentences_per_call=sentences_per_call)
    story.selected(story.add("policy.md", POLICY), story.add("guide.md", GUIDE))
    return story.set("generate", {"status": "complete", "text": DRAFT, "model": "m"})


@pytest.fixture(scope="module")
def groq() -> Generator[GroqStage]:
    with GroqStage(unlimited=True) as stage:
        yield stage


@pytest.fixture
def stage(groq: GroqStage) -> GroqStage:
    groq.sim.reset()
    return groq


def test_the_table_of_claims_is_that_of_one_call() -> None:  # S2.1
    whole = written(sentences_per_call=0).run("check_claims", check_claims)
    assert [claim["status"] for claim in whole["verdict"]["claims"]] == [
        "SUPPORTED", "UNSUPPORTED", "SUPPORTED", "SUPPORTED", "UNSUPPORTED",
    ]  # fmt: skip
    for per_call in (1, 2, 3):
        assert without_sources(written(sentences_per_call=per_call).run("check_claims", check_claims)) == (
            without_sources(whole)
        )


def without_sources(outcome: dict[str, Any]) -> dict[str, Any]:
    """Every story has documents of its own; evidence is from the same place of them. A part has no markers, so that
    nothing is left of them in front of a full stop."""
    claims = [
        {
            **claim,
            "claim": claim["claim"].replace(" .", "."),
            "source": claim["source"] and {**claim["source"], "document_id": "", "chunk_id": "", "doc_id": ""},
        }
        for claim in outcome["verdict"]["claims"]
    ]
    return {**outcome, "verdict": {**outcome["verdict"], "claims": claims}}


@pytest.mark.parametrize(
    ("per_call", "asked"),
    [
        (1, {"check_claims_part": 5, "check_facts_part": 2}),
        (2, {"check_claims_part": 3, "check_facts": 1}),
        (0, {"check_claims": 1, "check_facts": 1}),
    ],
)
def test_a_few_sentences_are_asked_about_in_one_call(per_call: int, asked: dict[str, int]) -> None:  # S1.4, S2.1
    story = written(sentences_per_call=per_call)
    story.run("check_claims", check_claims)
    story.run("check_facts", check_facts)
    assert Counter(story.asked()) == asked


def test_the_cheap_preset_asks_once() -> None:  # S1.4, S2.1
    options = resolve_options(NewQuery("?", preset="cheap"), settings())
    assert options.sentences_per_call == 0


def test_a_part_that_fails_leaves_its_own_sentences_unchecked(stage: GroqStage) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.BAD_JSON, match=SECOND, times=None))
    story = written(play=with_groq(stage))
    outcome = story.run("check_claims", check_claims)
    assert (outcome["status"], outcome["verdict"]["unchecked"]) == ("checked", [2])
    assert outcome["reason"]
    assert [claim["claim"] for claim in outcome["verdict"]["claims"]] == [
        "Returns are accepted within 30 days.",
        "A receipt is required for every return.",
        "Access tokens expire after 30 minutes.",
        "The moon is a cheese.",
    ]
    story.drafted(DRAFT, *[yes()] * 5).set("check_claims", outcome)
    # Of five claims three are supported, one is not, and one nobody knows; all sentences alone would be 1.0.
    assert story.assess()["confidence"] == pytest.approx(3 / 5 - 0.1)
    verification = story.conclude()["verification"]
    assert "The claims of 1 of 6 sentences were not checked one by one; the sentences were." in verification["issues"]
    assert verification["checks"]["check_claims"]["reason"] == outcome["reason"]


def test_when_all_parts_fail_nothing_was_checked(stage: GroqStage) -> None:  # N4
    stage.sim.fail(Fault(kind=FaultKind.BAD_JSON, match="\ncheck_claims\n", times=None))
    outcome = written(play=with_groq(stage)).run("check_claims", check_claims)
    assert (outcome["status"], outcome["verdict"]) == ("not_checked", None)


def test_half_of_the_facts_are_no_score(stage: GroqStage) -> None:  # S1.4, N4
    whole = written(play=with_groq(stage)).run("check_facts", check_facts)
    assert len(whole["verdict"]["claims"]) == 5
    assert [claim["verified"] for claim in whole["verdict"]["claims"]] == [True, False, True, True, False]
    stage.sim.fail(Fault(kind=FaultKind.BAD_JSON, match="<answer>\nReturns are accepted within 30 days.", times=None))
    story = written(play=with_groq(stage))
    outcome = story.run("check_facts", check_facts)
    assert (outcome["status"], outcome["verdict"]) == ("not_checked", None)


def test_a_part_names_no_more_key_claims_than_it_may(stage: GroqStage) -> None:  # S1.4
    story = written(play=with_groq(stage), sentences_per_call=2)
    assert len(story.run("check_facts", check_facts)["verdict"]["claims"]) == 5
    story = written(play=with_groq(stage))
    story.set("generate", {**story.outcome("generate"), "text": f"{DRAFT} Fees are 9 euros. Ships sink."})
    claims = story.run("check_facts", check_facts)["verdict"]["claims"]
    # The simulated model lists every sentence that it is shown.
    assert [claim["claim"] for claim in claims] == [
        "Returns are accepted within 30 days.",
        "Refunds take 45 business days.",
        "Access tokens expire after 30 minutes.",
        "The moon is a cheese.",
        "Fees are 9 euros.",
    ]


def test_what_a_part_repeats_from_the_one_before_counts_once(stage: GroqStage) -> None:  # S2.1
    reply = (
        '{"overall_confidence": 1.0, "is_grounded": true, "suggested_corrections": ["Say less."], "claims": [{"claim": '
        '"Returns are accepted within 30 days.", "status": "SUPPORTED", "evidence": "Returns are accepted within 30 '
        'days.", "reasoning": "so it is"}]}'
    )
    stage.sim.fail(Fault(kind=FaultKind.SAYING, quote=reply, match="\ncheck_claims\n", times=None))
    outcome = written(play=with_groq(stage)).run("check_claims", check_claims)
    assert [claim["claim"] for claim in outcome["verdict"]["claims"]] == ["Returns are accepted within 30 days."]
    assert outcome["verdict"]["corrections"] == ["Say less."]
