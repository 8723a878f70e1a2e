"""Finding a quotation in the text that it was taken from, with exact places in the original (N3, S4.4)."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import product

from rapidfuzz import fuzz

_COMBINING = "\u0300-\u036f\u1160-\u11ff\u20d0-\u20ff\u3099\u309a"
# Runs that stay as they are but for case; white space; what only lays out; anything else with its combining marks.
_PIECE = re.compile(
    rf"(?P<plain>[!-~가-힣]+(?![{_COMBINING}]))|(?P<space>\s+)|(?P<layout>[\u00ad\u200b-\u200d\u2060\ufeff])|.[{_COMBINING}]*",
    re.DOTALL,
)
_SIGNS = str.maketrans(
    {**dict.fromkeys("‘’‚‛′´`", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‐‑‒–—―−", "-")}
)
_WORD_EDGE = re.compile(r"(?<!\w)(?=\w)|(?<=\w)(?!\w)|(?<!\w)(?!\w)")
_MIN_FUZZY = 8
"""A shorter quotation would be similar to something in any text; it has to be found exactly."""


@dataclass(frozen=True, slots=True)
class Located:
    """`text[start:end]` is the quotation. `score` is 1.0 when it is there word for word, else 0.7–0.99.

    `exact` allows for case, white space, line breaks, quotation marks, dashes and Unicode forms.
    """

    start: int
    end: int
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class _Folded:
    """`text` in one form for comparing; its character `n` came from `original[starts[n]:ends[n]]`."""

    text: str
    starts: list[int]
    ends: list[int]


def locate_quote(quote: str, text: str, min_ratio: float = 0.7) -> Located | None:
    """Return where `quote` stands in `text`, in code points of `text`, or None if nothing is similar enough (S4.4).

    An exact place is preferred, at word boundaries if there is one; otherwise the most similar passage with a ratio of
    at least `min_ratio` (0..1), from word to word. The first of equals is taken.
    """
    folded_quote = _fold(quote).text.strip()
    if not folded_quote:
        return None
    verbatim = _find(quote.strip(), text)
    if verbatim is not None:
        return Located(verbatim, verbatim + len(quote.strip()), 1.0, exact=True)
    folded = _fold(text)
    place = _find(folded_quote, folded.text)
    if place is not None:
        return Located(folded.starts[place], folded.ends[place + len(folded_quote) - 1], 1.0, exact=True)
    return _similar(folded_quote, folded, min_ratio) if len(folded_quote) >= _MIN_FUZZY else None


def _find(wanted: str, text: str) -> int | None:
    first = place = text.find(wanted)
    while place >= 0:
        if _WORD_EDGE.match(text, place) and _WORD_EDGE.match(text, place + len(wanted)):
            return place
        place = text.find(wanted, place + 1)
    return first if first >= 0 else None


def _similar(quote: str, folded: _Folded, min_ratio: float) -> Located | None:
    text = folded.text
    alignment = fuzz.partial_ratio_alignment(quote, text, score_cutoff=min_ratio * 100)
    if alignment is None:
        return None
    spans = product(_word_edges(text, alignment.dest_start), _word_edges(text, alignment.dest_end))
    ratio, start, end = max((fuzz.ratio(quote, text[start:end].strip()) / 100, -start, end) for start, end in spans)
    start = -start
    if ratio < max(min_ratio, 0.01):
        return None
    passage = text[start:end]
    start, end = end - len(passage.lstrip()), start + len(passage.rstrip())
    return Located(folded.starts[start], folded.ends[end - 1], min(ratio, 0.99), exact=False)


def _word_edges(text: str, position: int) -> tuple[int, int]:
    """Return the word boundaries next to `position` on both sides; twice `position` if it is one."""
    before = after = position
    while before > 0 and not _WORD_EDGE.match(text, before):
        before -= 1
    while after < len(text) and not _WORD_EDGE.match(text, after):
        after += 1
    return before, after


def _fold(text: str) -> _Folded:
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if match["layout"]:
            continue
        if match["plain"]:
            parts.append(match[0].lower().translate(_SIGNS))
            starts.extend(range(start, end))
            ends.extend(range(start + 1, end + 1))
            continue
        folded = " " if match["space"] else unicodedata.normalize("NFKC", match[0]).casefold().translate(_SIGNS)
        parts.append(folded)
        starts.extend([start] * len(folded))
        ends.extend([end] * len(folded))
    return _Folded("".join(parts), starts, ends)
