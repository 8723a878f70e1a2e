"""Finding quotations: exact offsets into the original, however the copy was changed."""

import re
import unicodedata
from random import Random
from time import process_time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from citewell_verify.text.quotes import locate_quote
from verify_material.rows import for_all_rows

VISIBLE = re.compile(r"[^\s\u00ad\u200b-\u200d\u2060\ufeff]")
POLICY = (
    "Section 2\n\nThe “refund\npolicy” – valid from 1 May – says that customers have 30 days. "
    "Efﬁcient of\u00adfice work. 환불은 30일 이내에 가능합니다. Hearts and art."
)


def found(quote: str, text: str = POLICY) -> str | None:
    located = locate_quote(quote, text)
    return None if located is None else text[located.start : located.end]


# N3, S4.4
@given(st.text(min_size=1, max_size=80), st.data())
def test_any_piece_of_a_text_is_found_exactly(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    located = locate_quote(quote, text)
    assume(VISIBLE.search(quote))
    assert located is not None
    assert (located.exact, located.score) == (True, 1.0)
    assert text[located.start : located.end].casefold().split() == quote.casefold().split()


@given(st.text(max_size=60), st.text(max_size=200))
def test_a_place_is_always_inside_the_text_and_only_exact_ones_score_one(quote: str, text: str) -> None:
    located = locate_quote(quote, text)
    if located is not None:
        assert 0 <= located.start < located.end <= len(text)
        assert located.exact == (located.score == 1.0)
        assert 0.7 <= located.score <= 1.0


@pytest.mark.parametrize(
    ("quote", "original"),
    [
        ('"Refund policy" - valid', "“refund\npolicy” – valid"),
        ("EFFICIENT OFFICE", "Efﬁcient of\u00adfice"),
        ("  환불은   30일 이내에 ", "환불은 30일 이내에"),
        ("customers have 30 days.", "customers have 30 days."),
    ],
)
def test_case_spaces_signs_and_ligatures_do_not_matter(quote: str, original: str) -> None:
    assert found(quote) == original


def test_decomposed_korean_and_accents_are_found() -> None:
    text = unicodedata.normalize("NFD", "서울은 대한민국의 수도이다. Café society")
    for quote in ("대한민국의 수도", "Café"):
        assert unicodedata.normalize("NFC", found(quote, text) or "") == quote


def test_whole_words_are_preferred() -> None:
    located = locate_quote("art", POLICY)
    assert located is not None
    assert located.start == POLICY.rindex("art")


def test_a_changed_quotation_is_found_fuzzily_between_word_boundaries() -> None:
    located = locate_quote("customers must have 30 days", POLICY)
    assert located is not None
    assert not located.exact
    assert 0.7 <= located.score < 1.0
    assert POLICY[located.start : located.end].startswith("customers have 30 days")


@pytest.mark.parametrize("quote", ["", "  ", "cats", "a completely unrelated sentence about cats"])
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert locate_quote(quote, POLICY) is None


def test_a_likeness_inside_one_long_word_is_no_quotation() -> None:
    assert locate_quote("customers hove 30", f"{'z' * 30}customershave30{'z' * 30}") is None


def test_the_least_ratio_is_the_callers_choice() -> None:
    assert locate_quote("customers must have 30 days", POLICY, min_ratio=0.95) is None


@for_all_rows("piece", ["a", "[1]", "ab cd ", "“a” ", "가 나 "])
def test_a_hostile_statement_is_looked_up_in_bounded_time(piece: str) -> None:  # F1
    started = process_time()
    locate_quote(piece * (20_000 // len(piece)) + " x [1].", piece * (40_000 // len(piece)) + " x 0.5.", 0.85)
    assert process_time() - started < 5  # 20 s and more when all of it is aligned


def words_of(random: Random, count: int) -> list[str]:
    return ["".join(random.choices("abcdefghijklmnop", k=random.randint(2, 9))) for _ in range(count)]


def test_a_long_changed_quotation_is_found_in_a_long_text() -> None:  # F1
    random = Random(18)
    quoted = words_of(random, 250)
    text = " ".join([*words_of(random, 5_000), *quoted, *words_of(random, 5_000)])
    changed = " ".join("changed" if place % 12 == 5 else word for place, word in enumerate(quoted))
    located = locate_quote(changed, text)
    assert located is not None
    assert not located.exact
    assert abs(located.start - text.index(" ".join(quoted))) < 20
    assert abs(located.end - located.start - len(" ".join(quoted))) < 40


def test_a_quotation_of_more_than_2000_characters_is_only_found_word_for_word() -> None:  # F1
    quoted = " ".join(words_of(Random(18), 500))
    assert locate_quote(quoted, f"before {quoted} behind") is not None
    assert locate_quote(quoted.replace(" ", " and ", 1), f"before {quoted} behind") is None
