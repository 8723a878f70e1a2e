"""Selects the retrieved passages that become the sources of an answer, and scores their relevance (S5.2)."""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage of a document; `page` counts from 1 and is None if unknown."""

    document: Hashable
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class SourceRules:
    """Row S5.2's numbers. The weights need not add up to 1: they are normalised.

    `full_chars`: from this length on an excerpt has the full content score; it is the longest text span of a citation
    (S4.6), and more text makes a source no easier to cite. `full_repeats`: the number of further passages of a document
    that give the full frequency score. `places`: position is counted over at least this many places, because the second
    of two passages is not half-way down a list.
    """

    position_weight: float = 0.4
    content_weight: float = 0.4
    frequency_weight: float = 0.2
    min_relevance: float = 0.4
    max_sources: int = 5
    min_chars: int = 20
    full_chars: int = 200
    full_repeats: int = 2
    places: int = 0


@dataclass(frozen=True, slots=True)
class ScoredSource:
    """An excerpt, its `index` among those that were scored, and its scores, each 0..1."""

    excerpt: Excerpt
    index: int
    position: float
    content: float
    frequency: float
    relevance: float


def score_excerpts(excerpts: Sequence[Excerpt], rules: SourceRules | None = None) -> list[ScoredSource]:
    """Return the scores of all `excerpts`, which are in the order of the ranking (S5.2).

    `relevance = 0.4 * position + 0.4 * content + 0.2 * frequency`, with
    - position: 1 for the first of n, then 1/n less for each, so 1/n for the last; n is at least `places`;
    - content: the length of the excerpt in characters over `full_chars`, at most 1;
    - frequency: the number of other excerpts of its document over `full_repeats`, at most 1.

    Raises ValueError when no weight is positive.
    """
    rules = rules or SourceRules()
    weights = (rules.position_weight, rules.content_weight, rules.frequency_weight)
    if sum(weights) <= 0:
        raise ValueError("at least one weight of the source scoring must be positive")
    mentions = Counter(excerpt.document for excerpt in excerpts)
    scored: list[ScoredSource] = []
    for index, excerpt in enumerate(excerpts):
        position = 1 - index / max(len(excerpts), rules.places)
        content = _share(_length(excerpt), rules.full_chars)
        frequency = _share(mentions[excerpt.document] - 1, rules.full_repeats)
        points = (position * weights[0] + content * weights[1] + frequency * weights[2]) / sum(weights)
        # The sums are rounded, so that a source with exactly the least relevance does not miss it by a rounding error.
        scored.append(ScoredSource(excerpt, index, position, content, frequency, round(points, 9)))
    return scored


def select_sources(excerpts: Sequence[Excerpt], rules: SourceRules | None = None) -> list[ScoredSource]:
    """Return the sources to answer from, best first, equal ones in the order of the ranking (S5.2).

    These are dropped: excerpts below `min_chars`, all but the best excerpt of a page, excerpts with a relevance below
    `min_relevance`, and all after `max_sources`. Unknown pages do not count as the same page: among excerpts without a
    page only equal texts are duplicates.
    """
    rules = rules or SourceRules()
    ranked = sorted(score_excerpts(excerpts, rules), key=lambda source: -source.relevance)
    wanted = (
        source
        for source in ranked
        if source.relevance >= rules.min_relevance and _length(source.excerpt) >= rules.min_chars
    )
    return list(_first_of_each_page(wanted))[: rules.max_sources]


def _first_of_each_page(sources: Iterator[ScoredSource]) -> Iterator[ScoredSource]:
    seen: set[Hashable] = set()
    for source in sources:
        excerpt = source.excerpt
        text = " ".join(excerpt.text.split()) if excerpt.page is None else ""
        place = (excerpt.document, excerpt.page, text)
        if place not in seen:
            seen.add(place)
            yield source


def _length(excerpt: Excerpt) -> int:
    return len(" ".join(excerpt.text.split()))


def _share(count: int, full: int) -> float:
    return min(count / full, 1.0) if full > 0 else 1.0
