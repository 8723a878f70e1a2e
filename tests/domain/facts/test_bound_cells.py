"""A statement about one cell is proven or contradicted by it: row, column, period, value and unit."""

import pytest

from domain.facts.comparison.whole_source import compare

FILING = """ | Fiscal Year Ended March 31, |\x20
(In thousands) | 2019 | 2018
Net revenue (1) | $125,843 | $110,360
Operating loss | (4,120) | 350
Gross margin % | 61.2% | 59.8%
Deferred revenue (current) | 5,101 | 4,483
Deferred revenue (non-current) | 3,707 | 3,444"""
GROUPED = """ | Gross | Net
 | (in millions) |\x20
June 30, 2019 | |\x20
Intangible assets | |\x20
Customer relations | $1,597.6 | $1,098.9
June 30, 2018 | |\x20
Intangible assets | |\x20
Customer relations | $1,597.0 | $1,191.4"""
REPORT = """제 31(당)기 : 2025년 12월 31일 현재
제 30(전)기 : 2024년 12월 31일 현재
가온정밀 주식회사 (단위 : 천원)

과목\t제 31(당) 기\t제 30(전) 기
Ⅰ.유동자산\t12,426,276\t14,749,654
(1)당좌자산(주석3)\t7,428,103\t9,074,947
2.재고자산\t4,998,173\t5,674,707"""
KOREAN = "(단위: 백만원)\n항목\t2022년\t2023년\n매출액\t1,234\t1,500\n영업이익\t300\t410"


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("Net revenue in 2019 was $125,843 thousand.", FILING),
        ("In 2019, net revenue amounted to $125.843 million.", FILING),
        ("Net revenue reached about $125.8 million in fiscal 2019.", FILING),
        ("For 2019, operating loss came to -$4,120 thousand.", FILING),
        ("The operating loss was $4,120 thousand in 2019.", FILING),
        ("In 2018, gross margin % was 59.8%.", FILING),
        ("Deferred revenue (non-current) for 2019 was 3,707 thousand.", FILING),
        ("At June 30, 2018, the net of customer relations was $1,191.4 million.", GROUPED),
        ("The gross of customer relations was $1.5976 billion at June 30, 2019.", GROUPED),
        ("2023년 매출액은 1,500백만원이다.", KOREAN),
        ("매출액은 2023년에 15억원이다.", KOREAN),
        ("Net revenue in 2019 exceeded $120 million.", FILING),
        ("Net revenue in 2019 was more than $125 million.", FILING),
        ("Net revenue in 2019 was less than $130 million.", FILING),
        ("Net revenue in 2019 was at least $125 million.", FILING),
        ("In 2018, gross margin % was above 59%.", FILING),
        ("2023년 매출액은 14억 원을 넘었다.", KOREAN),
        ("2023년 매출액은 14억 원 이상이다.", KOREAN),
        ("2023년 매출액은 16억 원 미만이다.", KOREAN),
        ("2023년 매출액은 16억 원을 밑돌았다.", KOREAN),
        ("제31기 유동자산은 12,426,276천원이다.", REPORT),
        ("당기 당좌자산은 7,428백만원이다.", REPORT),
        ("전기의 재고자산은 5,674,707천원이다.", REPORT),
        ("제 30 기 재고자산은 57억원이다.", REPORT),
        ("2025년 재고자산은 4,998,173천원이다.", REPORT),
    ],
)
def test_a_cell_proves_its_value_in_the_unit_of_its_table(statement: str, source: str) -> None:
    # V2, V3
    found = compare(statement, source)
    assert found.in_cell
    assert found.is_full_match
    assert found.place in source.splitlines()


@pytest.mark.parametrize(
    ("statement", "source", "kind"),
    [
        ("Net revenue in 2019 was $110,360 thousand.", FILING, "number"),  # another column
        ("Net revenue in 2018 was $125,843 thousand.", FILING, "number"),
        ("Deferred revenue (non-current) for 2019 was 5,101 thousand.", FILING, "number"),  # another row
        ("Net revenue in 2019 was $125,843 million.", FILING, "unit"),
        ("Net revenue in 2019 was €125,843 thousand.", FILING, "unit"),
        ("In 2018, gross margin % was $59.8.", FILING, "unit"),
        ("Net revenue in 2019 was -$125,843 thousand.", FILING, "number"),
        ("At June 30, 2018, the net of customer relations was $1,098.9 million.", GROUPED, "number"),
        ("2023년 매출액은 1,234백만원이다.", KOREAN, "number"),
        ("Net revenue in 2019 exceeded $126 million.", FILING, "number"),
        ("Net revenue in 2018 was less than $110 million.", FILING, "number"),
        ("Net revenue in 2018 was more than €110 million.", FILING, "unit"),
        ("2023년 매출액은 16억 원을 넘었다.", KOREAN, "number"),
        ("제30기 유동자산은 12,426,276천원이다.", REPORT, "number"),
        ("당기 재고자산은 7,428,103천원이다.", REPORT, "number"),
        ("당기 재고자산은 4,998,173백만원이다.", REPORT, "unit"),
        ("당기 재고자산은 4,998,173원이다.", REPORT, "unit"),
    ],
)
def test_a_cell_contradicts_another_value_or_unit(statement: str, source: str, kind: str) -> None:
    # V2
    found = compare(statement, source)
    assert found.in_table
    assert [each.kind for each in found.differences] == [kind]
    assert found.differences[0].source_text


@pytest.mark.parametrize(("stated", "is_proven"), [("$125,843", False), ("125,843", True), ("$125,843 thousand", True)])
def test_an_amount_without_the_scale_of_its_table_is_not_proven_and_not_contradicted(
    stated: str, is_proven: bool
) -> None:  # V2, V3
    found = compare(f"Net revenue in 2019 was {stated}.", FILING)
    assert found.in_cell is is_proven
    assert [(each.kind, each.sure) for each in found.differences] == ([] if is_proven else [("unit", False)])
    assert any(each.sure for each in compare("Net revenue in 2018 was $125,843.", FILING).differences)


@pytest.mark.parametrize(
    "statement",
    [
        "Net revenue in 2014 was $125,843 thousand.",  # a period that the table does not have
        "Net revenue per share in 2019 was $125,843 thousand.",
        "Net revenue of the Asian segment in 2019 was $125,843 thousand.",
        "Net revenue in 2019 may have been $125,843 thousand.",
        "Net revenue in 2019 was not $125,843 thousand.",
    ],
)
def test_words_that_name_no_part_of_the_cell_are_not_proven_by_it(statement: str) -> None:
    # V2
    assert not compare(statement, FILING).in_cell


@pytest.mark.parametrize(
    "statement",
    [
        "제28기 유동자산은 12,426,276천원이다.",
        "전전기 유동자산은 12,426,276천원이다.",
        "2022년 유동자산은 12,426,276천원이다.",
    ],
)
def test_a_term_that_the_table_does_not_have_proves_nothing(statement: str) -> None:
    # V2
    found = compare(statement, REPORT)
    assert not found.in_cell
    assert not found.is_full_match


def test_a_term_over_two_calendar_years_is_named_by_its_number_alone() -> None:
    # V2
    source = REPORT.replace("2025년 12월 31일 현재", "2025년 04월 01일부터 2026년 03월 31일까지")
    assert compare("제31기 유동자산은 12,426,276천원이다.", source).in_cell
    assert not compare("2026년 유동자산은 12,426,276천원이다.", source).in_cell


BUDGET = """Item\tBudget 2019\tActual 2018
Travel\t500\t420
Rent\t900\t880"""
TWICE = """ | Budget | | Actual |\x20
Item | 2019 | 2018 | 2019 | 2018
Travel | 500 | 480 | 530 | 420
Rent | 900 | 870 | 910 | 880"""


def test_a_column_of_which_words_are_left_out_is_not_proof() -> None:
    # V3
    assert not compare("Travel in 2019 was 500.", BUDGET).in_cell
    assert compare("The budget 2019 of travel was 500.", BUDGET).in_cell


def test_a_statement_that_fits_cells_of_two_values_is_not_proven() -> None:
    # V2
    assert not compare("In 2019, travel was 500.", TWICE).in_cell
    assert not any(each.sure for each in compare("In 2019, travel was 500.", TWICE).differences)


def test_growth_of_a_row_is_not_contradicted_by_its_value() -> None:
    # V2
    found = compare("Net revenue growth in 2019 was 14%.", FILING)
    assert not any(each.source_text and "125,843" in each.source_text for each in found.differences)
