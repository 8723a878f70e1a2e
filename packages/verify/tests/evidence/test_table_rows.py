"""Evidence in tables: a citation of a row is that row, never the rows, paragraphs and sheets around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.spans import best_text_span, locate_verbatim, row_or_best_span, stating_row
from verify_material.rows import for_all_rows

SHEETS = (
    "# Sheet1\n\nfirst\tsecond\tthird\n1\t5\t-4\n5\t1\t-3\n6\t0\t-6\n\n"
    "Sheet2\n\ncol-1\tcol-2\tcol-3\tcol-4\n1\t2\t3\t4\n"
)
FOODS = (
    "Table of foods\n\nClass\tFood\tCalories per portion\nLeaves\tAsh, Elm, Maple\t50\n"
    "Berries\tBlueberry, Strawberry, Cranberry\t150\nGrain\tCorn, Buckwheat, Barley\t200\n\n"
    "And let’s add another list in the end:\n\n- One\n- Two\n"
)
BARS = "| Year | Ducks |\n|---|---|\n| 2019 | 120 |\n| 2020 | 135 |\n| 2021 | 150 |\n\nThat was all.\n"
KOREAN = "(단위: 백만원)\n항목\t2022년\t2023년\n매출액\t1,234\t1,500\n영업이익\t100\t200\n"
TITLED = "Number of ducks per year\n\nYear\tDucks\n2018\t110\n2019\t120\n"


def cited(text: str, claim: str) -> str:
    return text[slice(*row_or_best_span(text, claim, "", 50, 200))]


@for_all_rows(
    ("text", "claim", "row"),
    [
        (SHEETS, "5 · third: -3", "5\t1\t-3"),
        (SHEETS, "6 · third: -6", "6\t0\t-6"),
        (FOODS, "Berries · Calories per portion: 150", "Berries\tBlueberry, Strawberry, Cranberry\t150"),
        (FOODS, "Grain · Food: Corn, Buckwheat, Barley", "Grain\tCorn, Buckwheat, Barley\t200"),
        (BARS, "2019 · Ducks: 120", "| 2019 | 120 |"),
        (TITLED, "2019 · Ducks: 120", "2019\t120"),
        (KOREAN, "2023년 매출액은 14억 원을 넘었다.", "매출액\t1,234\t1,500"),
    ],
)
def test_a_citation_of_a_row_is_that_row(text: str, claim: str, row: str) -> None:  # S4.6, V2
    assert cited(text, claim) == row


@pytest.mark.parametrize(
    ("text", "claim", "row"),
    [
        (FOODS, "Grain has buckwheat", "Grain\tCorn, Buckwheat, Barley\t200"),
        (KOREAN, "2023년 매출액은 9억 원이었다.", "매출액\t1,234\t1,500"),
        (TITLED, "2019: 999", "2019\t120"),
    ],
)
def test_a_row_that_does_not_state_it_is_not_widened_either(text: str, claim: str, row: str) -> None:  # S4.6
    assert text[slice(*best_text_span(text, claim))] == row


def test_rows_that_the_claim_states_too_belong_to_the_span() -> None:  # S4.6
    claim = "There were 120 ducks in 2019 and 135 in 2020"
    assert BARS[slice(*best_text_span(BARS, claim))] == "| 2019 | 120 |\n| 2020 | 135 |"


def test_a_short_sentence_with_a_tab_behind_its_number_is_widened_as_prose_is() -> None:  # S4.6
    text = "(a)\tRefunds take ten days.\n(b)\tExchanges are made at once, and cost nothing at all.\n"
    start, end = best_text_span(text, "refunds take ten days")
    assert end - start >= 50


def test_a_row_that_ends_as_another_does_is_found_by_its_whole_line() -> None:  # V2
    text = "first\tsecond\tthird\n15\t1\t-3\n5\t1\t-3\n"
    assert stating_row("5 · third: -3", text) == (27, 33)
    assert text[27:33] == "5\t1\t-3"


def test_a_very_long_row_is_cut_within_itself() -> None:  # S4.6
    text = f"Name\tNote\tPrice\nLamp\t{'good ' * 60}\t$24\nChair\tbad\t$80\n"
    span = cited(text, "Lamp · Price: $24")
    assert len(span) <= 200
    assert span in text.splitlines()[1]


@given(
    st.lists(st.lists(st.sampled_from(["5", "duck", "refund", "150", "x"]), min_size=2, max_size=4), max_size=8),
    st.sampled_from(["duck 5", "refund", "x 150", "nothing"]),
    st.integers(1, 80),
)
def test_a_span_that_begins_in_a_table_ends_in_it(rows: list[list[str]], claim: str, least: int) -> None:  # S4.6
    table = "\n".join("\t".join(row) for row in rows)
    text = f"{table}\n\nOther words follow here. They go on."
    start, end = best_text_span(text, claim, least, 200)
    assert start >= len(table) or end <= len(table)
    assert 0 <= start <= end <= start + 200


@pytest.mark.parametrize(
    "text",
    [
        'Males make a sound written as "breeeeze",[56] but most ducks do not "quack".[57] Others do.',
        'It is so. Males make a sound written as "breeeeze" [56], but most ducks do not "quack" [57]. Others do.',
    ],
)
def test_a_statement_is_found_word_for_word_between_the_markers_of_its_source(text: str) -> None:  # N3
    found = locate_verbatim('Males make a sound written as "breeeeze", but most ducks do not "quack".', text)
    assert found is not None
    assert text[found.start : found.end].startswith("Males")
    assert "56" in text[found.start : found.end]
    assert not text[found.start : found.end].endswith("Others do.")
    assert locate_verbatim("Females make no sound.", text) is None
