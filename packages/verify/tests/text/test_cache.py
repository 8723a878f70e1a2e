"""The cache of texts is bounded by characters, not only by the number of texts."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from citewell_verify.text.cache import text_cache


# F9
@given(st.lists(st.text("ab", max_size=6), max_size=30), st.integers(0, 12), st.integers(1, 4))
def test_what_is_remembered_is_what_would_be_returned(texts: Sequence[str], most_chars: int, most: int) -> None:
    @text_cache(most_chars, most)
    def shout(text: str) -> str:
        return text.upper()

    assert [shout(text) for text in texts] == [text.upper() for text in texts]


# F9
def test_the_latest_texts_are_kept_up_to_the_bound_of_characters() -> None:
    asked: list[str] = []

    @text_cache(10)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb", "x" * 11, "x" * 11, "aaaa"):
        shout(text)
    # The bound holds two texts of four; a text beyond it is never kept and drives no other one out.
    assert asked == ["aaaa", "bbbb", "cccc", "bbbb", "x" * 11, "x" * 11]
    shout.cache_clear()
    shout("aaaa")
    assert asked[-1] == "aaaa"
