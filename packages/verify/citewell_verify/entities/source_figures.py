"""Indexes the figures and dates of a source by value.

A claim of fifty figures is thus compared with a source of ten thousand without comparing each with each.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.entities.numbers import find_quantities, table_scale
from citewell_verify.entities.quantities import UNITS, Quantity, agreement_range
from citewell_verify.text.cache import text_cache

_MOST_CHARS = 600_000  # of cached sources: their analysis takes far more memory than they do
_MOST_NEARBY = 200  # figures or dates of one sentence
_MOST_ALTERNATIVES = 100  # figures of a kind: with more, none of them is a plausible counterpart


@dataclass(frozen=True)
class SourceFigures:
    """The figures in `source`, without those that are part of a day. Read once and cached."""

    source: str

    @cached_property
    def dates(self) -> tuple[Date, ...]:
        return tuple(find_dates(self.source))

    @cached_property
    def different_dates(self) -> tuple[Date, ...]:
        return tuple({(date.years, date.month, date.day, date.text): date for date in reversed(self.dates)}.values())

    @cached_property
    def everywhere(self) -> tuple[Quantity, ...]:
        """Its quantities in order. A year may also be a number; the 5 of "5 May" may not."""
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
