"""Tests whether a value of a statement follows from values of its source, which readers work out themselves.

"Seven hours" follows from "10:00 to 17:00", "500 tonnes" from 310 and 190, "three years" from two dates, a child of
seven from "between 6 and 12". Such a value is not stated, so it is unproven; but nothing contradicts it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from math import isclose
from typing import TypeVar

from domain.entities.dates import Date
from domain.entities.quantities import Quantity
from domain.entities.source_figures import source_figures
from domain.entities.units import UNITS
from domain.facts.comparison.source import parse_source
from domain.facts.reading.tokens import Token, Value
from domain.text.cache import text_cache

_Each = TypeVar("_Each")
_MOST = 40  # values of a source that are combined, in its order
_NEAR = 12  # values between two that belong together
_RATES = (60.0, 24.0, 7.0, 12.0, 52.0, 365.0)
_EVERY = re.compile(r"\b(?:every|each|per)\b|마다|매[일주달월년]|한 번", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\b|까지(?:의|는)?(?![가-힣])", re.IGNORECASE)
_LATER = re.compile(r"\byears? (?:after|before|later|earlier)\b|년 (?:뒤|후|전|만)", re.IGNORECASE)
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_THAT_YEAR = re.compile(r"\b(?:of|in) (?:that|the same) year\b|그해|같은 해", re.IGNORECASE)
_TO = ("to", "until", "till", "through", "부터")
_APART = 4  # tokens from one end of a range to the other
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\b(?! \d)"
    r"|(?<![\d년])(?<!년 )(\d{1,2})월(?! ?\d)"
)
_MINUTES = {"minute": 1, "minutes": 1, "min": 1, "분": 1, "hour": 60, "hours": 60, "시간": 60}
_DAY = 24 * 60
_MONTHS = UNITS["year"][1] / UNITS["month"][1]
_DAYS_A_MONTH = 30.44


@dataclass(frozen=True)
class _Known:
    """What a text states from which values follow. Every analysis is made once, on first use."""

    text: str

    @cached_property
    def values(self) -> Sequence[Value]:
        tokens = (token for each in parse_source(self.text).clause_tokens for token in each)
        return list(islice((each.value for each in tokens if each.value), _MOST))

    @cached_property
    def sizes(self) -> Sequence[tuple[float, str]]:
        known = [(each.value, each.unit) for each in source_figures(self.text).everywhere[:_MOST]]
        return [*known, (2.0, "")] if _TWICE.search(self.text) else known

    @cached_property
    def ranges(self) -> Sequence[tuple[Value, Value]]:
        # `from 18,000 to 27,000`, `between 6 and 12`, `6세에서 11세까지`.
        return list(islice(_ranges(parse_source(self.text).clause_tokens), _MOST))

    @cached_property
    def dates(self) -> Sequence[Date]:
        return [each.date for each in self.values if each.date]

    @cached_property
    def months(self) -> Collection[int]:
        # "from November to February", without a day or a year.
        words = _MONTH.findall(self.text)
        return {int(number) if number else _MONTH_NAMES.index(name.casefold()[:3]) + 1 for name, number in words}

    @cached_property
    def has_rate(self) -> bool:
        return _EVERY.search(self.text) is not None

    @cached_property
    def refers_to_year(self) -> bool:
        return _THAT_YEAR.search(self.text) is not None


@text_cache()
def _known(text: str) -> _Known:
    return _Known(text)


def follows_from(value: Value, source: str) -> bool:
    known = _known(source)
    if value.date:
        months = not value.date.years and value.date.month and len(known.months) > 1
        return bool(months) or _is_of_that_year(value.date, known) or _is_some_years_apart(value.date, known)
    if value.quantity is None:
        return False
    return (
        any(_is_combined(value.quantity, *pair) for pair in _near(known.sizes))
        or (known.has_rate and _is_rate(value.quantity, known.sizes))
        or any(_is_period(value, *pair) for pair in _near(known.values))
        or any(_is_between(value, *pair) for pair in known.ranges)
    )


def is_restated(value: Value, place: str) -> bool:
    """Say whether a place gives a value in another form: "three an hour" as "every 20 minutes", a month of that
    year, seven as one of "between 6 and 12"."""
    known = _known(place)
    if value.date:
        is_apart = _LATER.search(place) and _is_some_years_apart(value.date, known)
        return bool(is_apart) or _is_of_that_year(value.date, known)
    if value.quantity is None:
        return False
    within = _BETWEEN.search(place) and any(_is_between(value, *pair) for pair in known.ranges)
    return bool(within) or (known.has_rate and value.quantity.value > 1 and _is_rate(value.quantity, known.sizes))


def is_of_that_year(value: Value, source: str) -> bool:
    return value.date is not None and _is_of_that_year(value.date, _known(source))


def is_same_time(value: Value, place: str) -> bool:
    times = [each.minutes for each in _known(place).values if each.minutes is not None]
    return value.minutes is not None and any(each % _DAY == value.minutes % _DAY for each in times)


def has_range(text: str) -> bool:
    return bool(_known(text).ranges)


def is_change(value: Value, place: str) -> bool:
    return any(_is_difference(value, *pair) or _is_period(value, *pair) for pair in _known(place).ranges)


def _near(values: Sequence[_Each]) -> Iterator[tuple[_Each, _Each]]:
    for at, one in enumerate(values):
        for other in values[at + 1 : at + 1 + _NEAR]:
            yield one, other


def _is_combined(mine: Quantity, one: tuple[float, str], other: tuple[float, str]) -> bool:
    if {UNITS[unit][0] for _, unit in (one, other) if unit in UNITS} - {mine.dimension}:
        return False
    sizes = [size * (_factor(unit) / _factor(mine.unit) if unit else 1) for size, unit in (one, other)]
    return any(_equals(each, mine.value) for each in (sum(sizes), abs(sizes[0] - sizes[1]), sizes[0] * sizes[1]))


def _is_rate(mine: Quantity, known: Sequence[tuple[float, str]]) -> bool:
    # "three an hour" or "four times in one year" from "every 20 minutes", "every three months".
    if mine.value == 1 and mine.dimension in ("time", "months"):
        return True
    sizes = [size for size, _ in known if size > 1] if mine.value > 1 and not mine.unit else []
    return any(isclose(mine.value * each, rate) for each in sizes for rate in _RATES)


def _is_difference(value: Value, one: Value, other: Value) -> bool:
    mine, first, second = value.quantity, one.quantity, other.quantity
    if mine is None or first is None or second is None:
        return False
    apart = abs(first.value * _factor(first.unit) - second.value * _factor(second.unit))
    return _equals(apart, mine.value * _factor(mine.unit))


def _is_period(value: Value, one: Value, other: Value) -> bool:
    mine = value.quantity
    unit = (mine.unit or value.counter) if mine else ""
    if mine is None or not unit:
        return False
    if one.minutes is not None and other.minutes is not None and unit in _MINUTES:
        return _equals(abs(one.minutes - other.minutes) % _DAY, mine.value * _MINUTES[unit])
    if one.date and other.date and one.date.years and other.date.years and mine.dimension == "months":
        apart = abs(_in_months(one.date) - _in_months(other.date))
        return abs(apart - mine.value * _factor(unit) / _factor("month")) <= 1
    return False


def _in_months(date: Date) -> float:
    years = date.years[0] if date.years else 0
    return years * _MONTHS + (date.month or 0) + (date.day or 0) / _DAYS_A_MONTH


def _is_of_that_year(date: Date, known: _Known) -> bool:
    return bool(date.years) and date.month in known.months and known.refers_to_year


def _is_some_years_apart(date: Date, known: _Known) -> bool:
    # "three years after": the text has the distance as a number.
    if date.years is None or date.month:
        return False
    counts = {size for size, _ in known.sizes}
    return any(abs(each.years[0] - date.years[0]) in counts for each in known.dates if each.years)


def _ranges(clauses: Sequence[Sequence[Token]]) -> Iterator[tuple[Value, Value]]:
    for tokens in clauses:
        valued = [(at, each.value) for at, each in enumerate(tokens) if each.value]
        for (first, one), (second, other) in pairwise(valued):
            if second - first <= _APART and _are_ends(tokens, first, second):
                yield one, other


def _are_ends(tokens: Sequence[Token], first: int, second: int) -> bool:
    one, other = tokens[first], tokens[second]
    joined = any(each.key in _TO for each in tokens[first + 1 : second])
    opened = any(each.key == "between" for each in tokens[max(0, first - 2) : first])
    return one.case == "source" or joined or opened or other.start - one.start - len(one.text) == 1


def _is_between(value: Value, one: Value, other: Value) -> bool:
    mine, first, second = value.quantity, one.quantity, other.quantity
    if mine is None or first is None or second is None or mine.value == 1:
        return False
    least, most = sorted((first.value, second.value))
    return least < mine.value < most


def _factor(unit: str) -> float:
    return UNITS[unit][1] if unit in UNITS else 1.0


def _equals(one: float, other: float) -> bool:
    return one > 0 and isclose(one, other, rel_tol=1e-6)
