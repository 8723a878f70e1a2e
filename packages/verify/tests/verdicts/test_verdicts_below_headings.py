"""Verdicts on a passage that stands below headings and columns of other chunks, with any judge (V1, V2, V4)."""

import pytest

from citewell_verify.facts.quotation import active_context, with_outer_headings
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status
from verify_material.rows import for_all_rows

IT = "It weighs 7 kilograms and runs on two batteries."
DEVICE = "The device weighs 7 kilograms and has two ports."
CITY = "The city has 7 million inhabitants and two airports."
KOREAN = "무게는 7킬로그램이고 배터리 두 개로 작동한다."
BRANCH = "이 지점은 직원이 70명이고 회의실이 두 개이다."
ROWS = "X100\t5 kg\t300 euros\nX200\t7 kg\t450 euros"
COLUMNS = "Scales\nModel\tWeight\tPrice"

SAID = [
    ("Pump 14 weighs 7 kilograms.", IT, "Pumps › Pump 14"),
    ("Pump 14 weighs 7 kilograms.", DEVICE, "Pump 14 › Weight"),
    ("The X100 weighs 7 kilograms.", DEVICE, "X100"),
    ("Model X100 weighs 7 kilograms.", IT, "Model X100"),
    ("Hamburg has 7 million inhabitants.", CITY, "Germany › Hamburg"),
    ("14호 펌프의 무게는 7킬로그램이다.", KOREAN, "14호 펌프"),
    ("X200의 무게는 7킬로그램이다.", KOREAN, "3장 X200"),
    ("서울 지점은 직원이 70명이다.", BRANCH, "서울 지점"),
    ("The weight of the X200 is 7 kg.", ROWS, COLUMNS),
    ("The price of the X100 is 300 euros.", ROWS, COLUMNS),
]
OF_ANOTHER = [
    ("Pump 14 weighs 7 kilograms.", IT, "Pumps › Pump 4"),
    ("Pump 4 weighs 7 kilograms.", DEVICE, "Pump 4 › Pump 14"),
    ("The X100 weighs 7 kilograms.", DEVICE, "X1000"),
    ("Model X100 weighs 7 kilograms.", IT, "Model X200"),
    ("Hamburg has 7 million inhabitants.", CITY, "Germany › Berlin"),
    ("14호 펌프의 무게는 7킬로그램이다.", KOREAN, "4호 펌프"),
    ("X100의 무게는 7킬로그램이다.", KOREAN, "3장 X200"),
    ("The weight of the X200 is 5 kg.", ROWS, COLUMNS),
    ("The price of the X200 is 7 kg.", ROWS, COLUMNS),
]


def offline(statement: str, text: str, context: str) -> StatementCheck:
    return check_statement(statement, Sources([Source(1, "manual.md", text, context)]), Meaning(None))


def status(reply: StatementCheck, statement: str, text: str, context: str) -> SentenceStatus:
    ruling = Grounds.of(statement, [text], [context]).rule(reply)
    return sentence_status(True, [PairVerdict.from_json(1, ruling.as_json())])


def yes(quotation: str) -> StatementCheck:
    return StatementCheck(
        is_accurate=True, relation="supports", confidence=1.0, evidence=quotation, explanation="The source says so."
    )


@for_all_rows(("statement", "text", "context"), SAID)
def test_what_stands_below_its_heading_or_column_is_said(statement: str, text: str, context: str) -> None:
    assert Grounds.of(statement, [text], [context]).disagreements == ()
    assert status(yes(text), statement, text, context) is SentenceStatus.SUPPORTED
    assert offline(statement, text, context).relation != "contradicts"


@for_all_rows(("statement", "text", "context"), OF_ANOTHER)
def test_what_stands_below_another_heading_or_column_is_not_supported(statement: str, text: str, context: str) -> None:
    assert status(yes(text), statement, text, context) is not SentenceStatus.SUPPORTED
    assert status(offline(statement, text, context), statement, text, context) is not SentenceStatus.SUPPORTED


@for_all_rows(
    ("context", "kept"),
    [
        ("X100 › X200", "X200"),
        ("Manual › X100\nModel\tWeight", "Manual › X100\nModel\tWeight"),
        ("X100 › X200\nModel\tWeight", "X200\nModel\tWeight"),
        ("Model\tWeight\nX1\t5 kg", "Model\tWeight\nX1\t5 kg"),
        ("", ""),
    ],
)
def test_a_context_loses_the_headings_that_have_ended(context: str, kept: str) -> None:
    assert active_context(context) == kept


@pytest.mark.parametrize("topic", ["## Battery pack", "**Running time**", "### Deadlines", "## 배터리"])
def test_a_part_of_what_the_context_names_is_no_other_thing(topic: str) -> None:
    text = f"A scale for kitchens.\n\n{topic}\n\nThe scale weighs 7 kilograms."
    statement = "The X100 weighs 7 kilograms."
    assert Grounds.of(statement, [text], ["X100"]).disagreements == ()
    assert with_outer_headings(statement, text, "X100") == text


def test_words_that_stand_above_the_source_are_no_evidence() -> None:
    reply = offline("Model X100 weighs 7 kilograms.", IT, "Manual › Model X100")
    assert reply.evidence == IT
    assert reply.is_accurate
