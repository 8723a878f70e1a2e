"""Selects what a model sees of several long sources: all if they fit, else the most relevant parts."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import NamedTuple

from citewell_verify.evidence.spans import relevance_to
from citewell_verify.text.sentence_alignment import claim_stems
from citewell_verify.text.sentences import LONGEST_SENTENCE
from citewell_verify.text.windows import windows
from citewell_verify.text.words import content_stems, coverage

_PART_CHARS, _OVERLAP_CHARS = 1_500, 150


class Excerpt(NamedTuple):
    """`text[start:end]` of the source at position `source`."""

    source: int
    start: int
    end: int


class Wanted(NamedTuple):
    """A statement that excerpts should cover; `sources` are the positions it cites, none for all."""

    statement: str
    sources: Sequence[int]


def choose_excerpts(texts: Sequence[str], wanted: Sequence[Wanted], budget: int) -> list[Excerpt]:
    """Return parts of `texts` of at most `budget` code points together, in the order of the texts.

    Whole texts if they fit. Otherwise every wanted statement in turn takes the part of its cited sources that shares
    most words with it, until the budget is used up; neighbouring parts are joined.
    """
    if sum(map(len, texts)) <= budget:
        return [Excerpt(source, 0, len(text)) for source, text in enumerate(texts) if text.strip()]
    parts = [Excerpt(n, *span) for n, text in enumerate(texts) for span in windows(text, _PART_CHARS, _OVERLAP_CHARS)]
    stems = [frozenset(content_stems(texts[part.source][part.start : part.end])) for part in parts]
    taken: set[int] = set()
    used = 0
    rankings = (_ranked(statement, parts, stems) for statement in wanted) if wanted else [list(range(len(parts)))]
    for place in _in_turn(rankings):
        if place in taken:
            continue
        used += parts[place].end - parts[place].start
        if used > budget:
            break
        taken.add(place)
    return _joined([parts[place] for place in sorted(taken)])


def _ranked(wanted: Wanted, parts: Sequence[Excerpt], stems: Sequence[Set[str]]) -> list[int]:
    own = claim_stems(wanted.statement)
    cited = frozenset(wanted.sources)
    rated = [(bool(cited) and part.source not in cited, -coverage(own, stems[n]), n) for n, part in enumerate(parts)]
    return [place for *_, place in sorted(rated)]


def _in_turn(rankings: Iterable[Sequence[int]]) -> Iterator[int]:
    """Yield the first of each ranking, then the second of each; a ranking is computed when its first is needed."""
    begun: list[Sequence[int]] = []
    for ranking in rankings:
        begun.append(ranking)
        yield from ranking[:1]
    for row in zip(*(ranking[1:] for ranking in begun), strict=True):
        yield from row


def _joined(parts: Sequence[Excerpt]) -> list[Excerpt]:
    joined: list[Excerpt] = []
    for part in parts:
        if joined and joined[-1].source == part.source and part.start <= joined[-1].end:
            joined[-1] = Excerpt(part.source, joined[-1].start, max(part.end, joined[-1].end))
        else:
            joined.append(part)
    return joined


def best_relevance(claim: str, text: str) -> float:
    """Return `claim_relevance` to the part of a `text` of any length that has most of the claim's words.

    Only the first 2,000 characters of the claim count: it is a sentence.
    """
    relevance = relevance_to(claim[:LONGEST_SENTENCE])
    parts = windows(text, _PART_CHARS, _OVERLAP_CHARS)
    return max((relevance(text[start:end]) for start, end in parts), default=0.0)


def page_at(pages: Sequence[Sequence[int]], offset: int) -> int | None:
    """Return the number of the page [number, start, end] that contains `offset`; None between pages or without any."""
    place = bisect_left(pages, offset + 1, key=lambda page: page[1]) - 1
    return pages[place][0] if place >= 0 and offset < pages[place][2] else None
