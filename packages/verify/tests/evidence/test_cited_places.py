"""Citations of words that stand below a heading or in a row of a table: true claims beside false (S4.4, V2)."""

from itertools import product

import pytest

from citewell_verify.evidence.citation_scoring import CitationIssue, score_citation
from citewell_verify.facts.quotation import Quotation, active_headings
from verify_material.rows import for_all_rows

IT = "It weighs {} kilograms and runs on two batteries."
HEADINGS = ["# {}", "## {}", "**{}**", "**{}:**", "{}", "■ {}", "{}\n------"]
ENGLISH = [
    (IT, "{} weighs {} kilograms."),
    ("The device weighs {} kilograms and has two ports.", "{} weighs {} kilograms."),
    ("Weighs {} kilograms.", "{} weighs {} kilograms."),
    ("- Weight: {} kg\n- Ports: 2", "The weight of {} is {} kg."),
]
KOREAN = [
    ("무게는 {}kg이다.", "{}의 무게는 {}kg이다."),
    ("이 제품은 무게가 {}kg이고 배터리 두 개로 작동한다.", "{}의 무게는 {}kg이다."),
    ("- 무게: {}kg\n- 포트: 2개", "{}의 무게는 {}kg이다."),
]
MODELS = [("X100", "X200"), ("X100", "X1000"), ("XR2000", "XR2001")]
CASES = [
    *product(ENGLISH, [*MODELS, ("Pump 4", "Pump 14")]),
    *product(KOREAN, [*MODELS, ("4호 펌프", "14호 펌프"), ("서울 지점", "부산 지점")]),
]


@for_all_rows("heading", HEADINGS)
@for_all_rows(("texts", "things"), CASES)
@pytest.mark.slow
def test_words_below_a_heading_are_about_what_it_names(
    heading: str, texts: tuple[str, str], things: tuple[str, str]
) -> None:
    (body, claim), (one, other) = texts, things
    first, second = body.format(5), body.format(7)
    source = f"Our products.\n\n{heading.format(one)}\n\n{first}\n\n{heading.format(other)}\n\n{second}\n"
    for name, value, words, is_true in (
        (one, 5, first, True),
        (other, 7, second, True),
        (one, 7, second, False),
        (other, 5, first, False),
        (one, 5, second, False),
        (other, 7, first, False),
    ):
        score = score_citation(claim.format(name, value), source, words)
        assert score.is_accurate is is_true, (name, value, words, score.issues)


CITIES = "## {}\n\nThe city has {} million inhabitants and {} airports.\n\n"
BRANCHES = "## {}\n\n이 지점은 직원이 {}명이고 회의실이 {}개이다.\n\n"


@pytest.mark.parametrize(
    ("section", "one", "other", "claim"),
    [
        (CITIES, "Berlin", "Hamburg", "{} has {} million inhabitants."),
        (CITIES, "3.1 Berlin overview", "3.2 Hamburg overview", "{} has {} million inhabitants."),
        (BRANCHES, "서울 지점", "부산 지점", "{}은 직원이 {}명이다."),
        (BRANCHES, "3장 X100", "4장 X200", "{}은 직원이 {}명이다."),
    ],
)
def test_sections_of_places(section: str, one: str, other: str, claim: str) -> None:
    source = section.format(one, 50, 2) + section.format(other, 70, 4)
    mine, theirs = (section.format("", *each).strip("# \n") for each in ((50, 2), (70, 4)))
    first, second = (" ".join(each.split()[1:2] if each[0].isdigit() else each.split()) for each in (one, other))
    assert score_citation(claim.format(first, 50), source, mine).is_accurate
    assert score_citation(claim.format(second, 70), source, theirs).is_accurate
    assert not score_citation(claim.format(first, 70), source, theirs).is_accurate
    assert not score_citation(claim.format(second, 50), source, mine).is_accurate


HEADS = "Model\tWeight\tPrice"
ROWS = "X100\t5 kg\t300 euros", "X200\t7 kg\t450 euros"
KOREAN_HEADS = "| 모델 | 무게 | 가격 |\n|---|---|---|"
KOREAN_ROWS = "| X100 | 5kg | 300유로 |", "| X200 | 7kg | 450유로 |"
PIPES = "| Model | Weight | Price |\n|---|---|---|"
PIPED = "| X100 | 5 kg | 300 euros |", "| X200 | 7 kg | 450 euros |"
CELLS = [
    ("The X100 weighs 5 kg.", 0, True),
    ("The X200 weighs 7 kg.", 1, True),
    ("The price of the X200 is 450 euros.", 1, True),
    ("The X200 weighs 5 kg.", 0, False),
    ("The X200 weighs 5 kg.", 1, False),
    ("The X100 weighs 7 kg.", 1, False),
    ("The price of the X200 is 300 euros.", 0, False),
    ("The weight of the X200 is 450 euros.", 1, False),
    ("The price of the X200 is 7 kg.", 1, False),
    ("The X300 weighs 7 kg.", 1, False),
]
KOREAN_CELLS = [
    ("X100의 무게는 5kg이다.", 0, True),
    ("X200의 가격은 450유로이다.", 1, True),
    ("X200의 무게는 5kg이다.", 0, False),
    ("X100의 무게는 7kg이다.", 1, False),
    ("X200의 무게는 450유로이다.", 1, False),
]


@for_all_rows("where", ["source", "context", "below a heading"])
@for_all_rows(
    ("heads", "rows", "claim", "row", "is_true"),
    [
        *((HEADS, ROWS, *each) for each in CELLS),
        *((PIPES, PIPED, *each) for each in CELLS),
        *((KOREAN_HEADS, KOREAN_ROWS, *each) for each in KOREAN_CELLS),
    ],
)
def test_a_cell_belongs_to_its_row_and_head(
    where: str, heads: str, rows: tuple[str, str], claim: str, row: int, is_true: bool
) -> None:
    source = "\n".join(rows if where != "source" else (heads, *rows)) + "\n"
    context = {"source": "", "context": heads, "below a heading": f"Catalogue › Scales\n{heads}"}[where]
    score = score_citation(claim, source, rows[row], context=context)
    assert score.is_accurate is is_true, score.issues


@pytest.mark.parametrize(("claim", "row"), [("The X200 weighs 5 kg.", 0), ("The X100 weighs 7 kg.", 1)])
def test_a_table_without_heads_has_rows_all_the_same(claim: str, row: int) -> None:
    rows = "| X100 | 5 kg |", "| X200 | 7 kg |"
    score = score_citation(claim, "\n".join(rows), rows[row], context="Weights")
    assert set(score.issues) & {CitationIssue.SUBJECT, CitationIssue.NUMBER}
    right = claim.replace("5", "7") if row == 0 else claim.replace("7", "5")
    assert score_citation(right, "\n".join(rows), rows[1 - row], context="Weights").is_accurate


@pytest.mark.parametrize("text", ["X100\t6 kg\t300 euros", "The X200 has two ports."])
def test_words_that_are_no_rows_stay_as_they_are(text: str) -> None:
    assert Quotation(text, f"{HEADS}\n{ROWS[0]}\n{ROWS[1]}\n").readable == text


def test_words_that_name_their_subject_need_no_heading() -> None:
    source = f"## X100\n\n{IT.format(5)}\n\n## Errata\n\nThe corrected weight of the X100 is 6 kilograms.\n"
    words = "The corrected weight of the X100 is 6 kilograms."
    assert score_citation("The weight of the X100 is 6 kilograms.", source, words).is_accurate
    assert not score_citation("The weight of the X200 is 6 kilograms.", source, words).is_accurate


@for_all_rows("topic", ["Deadlines", "Weight", "Technical data", "Operation", "제원", "배송"])
def test_a_topic_beside_the_heading_of_a_thing_is_no_other_thing(topic: str) -> None:
    source = f"**X100**\n\nA scale for kitchens.\n\n**{topic}**\n\nWeighs 5 kilograms.\n"
    assert score_citation("The scale for kitchens weighs 5 kilograms.", source, "Weighs 5 kilograms.").is_accurate


def test_the_headings_and_columns_outside_of_a_source_count_for_relevance() -> None:
    claim = "Model X200 weighs 7 kilograms."
    assert score_citation(claim, IT.format(7), IT.format(7)).claim_relevance < 0.7
    assert score_citation(claim, IT.format(7), IT.format(7), context="Model X200").is_accurate
    assert not score_citation(claim, IT.format(7), IT.format(7), context="Model X100").is_accurate


def test_a_number_of_a_heading_that_names_nothing_proves_no_year() -> None:
    source = "# Report 2024\n\nRevenue was 5 million euros.\n\n# Report 2023\n\nRevenue was 4 million euros.\n"
    assert not score_citation(
        "Revenue in 2024 was 4 million euros.", source, "Revenue was 4 million euros."
    ).is_accurate


@for_all_rows(
    ("path", "holding"),
    [
        (("X100", "X200"), ("X200",)),
        (("X100", "Weight"), ("X100", "Weight")),
        (("Model X100", "X1000 overview"), ("X1000 overview",)),
        (("Pump 4", "Pump 14"), ("Pump 14",)),
        (("4호 펌프", "14호 펌프"), ("14호 펌프",)),
        (("Germany", "Berlin"), ("Germany", "Berlin")),
        (("3장 X100", "4장 무게"), ("3장 X100", "4장 무게")),
        ((), ()),
    ],
)
def test_a_heading_ends_what_one_of_its_form_began(path: tuple[str, ...], holding: tuple[str, ...]) -> None:
    assert active_headings(path) == holding
