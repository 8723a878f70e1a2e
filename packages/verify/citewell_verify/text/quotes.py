"""Finds words in a source: a quotation, with exact places in the original (N3, S4.4), and the sentence that is most
like a claim, with an index that compares the claim only with sentences that have a word in common with it."""

import re
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import accumulate, product

from rapidfuzz import fuzz

from citewell_verify.text.cache import text_cache
from citewell_verify.text.sentences import Sentence, split_sentences
from citewell_verify.text.words import content_stems, coverage, prefix_key, prefix_keys, stem_similarity

_COMBINING = "\u0300-\u036f\u1160-\u11ff\u20d0-\u20ff\u3099\u309a"
# Runs that only change in case; white space; layout characters; any other character with its combining marks.
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
_NEAR = 120  # characters before a sentence that show whether it begins there
_MOST_PLACES = 20
_MIN_FUZZY = 8
"""A shorter quotation would be similar to something in any text; it must match exactly."""
_LONGEST_FUZZY = 2_000
"""A longer quotation must match exactly, too: fuzzy search takes time in proportion to the square of its length."""
_MOST_ALIGNING = 2_000_000_000
"""Up to this product of the square of a quotation's length and the text's length, the whole text is aligned with the
quotation, which takes at most 0.1 s."""
_GRAM = 6  # characters; with three in ten changed, every eighth run of this length is still whole
_MOST_COMPARED = 2_000_000  # characters compared when looking for a place between word boundaries


_MOST_PER_PREFIX = 300  # words with the same beginning that are compared with another word: prose has a few dozen
_MOST_CHARS = 600_000  # characters of cached texts: their analysis takes far more memory than the texts
_NO_LETTERS = re.compile(r"[\W_]+")
_MOST_STEMS = 200  # stems of a claim: it is a sentence, and a longer text is hostile
_MOST_EQUAL = 100  # sentences with equally many of a claim's stems: more of them are not told apart


@dataclass(frozen=True, slots=True)
class Located:
    """The place of a quotation, `text[start:end]`. `score` is 1.0 for a verbatim match, else 0.7–0.99.

    `exact` allows for case, white space, line breaks, quotation marks, dashes and Unicode forms.
    """

    start: int
    end: int
    score: float
    exact: bool


@dataclass(frozen=True, slots=True)
class _Folded:
    """A `text` in normal form for comparison; its character `n` is from `original[starts[n]:ends[n]]`."""

    text: str
    starts: "array[int]"
    ends: "array[int]"


def locate_quote(quote: str, text: str, min_ratio: float = 0.7) -> Located | None:
    """Return the place of `quote` in `text`, in code points, or None if nothing is similar enough (S4.4).

    An exact place is preferred, at word boundaries if there is one; otherwise the most similar passage with a ratio of
    at least `min_ratio` (0..1), which begins and ends with whole words. The first of equal places is returned. A
    quotation of more than 2,000 characters must match exactly. Linear in the length of `text`.
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
    """Return the place of `statement` in `text` as one or several whole sentences, lines or cells (V1).

    Case, white space and the final stop do not matter. A part that the splitter cut off a sentence after a stop counts
    as a sentence, too.
    """
    stop = _FINAL_STOP.search(statement)
    wanted, start = (statement[: stop.start()] if stop else ""), 0
    for _ in range(_MOST_PLACES):
        place = locate_quote(wanted, text[start:], min_ratio=1.0)
        if place is None or not place.exact:
            return None
        first, last = start + place.start, start + place.end
        before, behind = _OPEN_BEFORE.search(text, max(0, first - _NEAR), first), _STOP_BEHIND.match(text, last)
        # The sentence is broken into lines if the next line begins with a small letter.
        is_second = text[first].islower() and _LINE_BEFORE.search(text, max(0, first - _NEAR), first)
        is_wrapped = is_second or _LINE_BEHIND.match(text, last)
        if before and behind and not is_wrapped and _asks(behind[0]) == _asks(statement[len(wanted) :]):
            return replace(place, start=first, end=last)
        start = first + 1
    return None


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

    An alignment cannot be stopped, and takes time in proportion to the text and to the square of the quotation.
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


class WordIndex:
    """An immutable index of numbered texts by their stems, which finds the texts that have a stem or a related one.

    Stems with the same head are compared by `similarity`, which is 0 for unrelated stems.
    """

    def __init__(
        self,
        stems: Iterable[Iterable[str]],
        head: Callable[[str], str] = prefix_key,
        similarity: Callable[[str, str], float] = stem_similarity,
    ) -> None:
        self._head, self._similarity = head, similarity
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, stems_of_text in enumerate(stems):
            for stem in dict.fromkeys(stems_of_text):
                self._places[stem].append(number)
        self._by_head: dict[str, list[str]] = defaultdict(list)
        for stem in self._places:
            same_prefix = self._by_head[head(stem)]
            if len(same_prefix) < _MOST_PER_PREFIX:
                same_prefix.append(stem)

    def coverages(self, wanted: Sequence[str]) -> dict[int, float]:
        """Return, for each text that has any of the stems `wanted`, the share of them that it has, as in `coverage`.

        The time is in proportion to the number of texts with one of them.
        """
        beginnings = prefix_keys(tuple(wanted))
        indexed = [stem for stem, beginning in zip(wanted, beginnings, strict=True) if beginning in self._by_head]
        having = {stem: self.having(stem) for stem in dict.fromkeys(indexed)}
        shared: dict[int, float] = defaultdict(float)
        for stem in indexed:
            for number, share in having[stem].items():
                shared[number] += share
        return {number: share / len(wanted) for number, share in shared.items()}

    def having(self, wanted: str) -> Mapping[int, float]:
        """Return the degree to which each text has a stem, by number, without texts that do not have it.

        The time is in proportion to the number of texts with the stem or a related one.
        """
        shares = dict.fromkeys(self._places.get(wanted, ()), 1.0)
        for candidate in self._by_head.get(self._head(wanted), ()):
            if candidate != wanted and (share := self._similarity(wanted, candidate)):
                for number in self._places[candidate]:
                    if share > shares.get(number, 0.0):
                        shares[number] = share
        return shares


@dataclass(frozen=True)
class ParsedSentences:
    """A text split into sentences that can be looked up by their words. Analysed once and cached."""

    text: str

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return tuple(split_sentences(self.text))

    @cached_property
    def stems(self) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(content_stems(sentence.text)) for sentence in self.sentences)

    @cached_property
    def index(self) -> WordIndex:
        return WordIndex(self.stems)

    @cached_property
    def letters(self) -> str:
        return letters(self.text)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        return tuple(sentence.start for sentence in self.sentences)


def letters(text: str) -> str:
    """Return the letters and digits of `text` in normal form, to test quickly whether it may have a quotation."""
    return _NO_LETTERS.sub("", unicodedata.normalize("NFKC", text).casefold())


@text_cache(_MOST_CHARS)
def parse_sentences(text: str) -> ParsedSentences:
    return ParsedSentences(text)


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """`text` is `source[start:end]`; `stems` are its content stems.

    `coverage` is the share, 0..1, of the claim's content words (without numbers and dates) that the sentence has.
    """

    start: int
    end: int
    text: str
    stems: tuple[str, ...]
    coverage: float

    def has(self, place: int) -> bool:
        return self.start <= place < self.end


def claim_stems(claim: str) -> list[str]:
    return content_stems(claim)[:_MOST_STEMS]


def most_similar(wanted: Sequence[str], source: str, undated: Sequence[str]) -> AlignedSentence:
    """Return the sentence of `source` with most of the stems `wanted`; among equals, the one with fewest other stems.

    `undated` are the stems that belong to no date. In both lists only as many stems count as a sentence may have.
    """
    wanted, undated = wanted[:_MOST_STEMS], undated[:_MOST_STEMS]
    read = parse_sentences(source)
    best = _best(read, wanted) if read.sentences else None
    if best is None:
        return AlignedSentence(0, 0, "", (), 0.0)
    place, stems = read.sentences[best], read.stems[best]
    said = coverage([stem for stem in undated if not stem[0].isdigit()], set(stems))
    return AlignedSentence(place.start, place.end, place.text, stems, said)


def _best(read: ParsedSentences, wanted: Sequence[str]) -> int:
    shares = read.index.coverages(wanted)
    most = max(shares.values(), default=0.0)
    alike = [number for number, share in shares.items() if share == most]
    known = set(wanted)
    shortest = nsmallest(_MOST_EQUAL, alike, key=lambda number: (len(read.stems[number]), number))
    return max(sorted(shortest), key=lambda number: coverage(read.stems[number], known), default=0)
