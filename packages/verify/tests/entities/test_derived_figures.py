"""Figures that a source gives in words, and figures that follow from two of its own."""

import pytest

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.source_figures import derivation, figures_in_words
from citewell_verify.evidence.contradictions import disagreements
from verify_material.rows import for_all_rows


@for_all_rows(
    ("text", "value", "unit"),
    [
        ("at half the price", 50, "%"),
        ("About one in five species is a bat.", 20, "%"),
        ("three out of every four members", 75, "%"),
        ("two thirds were mortgages", 100 * 2 / 3, "%"),
        ("It turns itself off after half an hour.", 0.5, "hour"),
        ("절반만 돌려준다", 50, "%"),
        ("그중 3분의 2가 대출이었다", 100 * 2 / 3, "%"),
        ("다섯 종 가운데 하나는 박쥐이다", 20, "%"),
        ("열 명 중 세 명", 30, "%"),
        ("이틀까지 집에서 일한다", 2, "일"),
    ],
)
def test_a_share_or_a_time_in_words_is_read_as_a_figure(text: str, value: float, unit: str) -> None:  # V3, S4.4
    assert [(figure.value, figure.unit) for figure in figures_in_words(text)] == [(pytest.approx(value), unit)]


@pytest.mark.parametrize("text", ["the third floor of a house", "She was half asleep in the third row of eight."])
def test_an_ordinal_is_no_share_of_more_than_a_half(text: str) -> None:
    assert all(figure.value <= 50 for figure in figures_in_words(text))


@for_all_rows(
    ("claim", "source", "figures"),
    [
        ("The modules take 32 hours.", "It has eight modules of four hours each.", ("eight", "four hours")),
        ("8 billion dollars were mortgages.", "It lent 12 billion dollars; two thirds were mortgages.", None),
        ("Seven years later it was sold.", "It closed in 1905 and was sold in 1912.", ("1905", "1912")),
        ("매출은 15억 원 늘었다.", "매출은 20억 원에서 35억 원이 되었다.", ("20억 원", "35억 원")),
        ("Sales rose by 50 %.", "Sales were $20 in March and $30 in April.", ("$20", "$30")),
    ],
)
def test_a_figure_may_follow_from_two_others(claim: str, source: str, figures: tuple[str, str] | None) -> None:
    stated = find_quantities(claim)[0]
    followed = derivation(stated, source, find_quantities(source))
    assert followed == (figures or ("12 billion dollars", "two thirds"))


def test_other_units_and_distant_figures_do_not_make_a_figure() -> None:
    hours = find_quantities("32 hours")[0]
    for source in ("It weighs 8 kg and is 4 m long.", f"It has eight modules. {'And so on. ' * 40}Each takes 4 hours."):
        assert derivation(hours, source, find_quantities(source)) is None


def test_a_figure_that_may_follow_is_not_called_wrong_and_not_proven() -> None:  # V3
    source = "강좌는 약 네 시간짜리 단원 여덟 개로 이루어진다. 마지막 시험에 합격하면 수료증을 받는다."
    assert [
        disagreement.kind for disagreement in disagreements("모든 단원을 마치는 데에는 32시간쯤 걸린다.", source)
    ] == ["wording"]
    assert [
        disagreement.kind for disagreement in disagreements("모든 단원을 마치는 데에는 45시간쯤 걸린다.", source)
    ] == ["number"]


def test_a_figure_in_words_is_the_same_figure() -> None:  # V3
    source = "Later cancellations are refunded at half the price. About one in five species of mammals is a bat."
    assert disagreements("Who cancels later gets 50 percent of the price back.", source) == ()
    assert disagreements("Around 20 percent of mammal species are bats.", source) == ()
    assert disagreements("Around 30 percent of mammal species are bats.", source) != ()
