"""The sentence that a citation belongs to, and the parts of an answer that claim nothing."""

import pytest

from citewell_verify.answers.parser import parse_answer
from citewell_verify.answers.statements import plan_checks, statements
from citewell_verify.correction.corrected_answer import Edit, correct
from citewell_verify.markers.citable import citable_sources
from verify_material.rows import for_all_rows

CAPITALS = "[1] Paris is the capital of France. [2] Rome is the capital of Italy. [3] Vienna is on the Danube."


@for_all_rows(
    ("answer", "numbers"),
    [
        (CAPITALS, [(1,), (2,), (3,)]),
        ("[1] Paris is big. Rome is old. [2][3] Vienna is cold.", [(1,), (), (2, 3)]),
        ("- [1] Paris is big. [2] Rome is old.\n- [3] Vienna is cold.", [(1,), (2,), (3,)]),
        ("¹ Paris is big. ² Rome is old.", [(1,), (2,)]),
        ("(Source: 1) Paris is big. (Source: 2) Rome is old.", [(1,), (2,)]),
        # Inconsistent: the last marker follows its sentence, or markers touch what precedes.
        ("[1] Paris is big. [2] Rome is old. [3]", [(1, 2), (3,)]),
        ("[1] Paris is big.[2] Rome is old.", [(1, 2), ()]),
        ("[1] Paris is big [3]. [2] Rome is old.", [(1, 3, 2), ()]),
        ("Paris is big. [1] Rome is old. [2] Vienna is cold.", [(1,), (2,), ()]),
    ],
)
def test_a_marker_in_front_belongs_to_what_follows_where_all_of_them_do(
    answer: str, numbers: list[tuple[int, ...]]
) -> None:  # V5
    assert [said.numbers for said in parse_answer(answer).said] == numbers


def test_markers_in_front_go_behind_their_own_sentences() -> None:  # V5
    corrected = correct(CAPITALS, 3, {(1, 2)})
    assert corrected.text == (
        "Paris is the capital of France. [1] Rome is the capital of Italy. Vienna is on the Danube. [2]"
    )


TABLE = "| City | Country |\n|---|:---:|\n| Paris | France [1] |\n| Rome | Italy [2] |"


def test_the_head_of_a_table_claims_nothing_and_its_rows_do() -> None:  # V5
    assert [(said.claim, said.numbers) for said in parse_answer(TABLE).said if said.numbers or said.claim] == [
        (True, (1,)),
        (True, (2,)),
    ]
    assert [check.number for check in plan_checks(TABLE, 2)] == [1, 2]


@for_all_rows(
    "label",
    [
        "Table 1: Sales by region",
        "**Figure 2: Parts of the pump**",
        "표 3: 지역별 매출",
        "Refund Policy",
        "FEES AND DEADLINES",
        "환불 규정",
        "Fees\n====",
    ],
)
def test_captions_and_lone_headings_claim_nothing(label: str) -> None:  # V5
    said = statements(f"{label}\n\nRefunds take 30 days. [1]")
    assert [statement.text for statement in said if statement.claim] == ["Refunds take 30 days."]


@for_all_rows(
    "line",
    [
        "Table 1 shows that sales rose.",
        "Table 1: Sales rose to 5 million",
        "Refunds take thirty days",
        "Tim Cook [1]",
        "환불은 한 달 안에 된다",
    ],
)
def test_a_line_that_states_something_is_a_claim(line: str) -> None:  # N4
    assert statements(f"{line}\n\nRefunds take 30 days.")[0].claim


@pytest.mark.parametrize("line", ["Tim Cook", "Refund Policy"])
def test_a_title_that_heads_nothing_is_an_answer(line: str) -> None:  # N4
    assert statements(line)[0].claim


FILINGS = citable_sources(
    [
        {"filename": "msft.md"},
        {"filename": "aapl0.md", "metadata": {"ticker": "AAPL", "year": 2023, "filing_type": "10-Q"}},
    ]
)


def test_a_named_citation_is_checked_and_renumbered() -> None:  # V5
    answer = "Apple's revenue was $394 billion [Source: AAPL 10-Q 2023]. It rose (Source: lost.pdf, p. 7)."
    assert [(check.item, check.number) for check in plan_checks(answer, FILINGS)] == [("s0:c2", 2), ("s1:c0", None)]
    corrected = correct(answer, FILINGS, frozenset())
    assert corrected.text == "Apple's revenue was $394 billion. [1] It rose."
    assert corrected.edits == [
        Edit("removed", 1, None, "no source is called “lost.pdf”"),
        Edit("renumbered", None, 2, "now [1]"),
    ]


def test_the_digits_of_a_name_that_is_unknown_are_no_words_of_the_statement() -> None:  # V5
    (said,) = statements("Apple's revenue was $394 billion [Source: AAPL 10-Q 2023].")
    assert (said.text, said.numbers, said.missing) == (
        "Apple's revenue was $394 billion.",
        (),
        ("AAPL 10-Q 2023",),
    )
