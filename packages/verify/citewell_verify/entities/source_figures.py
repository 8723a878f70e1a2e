"""Indexes the figures and dates of a source by value.

So a claim of fifty figures is compared with a source of ten thousand without comparing each figure with each other.
Readers work figures out: the figure "20 %" is stated by the words "one in five"; a figure that follows from two others,
"32 hours" from "eight modules of four hours", neither proves nor disproves a claim.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.entities.numbers import find_quantities, table_scale
from citewell_verify.entities.quantities import KOREAN_NUMERALS, NUMERALS, UNITS, Quantity, agreement_range, states
from citewell_verify.text.cache import text_cache

_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_SPELLED = {**NUMERALS, **KOREAN_NUMERALS, "a": 1.0, "an": 1.0, "하나": 1.0, "둘": 2.0, "셋": 3.0, "넷": 4.0}
_COUNT = rf"\d{{1,3}}|(?:{'|'.join(sorted((*NUMERALS, *KOREAN_NUMERALS, '하나', '둘', '셋', '넷'), key=len)[::-1])})"
_TIMES = "second|minute|hour|day|week|month|year|decade"
_SHARES = (
    re.compile(
        rf"\b(?:(?P<many>{_COUNT}|an?)[\s-])?(?P<part>{'|'.join(_PARTS)})s?\b(?!\s(?:an?|of\san?)\s(?:{_TIMES})\b)",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<many>{_COUNT})\s(?:in|(?:out\s)?of)\s(?:every\s)?(?P<whole>{_COUNT})\b", re.IGNORECASE),
    re.compile(rf"(?P<whole>{_COUNT})\s?분의\s?(?P<many>{_COUNT})"),
    re.compile(rf"(?P<whole>{_COUNT})\s?\w{{0,4}}\s?(?:중에?서?|가운데)\s(?P<many>{_COUNT})"),
    re.compile(r"절반"),
)
_PART_OF_TIME = re.compile(
    rf"\b(?P<part>half|quarter)\s(?:an?|of\san?)\s(?P<unit>{_TIMES})\b|반\s?(?P<korean>시간)", re.IGNORECASE
)
_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "열흘": 10, "보름": 15, "일주일": 7}
_KOREAN_DAYS = re.compile("|".join(_DAYS))
_MOST = 60  # figures of a source that are combined, in their order
_NEAR = 240  # characters between two figures that belong together
_WHOLE = 1e-6
_DIMENSIONS = frozenset({"", *(dimension for dimension, _ in UNITS.values())})


@text_cache()
def figures_in_words(text: str) -> tuple[Quantity, ...]:
    """Return the shares and times that `text` gives in words, as percentages and in units, in order of their form."""
    return (*_shares(text), *_times(text))


def is_in_words(stated: Quantity, text: str) -> bool:
    """Return whether the text has the figure in words: 50 % as "half", 30 minutes as "half an hour"."""
    return any(states(stated, figure) and stated.dimension == figure.dimension for figure in figures_in_words(text))


def _shares(text: str) -> Iterator[Quantity]:
    for form in _SHARES:
        for match in form.finditer(text):
            parts = match.groupdict()
            whole = float(_PARTS[parts["part"].lower()]) if parts.get("part") else _counted(parts.get("whole"), 2)
            many = _counted(parts.get("many"), 1)
            if 0 < many < whole:
                yield _quantity(match, 100 * many / whole, "%", step=1.0)


def _times(text: str) -> Iterator[Quantity]:
    for match in _PART_OF_TIME.finditer(text):
        share = 0.25 if (match["part"] or "").lower() == "quarter" else 0.5
        yield _quantity(match, share, (match["unit"] or match["korean"]).lower())
    for match in _KOREAN_DAYS.finditer(text):
        yield _quantity(match, _DAYS[match[0]], "일")


def _counted(written: str | None, default: float) -> float:
    if not written:
        return default
    return float(written) if written.isdigit() else _SPELLED.get(written.lower(), 0.0)


def _quantity(match: re.Match[str], value: float, unit: str, step: float = 0.0) -> Quantity:
    return Quantity(value, step, unit, "exactly", False, False, frozenset(), match.start(), match[0])


def derivation(stated: Quantity, source: str, known: Sequence[Quantity]) -> tuple[str, str] | None:
    """Return the two figures of the source from which `stated` follows, as written; else None.

    The two figures are near each other, and `stated` is their sum, difference, product or share, if the units allow it.
    `known` are the quantities of the `source` in order, dates included. At most 60 of them are tried.
    """
    wanted = _kinds_for(stated)
    for left, right in _beside(source, tuple(known[:_MOST])):
        if {left.dimension, right.dimension} not in wanted:
            continue
        if any(_equals(stated, value) for value in _results(stated, left, right)):
            return left.text, right.text
    return None


@text_cache()
def _beside(source: str, known: tuple[Quantity, ...]) -> tuple[tuple[Quantity, Quantity], ...]:
    """The pairs of figures near each other; a repetition of the same figure makes no pair."""
    figures = sorted([*known, *figures_in_words(source)], key=lambda figure: figure.start)[:_MOST]
    return tuple(
        (left, right)
        for left, right in combinations(figures, 2)
        if right.start - left.start <= _NEAR
        and left.start != right.start
        and not (left.dimension == right.dimension and states(left, right))
    )


def _kinds_for(stated: Quantity) -> Sequence[set[str]]:
    dimension = stated.dimension
    kinds = [{"percent", dimension}, {dimension}] if dimension != "percent" else []
    if dimension == "months":
        kinds.append({""})
    if stated.unit:
        kinds.append({"", dimension})
    if dimension == "percent":
        kinds += [{known} for known in _DIMENSIONS]
    return kinds if stated.unit or stated.nouns else kinds[:1]


def _equals(stated: Quantity, value: float) -> bool:
    off = abs(stated.value - value)
    return value > 0 and (off <= _WHOLE * value or (stated.value >= 1 and off <= min(stated.step / 2, 0.05 * value)))


def _results(stated: Quantity, left: Quantity, right: Quantity) -> Iterable[float]:
    kinds = {left.dimension, right.dimension}
    if kinds == {stated.dimension} and (stated.unit or stated.nouns & (left.nouns | right.nouns)):
        first, second = _in_unit(left, stated), _in_unit(right, stated)
        yield from (first + second, abs(first - second))
    if stated.dimension == "months" and kinds == {""} and min(left.value, right.value) >= 1000:
        yield abs(left.value - right.value) * UNITS["year"][1] / UNITS[stated.unit][1]
    if kinds == {"percent", stated.dimension} and stated.dimension != "percent":
        share, whole = (left, right) if left.dimension == "percent" else (right, left)
        yield share.value / 100 * _in_unit(whole, stated)
    if kinds == {"", stated.dimension} and stated.unit:
        times, amount = (right, left) if left.dimension else (left, right)
        yield times.value * _in_unit(amount, stated)
    if stated.dimension == "percent" and len(kinds) == 1 and min(left.value, right.value) > 0:
        small, large = sorted((left.value * _factor(left), right.value * _factor(right)))
        yield from (100 * small / large, 100 * (large - small) / small, 100 * (large - small) / large)


def _in_unit(quantity: Quantity, stated: Quantity) -> float:
    return quantity.value * _factor(quantity) / _factor(stated)


def _factor(quantity: Quantity) -> float:
    return UNITS[quantity.unit][1] if quantity.unit else 1.0


_MOST_CHARS = 600_000  # characters of cached sources: their analysis takes far more memory than the sources
_MOST_NEARBY = 200  # figures or dates of one sentence
_MOST_ALTERNATIVES = 100  # figures of a kind: if there are more, none of them is a plausible counterpart


@dataclass(frozen=True)
class SourceFigures:
    """The figures in `source`, without figures that are parts of a day. They are read once and cached."""

    source: str

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        return tuple(find_dates(self.source))

    @cached_property
    def different_dates(self) -> tuple[Date, ...]:
        return tuple({(date.years, date.month, date.day, date.text): date for date in reversed(self.dates)}.values())

    @cached_property
    def everywhere(self) -> tuple[Quantity, ...]:
        """The source's quantities in order. A year may also be a number; the 5 of "5 May" may not."""
        days = [date for date in self.dates if date.month is not None]
        return tuple(outside(days, find_quantities(self.source)))

    @cached_property
    def different(self) -> tuple[Quantity, ...]:
        first: dict[Quantity, Quantity] = {}
        for quantity in self.everywhere:
            first.setdefault(replace(quantity, start=0), quantity)
        return tuple(first.values())

    @cached_property
    def scale(self) -> float:
        return table_scale(self.source)

    @cached_property
    def _by_value(self) -> "_Ordered":
        return _Ordered((quantity.value, at) for at, quantity in enumerate(self.different))

    @cached_property
    def _by_size(self) -> dict[str, "_Ordered"]:
        sizes: dict[str, list[tuple[float, int]]] = defaultdict(list)
        for at, quantity in enumerate(self.different):
            if quantity.unit:
                sizes[quantity.dimension].append((quantity.value * UNITS[quantity.unit][1], at))
        return {dimension: _Ordered(values) for dimension, values in sizes.items()}

    @cached_property
    def _by_noun(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for at, quantity in enumerate(self.different):
            for noun in quantity.nouns:
                places[noun].append(at)
        return places

    @cached_property
    def _by_dimension(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for at, quantity in enumerate(self.different):
            places[quantity.dimension].append(at)
        return places

    def candidates(self, stated: Quantity) -> list[Quantity]:
        least, most = agreement_range(stated)
        places = {*self._by_value.between(least, most), *self._by_value.between(least / self.scale, most / self.scale)}
        if stated.unit and (sizes := self._by_size.get(stated.dimension)):
            factor = UNITS[stated.unit][1]
            places.update(sizes.between(least * factor, most * factor))
            places.update(sizes.between(least * factor / self.scale, most * factor / self.scale))
        return [self.different[at] for at in sorted(places)]

    def of_value(self, value: float) -> Iterator[Quantity]:
        return (self.different[at] for at in sorted(self._by_value.between(value, value)))

    def with_nouns(self, stated: Quantity) -> list[Quantity]:
        places = {at for noun in stated.nouns for at in self._by_noun.get(noun, ())}
        alike = [at for at in sorted(places) if not stated.unit or self.different[at].dimension == stated.dimension]
        return [self.different[at] for at in alike[:_MOST_ALTERNATIVES]]

    def of_dimension(self, stated: Quantity) -> list[Quantity]:
        return [self.different[at] for at in self._by_dimension.get(stated.dimension, [])[:_MOST_ALTERNATIVES]]

    def quantities_in(self, start: int, end: int) -> Sequence[Quantity]:
        first = bisect_left(self.everywhere, start, key=lambda quantity: quantity.start)
        last = bisect_left(self.everywhere, end, key=lambda quantity: quantity.start)
        return self.everywhere[first : min(last, first + _MOST_NEARBY)]

    def dates_in(self, start: int, end: int) -> Sequence[Date]:
        first = bisect_left(self.dates, start, key=lambda date: date.start)
        last = bisect_left(self.dates, end, key=lambda date: date.start)
        return self.dates[first : min(last, first + _MOST_NEARBY)]


class _Ordered:
    """Sorted numbers, each with its place."""

    def __init__(self, numbers: Iterable[tuple[float, int]]) -> None:
        ordered = sorted(numbers)
        self._numbers = [number for number, _ in ordered]
        self._places = [place for _, place in ordered]

    def between(self, least: float, most: float) -> Sequence[int]:
        """Return the places of the numbers from `least` to `most`, with a margin for rounding errors."""
        first = bisect_left(self._numbers, least * (1 - 1e-9))
        return self._places[first : bisect_right(self._numbers, most * (1 + 1e-9))]


@text_cache(_MOST_CHARS)
def source_figures(source: str) -> SourceFigures:
    return SourceFigures(source)


def outside(dates: Iterable[Date], quantities: Iterable[Quantity]) -> list[Quantity]:
    taken = {place for date in dates for place in range(date.start, date.end)}
    return [quantity for quantity in quantities if quantity.start not in taken]
