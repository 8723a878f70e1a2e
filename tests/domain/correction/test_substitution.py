"""Substitution: a wrong value is replaced by the source's, and the sentence stays grammatical (S4.4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.correction.substitution import substituted
from domain.evidence.contradictions import Disagreement, disagreements

SOURCE = "The lease runs for 24 months and costs $1,850 in Leeds. 계약 기간은 24개월이고 보증금은 500만 원이다."


def wrong(old: str, new: str | None) -> Disagreement:
    return Disagreement("number", old, new, "")


@pytest.mark.parametrize(
    ("claim", "old", "new", "expected"),
    [
        ("It lasts 14 days.", "14 days", "30 days", "It lasts 30 days."),
        ("It costs $5, or $50 a year.", "$5", "$7", "It costs $7, or $50 a year."),
        ("서울은 수도다.", "서울", "제주", "제주는 수도다."),
        ("대구가 가깝다.", "대구", "부산", "부산이 가깝다."),
        ("부산을 떠나 왔다.", "부산", "대구", "대구를 떠나 왔다."),
        ("대구와 가깝다.", "대구", "부산", "부산과 가깝다."),
        ("부산으로 옮겼다.", "부산", "서울", "서울로 옮겼다."),
        ("서울로부터 왔다.", "서울", "부산", "부산으로부터 왔다."),
        ("비율은 5%를 넘는다.", "5%", "6%", "비율은 6%를 넘는다."),
        ("버전 2는 빠르다.", "2", "3", "버전 3은 빠르다."),
        ("기한은 14일이다.", "14일", "3주", "기한은 3주이다."),
    ],
)
def test_a_wrong_value_is_replaced_and_the_particle_fits(claim: str, old: str, new: str, expected: str) -> None:
    assert substituted(claim, [wrong(old, new)]) == expected  # S4.4


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("It lasts 14 days.", []),
        ("It lasts 14 days.", [wrong("14 days", None)]),
        ("It lasts 14 days and costs $5.", [wrong("14 days", "30 days"), wrong("$5", None)]),
        ("It is not required.", [wrong("required", "required")]),
        ("It lasts 14 days.", [wrong("15 days", "30 days")]),
        ("It lasts 14 days.", [wrong("14 days", "30일이내")]),
        ("기한은 14일이다.", [wrong("14일", "30 days")]),
        ("5 here and 5 there", [wrong("5", "6"), wrong("5", "7")]),
    ],
)
def test_nothing_is_rewritten_where_a_value_is_unknown_or_ambiguous(claim: str, found: list[Disagreement]) -> None:
    assert substituted(claim, found) is None  # S4.4


@given(
    st.integers(25, 900),
    st.sampled_from(
        [
            ("The lease runs for {} months.", "24"),
            ("계약 기간은 {}개월이다.", "24"),
            ("The lease costs ${} in Leeds.", "1,850"),
        ]
    ),
)
def test_a_planted_number_is_put_right(number: int, planted: tuple[str, str]) -> None:
    template, right = planted
    claim = template.format(number)
    mended = substituted(claim, disagreements(claim, SOURCE))
    assert mended is not None
    assert mended == template.format(right)
    assert disagreements(mended, SOURCE) == ()


@given(st.text(max_size=40), st.text(max_size=10), st.text(max_size=10))
def test_any_text_can_be_rewritten(claim: str, old: str, new: str) -> None:
    assert substituted(claim, [wrong(old, new)]) != claim
