"""A statement about one cell is proven or contradicted by it: row, column, period, value and unit."""

import pytest

from benchmarks.metamorphic.cases import Case
from benchmarks.metamorphic.judges import judges, outcomes
from citewell_verify.facts.comparison import compare
from verify_material.rows import for_all_rows

FILING = """ | Fiscal Year Ended March 31, |\x20
(In thousands) | 2019 | 2018
Net revenue (1) | $125,843 | $110,360
Operating loss | (4,120) | 350
Gross margin % | 61.2% | 59.8%
Deferred revenue (current) | 5,101 | 4,483
Deferred revenue (non-current) | 3,707 | 3,444"""
PER_SHARE = """(in millions, except per share data) | 2023 | 2022
Net revenue | $1,200 | $1,100
Dividends per share | $0.50 | $0.40
Price per share | $80 | $78
Employees | 1,200 | 1,100"""
PER_SHARE_KO = "(단위: 백만원)\n항목\t2022년\t2023년\n매출액\t1,234\t1,500\n주당배당금\t300\t400"
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
EITHER = """(In thousands) | 2019 | 2018
Net income (loss) | (600) | 400
Income before income taxes | (600) | 500"""
SITES = "Site | Output (kg) | Waste (kg)\nBerlin | 1,200 | 300\nHamburg | 900 | 250"
QUALIFIED = """(In thousands) | 2019 (Predecessor) | 2018 (pro forma)
Net revenue | $125,843 | $110,360"""
QUALIFIED_KO = "(단위: 천원)\n구분\t당기(별도)\t전기 (주)\n매출\t116,019,964\t104,962,711"
AUDITED = "(단위: 백만원)\n구분\t2023년 (감사받은 재무제표)\t2022년 (감사받지 아니한 재무제표)\n매출액\t1,500\t1,234"
UNAUDITED = """(In thousands) | 2019 (unaudited) | 2018 (As restated)
Net revenue | $125,843 | $110,360
Operating loss | (4,120) | 350"""
NOTES = """당기와 전기의 거래 내역은 다음과 같습니다(단위: 천원).

\t당기\t전기 (감사를 받지 않은 재무제표)\t변동(*)
매출\t116,019,964\t104,962,711\t11,057,253
매출채권(A)\t11,132,457\t17,794,481\t-
(주)가온정밀\t571,680\t254,880\t-"""
TERMS = """(단위: 백만원)
구분\t2021년 (제11기)\t2020년 (제10기)
자산(*1) 계\t2,823,175\t1,751,347
매출액\t1,568,007\t1,164,777"""
PARTS = """Part\tPrice EUR\tPrice USD\tWeight kg\tIntroduced
RX-20\t310\t335\t4.0\t2016
RX-24\t585*\t632\t\t2019
* from stock"""
IN_EUROS = "(in millions) | Sales EUR | Staff\nNorth | 12 | 40\nSouth | 9 | 31"
KOREAN = "(단위: 백만원)\n항목\t2022년\t2023년\n매출액\t1,234\t1,500\n영업이익\t300\t410"


@for_all_rows(
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
        ("2023년 매출액은 16억 원을 넘지 않았다.", KOREAN),
        ("2023년 매출액은 최소 14억 원이다.", KOREAN),
        ("Net revenue in 2019 did not exceed $130 million.", FILING),
        ("Net revenue in 2019 exceeded $110,360 thousand.", FILING),  # the amount of another column
        ("Net revenue in 2019 was more than $50 million.", FILING),
        ("Net revenue in 2019 was less than 130,000.", FILING),
        ("Net revenue in 2019 was at least $125,843 thousand.", FILING),
        ("Net revenue in 2019 did not exceed $125,843 thousand.", FILING),
        ("The operating loss in 2019 was more than $4 million.", FILING),
        ("2023년 매출액은 15억 원 이상이다.", KOREAN),
        ("2023년 매출액은 1,400을 넘었다.", KOREAN),
        ("Dividends per share in 2023 were $0.50.", PER_SHARE),
        ("Price per share in 2023 exceeded $78.", PER_SHARE),
        ("Employees in 2023 exceeded 1,100.", PER_SHARE),
        ("2023년 주당배당금은 400원이다.", PER_SHARE_KO),
        ("제31기 유동자산은 12,426,276천원이다.", REPORT),
        ("당기 당좌자산은 7,428백만원이다.", REPORT),
        ("전기의 재고자산은 5,674,707천원이다.", REPORT),
        ("제 30 기 재고자산은 57억원이다.", REPORT),
        ("2025년 재고자산은 4,998,173천원이다.", REPORT),
        ("Net revenue in 2019 was $125.8 million.", UNAUDITED),
        ("The output of Berlin exceeded 1,100 kg.", SITES),
        ("The output of Berlin was more than 1.1 tonnes.", SITES),
        ("The output of Berlin was 1.2 tonnes.", SITES),
        ("The waste of Hamburg was 250,000 g.", SITES),
        ("전기 매출은 1,049억원을 넘었다.", QUALIFIED_KO),
        ("2022년 감사받지 아니한 매출액은 1,234백만원이다.", AUDITED),
        ("당기의 매출채권은 11,132,457천원이다.", NOTES),
        ("전기 매출은 104,962,711천원이다.", NOTES),
        ("가온정밀의 전기는 254,880천원이다.", NOTES),
        ("매출의 변동은 11,057,253천원이다.", NOTES),
        ("매출채권(A)의 당기는 11,132,457천원이다.", NOTES),
        ("매출액은 2020년에 1,164,777백만원이다.", TERMS),
        ("제11기 매출액은 1,568,007백만원이다.", TERMS),
        ("2021년 자산 계는 2,823,175백만원이다.", TERMS),
        ("전기 매출채권은 177억 9,448만원이다.", NOTES),
        ("The price of RX-24 is EUR 585.00.", PARTS),
        ("The price of RX-20 is USD 335.", PARTS),
        ("The weight of RX-20 is 4 kg.", PARTS),
        ("The sales of South were 9 million.", IN_EUROS),
    ],
)
def test_a_cell_proves_its_value_in_the_unit_of_its_table(statement: str, source: str) -> None:
    # V2, V3
    found = compare(statement, source)
    assert found.in_cell
    assert found.is_full_match
    assert found.place in source.splitlines()


@for_all_rows(
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
        ("Net revenue in 2019 was less than $120,000.", FILING, "number"),  # with and without the scale of the table
        ("The operating loss in 2019 was more than $5 million.", FILING, "number"),
        ("2023년 매출액은 16억 원을 넘었다.", KOREAN, "number"),
        ("제30기 유동자산은 12,426,276천원이다.", REPORT, "number"),
        ("당기 재고자산은 7,428,103천원이다.", REPORT, "number"),
        ("당기 재고자산은 4,998,173백만원이다.", REPORT, "unit"),
        ("당기 재고자산은 4,998,173원이다.", REPORT, "unit"),
        ("당기 재고자산은 4,998천원이다.", REPORT, "number"),
        ("당기 매출채권은 116,019,964천원이다.", NOTES, "number"),
        ("전기 매출채권은 17,794천원이다.", NOTES, "number"),
        ("매출액은 2020년에 1,568,007백만원이다.", TERMS, "number"),
        ("Net revenue in 2019 was $125,843 million.", UNAUDITED, "unit"),
        ("Net revenue in 2019 was $126 thousand.", UNAUDITED, "number"),
        ("Net revenue in 2019 was 125,843 km.", UNAUDITED, "unit"),
        ("전기 매출은 1,049억원 미만이다.", QUALIFIED_KO, "number"),
        ("The output of Berlin exceeded 5 tonnes.", SITES, "number"),
        ("The output of Berlin was 1,200 tonnes.", SITES, "number"),
        ("The price of RX-24 is EUR 310.", PARTS, "number"),
        ("The price of RX-24 is EUR 632.", PARTS, "number"),
        ("The weight of RX-20 is 310 kg.", PARTS, "number"),
        ("RX-20 was introduced in 2019.", PARTS, "number"),
    ],
)
def test_a_cell_contradicts_another_value_or_unit(statement: str, source: str, kind: str) -> None:
    # V2
    found = compare(statement, source)
    assert found.in_table
    assert found.refuted
    assert [each.kind for each in found.differences] == [kind]
    assert found.differences[0].source_text


@pytest.mark.parametrize("weight", ["4.0", "585", "632"])
def test_a_blank_cell_proves_no_value_and_refutes_none(weight: str) -> None:  # V2
    found = compare(f"The weight of RX-24 is {weight} kg.", PARTS)
    assert found.differences
    assert not found.refuted


@pytest.mark.parametrize(
    "statement",
    ["RX-20 was not introduced in 2019.", "The price of RX-20 rose from EUR 250 to EUR 310.", "RX-20 is in Bonn."],
)
def test_a_statement_that_says_more_or_less_than_a_cell_is_neither_proven_nor_refuted_by_it(statement: str) -> None:
    found = compare(statement, PARTS)
    assert not found.is_full_match
    assert not found.refuted


@for_all_rows(
    "statement",
    [
        "Net revenue amounted to $110,360 thousand over 2019.",
        "Net revenue was $110 million over fiscal year 2019.",
        "Net revenue in 2019 was $130 million under.",
        "Net revenue in 2019 did not exceed $120 million.",
        "Net revenue in 2019 may have exceeded $120 million.",
    ],
)
def test_an_amount_before_over_is_no_limit_and_a_denied_limit_is_the_opposite_one(statement: str) -> None:  # V2, V3
    assert not compare(statement, FILING).in_cell


@for_all_rows(
    ("statement", "source"),
    [
        ("Net revenue in 2019 was more than $120,000.", FILING),  # of a table in thousands
        ("Net revenue in 2019 was more than 130,000.", FILING),
        ("Net revenue in 2019 was more than $125,843 thousand.", FILING),
        (
            "Operating result in 2019 was less than $500.",
            "(in thousands) | 2019 | 2018\nOperating result | (600) | 350",
        ),
        ("Net revenue in 2019 exceeded $100 million.", "Item | 2019 | 2018\nNet revenue | $120 | $110"),
        ("2023년 매출액은 1,400원을 넘었다.", KOREAN),
        ("Net income (loss) in 2019 exceeded $500 thousand.", EITHER),  # either sign
        ("Net income (loss) in 2019 was less than $100 thousand.", EITHER),
        ("Income before income taxes in 2019 exceeded $500 thousand.", EITHER),
        ("The output of Berlin exceeded 100 km.", SITES),
        ("Net revenue in 2019 was less than $100 million.", "Item | 2019 | 2018\nNet revenue | $120,000 | $110,000"),
        ("Net revenue in 2019 was $126 thousand.", QUALIFIED),
        ("당기 매출은 116,020천원이다.", QUALIFIED_KO),
    ],
)
def test_a_limit_that_its_table_leaves_open_is_neither_proven_nor_contradicted(statement: str, source: str) -> None:
    # V2, V3
    found = compare(statement, source)
    assert found.in_table
    assert not found.is_full_match
    assert [(each.kind, each.sure) for each in found.differences] == [("unit", False)]


@pytest.mark.parametrize(
    ("statement", "source"),
    [
        ("2022년 감사받은 매출액은 1,234백만원이다.", AUDITED),
        ("은 매출액은 2023년에 1,500백만원이다.", AUDITED),  # of silver
    ],
)
def test_a_word_that_a_cell_lacks_keeps_it_from_proving(statement: str, source: str) -> None:  # V2
    assert not compare(statement, source).in_cell


def test_a_relative_term_says_nothing_about_numbered_columns() -> None:  # V2
    numbered = "(단위: 백만원)\n과목\t제31기\t제30기\n매출액\t5,000\t4,000"
    for statement in ("제31기 매출액은 전기보다 늘었다.", "당기 매출액은 5,000백만원이다."):
        assert compare(statement, numbered).differences == ()


@pytest.mark.parametrize(("stated", "state"), [("$1,200", "partial"), ("$1,200 million", "supported")])
def test_a_model_that_quotes_nothing_does_not_make_up_for_a_scale(stated: str, state: str) -> None:  # V1, V2
    source = "(in millions) | 2023 | 2022\nNet revenue | $1,200 | $1,100"
    case = Case("statement", "en", f"Net revenue in 2023 was {stated}.", source, "supported")
    found = outcomes(case, judges(None))
    assert {found[name].status.value for name in ("offline", "yes, empty", "yes, invented")} == {state}


@pytest.mark.parametrize(("stated", "is_proven"), [("$125,843", False), ("125,843", True), ("$125,843 thousand", True)])
def test_an_amount_without_the_scale_of_its_table_is_not_proven_and_not_contradicted(
    stated: str, is_proven: bool
) -> None:  # V2, V3
    found = compare(f"Net revenue in 2019 was {stated}.", FILING)
    assert found.in_cell is is_proven
    assert [(each.kind, each.sure) for each in found.differences] == ([] if is_proven else [("unit", False)])
    assert any(each.sure for each in compare("Net revenue in 2018 was $125,843.", FILING).differences)


@for_all_rows(
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
