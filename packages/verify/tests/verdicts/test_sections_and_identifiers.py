"""What stands below a heading is about what the heading names; an identifier is one word in each spelling (V2, V4)."""

import json
from pathlib import Path
from typing import Any

import pytest

from citewell_verify.facts.reading.token_alignment import tokens_match
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.structure.headings import heading_lines, split_off_headings
from citewell_verify.facts.structure.sections import parse_sections
from citewell_verify.verdicts.states import SentenceStatus
from verify_material.rows import for_all_rows
from verify_material.statuses import statuses

AIRCRAFT = """# F-16 Fighting Falcon

The aircraft has one engine and a top speed of Mach 2.

# F-15 Eagle

The aircraft has two engines and a top speed of Mach 2.5.
"""
CITIES = """# City of Berlin

The city has 4 million inhabitants.

# City of Hamburg

The city has 2 million inhabitants.
"""
MODELS = """# Model X100

The device weighs 7 kg.

# Model X200

The device weighs 9 kg.
"""
PRO = MODELS.replace("100", "100 Pro").replace("200", "200 Pro")
KOREAN = [
    f"{one}\n\n이 장치의 무게는 7kg이다.\n\n{other}\n\n이 장치의 무게는 9kg이다.\n"
    for one, other in (
        ("# 제3장 X100", "# 제4장 X200"),
        ("# X100 모델", "# X200 모델"),
        ("가. X100", "나. X200"),
        ("## 3.1 X100", "## 3.2 X200"),
    )
]


@for_all_rows("alone", [False, True])
@for_all_rows(
    ("statement", "source"),
    [
        ("Berlin has 4 million inhabitants.", CITIES),
        ("The city of Berlin has 4 million inhabitants.", CITIES),
        ("The X100 weighs 7 kg.", MODELS),
        ("The X-100 weighs 7 kg.", MODELS),
        ("Model X100 weighs 7 kg.", MODELS),
        ("The X100 Pro weighs 7 kg.", PRO),
        ("The F-16 Fighting Falcon has one engine.", AIRCRAFT),
        *(("X100의 무게는 7kg이다.", source) for source in KOREAN),
    ],
)
def test_a_section_is_about_what_its_heading_names(statement: str, source: str, alone: bool) -> None:  # V2
    if alone:
        source = "\n\n".join(source.split("\n\n")[:2]) + "\n"
    assert statuses(statement, source) == {SentenceStatus.SUPPORTED}


@for_all_rows(
    ("statement", "source"),
    [
        ("Berlin has 2 million inhabitants.", CITIES),
        ("Hamburg has 4 million inhabitants.", CITIES),
        ("Munich has 4 million inhabitants.", CITIES),
        ("The X100 weighs 9 kg.", MODELS),
        ("The X200 weighs 7 kg.", MODELS),
        ("The X300 weighs 7 kg.", MODELS),
        ("The X200 Pro weighs 7 kg.", PRO),
        ("The F-16 has two engines.", AIRCRAFT),
        ("The F-15 has one engine.", AIRCRAFT),
        ("The Eagle has one engine.", AIRCRAFT),
        *(("X100의 무게는 9kg이다.", source) for source in KOREAN),
        *(("X200의 무게는 7kg이다.", source) for source in KOREAN),
        # Below a heading a sentence may be about a part of what it names, or about something else.
        (
            "Revenue was 5 million euros.",
            "# Revenue\n\nProfit was 5 million euros.\n\n# Costs\n\nCosts were 3 million.\n",
        ),
        ("The X100 weighs 2 kg.", "# X100\n\nThe battery weighs 2 kg.\n\n# X200\n\nThe battery weighs 3 kg.\n"),
        ("The X100 weighs 2 kg.", "# X100\n\nIts battery weighs 2 kg.\n"),
        ("X100의 무게는 2kg이다.", "# X100\n\n배터리의 무게는 2kg이다.\n"),
        ("Berlin has 2 million inhabitants.", "# Berlin\n\nHamburg has 2 million inhabitants.\n"),
        # A part of a name may be another thing.
        ("Berlin handles 25 million passengers.", "# Berlin Airport\n\nIt handles 25 million passengers.\n"),
        ("Berlin was born in 1965.", "# Mayor of Berlin\n\nHe was born in 1965.\n\n# Costs\n\nCosts were low.\n"),
        ("The X100 weighs 2 kg.", "# X100 Battery\n\nIt weighs 2 kg.\n\n# X200 Battery\n\nIt weighs 3 kg.\n"),
    ],
)
def test_what_stands_below_a_heading_is_not_said_of_another_thing(statement: str, source: str) -> None:  # V2
    assert SentenceStatus.SUPPORTED not in statuses(statement, source)


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("The F-16 has one engine.", AIRCRAFT),
        ("The Falcon has one engine.", AIRCRAFT),
        ("The X100 weighs 7 kg.", PRO),
        ("Model X100 weighs 7 kg.", PRO),
    ],
)
def test_a_part_of_a_name_proves_nothing(statement: str, source: str) -> None:  # V2
    assert SentenceStatus.SUPPORTED not in statuses(statement, source)


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Broken Bridges was released in 2006.", "# Broken Bridges\n\nThe film was released in 2006.\n"),
        ("Kebnekaise is 2,096 metres high.", "# Kebnekaise\n\nThe mountain is 2,096 metres high.\n"),
    ],
)
def test_the_class_of_a_thing_stands_for_it(statement: str, source: str) -> None:  # V4
    assert statuses(statement, source) == {SentenceStatus.SUPPORTED}


@for_all_rows(
    ("statement", "heading", "text"),
    [
        ("Revenue was 5 million euros in 2024.", "Fiscal year 2024", "Revenue was 5 million euros."),
        ("Revenue was 5 million euros in fiscal year 2024.", "Fiscal year 2024", "Revenue was 5 million euros."),
        ("Revenue was 5 million euros in 2024.", "2024", "Revenue was 5 million euros."),
        ("In Q3 2024 revenue was 5 million euros.", "Q3 2024", "Revenue was 5 million euros."),
        ("Revenue in 2024 was 5 million euros.", "Revenue 2024", "Revenue was 5 million euros."),
        ("2024년 매출은 500억 원이다.", "2024년", "매출은 500억 원이다."),
    ],
)
def test_a_period_dates_what_stands_below_it(statement: str, heading: str, text: str) -> None:  # V4
    others = "# 2021\n\nRevenue was 1 million euros.\n"
    for source in (f"# {heading}\n\n{text}\n", f"# {heading}\n\n{text}\n\n{others}"):
        assert statuses(statement, source) == {SentenceStatus.SUPPORTED}


IDENTIFIERS = [
    ("GPT4", "GPT-4"),
    ("GPT 4", "GPT-4"),
    ("COVID19", "COVID-19"),
    ("X100", "X-100"),
    ("X 100", "X-100"),
    ("F16", "F-16"),
]


@for_all_rows(("stated", "written"), [*IDENTIFIERS, *((other, one) for one, other in IDENTIFIERS)])
def test_an_identifier_is_one_word_in_each_spelling(stated: str, written: str) -> None:  # V2
    one, other = (tokenize(f"Here the {each} is sold.") for each in (stated, written))
    assert any(tokens_match(each, name) for each in one for name in other if name.kind == "name")
    said = f"The {written} was shown in March 2023."
    assert statuses(said.replace(written, stated), said) == {SentenceStatus.SUPPORTED}


@pytest.mark.parametrize(("stated", "written"), [("GPT3", "GPT-4"), ("COVID-18", "COVID-19"), ("X10", "X-100")])
def test_another_number_is_another_identifier(stated: str, written: str) -> None:  # V2
    said = f"The {written} was shown in March 2023."
    assert SentenceStatus.SUPPORTED not in statuses(said.replace(written, stated), said)


@pytest.mark.parametrize(
    ("statement", "is_said"),
    [
        ("YouTube was acquired in 2006.", True),
        ("Google acquired YouTube in 2006.", True),
        ("Google was acquired in 2006.", False),
        ("YouTube acquired Google in 2006.", False),
    ],
)
def test_who_did_it_may_be_left_out_but_not_be_what_it_was_done_to(statement: str, is_said: bool) -> None:  # V2
    found = statuses(statement, "YouTube was acquired by Google in 2006.")
    assert found == {SentenceStatus.SUPPORTED} if is_said else SentenceStatus.SUPPORTED not in found


@pytest.mark.parametrize("voice", ["되었다", "됐다", "되었습니다"])
def test_a_korean_agent_is_not_what_it_was_done_to(voice: str) -> None:  # V2
    source = f"유튜브는 2006년에 구글에 인수{voice}."
    assert statuses(f"유튜브는 2006년에 인수{voice}.", source) == {SentenceStatus.SUPPORTED}
    assert statuses("구글은 2006년에 유튜브를 인수했다.", source) == {SentenceStatus.SUPPORTED}
    for wrong in (f"구글은 2006년에 인수{voice}.", "유튜브는 2006년에 구글을 인수했다."):
        assert SentenceStatus.SUPPORTED not in statuses(wrong, source)


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Whitfield opened the bridge.", "President Ada Whitfield opened the bridge."),
        ("Orta covers 18 square kilometres.", "Lake Orta covers 18 square kilometres."),
        ("Berlin has 4 million inhabitants.", "The city of Berlin has 4 million inhabitants."),
        ("김민수는 2019년에 사임했다.", "김민수 대표는 2019년에 사임했다."),
    ],
)
def test_other_parts_of_a_name_may_be_left_out(statement: str, source: str) -> None:  # V4
    assert statuses(statement, source) == {SentenceStatus.SUPPORTED}


def test_a_place_is_not_the_organisation_that_is_named_after_it() -> None:  # V2
    source = "부산은행은 1967년에 설립되었다."
    assert statuses(source, source) == {SentenceStatus.SUPPORTED}
    assert SentenceStatus.SUPPORTED not in statuses("부산은 1967년에 설립되었다.", source)


@for_all_rows("underline", ["====", "----"])
@for_all_rows("heading", ["Berlin", "berlin", "Where is Berlin?"])
def test_an_underlined_line_is_a_heading(heading: str, underline: str) -> None:
    found = parse_sections(f"{heading}\n{underline}\n\nIt is a city.\n")
    assert [each.path for each in found] == [(heading,)]


@for_all_rows(
    ("text", "paths"),
    [
        ("= Pumps =\n\n== Pump 4 ==\nIt weighs 7 kg.\n", [("Pumps", "Pump 4")]),
        ("==한빛호==\n길이는 120m이다.\n", [("한빛호",)]),
        ("x == y means that both are equal.\n\nThe rest is known.\n", []),
        ("red kite\n\nIt has a wingspan of 1.8 metres.\n", [("red kite",)]),
        ("On Monday, the report was read by all of\n\nthe members\n\nin May.\n", []),
        ("dear all,\n\nthe meeting is on Tuesday.\n", []),
        ("Acme was founded in 1999.\n----\nIt has 12 offices.\n", []),
        ("Where is it?\nIt is in Oslo.\n", [("Where is it?",)]),
        ("He asked us. Where is it?\n\nNobody knew.\n", []),
    ],
)
def test_headings_of_other_notations_and_in_small_letters(text: str, paths: list[tuple[str, ...]]) -> None:
    assert [each.path for each in parse_sections(text)] == paths


@for_all_rows(
    ("written", "heading"),
    [
        ("3.1 Batteries", "Batteries"),
        ("제3장 배터리", "배터리"),
        ("Chapter 2: Batteries", "Batteries"),
        ("IV. Batteries", "Batteries"),
        ("1984", "1984"),
        ("2024 results", "2024 results"),
        ("A new start", "A new start"),
    ],
)
def test_a_heading_is_read_without_its_number(written: str, heading: str) -> None:
    assert [each.path for each in parse_sections(f"# {written}\n\nThey last long.\n")] == [(heading,)]


def test_a_heading_that_was_read_as_a_part_of_a_sentence_stands_alone() -> None:
    text = "**Report 2024**\nRevenue was 5 million."
    assert heading_lines(text) == {"**Report 2024**"}
    assert split_off_headings(text, heading_lines(text)) == ["**Report 2024**", "Revenue was 5 million."]
    assert split_off_headings("**Report**", {"**Report**"}) == ["**Report**"]


SECTIONS = json.loads((Path(__file__).with_name("sections.json")).read_text(encoding="utf-8"))
"""Documents of many kinds with statements that a careful reader takes to be said in them, and with others."""


PROSE = json.loads((Path(__file__).with_name("prose.json")).read_text(encoding="utf-8"))
"""Short texts without headings: agents, lists, parts of names, questions with their answers."""


@pytest.mark.parametrize("cases", [pytest.param(SECTIONS, marks=pytest.mark.slow), PROSE], ids=["sections", "prose"])
def test_documents_of_many_kinds(cases: list[dict[str, Any]]) -> None:  # V2, V3, V4
    """`statuses` are those of a first look: what a judge says yes to is asked again where the rules point at it."""
    said, not_said = (
        [statuses(text, case["source"]) for case in cases for text in case[kind]] for kind in ("said", "not_said")
    )
    assert sum(found == {SentenceStatus.SUPPORTED} for found in said) >= 0.95 * len(said)
    assert sum(SentenceStatus.SUPPORTED in found for found in not_said) <= 0.06 * len(not_said)


def test_the_first_line_of_a_wrapped_paragraph_is_no_heading() -> None:
    wrapped = "Returns\n\nAll returns must be made within 30 days of the purchase\ndate. Others are refused.\n"
    assert [each.path for each in parse_sections(wrapped)] == [("Returns",)]
