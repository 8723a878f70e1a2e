"""Lexemes and how well they match (retrieval; S1.1's lexical half)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.queries.search.passages import as_tsvector
from domain.retrieval.lexemes import Collection, Occurrences, PreparedQuestion, lexemes, lexical_order

COLLECTION = Collection(passages=100, mean_length=10, frequencies={"rare": 1, "fee": 50, "due": 50, "all": 100})


def passage(text: str, key: str = "") -> Occurrences[str]:
    held = text.split()
    places = {word: [at for at, lexeme in enumerate(held, 1) if lexeme == word] for word in held}
    return Occurrences(key or text, len(held), places)


def score(question: str, text: str) -> float:
    return PreparedQuestion(question.split(), COLLECTION).score(passage(text))


def test_no_shared_word_scores_nothing_and_is_not_found() -> None:
    assert score("fee", "something else") == 0
    assert lexical_order(["fee"], [passage("something else")], COLLECTION) == []


def test_rare_words_short_passages_and_repetitions_count_more() -> None:
    assert score("rare fee", "rare x") > score("rare fee", "fee x")
    assert score("fee", "fee x") > score("fee", "fee x x x x x")
    assert 0 < score("fee", "fee fee x") - score("fee", "fee x x") < score("fee", "fee x x")


def test_neighbours_in_either_order_count_besides() -> None:
    apart = score("fee due", "fee x due")
    assert score("fee due", "fee due x") == pytest.approx(score("fee due", "x due fee"))
    assert score("fee due", "fee due x") > apart


def test_a_word_that_all_passages_have_never_counts_against_one() -> None:
    assert score("all", "all x") > 0


def test_pairs_of_characters_count_once_however_they_stand() -> None:
    known = Collection(100, 10, dict.fromkeys(lexemes("수신료 인상 fee"), 10))
    apart, beside = (
        PreparedQuestion(lexemes("수신료 인상"), known).score(passage(text))
        for text in ("수신 x 신료 x 인상", "수신 신료 인상 x x")
    )
    assert beside == pytest.approx(apart)
    mixed, split = (
        PreparedQuestion(lexemes("fee 인상"), known).score(passage(text)) for text in ("fee 인상 x", "fee x 인상")
    )
    assert mixed > split


def test_words_that_ask_for_a_calculation_count_little_and_still_find() -> None:
    """Of a rarer word for the calculation and what it is asked of, the latter decides."""
    known = Collection(100, 10, dict(zip(lexemes("average assets"), (5, 20), strict=True)))
    average, assets = lexemes("average assets")
    asked = PreparedQuestion([average, assets], known)
    assert known.rarity(average) > known.rarity(assets)
    assert asked.score(passage(assets)) > asked.score(passage(average)) > 0


def by_definition(question: list[str], held: Occurrences[str]) -> float:
    """The formula written out, one pair of words after the other."""
    length = held.length / COLLECTION.mean_length

    def saturated(count: int) -> float:
        return count * 1.9 / (count + 0.9 * (0.6 + 0.4 * length)) if count else 0.0

    def beside(first: str, second: str) -> int:
        others = held.places.get(second, ())
        return sum((place - 1 in others) + (place + 1 in others) for place in held.places.get(first, ()))

    rarity = {lexeme: COLLECTION.rarity(lexeme) for lexeme in question}
    alone = sum(rarity[term] * saturated(len(held.places.get(term, ()))) for term in rarity)
    pairs = {frozenset(pair) for pair in pairwise(question) if pair[0] != pair[1]}
    together = sum(min(map(rarity.__getitem__, pair)) * saturated(beside(*pair)) for pair in pairs)
    return alone + 0.5 * together


_WORDS = st.lists(st.sampled_from(["rare", "fee", "due", "all", "x"]), max_size=12)


@given(_WORDS, _WORDS)
def test_the_score_is_that_of_the_formula(question: list[str], text: list[str]) -> None:  # F2
    held = passage(" ".join(text), "p")
    assert PreparedQuestion(question, COLLECTION).score(held) == pytest.approx(by_definition(question, held))


@given(st.text())
def test_lexemes_are_what_postgres_can_store(text: str) -> None:
    for lexeme in lexemes(text):
        assert lexeme
        assert not set(lexeme) & set("'\\ \t\n\x00")
        assert len(lexeme) <= 100


def test_words_of_unspaced_scripts_are_pairs_of_characters() -> None:
    assert lexemes("전기버스를") == ["전기", "기버", "버스", "스를"]
    assert lexemes("東") == ["東"]
    assert lexemes("A4용지") == ["a4", "용지"]
    assert lexemes("Müller the cafés") == lexemes("Muller cafes")
    assert lexemes("İstanbul مُحَمَّد") == lexemes("Istanbul محمد")
    assert lexemes("नमस्ते") == ["नमस्ते"]


def test_a_passage_longer_than_postgres_counts_is_cut_where_it_stops() -> None:
    written = as_tsvector(["a"] * 300 + ["b"] * 20_000)
    assert written.count(",") == 255 + 255
    assert "'b':301,302" in written
