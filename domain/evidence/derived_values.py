"""Tests whether a value of a statement follows from values of its source, which readers work out themselves.

"Seven hours" follows from "10:00 to 17:00", "500 tonnes" from 310 and 190, "three years" from two dates, a child of
seven from "between 6 and 12". Such a value is not stated, so it is unproven; but nothing contradicts it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, pairwise
from math import isclose
from typing import TypeVar

from domain.entities.dates import Date
from domain.entities.numbers import Quantity
from domain.entities.source_figures import source_figures
from domain.entities.units import UNITS
from domain.facts.comparison.source import parse_source
from domain.facts.reading.tokens import Token, Value

_Each = TypeVar("_Each")
_MOST = 40  # values of a source that are combined, in its order
_NEAR = 12  # values between two that belong together
_RATES = (60.0, 24.0, 7.0, 12.0, 52.0, 365.0)
_EVERY = re.compile(r"\b(?:every|each|per)\b|마다|매[일주달월년]|한 번", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\b|까지(?:의|는)?(?![가-힣])", re.IGNORECASE)
_LATER = re.compile(r"\byears? (?:after|before|later|earlier)\b|년 (?:뒤|후|전|만)", re.IGNORECASE)
_TWICE = re.compile(r"\btwice\b", re.IGNORECASE)
_THAT_YEAR = re.compile(r"\b(?:of|in) (?:that|the same) year\b|그해|같은 해", re.IGNORECASE)
_MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December)\b(?! \d)"
    r"|(?<![\d년])(?<!년 )(\d{1,2})월(?! ?\d)"
)
_MINUTES = {"minute": 1, "minutes": 1, "min": 1, "분": 1, "hour": 60, "hours": 60, "시간": 60}
_MONTHS = UNITS["year"][1] / UNITS["month"][1]
_DAYS_A_MONTH = 30.44


def follows_from(value: Value, source: str) -> bool:
    """Say whether `value` can be worked out from two values of `source`, or lies in a range that it states."""
    known = _values(source)
    if value.date:
        return _is_dated(value, source, known)
    if value.quantity is None:
        return False
    sizes = [*((each.value, each.unit) for each in source_figures(source).everywhere[:_MOST])]
    sizes += [(2.0, "")] * (_TWICE.search(source) is not None)
    return (
        any(_is_combined(value.quantity, *pair) for pair in _near(sizes))
        or (_EVERY.search(source) is not None and _is_rate(value.quantity, [each for each, _ in sizes]))
        or any(_is_period(value, *pair) for pair in _near([each.value for each in known if each.value]))
        or any(_is_between(value, *pair) for pair in _ranges(source))
    )


def is_restated(value: Value, place: str) -> bool:
    """Say whether a place gives a value in another form: "three an hour" as "every 20 minutes", a month of that
    year, seven as one of "between 6 and 12"."""
    if value.quantity and _BETWEEN.search(place) and any(_is_between(value, *pair) for pair in _ranges(place)):
        return True
    if value.quantity:
        known = [each.value for each in source_figures(place).everywhere[:_MOST]]
        return _EVERY.search(place) is not None and value.quantity.value > 1 and _is_rate(value.quantity, known)
    date = value.date
    if date is None:
        return False
    return _is_of_that_year(date, place) or (bool(_LATER.search(place)) and _is_dated(value, place, _values(place)))


def is_same_time(value: Value, source: str) -> bool:
    """Say whether the source has a time of day in another form: `5 pm` and `17:00`."""
    return value.minutes is not None and any(
        each.value and each.value.minutes is not None and each.value.minutes % 1440 == value.minutes % 1440
        for each in _values(source)
    )


def has_range(text: str) -> bool:
    """Say whether a text states a range or change, with both ends."""
    return next(_ranges(text), None) is not None


def is_change(value: Value, source: str) -> bool:
    """Say whether a value is the difference of the two ends of a range or change that the source states."""
    return any(_is_difference(value, one, other) or _is_period(value, one, other) for one, other in _ranges(source))


def _values(source: str) -> Sequence[Token]:
    found = (token for tokens in parse_source(source).clause_tokens for token in tokens if token.value)
    return list(islice(found, _MOST))


def _near(values: Sequence[_Each]) -> Iterator[tuple[_Each, _Each]]:
    for at, one in enumerate(values):
        for other in values[at + 1 : at + 1 + _NEAR]:
            yield one, other


def _is_combined(mine: Quantity, one: tuple[float, str], other: tuple[float, str]) -> bool:
    """Say whether a quantity is the sum, difference or product of two numbers with their units."""
    if {UNITS[unit][0] for _, unit in (one, other) if unit in UNITS} - {mine.dimension}:
        return False
    sizes = [size * (_factor(unit) / _factor(mine.unit) if unit else 1) for size, unit in (one, other)]
    return any(_equals(each, mine.value) for each in (sum(sizes), abs(sizes[0] - sizes[1]), sizes[0] * sizes[1]))


def _is_rate(mine: Quantity, known: Sequence[float]) -> bool:
    """Say whether "three an hour" or "four times in one year" follows from "every 20 minutes", "every three months"."""
    if mine.value == 1 and mine.dimension in ("time", "months"):
        return True
    return not mine.unit and any(
        isclose(mine.value * each, rate) for each in known for rate in _RATES if mine.value > 1 and each > 1
    )


def _is_difference(value: Value, one: Value, other: Value) -> bool:
    mine, first, second = value.quantity, one.quantity, other.quantity
    if mine is None or first is None or second is None:
        return False
    return _equals(
        abs(first.value * _factor(first.unit) - second.value * _factor(second.unit)), mine.value * _factor(mine.unit)
    )


def _is_period(value: Value, one: Value, other: Value) -> bool:
    """Say whether a time is that between two times of day or two dates."""
    mine = value.quantity
    if mine is None or not (mine.unit or value.counter):
        return False
    unit = mine.unit or value.counter
    if one.minutes is not None and other.minutes is not None and unit in _MINUTES:
        return _equals(abs(one.minutes - other.minutes) % 1440, mine.value * _MINUTES[unit])
    if one.date and other.date and one.date.years and other.date.years and mine.dimension == "months":
        apart = abs(_month(one) - _month(other))
        wanted = mine.value * _factor(mine.unit) / _factor("month")
        return abs(apart - wanted) <= 1 / _DAYS_A_MONTH * 31
    return False


def _month(value: Value) -> float:
    date = value.date
    if date is None or date.years is None:
        return 0.0
    return date.years[0] * _MONTHS + (date.month or 0) + (date.day or 0) / _DAYS_A_MONTH


def _is_dated(value: Value, source: str, known: Sequence[Token]) -> bool:
    date = value.date
    if date is None:
        return False
    if date.month:
        return _is_of_that_year(date, source) or (not date.years and len(_months_named(source)) > 1)
    years = [each.value.date.years[0] for each in known if each.value and each.value.date and each.value.date.years]
    counts = [each.value for each in source_figures(source).everywhere[:_MOST]]
    return date.years is not None and any(abs(each - date.years[0]) in counts for each in years)


def _is_of_that_year(date: Date, text: str) -> bool:
    return bool(date.years and date.month in _months_named(text)) and _THAT_YEAR.search(text) is not None


def _months_named(source: str) -> Collection[int]:
    """Return the months that a source names without a day or a year, as in "from November to February"."""
    words = _MONTH.findall(source)
    return {int(number) if number else _MONTH_NAMES.index(name.casefold()[:3]) + 1 for name, number in words}


def _ranges(source: str) -> Iterator[tuple[Value, Value]]:
    """Yield the two ends of each range or change: `from 18,000 to 27,000`, `between 6 and 12`, `6세에서 11세까지`."""
    parsed = parse_source(source)
    left = _MOST
    for tokens in parsed.clause_tokens:
        valued = [(at, each) for at, each in enumerate(tokens) if each.value]
        for (first, one), (second, other) in pairwise(valued):
            if left and one.value and other.value and second - first <= 4 and _joins(tokens, first, second):
                left -= 1
                yield one.value, other.value


def _joins(tokens: Sequence[Token], first: int, second: int) -> bool:
    between = tokens[first + 1 : second]
    if tokens[first].case == "source" or any(
        each.key in ("to", "until", "till", "through", "부터") for each in between
    ):
        return True
    before = tokens[max(0, first - 2) : first]
    is_between = any(each.key == "between" for each in before)
    return is_between or (
        tokens[first].value is not None and tokens[second].start - tokens[first].start - len(tokens[first].text) == 1
    )


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
