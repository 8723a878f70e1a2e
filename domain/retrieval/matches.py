"""Which words of a passage are words of the question, as the search by words compares them."""

import re
from collections.abc import Iterator

from domain.retrieval.lexemes import lexemes

_TOKEN = re.compile(r"\w+(?:[.,]\d+)*")
_UNSPACED = re.compile("[぀-ヿ㐀-䶿一-鿿가-힣]+")


def matched_spans(question: str, text: str) -> list[tuple[int, int]]:
    """The (start, end) of the words of `text` that the search by words finds with `question`, in order.

    Of words in Hangul, Han and Kana the pairs of characters that match.
    """
    asked = frozenset(lexemes(question))
    found: list[tuple[int, int]] = []
    for start, end in _matches(asked, text):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _matches(asked: frozenset[str], text: str) -> Iterator[tuple[int, int]]:
    for token in _TOKEN.finditer(text):
        unspaced = list(_UNSPACED.finditer(token[0]))
        for run in unspaced:
            at = token.start() + run.start()
            pairs = [(at + place, at + place + 2) for place in range(len(run[0]) - 1)] or [(at, at + len(run[0]))]
            yield from (pair for pair in pairs if not asked.isdisjoint(lexemes(text[pair[0] : pair[1]])))
        if not unspaced and not asked.isdisjoint(lexemes(token[0])):
            yield token.span()
