"""Cells of tables, records and the sections below headings: each value counts for its own row and head (V2)."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.evidence.contradictions import disagreements
from citewell_verify.facts.reading.tokens import tokenize
from citewell_verify.facts.structure.cells import compare_with_tables
from citewell_verify.facts.structure.sections import parse_sections
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from verify_material.rows import for_all_rows

IN_MILLIONS = (
    "(In millions) | 2019 | 2018\n"
    "Food Care | $ 1,997.8 | $ 1,914.4\n"
    "Product Care | 2,762.9 | 2,273.8\n"
    "Total | 4,760.6 | 4,188.2"
)
KOREAN = (
    "매출 현황 (단위: 백만원)\n"
    "| 회사 | 매출액 | 영업이익 |\n"
    "|---|---|---|\n"
    "| 한빛전자 | 5,200 | 310 |\n"
    "| 동방식품 | 4,100 | 420 |"
)
ON_ONE_LINE = "X1 press: price: 5 euros, weight: 3 kg, width: 9 cm\nX2 press: price: 8 euros, weight: 6 kg, width: 4 cm"
ONE_RECORD = "Price: 5 euros, weight: 3 kg, width: 7 cm."
UNDER_TITLE = "# Delta press\n\nPrice: 5 euros\nWeight: 3 kg\nWidth: 7 cm"
LISTED = "Inhabitants\n\n- Hamburg: 2 million\n- Berlin: 4 million\n- Bonn: 300,000"
TWO_HEAD_LINES = " | Revenue | | Profit | \n | 2019 | 2020 | 2019 | 2020\nAcme | 5 | 6 | 1 | 2\nBolt | 7 | 8 | 3 | 4"
WITH_YEARS = "Company,Year,Revenue\nAcme,2019,5 million\nAcme,2020,6 million\nBolt,2019,9 million"
NUMBERED = "No. | Name | Team | City\n1 | Ada | sales | Rome\n2 | Bob | legal | Oslo\n3 | Cem | quality | Lima"
SECTIONS = (
    "# Report\n"
    "\n"
    "## Alpha Ltd\n"
    "\n"
    "The profit was 5 million euros. The firm has 20 employees.\n"
    "\n"
    "## Beta Ltd\n"
    "\n"
    "The profit was 9 million euros. The firm has 70 employees."
)
KOREAN_SECTIONS = (
    "## 한빛전자\n\n매출은 58억 원이다. 직원은 30명이다.\n\n## 동방식품\n\n매출은 91억 원이다. 직원은 45명이다."
)
BY_YEAR = (
    "## 2022\n"
    "\n"
    "| Firm | Sales |\n"
    "|---|---|\n"
    "| Acme | 5 |\n"
    "| Bolt | 7 |\n"
    "\n"
    "## 2023\n"
    "\n"
    "| Firm | Sales |\n"
    "|---|---|\n"
    "| Acme | 6 |\n"
    "| Bolt | 9 |"
)
FIELDS = "| Field | Value |\n|---|---|\n| Price | 5 euros |\n| Weight | 3 kg |\n| Length | 40 cm |"
TURNED = "| Team | Ada | Bob |\n|---|---|---|\n| City | Rome | Oslo |\n| Revenue | $5 | $6 |"


@for_all_rows(
    ("statement", "source"),
    [
        ("Product Care was 2,273.8 million in 2018.", IN_MILLIONS),
        ("In 2018, Product Care was 2,273.8.", IN_MILLIONS),
        ("Product Care rose from 2,273.8 million in 2018 to 2,762.9 million in 2019.", IN_MILLIONS),
        ("Food Care grew in 2019.", IN_MILLIONS),
        ("Food Care was about $2.0 billion in 2019.", IN_MILLIONS),
        ("한빛전자의 매출액은 52억 원이다.", KOREAN),
        ("한빛전자의 매출액은 5,200백만 원이다.", KOREAN),
        ("한빛전자의 매출액은 52억 원이고 영업이익은 3억 1천만 원이다.", KOREAN),
        ("동방식품의 매출액이 늘었다.", KOREAN),
        ("The weight of the X1 press is 3 kg.", ON_ONE_LINE),
        ("The X2 press costs 8 euros.", ON_ONE_LINE),
        ("The weight is 3 kg.", ONE_RECORD),
        ("The price is 5 euros and the weight is 3 kg.", ONE_RECORD),
        ("The Delta press weighs 3 kg.", UNDER_TITLE),
        ("The price of the Delta press is 5 euros.", UNDER_TITLE),
        ("Berlin has 4 million inhabitants.", LISTED),
        ("Hamburg has 2 million inhabitants and Berlin 4 million.", LISTED),
        ("The profit of Acme in 2019 was 1.", TWO_HEAD_LINES),
        ("Revenue of Bolt was 8 in 2020.", TWO_HEAD_LINES),
        ("Acme's revenue was 6 million in 2020.", WITH_YEARS),
        ("Bob works in the Oslo office.", NUMBERED),
        ("Bob's city is Oslo.", NUMBERED),
        ("Alpha Ltd made a profit of 5 million euros.", SECTIONS),
        ("The profit of Alpha Ltd was 5 million euros.", SECTIONS),
        ("Beta Ltd has 70 employees.", SECTIONS),
        ("한빛전자의 매출은 58억 원이다.", KOREAN_SECTIONS),
        ("동방식품의 직원은 45명이다.", KOREAN_SECTIONS),
        ("In 2022, the sales of Acme were 5.", BY_YEAR),
        ("In 2023, the sales of Bolt were 9.", BY_YEAR),
        ("The weight is 3 kg.", FIELDS),
        ("Bob's revenue was $6.", TURNED),
    ],
)
def test_a_cell_s_own_content_is_not_disputed(statement: str, source: str) -> None:  # V2
    assert disagreements(statement, source) == ()


@for_all_rows(
    ("statement", "source"),
    [
        ("Product Care fell from 2,762.9 million in 2018 to 2,273.8 million in 2019.", IN_MILLIONS),
        ("Product Care was 2,762.9 in 2018.", IN_MILLIONS),
        ("Food Care was $1,997.8 thousand in 2019.", IN_MILLIONS),
        ("Food Care was $1,914.4 million in 2019.", IN_MILLIONS),
        ("Food Care was not $1,997.8 million in 2019.", IN_MILLIONS),
        ("한빛전자의 매출액은 41억 원이다.", KOREAN),
        ("한빛전자의 영업이익은 52억 원이다.", KOREAN),
        ("한빛전자의 매출액은 3억 1천만 원이고 영업이익은 52억 원이다.", KOREAN),
        ("The weight of the X1 press is 6 kg.", ON_ONE_LINE),
        ("The X2 press costs 5 euros.", ON_ONE_LINE),
        ("The weight is 7 cm.", ONE_RECORD),
        ("The weight is 5 euros and the price is 3 kg.", ONE_RECORD),
        ("The price of the Delta press is 3 kg.", UNDER_TITLE),
        ("The width is 3 kg.", UNDER_TITLE),
        ("Berlin has 2 million inhabitants.", LISTED),
        ("Hamburg has 4 million inhabitants and Berlin 2 million.", LISTED),
        ("The profit of Acme in 2019 was 5.", TWO_HEAD_LINES),
        ("Revenue of Bolt was 4 in 2020.", TWO_HEAD_LINES),
        ("Acme's revenue was 6 million in 2019.", WITH_YEARS),
        ("Acme's revenue was 9 million in 2019.", WITH_YEARS),
        ("Bob's city is Lima.", NUMBERED),
        ("The team of Cem is legal.", NUMBERED),
        ("The profit of Alpha Ltd was 9 million euros.", SECTIONS),
        ("Beta Ltd has 20 employees.", SECTIONS),
        ("한빛전자의 매출은 91억 원이다.", KOREAN_SECTIONS),
        ("동방식품의 직원은 30명이다.", KOREAN_SECTIONS),
        ("In 2023, the sales of Acme were 5.", BY_YEAR),
        ("In 2023, the sales of Bolt were 6.", BY_YEAR),
        ("The weight is 5 euros.", FIELDS),
        ("The length is 3 kg.", FIELDS),
        ("Bob's revenue was $5.", TURNED),
        ("The city of Ada is Oslo.", TURNED),
    ],
)
def test_the_content_of_another_cell_record_or_section_is_disputed(statement: str, source: str) -> None:  # V2
    assert disagreements(statement, source)


def test_lines_of_pairs_with_commas_are_no_comma_separated_table() -> None:  # V2
    rows = parse_tables("Product: chair\nPrice in 2022: $11,000\nPrice in 2023: $94,000").rows
    assert [(cell.head, cell.content) for row in rows for cell in row.cells if cell.head.startswith("Price")] == [
        ("Price in 2022", "$11,000"),
        ("Price in 2023", "$94,000"),
    ]


def test_a_head_line_below_a_title_line_names_its_columns_with_it() -> None:  # V2
    cells = parse_tables(" | December 31, | \n(In thousands) | 2019 | 2018\nSales | 5 | 6\nCosts | 3 | 4").rows[0].cells
    assert [(cell.outer_heads, cell.head, cell.unit) for cell in cells] == [
        ("December 31,", "2019", "thousand"),
        ("December 31,", "2018", "thousand"),
    ]


def test_a_line_without_cells_names_the_rows_below_it() -> None:  # V2
    rows = parse_tables("Item | 2019\nRevenue: | \nServices | 5\nCost of revenue: | \nServices | 3").rows
    assert [(row.label, row.heading) for row in rows] == [("Services", "Revenue:"), ("Services", "Cost of revenue:")]


def test_what_the_prose_says_of_a_row_is_not_disputed_by_its_cells() -> None:  # V2
    source = f"{FIELDS}\n\nIn the sale the price is 40 cm of silver wire."
    assert disagreements("In the sale the price is 40 cm of silver wire.", source) == ()


def test_a_statement_that_names_a_cell_without_a_value_is_left_to_the_prose() -> None:  # V2
    assert compare_with_tables(tokenize("Food Care grew in 2019."), IN_MILLIONS) is None


def test_a_section_knows_the_headings_above_its_own() -> None:  # V2
    source = "# Report\n\n## Alpha\n\n### 2022\n\nProfit was 5.\n\n## Beta\n\nProfit was 6."
    assert [each.path for each in parse_sections(source)] == [("Report", "Alpha", "2022"), ("Report", "Beta")]


@given(
    values=st.lists(st.integers(10, 99_999), min_size=6, max_size=6, unique=True),
    row=st.integers(0, 1),
    column=st.integers(0, 2),
    layout=st.sampled_from(["bars", "semicolons", "tabs", "turned", "records", "running", "sections"]),
)
def test_every_cell_is_told_from_every_other_in_every_layout(
    values: list[int], row: int, column: int, layout: str
) -> None:  # V2
    source = _laid_out([f"{each:,} dollars" for each in values], layout)
    right = 3 * row + column
    for at, value in enumerate(values):
        found = disagreements(f"The {_HEADS[column].lower()} of {_FIRMS[row]} is {value:,} dollars.", source)
        assert bool(found) == (at != right), (value, found, source)


@pytest.mark.slow
def test_reading_and_asking_large_tables_takes_little_time() -> None:  # V2
    table = "\n".join(
        ["Firm | " + " | ".join(f"Head {at}" for at in range(30))]
        + [f"Firm {at} | " + "5 | " * 30 for at in range(5_000)]
    )
    hostile = [
        table,
        "a: b, " * 50_000,
        "# a\n\nb c.\n\n" * 20_000,
        "#" * 200_000,
        "|" * 200_000,
        "x;" * 100_000,
        " \n" * 100_000,
    ]
    began = time.process_time()
    for source in hostile:
        compare_with_tables(tokenize("The Head 7 of Firm 9 is 6."), source)
        parse_sections(source)
    assert time.process_time() - began < 10


_FIRMS = ("Acme", "Bolt")
_HEADS = ("Revenue", "Profit", "Debt")


def _laid_out(values: list[str], layout: str) -> str:
    rows = list(zip(_FIRMS, (values[:3], values[3:]), strict=True))
    if layout == "turned":
        return _lines(
            [["Firm", *_FIRMS], *([head, values[at], values[at + 3]] for at, head in enumerate(_HEADS))], " | "
        )
    if layout in ("records", "running"):
        between = "\n" if layout == "records" else "; "
        pairs = [[f"{head}: {value}" for head, value in zip(_HEADS, own, strict=True)] for _, own in rows]
        name = "Firm: {}\n" if layout == "records" else "{}: "
        return "\n\n".join(name.format(firm) + between.join(own) for (firm, _), own in zip(rows, pairs, strict=True))
    if layout == "sections":
        said = [
            " ".join(f"The {head.lower()} is {value}." for head, value in zip(_HEADS, own, strict=True))
            for _, own in rows
        ]
        return "\n\n".join(f"## {firm}\n\n{text}" for firm, text in zip(_FIRMS, said, strict=True))
    sign = {"bars": " | ", "semicolons": ";", "tabs": "\t"}[layout]
    return _lines([["Firm", *_HEADS], *([firm, *own] for firm, own in rows)], sign)


def _lines(rows: list[list[str]], sign: str) -> str:
    return "\n".join(sign.join(row) for row in rows)


def test_a_year_that_a_table_does_not_have_is_not_proven_by_its_cell() -> None:  # issue 42
    table = (
        " | First | Second\n2019 |  | \nNet sales | $117,625 | $120,684\n2018 |  | \nNet sales | $113,530 | $118,034"
    )
    assert not disagreements("In 2019, the first of net sales was $117,625.", table)
    assert [said.claim_value for said in disagreements("In 2016, the first of net sales was $117,625.", table)] == [
        "2016"
    ]


_DUE = """\
 |  | Payments due by period |  |
 | Up to 1 year | 1 to 3 years | 3 to 5 years | Total
Operating leases | 16,164 | 19,812 | 6,551 | 42,527
Long-term debt | — | — | 460,000 | 460,000"""
_RESERVES = """\
 | Earnings (in thousand dollars) |  | Dividend per share (dollars) |
 | 2018 | 2019 | 2018 | 2019
Legal reserve | $707,299 | $963,947 |  |
Employee bonus | 6,105 | 9,155 | $0.58 | $0.75
Discount rate | 2.4% | 2.5% |  | """
_BELOW = " | 2019 | 2018\n(In thousands) |  |\nRevenues | $68,024 | $67,314\nIncome | $12,491 | $9,587"
_TWO_UNITS = (
    "Plant | 2022 | 2021\n(dollars in thousands) |  |\nRevenue | 1,200 | 1,100\n(units) |  |\nMachines sold | 310 | 290"
)
_ZONES = "Zone | Temperature\nZONE1 | 18 °C\nZONE2 | 22 °C\nZONE3 | 25 °C"
_WITHOUT_LABEL = " | Group A | Group B\n | 38 hours | 40 hours\nLeave | 28 days | 30 days"
_STOCK = "Product\tShelf\tExpected\nSKU-1\tA-12\t450\nSKU-3\tD-22\t156"


@for_all_rows(
    "statement, source, relation",
    [
        ("The amount of operating leases for 1 to 3 years is 19,812.", _DUE, "supports"),
        ("The amount of operating leases for 1 to 3 years is 6,551.", _DUE, "contradicts"),
        # A unit above two columns is that of both.
        ("The legal reserve of 2019 was $963.9 million.", _RESERVES, "supports"),
        ("The legal reserve of 2019 was €963,947 thousand.", _RESERVES, "contradicts"),
        ("The legal reserve of 2019 was $963,947 million.", _RESERVES, "contradicts"),
        ("Employee bonus was $9.155 million in 2019.", _RESERVES, "supports"),
        ("Discount rate for 2018 was $2.4.", _RESERVES, "contradicts"),
        ("Discount rate for 2018 was 2.4 percentage points.", _RESERVES, "partially_supports"),
        ("Legal reserve는 2019년에 $963,947천이었다.", _RESERVES, "supports"),
        ("2019년 Employee bonus의 Earnings는 $6,105천이다.", _RESERVES, "contradicts"),
        ("SKU-3 is on shelf D-22.", _STOCK, "supports"),
        ("The temperature in Zone 1 is 22 °C.", _ZONES, "partially_supports"),
        ("310 thousand machines were sold in 2022.", _TWO_UNITS, "partially_supports"),
        ("Leave in group B is 30 days.", _WITHOUT_LABEL, "supports"),
        ("Leave in group B is 28 days.", _WITHOUT_LABEL, "contradicts"),
        ("Revenues were $67.3 million in 2018.", _BELOW, "supports"),
        ("Revenues were $67,314 in 2018.", _BELOW, "partially_supports"),
    ],
)
def test_the_offline_judge_decides_what_one_cell_states(statement: str, source: str, relation: str) -> None:  # issue 42
    reply = check_statement(statement, Sources.numbered([("table", source)]), Meaning(None))
    assert reply.relation == relation, reply.explanation


@for_all_rows(
    ("statement", "source"),
    [
        ("The weight of the X1000 is 5 kg.", "# X100\n\n- Weight: 5 kg\n- Ports: 2\n\n# X1000\n\nIt is sold in red."),
        ("4호 펌프의 무게는 5kg이다.", "# 14호 펌프\n\n- 무게: 5kg\n- 포트: 2개\n\n# 4호 펌프\n\n빨간색으로 판매된다."),
    ],
)
def test_the_only_record_is_not_that_of_another_thing(statement: str, source: str) -> None:  # V2
    assert compare_with_tables(tokenize(statement), source) is None
