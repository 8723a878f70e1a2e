"""Compares values by their meaning, not by their spelling."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter

from citewell_verify.entities.quantities import PIECES, UNITS, Quantity, same_dimension, states, tolerance
from citewell_verify.facts.reading.tokens import Value

_TINY = 1e-9
_PERIODS = ("달", "해", "시간", "살")  # these counters may also be units of measurement
_HUGE = 1e290  # a larger value may become infinite in another unit, and then agree with everything


def values_agree(stated: Value, known: Value) -> bool:
    """Return whether the values agree: `stated` equals `known`, also rounded, converted or less exact (V3)."""
    if stated.date or known.date:
        return _same_date(stated, known)
    quantity, sourced = stated.quantity, known.quantity
    if stated.minutes is not None and known.minutes is not None:
        return stated.minutes == known.minutes
    if quantity is None or sourced is None:
        return False
    if stated.minutes is not None or known.minutes is not None:
        return quantity.value == sourced.value and quantity.unit == sourced.unit
    # `$10` may be US or other dollars; `US$10` is not `A$10`.
    other_currency = bool(stated.currency and known.currency) and stated.currency != known.currency
    if stated.negative != known.negative or other_currency or _other_counter(stated, known):
        return False
    if _joined(quantity.text) == _joined(sourced.text) or _same_share(stated, known) or _same_share(known, stated):
        return True
    as_known = states(quantity, sourced) and same_dimension(quantity, sourced)
    return as_known or _decimal(quantity.text) == _decimal(sourced.text)


class ValueIndex:
    """Values indexed by size and unit; a lookup takes time in proportion to the number of nearly equal values."""

    def __init__(self, values: Sequence[Value | None]) -> None:
        self._all = [at for at, value in enumerate(values) if value]
        measured = [(at, value.quantity) for at, value in enumerate(values) if value and value.quantity]
        self._joined = _by(measured, lambda quantity: _joined(quantity.text))
        self._decimals = _by(measured, lambda quantity: _decimal(quantity.text))
        shares = [(value.percent, at) for at, value in enumerate(values) if value and value.percent is not None]
        self._plain = sorted([(quantity.value, at) for at, quantity in measured] + shares)
        self._in_base = sorted((_in_base(quantity), at) for at, quantity in measured if quantity.unit)
        self._others = [at for at, value in enumerate(values) if value and _is_special(value)]

    def candidates(self, stated: Value) -> list[int]:
        wanted = stated.quantity
        if wanted is None or _is_special(stated):
            return self._all
        off = tolerance(wanted)
        near = {
            *self._others,
            *self._joined.get(_joined(wanted.text), ()),
            *self._decimals.get(_decimal(wanted.text), ()),
            *_between(self._plain, wanted.value, off),
        }
        if wanted.unit:
            near.update(_between(self._in_base, _in_base(wanted), off * UNITS[wanted.unit][1]))
        if stated.percent is not None:
            near.update(_between(self._plain, stated.percent, _TINY))
        return sorted(near)


def _is_special(value: Value) -> bool:
    huge = value.quantity is not None and value.quantity.value > _HUGE
    return huge or value.date is not None or value.minutes is not None


def _by(quantities: Iterable[tuple[int, Quantity]], key: Callable[[Quantity], str]) -> Mapping[str, Sequence[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, quantity in quantities:
        places[key(quantity)].append(at)
    return places


def _in_base(quantity: Quantity) -> float:
    return quantity.value * UNITS[quantity.unit][1]


def _between(places: Sequence[tuple[float, int]], middle: float, off: float) -> Iterable[int]:
    """Yield the places of numbers near `middle`: a little more than the tolerance, because of rounding errors."""
    slack = off + _TINY * (1 + 4 * middle)
    first = bisect_left(places, middle - slack, key=itemgetter(0))
    last = bisect_right(places, middle + slack, key=itemgetter(0))
    return (at for _, at in places[first:last])


def _other_counter(stated: Value, known: Value) -> bool:
    """Return whether two values count different things: `세 번` and `3초` or `세 알`; any thing may be `한 개`."""
    counters = {stated.counter, known.counter}
    if len(counters) == 1:
        return False
    if "" not in counters:
        return not ("개" in counters and counters <= PIECES)
    plain = known if stated.counter else stated
    return plain.quantity is not None and plain.quantity.unit != "" and counters.isdisjoint(_PERIODS)


def _same_share(share: Value, plain: Value) -> bool:
    """Return whether a plain number is the same share: `5 %` is 0.05."""
    number = plain.quantity
    if share.percent is None or number is None or number.unit or number.value >= 1:
        return False
    return abs(share.percent - number.value) < _TINY


def _same_date(stated: Value, known: Value) -> bool:
    if stated.date and known.date:
        return stated.date.follows_from(known.date)
    # A year may be written as a plain number, and the other way round.
    date, number = stated.date or known.date, stated.quantity or known.quantity
    if date is None or number is None or date.years is None or date.month is not None:
        return False
    return not number.unit and number.value == date.years[0]


def _joined(text: str) -> str:
    return "".join(text.casefold().split())


def _decimal(text: str) -> str:
    """Return `1,5` with a point; any other figure stays, so that it equals only itself."""
    whole, comma, rest = text.partition(",")
    return f"{whole}.{rest}" if comma and rest.isdigit() and whole.isdigit() and len(rest) < 3 else text.strip()


def same_number_other_unit(stated: Quantity, known: Quantity) -> bool:
    return stated.value == known.value and stated.unit != known.unit
