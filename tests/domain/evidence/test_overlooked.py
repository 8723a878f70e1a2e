"""What a statement overlooks of the sentence that otherwise says it: limits, governing verbs, comparisons (V3)."""

import pytest

from clients.llm.offline.judging import check_statement
from clients.llm.offline.meaning import Meaning
from domain.evidence.overlooked import overlooked
from domain.prompting.numbered_sources import Source, Sources
from domain.verdicts.ruling import UNPROVEN_CONFIDENCE, Grounds

WRONG = [
    (
        "Vegetable gardens may be watered at any time.",
        "Vegetable gardens may still be watered between 8 p.m. and 10 p.m.",
        "quantifier",
    ),
    (
        "Everybody gets the new page in June, whatever the number of complaints.",
        "If complaints stay below 20 a week, everybody gets it in June.",
        "quantifier",
    ),
    ("회원은 언제든지 환불받을 수 있다.", "회원은 7일 이내에만 환불받을 수 있다.", "quantifier"),
    (
        "Press the button while the green light is flashing.",
        "Wait until the green light stops flashing, then press the button.",
        "modality",
    ),
    ("Sorensen repairs the lift for 9,400 euros.", "Sorensen offers to repair the lift for 9,400 euros.", "modality"),
    ("The firm paid the fine.", "The firm refused to pay the fine.", "modality"),
    (
        "The new page loads more quickly than the old one on phones.",
        "Priya found that it loads more slowly than the old one on phones.",
        "order",
    ),
    (
        "A survey showed that more patients like the salad than the soup.",
        "A survey showed that more patients like the soup than the salad.",
        "order",
    ),
]
RIGHT = [
    ("The seat must be replaced even if it looks intact.", "The seat must be replaced, even if no damage can be seen."),
    ("Members may swim at any time.", "Members may swim whenever they like."),
    ("Press the button once the light has stopped flashing.", "Wait until the light stops flashing, then press it."),
    ("Sorensen would repair the lift.", "Sorensen offers to repair the lift for 9,400 euros."),
    ("Stroud used more water than Ellerby.", "Ellerby used less water than the town of Stroud."),
    ("On phones the old page loads faster than the new one.", "It loads more slowly than the old one on phones."),
    ("Staff may park in the yard.", "Staff may park in the yard if they have a permit."),
]


@pytest.mark.parametrize(("statement", "source", "kind"), WRONG)
def test_what_is_overlooked_is_named_and_never_supported(statement: str, source: str, kind: str) -> None:  # V3
    assert kind in {each.kind for each in overlooked(statement, source)}
    reply = check_statement(statement, Sources([Source(1, "a.md", source, "")]), Meaning(None))
    yes = reply.model_copy(update={"is_accurate": True, "relation": "supports", "confidence": 1.0, "evidence": source})
    for each in (reply, yes):
        ruled = Grounds.of(statement, [source]).rule(each)
        assert not (ruled.supports and ruled.confidence > UNPROVEN_CONFIDENCE)


@pytest.mark.parametrize(("statement", "source"), RIGHT)
def test_what_is_told_in_another_way_is_not_overlooked(statement: str, source: str) -> None:  # V1
    assert overlooked(statement, source) == ()


def test_a_sentence_about_something_else_overlooks_nothing() -> None:
    assert overlooked("Dogs may run at any time.", "If the alarm rings, leave the building.") == ()
