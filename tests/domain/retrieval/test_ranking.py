"""Ranking by scores of which some may be missing, and fusion of rankings."""

from hypothesis import given
from hypothesis import strategies as st

from domain.retrieval.ranking import Scored, fuse, interleave, rank, with_bridges, without_copies


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


def named(**scores: float) -> list[Scored[str]]:
    return rank([Scored(key, place, score) for place, (key, score) in enumerate(scores.items())])


def test_rankings_take_turns() -> None:  # S5.1
    assert interleave([["a", "b", "c"], ["b", "x"]]) == ["a", "b", "x", "c"]
    assert interleave([]) == []


def test_what_was_found_over_another_is_kept_only_with_it() -> None:  # S5.1
    ranked = named(bridge=0.1, hop=0.9, own=0.5, other=0.4)
    assert [chunk.key for chunk in with_bridges(ranked, {"hop": "bridge"}, 3)] == ["bridge", "hop", "own"]
    assert [chunk.key for chunk in with_bridges(ranked, {"hop": "bridge"}, 2)] == ["bridge", "hop"]
    assert [chunk.key for chunk in with_bridges(ranked, {"hop": "bridge"}, 1)] == ["own"]


def test_what_was_found_over_others_gets_at_most_half_of_the_places() -> None:  # S5.1
    ranked = named(bridge=0.8, hop=0.9, hop2=0.85, hop3=0.84, own=0.5, other=0.4)
    over = {"hop": "bridge", "hop2": "bridge", "hop3": "bridge"}
    assert [chunk.key for chunk in with_bridges(ranked, over, 4)] == ["bridge", "hop", "hop2", "own"]


def test_a_copy_shares_the_place_of_the_better_passage_and_what_stands_twice_in_a_document_keeps_two() -> None:
    # A and B are copies; their passages 1 and 2 have the same text, and so has C's only one, a copy of A alone.
    documents = {"a1": "A", "a2": "A", "b1": "B", "b2": "B", "c1": "C"}
    others = {name: [copy for copy in documents if documents[copy] != documents[name]] for name in documents}
    others["c1"], others["b1"], others["b2"] = ["a1", "a2"], ["a1", "a2"], ["a1", "a2"]
    assert without_copies(["b1", "x", "a1", "a2", "c1", "b2"], others, documents) == ["b1", "x", "a2"]
    assert without_copies(["x", "y"], {}, {}) == ["x", "y"]
