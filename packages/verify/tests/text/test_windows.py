"""Windows cover all of a text, are never too long, overlap as configured, and take time linear in the text."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.windows import windows
from verify_material.rows import for_all_rows

TEXTS = st.lists(
    st.sampled_from(
        ["Refunds are paid. ", "환불은 30일. ", "word ", "\n\n", " ", "x" * 30, "| a | b |\n", "No stop", "."]
    ),
    max_size=60,
).map("".join)


@given(TEXTS, st.integers(1, 80), st.integers(0, 79))
def test_windows_cover_every_sign_that_is_no_space_and_none_is_too_long(text: str, most: int, overlap: int) -> None:
    spans = windows(text, most, min(overlap, most - 1))
    covered = {place for start, end in spans for place in range(start, end)}
    assert all(place in covered for place, sign in enumerate(text) if not sign.isspace())
    assert all(0 < end - start <= most for start, end in spans)
    assert all(span[0] < following[0] and span[1] < following[1] for span, following in pairwise(spans))


@given(TEXTS, st.integers(2, 80), st.integers(1, 79))
def test_neighbours_share_no_more_than_the_overlap(text: str, most: int, overlap: int) -> None:
    overlap = min(overlap, most - 1)
    spans = windows(text, most, overlap)
    assert all(span[1] - following[0] <= overlap for span, following in pairwise(spans))


@given(TEXTS, st.integers(1, 80))
def test_without_overlap_nothing_is_shown_twice(text: str, most: int) -> None:
    spans = windows(text, most)
    assert all(span[1] <= following[0] for span, following in pairwise(spans))


def test_the_last_sentences_of_a_window_begin_the_next() -> None:
    text = "".join(f"Sentence number {n:02}. " for n in range(20))
    spans = windows(text, 100, 25)
    assert len(spans) > 4
    for (_, end), (start, _) in pairwise(spans):
        assert text[start:end].startswith("Sentence")
        assert text[start:end].endswith(".")


@pytest.mark.parametrize("text", ["", " \n "])
def test_blank_text_has_no_window(text: str) -> None:
    assert windows(text, 10) == []


def test_a_text_that_fits_is_one_window() -> None:
    assert windows("Just this.", 10, 5) == [(0, 10)]


@pytest.mark.parametrize("overlap", [-1, 10, 11])
def test_an_overlap_that_is_no_smaller_than_a_window_is_refused(overlap: int) -> None:
    with pytest.raises(ValueError, match="overlap"):
        windows("text", 10, overlap)


@for_all_rows("piece", ["x", "x ", "A sentence. ", "\n", ". ", "| a "])
def test_long_texts_are_cut_in_linear_time(piece: str) -> None:
    # Anything worse would run into the test's time limit.
    text = piece * (100_000 // len(piece))
    spans = windows(text, 12_000, 800)
    assert len(spans) <= 1 + len(text) // 10_000
