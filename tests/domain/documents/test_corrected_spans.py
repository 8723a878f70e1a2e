"""Where a text differs from its file, after any corrections (N3)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from domain.documents.text_marks import CorrectedSpan, is_corrected, with_correction

TEXTS = st.text("ab c", max_size=12)


def corrected(*texts: str) -> list[CorrectedSpan]:
    """The spans after a text was corrected to the next one, again and again."""
    spans: list[CorrectedSpan] = []
    for before, after in pairwise(texts):
        spans = with_correction(spans, 0, before, after)
    return sorted(spans)


def of_file(text: str, spans: list[CorrectedSpan]) -> str:
    """The text with the words of the file in the place of what was corrected."""
    for span in reversed(spans):
        text = text[: span.start] + span.of_file + text[span.end :]
    return text


@given(st.lists(TEXTS, min_size=2, max_size=6))
def test_the_words_of_the_file_put_back_give_the_text_of_the_file(texts: list[str]) -> None:  # N3
    assert of_file(texts[-1], corrected(*texts)) == texts[0]


def test_a_correction_of_corrected_words_tells_what_the_file_says() -> None:  # N3
    assert corrected("within 14 days", "within 15 days", "within 14 weeks") == [CorrectedSpan(10, 14, "day")]
    assert corrected("abcdef", "abXYef", "aQf") == [CorrectedSpan(1, 2, "bcde")]


def test_what_is_put_back_is_no_correction() -> None:  # N3
    assert corrected("100", "900", "950", "100") == []
    assert corrected("The cat sat", "The dog sat", "The dog ran", "The cat sat") == []


def test_a_correction_elsewhere_moves_the_others() -> None:  # N3
    spans = with_correction([CorrectedSpan(20, 22, "old")], 0, "Cats", "Tom cats")
    assert max(spans) == CorrectedSpan(24, 26, "old")
    assert is_corrected(spans, 23, 25)
    assert not is_corrected(spans, 10, 20)
