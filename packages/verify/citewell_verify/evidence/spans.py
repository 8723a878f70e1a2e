"""Finds evidence for a claim in a text, or the row of a table that states it, without a model (S4.4, S4.6, V2).

It locates quotations, measures how relevant a text is to a claim, and selects the words that are the best evidence.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import accumulate

from citewell_verify.evidence.contradictions import best_places, without_markers
from citewell_verify.facts.quotation import with_outer_headings
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.markers.parser import cited_markers
from citewell_verify.text.quotes import Located, claim_stems, locate_quote, parse_sentences
from citewell_verify.text.sentences import Sentence, is_table_row
from citewell_verify.text.words import content_stems, coverage, words

_CELLS = re.compile(r"[\t|]")


def stating_row(claim: str, text: str, context: str = "") -> tuple[int, int] | None:
    """Return (start, end) of the row of `text` whose cells, below their heads, state all of the `claim` (V2)."""
    matches = best_places(claim, with_outer_headings(claim, text, context))
    row = matches[0].place if len(matches) == 1 and matches[0].in_cell else ""
    # The row must be a whole line, because another row may end with the same cells.
    place = re.search(rf"^[^\S\n]*({re.escape(row)})[^\S\n]*$", text, re.MULTILINE) if row else None
    return place.span(1) if place else None


def widest_bounds(text: str, start: int, end: int, wanted: Set[str], max_chars: int) -> tuple[int, int]:
    """Return how far a place may be widened: freely in prose, in a table only to the rows that the claim states.

    The least length gives a short sentence the context that it needs. The context of a row is the heads of its table;
    the rows around it are about other things, and if they were marked, too, they would seem to be evidence.
    """
    first, last = _line_at(text, start, end)
    if not is_table_row(text[first:last]):
        return 0, len(text)
    while first > max(0, start - max_chars) and _is_stated_row(text, (above := _line_at(text, first - 1)), wanted):
        first = above[0]
    while last < min(len(text), end + max_chars) and _is_stated_row(text, (below := _line_at(text, last + 1)), wanted):
        last = below[1]
    return first, last


def _line_at(text: str, start: int, end: int | None = None) -> tuple[int, int]:
    end = text.find("\n", start if end is None else end)
    return text.rfind("\n", 0, start) + 1, end if end >= 0 else len(text)


def _is_stated_row(text: str, place: tuple[int, int], wanted: Set[str]) -> bool:
    """Return whether the claim has all words of a row's label, and some of its words are in a cell of the row."""
    line = text[slice(*place)]
    if not is_table_row(line):
        return False
    label, *cells = [stems for stems in map(content_stems, _CELLS.split(line)) if stems] or [[]]
    return bool(label) and wanted >= set(label) and any(not wanted.isdisjoint(cell) for cell in cells)


_WORD = re.compile(r"\S+")
_SPACE = re.compile(r"\s")
_LONGEST_EVIDENCE = 600  # characters of a quotation: some four sentences
_NO_WIDTH = "\u200b"


def claim_relevance(claim: str, source: str) -> float:
    """Return the share of the claim's content words that are in `source`, 0..1 (S4.4).

    Inflected forms and Korean words with other particles count as the same word; a claim of stop words only is
    compared by all its words.
    """
    return relevance_to(claim)(source)


def relevance_to(claim: str) -> Callable[[str], float]:
    plain = without_markers(claim)
    if wanted := content_stems(plain):
        return lambda source: coverage(wanted, set(content_stems(source)))
    plain_words = words(plain)
    return lambda source: coverage(plain_words, set(words(source)))


def best_text_span(text: str, claim: str, min_chars: int = 50, max_chars: int = 200) -> tuple[int, int]:
    """Return (start, end) of the words of `text` that are the best evidence for `claim` (S4.6).

    It is the sentence with most of the claim's words, with its neighbours if it has less than `min_chars` code points,
    or its densest part of at most `max_chars`. It begins and ends with whole words, unless a word is longer than
    `max_chars`. A row of a table may be shorter than `min_chars` if only this row states the claim. (0, 0) when `text`
    is blank.
    """
    read = parse_sentences(text)
    sentences = read.sentences
    if not sentences:
        return 0, 0
    wanted = claim_stems(claim)
    shares = read.index.coverages(wanted)
    best = _best_sentence(text, sentences, shares)
    start, end = sentences[best].start, sentences[best].end
    begins, ends = widest_bounds(text, start, end, frozenset(wanted), max_chars)
    if end - start > max_chars:
        start, end = _densest(text, start, end, frozenset(wanted), max_chars)
    elif end - start < min_chars:
        first = max(0, best - max_chars)
        near = [
            (sentence.start, sentence.end)
            for sentence in sentences[first : best + max_chars]
            if begins <= sentence.start and sentence.end <= ends
        ]
        at = near.index((start, end))
        start, end = _widened(near, at, at, min_chars, max_chars)
    if end - start < min_chars:
        space = _SPACE.search(text, end + max_chars)
        around = max(begins, _word_start(text, start - max_chars)), min(ends, space.start() if space else len(text))
        spaced = [match.span() for match in _WORD.finditer(text, *around)]
        first, last = (bisect_right(spaced, (place, len(text))) - 1 for place in (start, end - 1))
        start, end = _widened(spaced, first, last, min_chars, max_chars)
    return start, min(end, start + max_chars)


def bounded_evidence(text: str, statement: str, start: int, end: int) -> tuple[int, int]:
    """Return `start:end`, or the sentences in it that state the `statement` if a judge quoted too much for a reader.

    These are the shortest run of whole sentences with most of the statement's words, at most 600 characters.
    """
    if end - start <= _LONGEST_EVIDENCE:
        return start, end
    wanted, quoted = frozenset(claim_stems(statement)), text[start:end]
    sentences = [
        (sentence, wanted.intersection(content_stems(sentence.text))) for sentence in parse_sentences(quoted).sentences
    ]
    # One sentence may be too long to be shown as a whole.
    single = best_text_span(quoted, statement, max_chars=_LONGEST_EVIDENCE)
    best = len(wanted.intersection(content_stems(quoted[slice(*single)]))), single[0] - single[1], single
    for first, (opening, _) in enumerate(sentences):
        stated: set[str] = set()
        for closing, stems in sentences[first:]:
            if closing.end - opening.start > _LONGEST_EVIDENCE:
                break
            stated |= stems
            best = max(best, (len(stated), opening.start - closing.end, (opening.start, closing.end)))
    return start + best[2][0], start + best[2][1]


def row_or_best_span(text: str, claim: str, context: str, min_chars: int, max_chars: int) -> tuple[int, int]:
    """Return (start, end) of the row of `text` that states the `claim`, at most `max_chars` of it; or else those of the
    words that are the best evidence for the claim."""
    row = stating_row(claim, text, context)
    if row is None or row[1] - row[0] > max_chars:
        first, last = row or (0, len(text))
        start, end = best_text_span(text[first:last], claim, min_chars, max_chars)
        return first + start, first + end
    return row


def locate_verbatim(statement: str, text: str) -> Located | None:
    """Return the exact place of a statement in `text`, whose own citation markers may stand between its words."""
    tried = (locate_quote(statement, variant, min_ratio=1.0) for variant in dict.fromkeys((text, _without_width(text))))
    return next((located for located in tried if located is not None and located.exact), None)


def _without_width(text: str) -> str:
    """Return a text in which signs that a quotation skips replace its markers and the space before them; places
    stay.
    """
    pieces: list[str] = []
    position = 0
    for marker in cited_markers(text):
        before = text[position : marker.start].rstrip()
        pieces += (before, _NO_WIDTH * (marker.end - position - len(before)))
        position = marker.end
    return "".join((*pieces, text[position:]))


def _best_sentence(text: str, sentences: Sequence[Sentence], shares: Mapping[int, float]) -> int:
    def rank(number: int) -> tuple[float, int]:
        return -shares[number], number

    best = min(shares, key=rank, default=0)
    if not is_table_row(sentences[best].text) or sentences[best].text not in (heads := parse_tables(text).heads):
        return best
    # The heads of a table share words with every statement about it, but only a row has the stated content.
    rows = (number for number in shares if is_table_row(row := sentences[number].text) and row not in heads)
    return min(rows, key=rank, default=best)


def _word_start(text: str, position: int) -> int:
    position = max(0, position)
    while position and not text[position - 1].isspace():
        position -= 1
    return position


def _densest(text: str, start: int, end: int, wanted: frozenset[str], max_chars: int) -> tuple[int, int]:
    spans = [match.span() for match in _WORD.finditer(text, start, end)]
    hits = [bool(wanted.intersection(content_stems(text[first:last]))) for first, last in spans]
    before = [0, *accumulate(hits)]
    densest = (-1, start, start + max_chars)
    last = 0
    for first, (begins, _) in enumerate(spans):
        last = max(last, first)
        while last + 1 < len(spans) and spans[last + 1][1] - begins <= max_chars:
            last += 1
        if hits[first] or first == 0:
            densest = max(densest, (before[last + 1] - before[first], begins, min(spans[last][1], begins + max_chars)))
    return densest[1:]


def _widened(
    spans: Sequence[tuple[int, int]], first: int, last: int, min_chars: int, max_chars: int
) -> tuple[int, int]:
    while spans[last][1] - spans[first][0] < min_chars:
        if last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= max_chars:
            last += 1
        elif first > 0 and spans[last][1] - spans[first - 1][0] <= max_chars:
            first -= 1
        else:
            break
    return spans[first][0], spans[last][1]
