"""Ranking by scores of which some may be missing, and fusion of rankings."""

from hypothesis import given
from hypothesis import strategies as st

from domain.ranking import Scored, fuse, rank


def scored(*scores: float | None) -> list[Scored[int]]:
    return [Scored(place, place, score) for place, score in enumerate(scores)]


def order(*scores: float | None) -> list[int]:
    return [chunk.key for chunk in rank(scored(*scores))]


def test_the_best_score_comes_first() -> None:  # S3.1
    assert order(0.1, 0.9, 0.5) == [1, 2, 0]


def test_equal_scores_stay_in_retrieval_order() -> None:  # S3.1
    assert order(0.5, 0.9, 0.5) == [1, 0, 2]


def test_an_unreadable_score_keeps_its_place_in_retrieval() -> None:  # S3.1
    assert order(0.1, None, 0.9) == [2, 1, 0]


def test_without_any_score_retrieval_decides() -> None:  # S3.1
    assert order(None, None, None) == [0, 1, 2]


@given(st.lists(st.none() | st.floats(0, 1), max_size=20))
def test_ranking_loses_and_invents_nothing(scores: list[float | None]) -> None:  # S3.1
    ranked = rank(scored(*scores))
    assert sorted(chunk.key for chunk in ranked) == list(range(len(scores)))
    readable = [chunk.score for chunk in ranked if chunk.score is not None]
    assert readable == sorted(readable, reverse=True)


def test_what_two_rankings_agree_on_comes_first() -> None:
    assert fuse([[1, 2, 3], [4, 2, 5]])[0] == 2


def test_fusing_one_ranking_changes_nothing() -> None:
    assert fuse([["b", "a", "c"]]) == ["b", "a", "c"]


@given(st.lists(st.lists(st.integers(0, 9), max_size=10), max_size=4))
def test_fusion_keeps_every_key_once(rankings: list[list[int]]) -> None:  # S3.2
    fused = fuse(rankings)
    assert sorted(fused) == sorted({key for ranking in rankings for key in ranking})
