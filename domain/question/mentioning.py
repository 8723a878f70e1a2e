"""What a reader is shown beside a refusal: the words of the nearest passages, which mention what was asked (V8)."""

from collections.abc import Sequence

from domain.alignment import claim_stems
from domain.evidence import best_text_span
from domain.words import content_stems, coverage

_MOST = 3
_SHORTEST, _LONGEST = 40, 200  # characters of a quotation
_SHARED = 0.3  # of the question's words: with less a passage mentions nothing of it


def mentions(question: str, passages: Sequence[str]) -> list[tuple[int, str]]:
    """Return (number of the passage from 0, its words that have most of the question), the nearest first.

    There are at most three. The words are in one line and no answer: a caption or a row of a table may be the nearest.
    Linear in all lengths.
    """
    wanted = list(dict.fromkeys(claim_stems(question)))
    found: list[tuple[float, int, str]] = []
    for number, text in enumerate(passages):
        start, end = best_text_span(text, question, _SHORTEST, _LONGEST)
        quote = " ".join(text[start:end].split())
        shared = coverage(wanted, set(content_stems(quote)))
        if quote and shared >= _SHARED:
            found.append((-shared, number, quote))
    unique = {quote: (number, quote) for _, number, quote in sorted(found)}
    return list(unique.values())[:_MOST]
