"""Values that agree are found without trying all: an index leaves out none of them (F2)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citewell_verify.facts.differences.sentence import unit_differences
from citewell_verify.facts.reading.token_alignment import align, tokens_match
from citewell_verify.facts.reading.tokens import Token, Value, tokenize
from citewell_verify.facts.reading.values import ValueIndex, values_agree

_FIGURES = st.one_of(
    st.integers(0, 3000).map(str),
    st.integers(0, 3000).map(lambda number: f"{number / 100}"),
    st.integers(90, 110).map(lambda number: f"{number},5"),
    st.integers(1, 10**7).map(lambda number: f"{number:,}"),
    st.sampled_from(["one", "twelve", "half", "백만", "3천5백만", "0", "0.05", "1.61", "100", "104", "9" * 320]),
)
_VALUES = st.one_of(
    st.builds(
        "{}{}{}{}".format,
        st.sampled_from(["", "", "about ", "약 ", "over ", "-", "minus ", "$", "A$", "€"]),
        _FIGURES,
        st.sampled_from(["", "", " million", " billion", "억"]),
        st.sampled_from(
            ["", "", "%", " kg", " g", " km", " miles", " days", " hours", "원", "명", " euros", " apples"]
        ),
    ),
    st.sampled_from(
        ["several hundred people", "dozens of firms", "hundreds of people", "수백 명", "a few thousand euros"]
    ),
    st.sampled_from(["May 2020", "5 May 2020", "2020", "the 1990s", "5 pm", "17:00", "오후 5시", "2020년 5월"]),
)
_SENTENCES = st.lists(_VALUES, max_size=8).map(" ; ".join)


def values_of(tokens: tuple[Token, ...]) -> list[Value | None]:
    return [each.value for each in tokens]


@given(_SENTENCES, _SENTENCES)
@example("5%", "0.05")
@example("0.05", "5%")
@example("about 100 km", "62 miles ; 66 miles ; 100,000 km")
@example("7 kg", "9" * 320)
@example("hundreds of people", "640 people ; 9,000 people")
def test_no_value_that_agrees_is_left_out(stated: str, known: str) -> None:  # F2
    held = values_of(tokenize(known))
    index = ValueIndex(held)
    for value in filter(None, values_of(tokenize(stated))):
        agreeing = [at for at, each in enumerate(held) if each and values_agree(value, each)]
        found = index.candidates(value)
        assert found == sorted(found)
        assert set(agreeing) <= set(found)


@given(_VALUES, _SENTENCES)
def test_a_token_is_that_which_is_equal_to_it_else_the_first_that_is_the_same(stated: str, known: str) -> None:  # F2
    theirs = [each for each in tokenize(known) if each.kind != "filler"]
    for token in tokenize(stated):
        equal = (
            each for each in theirs if each.key == token.key and each.cue == token.cue and tokens_match(token, each)
        )
        wanted = next(equal, None) or next((each for each in theirs if tokens_match(token, each)), None)
        found = [theirs[at].key for _, at in align((token,), theirs).pairs]
        assert token.kind == "filler" or found == ([wanted.key] if wanted else [])


def test_values_that_are_far_from_each_other_are_not_compared() -> None:  # F1, F2
    held = values_of(tokenize(" ".join(str(number) for number in range(3_000, 3_400))))
    index = ValueIndex(held)
    assert len(held) == 400
    assert all(len(index.candidates(value)) < 10 for value in held if value)


@pytest.mark.parametrize(
    ("statement", "source", "stated", "known"),
    [
        ("A box holds 12 bottles of oil.", "A box holds 12 kg of oil.", "12 bottles", "12 kg"),
        ("A box holds 12 kg of oil.", "A box holds 12 bottles of oil.", "12 kg", "12 bottles"),
        ("Full boxes hold 12 bottles of oil.", "A box that is full holds 12 kg of oil.", "12 bottles", "12 kg"),
        ("Adults pay 40 EUR for the tour.", "On Sundays adults pay 40 crowns for the tour.", "40 EUR", "40 crowns"),
    ],
)
def test_a_word_in_the_place_of_a_unit_is_shown_behind_the_value_it_belongs_to(
    statement: str, source: str, stated: str, known: str
) -> None:  # V2
    (difference,) = unit_differences(align(tokenize(statement), tokenize(source)))
    assert (difference.statement_text, difference.source_text) == (stated, known)
