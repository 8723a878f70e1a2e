"""Statements of an answer, and the checks that they need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.answers.statements import PlannedCheck, deciding_items, plan_checks, statements
from verify_material.answers import ANSWERS, ANYTHING

ANSWER = """## Refunds

Refunds take 30 days [†1]. The fee is $5.[†2][†3] However, according to [†4], fees apply [†1] to all.
[2] Korea is different.

- Item one (Source: 2)
- Item two 【4†L1】 is bigger.

| Fee [1] | 5 [2] |

Is it true? Nobody cites this.

### References
- [†1] a.pdf, p.1
"""


def test_an_answer_is_read_sentence_by_sentence() -> None:  # S5.4, N4
    assert [(s.text, s.numbers, s.claim) for s in statements(ANSWER)] == [
        ("Refunds", (), False),
        ("Refunds take 30 days.", (1,), True),
        ("The fee is $5.", (2, 3), True),
        ("However, according to the source, fees apply to all.", (4, 1), True),
        ("Korea is different.", (2,), True),
        ("Item one", (2,), True),
        ("Item two is bigger.", (4,), True),
        ("Fee | 5", (1, 2), True),
        ("Is it true?", (), False),
        ("Nobody cites this.", (), True),
    ]


def test_offsets_leave_out_the_markers_behind_a_sentence() -> None:  # N3
    assert [ANSWER[s.start : s.end] for s in statements(ANSWER)][1:4] == [
        "Refunds take 30 days [†1].",
        "The fee is $5.",
        "However, according to [†4], fees apply [†1] to all.",
    ]


def test_korean_sentences_keep_their_citations() -> None:  # S5.3, S5.4
    answer = "매출은 3.5% 늘었습니다[†1]. 비용은 줄었습니다.[†2] 2023. 5. 1. 기준입니다[†1][†2]."
    assert [(s.text, s.numbers) for s in statements(answer)] == [
        ("매출은 3.5% 늘었습니다.", (1,)),
        ("비용은 줄었습니다.", (2,)),
        ("2023. 5. 1. 기준입니다.", (1, 2)),
    ]


def test_code_is_one_statement() -> None:  # N4
    answer = "Run this:\n\n```\na. B c. D[1]\n```\n\nDone as told [1]."
    assert [(s.text, s.numbers) for s in statements(answer)] == [
        ("Run this:", ()),
        ("```\na. B c. D[1]\n```", ()),
        ("Done as told.", (1,)),
    ]


@pytest.mark.parametrize("answer", ["", " \n", "[1]", "[†1][†2]\n"])
def test_an_answer_without_words_states_nothing(answer: str) -> None:  # S2.6
    assert statements(answer) == []
    assert plan_checks(answer, 2) == []


@given(ANSWERS | ANYTHING)
def test_statements_are_in_order_and_apart(answer: str) -> None:  # N3, N4
    position = 0
    for index, statement in enumerate(statements(answer)):
        assert statement.index == index
        assert position <= statement.start < statement.end <= len(answer)
        assert len(set(statement.numbers)) == len(statement.numbers)
        position = statement.end


def test_every_citation_and_every_uncited_claim_is_checked() -> None:  # S5.4
    assert plan_checks("Fees apply [1][2]. Refunds are free. Why?", 2) == [
        PlannedCheck("s0:c1", 0, 1),
        PlannedCheck("s0:c2", 0, 2),
        PlannedCheck("s1:c0", 1, None),
    ]


def test_a_dangling_citation_is_none() -> None:  # S5.4, S5.5
    assert plan_checks("Fees apply [1][3]. Refunds are free [0][9].", 2) == [
        PlannedCheck("s0:c1", 0, 1),
        PlannedCheck("s1:c0", 1, None),
    ]


def test_a_statement_too_short_has_no_checks() -> None:  # S5.4
    assert plan_checks("Yes [1]. 30 % [1]. 네[†1].", 1) == []


def test_a_cited_heading_is_checked_though_it_claims_nothing() -> None:  # S5.4
    assert plan_checks("## Refund period [1]", 1) == [PlannedCheck("s0:c1", 0, 1)]


def test_without_sources_nothing_can_be_checked() -> None:  # S2.6
    assert plan_checks("Fees apply [1]. Refunds are free.", 0) == []


def test_a_repeated_pair_is_checked_once_and_decided_by_the_first() -> None:  # S5.4
    answer = "Fees apply [1]. FEES  apply.[1] Fees apply [2]. Fees apply."
    assert [check.item for check in plan_checks(answer, 2)] == ["s0:c1", "s2:c2", "s3:c0"]
    assert deciding_items(statements(answer), 2) == {
        (0, 1): "s0:c1",
        (1, 1): "s0:c1",
        (2, 2): "s2:c2",
        (3, None): "s3:c0",
    }


@given(ANSWERS | ANYTHING, st.integers(0, 5))
def test_every_pair_has_an_item_and_every_item_decides_a_pair(answer: str, sources: int) -> None:  # S5.4, N4
    plan, said = plan_checks(answer, sources), statements(answer, sources)
    deciding = deciding_items(said, sources)
    assert [check.item for check in plan] == list(dict.fromkeys(deciding.values()))
    assert all(deciding[check.statement, check.number] == check.item for check in plan)
    assert {index for index, _ in deciding} >= {s.index for s in said if s.claim and sources}
    assert all(number is None or 1 <= number <= sources for _, number in deciding)
