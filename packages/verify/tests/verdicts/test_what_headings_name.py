"""A pronoun refers to what earlier headings and sentences name, in the source or above it (V2, V4)."""

import pytest

from citewell_verify.evidence.citation_scoring import CitationIssue, score_citation
from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.facts.grounding import absent_subjects
from citewell_verify.facts.reading.token_alignment import same_lexeme
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Source, Sources
from citewell_verify.text.windows import headings_of
from citewell_verify.verdicts.ruling import Grounds
from citewell_verify.verdicts.states import PairVerdict, SentenceStatus, sentence_status
from verify_material.rows import for_all_rows

WEIGHT = "It weighs 7 kilograms and runs on two batteries."
MANUAL = f"# Model X100\n\n{WEIGHT}\n"
CITY = "The city has 4 million inhabitants and two airports."


def status(statement: str, source: str, quotation: str, context: str = "") -> SentenceStatus:
    """The state of a statement when a model says yes and quotes the quotation."""
    reply = StatementCheck(
        is_accurate=True, relation="supports", confidence=1.0, evidence=quotation, explanation="The source says so."
    )
    ruling = Grounds.of(statement, [source], [context]).rule(reply)
    return sentence_status(True, [PairVerdict.from_json(1, ruling.as_json())])


@for_all_rows(
    ("statement", "source", "quotation", "context"),
    [
        ("Model X200 weighs 7 kilograms.", MANUAL, WEIGHT, ""),
        ("Model X200 weighs 7 kilograms and runs on two batteries.", MANUAL, WEIGHT, ""),
        ("The X200 runs on two batteries.", WEIGHT, WEIGHT, "Model X100 › Weight"),
        ("Hamburg has 4 million inhabitants.", f"# Berlin\n\n{CITY}", CITY, ""),
        ("Hamburg has 4 million inhabitants.", CITY, CITY, "Berlin"),
        ("Hamburg has two airports.", f"Berlin is the capital of Germany. {CITY}", CITY, ""),
        ("It aired on the network in August.", "It aired on the network in September.", "It aired on the network", ""),
        ("울산은 인구가 400만 명이다.", "이 도시는 인구가 400만 명이다.", "이 도시는 인구가 400만 명이다.", "부산"),
    ],
)
def test_what_is_said_of_another_thing_is_no_support(
    statement: str, source: str, quotation: str, context: str
) -> None:  # V2, V4
    assert status(statement, source, quotation, context) is not SentenceStatus.SUPPORTED
    sources = Sources([Source(1, "manual.md", source, context)])
    reply = check_statement(statement, sources, Meaning(None))
    ruling = Grounds.of(statement, [source], [context]).rule(reply)
    assert sentence_status(True, [PairVerdict.from_json(1, ruling.as_json())]) is not SentenceStatus.SUPPORTED


@for_all_rows(
    ("statement", "source", "quotation", "context"),
    [
        ("Model X100 weighs 7 kilograms.", MANUAL, WEIGHT, ""),
        ("Model X100 weighs 7 kilograms.", WEIGHT, WEIGHT, "Model X100 › Weight"),
        ("The X100 weighs 7 kilograms.", MANUAL, WEIGHT, ""),
        ("Berlin has 4 million inhabitants.", CITY, CITY, "Cities › Berlin"),
        # Nothing is named, or only in part of the text: the pronoun refers to something outside the source.
        ("Berlin has 4 million inhabitants.", CITY, CITY, ""),
        ("Berlin has 4 million inhabitants.", CITY, CITY, "Overview"),
    ],
)
def test_what_the_headings_name_is_meant(statement: str, source: str, quotation: str, context: str) -> None:  # V4
    assert status(statement, source, quotation, context) is SentenceStatus.SUPPORTED


@pytest.mark.parametrize(
    ("statement", "text", "context"),
    [
        ("Revenue in 2024 was 5 million euros.", "Revenue was 5 million euros.", "Report 2024"),
        ("Acme employs 12 people.", "Acme employs people from many countries.", "12 Staff"),
        ("회사는 2024년에 설립되었다.", "회사는 서울에서 설립되었다.", "2024년 사업보고서"),
    ],
)
def test_no_value_is_proven_by_what_stands_outside_of_the_passage(
    statement: str, text: str, context: str
) -> None:  # V4
    assert status(statement, text, text, context) is not SentenceStatus.SUPPORTED


@for_all_rows(
    ("stated", "written"),
    [("CO2", "CO₂"), ("X200", "X-200"), ("X200", "Ｘ２００"), ("B12", "B 12"), ("F16", "F-16")],
)
def test_an_identifier_may_be_written_in_other_ways(stated: str, written: str) -> None:  # V4
    text = f"Everybody knows that {written} is common."
    assert absent_subjects(f"In the north {stated} is common.", text, 0, len(text)) == []


@for_all_rows(
    ("statement", "source"),
    [
        ("The payment of July is due.", "Payments are due on 3 July 2024 and 5 August 2024."),
        ("The statue is one of the New7Wonders.", "It is listed as one of the New7Wonders of the World."),
        ("Hosts of IPv6only networks are rare.", "Rare are hosts of IPv6only networks."),
    ],
)
def test_a_name_that_the_source_writes_in_the_same_way_is_named(statement: str, source: str) -> None:  # V4
    assert absent_subjects(statement, source, 0, len(source)) == []


@pytest.mark.parametrize(
    ("stated", "written"),
    [("X20", "X200"), ("X200", "AX2001"), ("X2", "X20"), ("Windows 8", "Windows 8.1"), ("Table 1", "Table 1.2")],
)
def test_a_part_of_an_identifier_is_another_one(stated: str, written: str) -> None:  # V2
    text = f"Everybody knows that {written} is common."
    assert absent_subjects(f"In the north {stated} is common.", text, 0, len(text)) == [stated]


@for_all_rows(
    "heading",
    ["Chapter 2", "Part II", "1. 개요", "FAQs", "Population", "Early life", "Terms and conditions", "인구", "경력"],
)
def test_a_part_of_a_text_names_nothing(heading: str) -> None:  # V4
    assert status("Berlin has 4 million inhabitants.", CITY, CITY, heading) is SentenceStatus.SUPPORTED


IDENTIFIERS = [("X100", "X1000"), ("X1000", "X100"), ("XR2000", "XR2001"), ("A320", "A3200"), ("B2B", "B2C")]


@for_all_rows(("stated", "written"), IDENTIFIERS)
@for_all_rows(
    "sentence",
    ["The {} weighs 7 kilograms.", "Model {} is waterproof and has two ports.", "{}은 무게가 7킬로그램이다."],
)
def test_identifiers_with_other_digits_or_letters_are_other_things(sentence: str, stated: str, written: str) -> None:
    statement, text = sentence.format(stated), sentence.format(written)  # V2
    assert [each.kind for each in disagreements(statement, text)] == ["name"]
    assert status(statement, text, text) is not SentenceStatus.SUPPORTED
    assert status(text, text, text) is SentenceStatus.SUPPORTED


@pytest.mark.parametrize("heading", ["X1000 › Weight", "Model X1000", "X10 › X1000"])
def test_a_heading_names_no_identifier_that_it_only_begins_with(heading: str) -> None:  # V2
    assert absent_subjects("The X100 weighs 7 kilograms.", WEIGHT, 0, len(WEIGHT), heading) == ["X100"]
    assert status("The X100 weighs 7 kilograms.", WEIGHT, WEIGHT, heading) is not SentenceStatus.SUPPORTED
    assert status("The X1000 weighs 7 kilograms.", WEIGHT, WEIGHT, heading) is SentenceStatus.SUPPORTED


@pytest.mark.parametrize(("one", "other"), [("x100", "x100s"), ("gpt4", "gpt4"), ("manufactur", "manufacturer")])
def test_forms_of_one_word_stay_akin(one: str, other: str) -> None:
    assert same_lexeme(one, other)


def test_a_part_of_a_sentence_is_about_what_the_sentence_is_about() -> None:  # V4
    source = "# Berlin\n\nIt has 4 million inhabitants and two airports."
    quotation = "has 4 million inhabitants and two airports"
    assert status("Hamburg has 4 million inhabitants.", source, quotation) is not SentenceStatus.SUPPORTED
    assert status("Today the city has 4 million inhabitants.", source, quotation) is SentenceStatus.SUPPORTED


@pytest.mark.parametrize("span", [WEIGHT, None])
@pytest.mark.parametrize(("source", "context"), [(MANUAL, ""), (WEIGHT, "Model X100")])
def test_citations_from_outside_are_read_with_their_headings(
    span: str | None, source: str, context: str
) -> None:  # S4.4, V2
    wrong = score_citation("Model X200 weighs 7 kilograms", source, span, context=context)
    assert not wrong.is_accurate
    assert CitationIssue.SUBJECT in wrong.issues
    right = score_citation("Model X100 weighs 7 kilograms", f"Model X100. {source}", span, context=context)
    assert right.is_accurate, right.issues


def test_the_value_of_another_section_is_another_ones() -> None:  # S4.4, V2
    source = f"{MANUAL}\n# Model X200\n\nIt weighs 9 kilograms and runs on four batteries.\n"
    found = score_citation("Model X200 weighs 7 kilograms", source, WEIGHT)
    assert found.issues == (CitationIssue.SUBJECT,)
    assert [(each.claim_value, each.source_value) for each in found.disagreements] == [("Model X200", "Model X100")]


def test_the_headings_of_a_context() -> None:
    assert headings_of("Prices › Cars") == ["Prices", "Cars"]
    assert headings_of("Prices › Cars\n| Item | Price |") == ["Prices", "Cars"]
    assert headings_of("| Item | Price |") == headings_of("") == []


def test_nothing_is_unnamed_in_a_statement_without_names() -> None:
    assert absent_subjects("it weighs 7 kilograms.", MANUAL, len(MANUAL) - len(WEIGHT) - 1, len(MANUAL) - 1) == []
