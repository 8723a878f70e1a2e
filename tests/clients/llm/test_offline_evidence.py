"""What the offline model quotes as the reason of a verdict: the words that state it, never nothing."""

import pytest

from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.offline.answering import extract_citations
from verify_material.rows import for_all_rows

WORDS = Meaning(None)
FOODS = (
    "| Class | Food | Calories per portion |\n|---|---|---|\n| Berries | Blueberry, Strawberry, Cranberry | 150 |\n"
    "| Grain | Corn, Buckwheat, Barley | 200 |\n"
)
TABBED = (
    "\tFood\tCalories per portion\nLeaves\tAsh, Elm, Maple\t50\nBerries\tBlueberry, Strawberry, Cranberry\t150\n"
    "Grain\tCorn, Buckwheat, Barley\t200\n\nAnd let’s add another list in the end:"
)
KOREAN = "(단위: 백만원)\n항목\t2022년\t2023년\n매출액\t1,234\t1,500"
CARGO = "Port\tCargo\nBrest\t2588\nCadiz\t1354\nLagos\tpending"
PRICES = "Part,Price EUR,Stock\nRX-20,310,1350\nRX-24,585,2588\nRX-28,,40"
DUCK = 'Males make a sound that is written as "breeeeze",[56] but most species of duck do not "quack".[57]'


@pytest.mark.parametrize(
    ("statement", "source", "said"),
    [
        ("Berries · Calories per portion: 150", FOODS, "| Berries | Blueberry, Strawberry, Cranberry | 150 |"),
        ("Berries · Calories per portion: 150", TABBED, "Berries\tBlueberry, Strawberry, Cranberry\t150"),
        ("2023년 매출액은 14억 원을 넘었다.", KOREAN, "매출액\t1,234\t1,500"),
        (DUCK.replace("[56]", "").replace("[57]", ""), f"Ducks\n\n{DUCK}", DUCK.removesuffix("[57]")),
    ],
)
def test_the_reason_quotes_what_states_it_as_it_stands_in_the_source(statement: str, source: str, said: str) -> None:
    # S5.4, V2
    check = check_statement(statement, Sources.numbered([("a.txt", source)]), WORDS)
    assert check.is_accurate
    assert check.evidence == said
    assert " ".join(said.split()) in check.explanation


@for_all_rows(
    ("statement", "relation"),
    [
        ("The price of RX-24 is EUR 585.00.", "supports"),
        ("The price of RX-24 is EUR 310.", "contradicts"),
        ("The price of RX-24 is EUR 700.", "contradicts"),
        ("The price of RX-24 is not EUR 310.", "partially_supports"),
        ("The price of RX-28 is EUR 40.", "partially_supports"),  # a blank cell
        ("Brest moved 2588 in 2025.", "partially_supports"),  # 1354 is no year
        ("The cargo of Lagos was 2588.", "partially_supports"),
        ("Cadiz moved 2588 in 2025.", "contradicts"),
    ],
)
def test_a_statement_on_a_cell_is_contradicted_by_another_value_and_by_nothing_less(
    statement: str, relation: str
) -> None:  # V2
    check = check_statement(statement, Sources.numbered([("a.txt", CARGO if "moved" in statement else PRICES)]), WORDS)
    assert check.relation == relation


def test_what_only_a_heading_says_is_quoted_though_it_is_no_evidence() -> None:  # S5.4
    sources = Sources.numbered([("a.txt", "It starts at noon in the canteen.")], ["Employees receive free lunch"])
    check = check_statement("Employees receive free lunch.", sources, WORDS)
    assert check.evidence == ""
    assert check.explanation == "the source says: “Employees receive free lunch”"


def test_an_extracted_row_has_no_other_rows_beside_it() -> None:  # S4.2, S4.6
    question = "How many calories per portion do Berries have?"
    citations = extract_citations(question, Sources.numbered([("a.txt", TABBED)]), (50, 200)).citations
    assert [citation.text_span for citation in citations] == ["Berries\tBlueberry, Strawberry, Cranberry\t150"]
    grain = extract_citations("Which food is listed for Grain?", Sources.numbered([("a.txt", TABBED)]), (50, 200))
    assert [citation.text_span for citation in grain.citations] == ["Grain\tCorn, Buckwheat, Barley\t200"]
