"""Finds a quotation in its source text, with exact places in the original (N3, S4.4)."""

import re
import unicodedata
from array import array
from dataclasses import dataclass, replace
from itertools import accumulate, product

from rapidfuzz import fuzz

from citewell_verify.text.cache import text_cache

_COMBINING = "\u0300-\u036f\u1160-\u11ff\u20d0-\u20ff\u3099\u309a"
# Runs unchanged but for case; white space; layout characters; anything else with its combining marks.
_PIECE = re.compile(
    rf"(?P<plain>[!-~가-힣]+(?![{_COMBINING}]))|(?P<space>\s+)|(?P<layout>[\u00ad\u200b-\u200d\u2060\ufeff])|.[{_COMBINING}]*",
    re.DOTALL,
)
_SIGNS = str.maketrans(
    {**dict.fromkeys("‘’‚‛′´`", "'"), **dict.fromkeys("“”„‟«»″", '"'), **dict.fromkeys("‐‑‒–—―−", "-")}
)
_WORD_EDGE = re.compile(r"(?<!\w)(?=\w)|(?<=\w)(?!\w)|(?<!\w)(?!\w)")
_CLOSING = r"""["'”’»)\]」』*_`]*"""
_FINAL_STOP = re.compile(rf"[.!?…。！？｡]*{_CLOSING}\s*$")
_STOP_BEHIND = re.compile(rf"{_CLOSING}\s?(?:[.!?…]+{_CLOSING}(?=\s|[\[【]|$)|[。！？｡]|\s*[\n|\t]|\s*$)")
_OPEN_BEFORE = re.compile(
    rf"(?:^|\n\s*(?:[-*+•‣▪◦·○●#>]+|\(?\w{{1,3}}[.)])?|[.!?…。！？｡]{_CLOSING}|[|\t])\s*(?:\[[^\[\]]*\]\s*)*$"
)
_LINE_BEFORE = re.compile(r"[^\W\d_][,;]?[ \t]*\n[ \t]*$")
_LINE_BEHIND = re.compile(r"[ \t]*\n[ \t]*[a-z]")
_NEAR = 120  # characters before a sentence that tell whether it begins there
_MOST_PLACES = 20
_MIN_FUZZY = 8
"""A shorter quotation would be similar to something in any text; it must match exactly."""
_LONGEST_FUZZY = 2_000
"""A longer one must match exactly, too: fuzzy search takes time in proportion to the square of its length."""
_MOST_ALIGNING = 2_000_000_000
"""Square of a quotation's length times that of the text, up to which the whole text is aligned with it: at most 0.1
s."""
_GRAM = 6  # characters; with three in ten changed, every eighth run of this length is still whole
_MOST_COMPARED = 2_000_000  # characters compared when looking for a place between word boundaries


@dataclass(frozen=True, slots=True)
class Located:
    """`text[start:end]` is the quotation. `score` is 1.0 for a verbatim match, else 0.7–0.99.

    `exact` allows for case, white space, line breaks, quotation marks, dashes and Unicode forms.
    """

    start: int
    end: int
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class _Folded:
    """`text` in normal form for comparison; its character `n` came from `original[starts[n]:ends[n]]`."""

    text: str
    starts: "array[int]"
    ends: "array[int]"


def locate_quote(quote: str, text: str, min_ratio: float = 0.7) -> Located | None:
    """Return the place of `quote` in `text`, in code points, or None if nothing is similar enough (S4.4).

    An exact place is preferred, at word boundaries if there is one; otherwise the most similar passage with a ratio of
    at least `min_ratio` (0..1), from word to word. The first of equals is taken. A quotation of more than 2,000
    characters must match exactly. Linear in the length of `text`.
    """
    folded_quote = _fold(quote).text.strip()
    if not folded_quote:
        return None
    verbatim = _find(quote.strip(), text)
    if verbatim is not None:
        return Located(verbatim, verbatim + len(quote.strip()), 1.0, exact=True)
    folded = _fold_source(text)
    place = _find(folded_quote, folded.text)
    if place is not None:
        return Located(folded.starts[place], folded.ends[place + len(folded_quote) - 1], 1.0, exact=True)
    return _similar(folded_quote, folded, min_ratio) if _MIN_FUZZY <= len(folded_quote) <= _LONGEST_FUZZY else None


def locate_sentences(statement: str, text: str) -> Located | None:
    """Return the place where `statement` stands in `text` as one or several whole sentences, lines or cells (V1).

    Case, white space and the final stop do not matter. What a splitter cut from a sentence behind a stop counts, too.
    """
    stop = _FINAL_STOP.search(statement)
    wanted, start = (statement[: stop.start()] if stop else ""), 0
    for _ in range(_MOST_PLACES):
        place = locate_quote(wanted, text[start:], min_ratio=1.0)
        if place is None or not place.exact:
            return None
        first, last = start + place.start, start + place.end
        before, behind = _OPEN_BEFORE.search(text, max(0, first - _NEAR), first), _STOP_BEHIND.match(text, last)
        is_wrapped = _is_wrapped(text, first, last)
        if before and behind and not is_wrapped and _asks(behind[0]) == _asks(statement[len(wanted) :]):
            return replace(place, start=first, end=last)
        start = first + 1
    return None


def _is_wrapped(text: str, first: int, last: int) -> bool:
    """Say whether a sentence is broken into lines around a place: the next begins in small letters."""
    is_second = text[first].islower() and _LINE_BEFORE.search(text, max(0, first - _NEAR), first)
    return bool(is_second or _LINE_BEHIND.match(text, last))


def _asks(stop: str) -> bool:
    return "?" in stop or "？" in stop


def _find(wanted: str, text: str) -> int | None:
    first = place = text.find(wanted)
    tries = _MOST_COMPARED // max(len(wanted), 1)
    while place >= 0 and (tries := tries - 1) >= 0:
        if _WORD_EDGE.match(text, place) and _WORD_EDGE.match(text, place + len(wanted)):
            return place
        place = text.find(wanted, place + 1)
    return first if first >= 0 else None


def _similar(quote: str, folded: _Folded, min_ratio: float) -> Located | None:
    text = folded.text
    first, last = _likely_window(quote, text)
    alignment = fuzz.partial_ratio_alignment(quote, text[first:last], score_cutoff=min_ratio * 100)
    if alignment is None:
        return None
    begins, ends = first + alignment.dest_start, first + alignment.dest_end
    spans = product(_word_edges(text, begins), _word_edges(text, ends))
    ratio, start, end = max((fuzz.ratio(quote, text[start:end].strip()) / 100, -start, end) for start, end in spans)
    start = -start
    if ratio < max(min_ratio, 0.01):
        return None
    passage = text[start:end]
    start, end = end - len(passage.lstrip()), start + len(passage.rstrip())
    return Located(folded.starts[start], folded.ends[end - 1], min(ratio, 0.99), exact=False)


def _likely_window(quote: str, text: str) -> tuple[int, int]:
    """Return the part to align with the quotation: all of `text`, or the part that shares most with it.

    An alignment takes time in proportion to the text and to the square of the quotation, and cannot be stopped.
    """
    length = len(quote)
    if length * length * len(text) <= _MOST_ALIGNING:
        return 0, len(text)
    grams = {quote[at : at + _GRAM] for at in range(length - _GRAM + 1)}
    shared = [0, *accumulate(text[at : at + _GRAM] in grams for at in range(len(text)))]
    best = max(range(max(len(text) - length, 0) + 1), key=lambda at: shared[min(at + length, len(text))] - shared[at])
    return max(best - length // 4, 0), min(best + length + length // 4, len(text))


def _word_edges(text: str, position: int) -> tuple[int, int]:
    before = after = position
    while before > 0 and not _WORD_EDGE.match(text, before):
        before -= 1
    while after < len(text) and not _WORD_EDGE.match(text, after):
        after += 1
    return before, after


def _fold(text: str) -> _Folded:
    parts: list[str] = []
    # A list of numbers would take nine times the memory, and sources are remembered.
    starts, ends = array("I"), array("I")
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


_fold_source = text_cache()(_fold)
