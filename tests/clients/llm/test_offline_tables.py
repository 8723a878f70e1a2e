"""Small tables in files of four kinds: a question about a cell gets the cell, never a line of heads."""

from collections.abc import Sequence
from io import BytesIO

import openpyxl
import pytest

from citewell_documents.chunking import split_document
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.offline.judging import check_statement
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.relevance import judge_question
from citewell_verify.verdicts.ruling import Grounds
from clients.llm.offline.answering import compose_answer, extract_citations
from verify_material.rows import for_all_rows

IDK = "I don't know."
LIMITS = ParseLimits(max_pages=50, max_chars=1_000_000)
WORDS = Meaning(None)

DUCKS = """# Names

| Name | French | German | Italian |
|------|--------|--------|---------|
| Huey | Riri | Tick | Qui |
| Dewey | Fifi | Trick | Quo |
| Louie | Loulou | Track | Qua |
"""
KOREAN_DUCKS = """# 이름

| 이름 | 프랑스어 | 독일어 |
|---|---|---|
| 휴이 | 리리 | 틱 |
| 듀이 | 피피 | 트릭 |
| 루이 | 룰루 | 트랙 |
"""
OFFICES = """<h1>Offices</h1><table><tr><th>City</th><th>Desks</th><th>Manager</th></tr>
<tr><td>Lisbon</td><td>140</td><td>Ana Reis</td></tr><tr><td>Oslo</td><td>85</td><td>Nils Berg</td></tr></table>"""
SALES = """<table><caption>Sales (in millions)</caption>
<thead><tr><th rowspan="2">Region</th><th colspan="2">2023</th><th colspan="2">2024</th></tr>
<tr><th>Online</th><th>Shops</th><th>Online</th><th>Shops</th></tr></thead>
<tr><td>North</td><td>$12</td><td>$30</td><td>$19</td><td>$28</td></tr>
<tr><td>South</td><td>$8</td><td>$41</td><td>$11</td><td>$44</td></tr></table>"""
KOREAN_OFFICES = """<h1>지점</h1><table><tr><th>도시</th><th>직원 수</th><th>지점장</th></tr>
<tr><td>부산</td><td>42명</td><td>김서연</td></tr><tr><td>대전</td><td>17명</td><td>이도윤</td></tr></table>"""
PLANS = "Plan,Price,Storage\nBasic,$5,10 GB\nTeam,$12,100 GB\nFirm,$30,1 TB\n"
KOREAN_PLANS = "요금제,월 요금,저장 용량\n기본,5000원,10GB\n팀,12000원,100GB\n기업,30000원,1TB\n"
REVENUE = ",2019,2018\nNet revenue,125.8,110.4\nOperating income,43.0,35.1\n"


def sheet(rows: Sequence[Sequence[object]], merged: Sequence[str] = ()) -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    for row in rows:
        page.append(list(row))
    for cells in merged:
        page.merge_cells(cells)
    stream = BytesIO()
    book.save(stream)
    return stream.getvalue()


YEARS = sheet(
    [
        ["Product", "2022", None, "2023", None],
        [None, "Units", "Price", "Units", "Price"],
        ["Lamp", 310, "$24", 355, "$26"],
        ["Chair", 120, "$80", 98, "$85"],
    ],
    ["B1:C1", "D1:E1"],
)
KOREAN_YEARS = sheet([["항목", "2022년", "2023년"], ["매출", 1200, 1500], ["영업이익", 300, 410]])

CASES = (
    ("ducks.md", DUCKS.encode(), "What is Huey in French?", "Huey · French: Riri"),
    ("ducks.md", DUCKS.encode(), "What is the French name of Tick?", "Huey · German: Tick; French: Riri"),
    ("이름.md", KOREAN_DUCKS.encode(), "듀이는 독일어로 무엇인가요?", "듀이 · 독일어: 트릭"),
    ("offices.html", OFFICES.encode(), "Who is the manager of Oslo?", "Oslo · Manager: Nils Berg"),
    ("sales.html", SALES.encode(), "What were online sales of South in 2024?", "South · 2024 Online: $11 million"),
    ("지점.html", KOREAN_OFFICES.encode(), "부산의 지점장은 누구인가요?", "부산 · 지점장: 김서연"),
    ("plans.csv", PLANS.encode(), "What is the price of Team?", "Team · Price: $12"),
    ("요금.csv", KOREAN_PLANS.encode(), "기업의 저장 용량은 얼마인가요?", "기업 · 저장 용량: 1TB"),
    ("revenue.csv", REVENUE.encode(), "What was operating income in 2018?", "Operating income · 2018: 35.1"),
    ("years.xlsx", YEARS, "What was the price of Chair in 2023?", "Chair · 2023 Price: $85"),
    ("연도.xlsx", KOREAN_YEARS, "2023년 영업이익은 얼마인가요?", "영업이익 · 2023년: 410"),
)


def sources_of(name: str, data: bytes, tokens: int = 200) -> Sources:
    document = parse(data, name, LIMITS)
    chunks = split_document(document, chunk_tokens=tokens, overlap_tokens=0)
    return Sources.numbered([(name, chunk.text) for chunk in chunks], [chunk.context for chunk in chunks])


@for_all_rows(("name", "data", "question", "told"), CASES)
def test_a_question_that_names_row_and_column_gets_the_cell(name: str, data: bytes, question: str, told: str) -> None:
    # V2, V8
    sources = sources_of(name, data)
    assert compose_answer(question, sources, IDK) == [f"{told} [†1]"]
    cited = extract_citations(question, sources, (1, 400)).citations
    assert [citation.claim_text for citation in cited] == [told]
    assert cited[0].text_span in sources[0].text
    assert told.partition(" · ")[0] in cited[0].text_span


@for_all_rows(("name", "data", "question", "told"), CASES)
def test_what_is_told_of_a_cell_is_proven_by_its_row(name: str, data: bytes, question: str, told: str) -> None:
    # V2
    del question
    sources = sources_of(name, data)
    grounds = Grounds.of(told, [sources[0].text], [sources[0].context])
    ruling = grounds.rule(check_statement(told, sources, WORDS))
    assert ruling.supports
    assert ruling.confidence > 0.9
    assert ruling.evidence is not None
    row = sources[0].text[ruling.evidence.start : ruling.evidence.end]
    assert "\n" not in row.strip()
    assert told.partition(" · ")[0] in row


@pytest.mark.parametrize(
    ("name", "data", "question"),
    [
        ("ducks.md", DUCKS.encode(), "How tall is Huey?"),
        ("plans.csv", PLANS.encode(), "What is the price of Gold?"),
        ("revenue.csv", REVENUE.encode(), "What was operating income in 2021?"),
    ],
)
def test_a_column_or_row_that_the_table_does_not_have_is_not_answered(name: str, data: bytes, question: str) -> None:
    # S1.5
    assert compose_answer(question, sources_of(name, data), IDK) == [IDK]


@pytest.mark.parametrize(
    ("name", "data", "question"),
    [
        ("ducks.md", DUCKS.encode(), "What is Huey in Spanish?"),
        ("이름.md", KOREAN_DUCKS.encode(), "휴이는 영어로 무엇인가요?"),
    ],
)
def test_a_column_that_the_table_does_not_have_gets_the_whole_row_and_a_doubt(
    name: str, data: bytes, question: str
) -> None:  # V8
    sources = sources_of(name, data)
    answer = "".join(compose_answer(question, sources, IDK))
    verdict = judge_question(question, answer, [sources[0].text])
    assert answer.count(":") > 1
    assert verdict is not None
    assert verdict.relevant != "yes"


@pytest.mark.parametrize(
    "question",
    ["What is the name in French, German and Italian?", "Which names are there in German?", "French German?"],
)
def test_a_line_of_heads_is_never_an_answer(question: str) -> None:
    # V8
    answer = "".join(compose_answer(question, sources_of("ducks.md", DUCKS.encode()), IDK))
    assert "Name | French" not in answer
    assert "---" not in answer


def test_a_row_far_below_the_heads_is_told_with_them() -> None:
    # V2
    rows = "\n".join(f"Item {number},{number * 10},{number * 11}" for number in range(1, 60))
    sources = sources_of("long.csv", f"Item,Weight,Length\n{rows}\n".encode(), tokens=60)
    assert len(sources) > 2
    last = sources[len(sources) - 1]
    assert "Weight" not in last.text
    assert "Weight" in last.context
    answer = compose_answer("What is the length of Item 58?", sources, IDK)
    assert answer == [f"Item 58 · Length: 638 [†{last.number}]"]
