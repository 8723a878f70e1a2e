"""A quantity, and whether another one states it, rounds to it, or is within the limit that it names."""

from dataclasses import dataclass
from typing import Literal

from citewell_verify.entities.units import UNITS

Bound = Literal["exactly", "about", "over", "under", "several", "multiples"]

_ROUNDING = 0.02
_ABOUT = 0.06
_WITHIN = 2.0  # "more than 5" may describe 7, hardly 70
_FAR_BELOW = 10.0  # "less than a million" may describe much less
_FEWEST_OF = 2.0  # "several hundred" and "hundreds of" mean at least this many hundreds,
_MOST_OF = {"several": 10.0, "multiples": 100.0}  # and fewer than these


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text`, at `start` of the whole text, states `value` (scale applied) of `unit` ('' without a known unit).

    `step` is the value of the last digit as written; `scaled`: it has its own scale word; `weak`: a small number in
    words, as in "the two brothers"; `nouns` are the stems of the two words that follow it.
    """

    value: float
    step: float
    unit: str
    bound: Bound
    scaled: bool
    weak: bool
    nouns: frozenset[str]
    start: int
    text: str

    @property
    def dimension(self) -> str:
        return UNITS[self.unit][0] if self.unit else ""


def same_dimension(claim: Quantity, source: Quantity) -> bool:
    return not claim.unit or not source.unit or claim.dimension == source.dimension


def agrees(claim: Quantity, source: Quantity, plain_scale: float = 1.0) -> bool:
    """Say whether `source` states the value of `claim`: equal, rounded, converted or within "more than".

    `plain_scale` is the `table_scale` of the source's text. The dimension is not compared: see `same_dimension`.
    """
    return states(claim, source, plain_scale) or within(claim, source)


def states(claim: Quantity, source: Quantity, plain_scale: float = 1.0) -> bool:
    plain = converted(claim, source)
    values = {plain} if source.scaled else {plain, plain * plain_scale}
    if source.bound in _MOST_OF:
        return source.bound == claim.bound and source.value == claim.value
    if most := _MOST_OF.get(claim.bound):
        return any(_FEWEST_OF * claim.value <= value < most * claim.value for value in values)
    return any(_rounds_to(value, claim) for value in values)


def within(claim: Quantity, source: Quantity) -> bool:
    """Say whether `claim` is a limit, "more than 5", that `source` satisfies: 7 does, "more than 7" is another
    limit."""
    same_unit = claim.unit != "" and claim.dimension == source.dimension
    if source.bound == claim.bound or not (same_unit or claim.nouns & source.nouns):
        return False
    return is_within(claim, converted(claim, source))


def is_within(claim: Quantity, value: float) -> bool:
    """Say whether a value in the unit of `claim` satisfies the limit that it is, and is not so far from it that the
    limit says nothing."""
    if claim.bound == "over":
        return claim.value < value <= _WITHIN * claim.value
    return claim.bound == "under" and value < claim.value <= _FAR_BELOW * value


def agreement_range(claim: Quantity) -> tuple[float, float]:
    least = claim.value / (_FAR_BELOW if claim.bound == "under" else 1 + _ABOUT)
    return least, claim.value * (_WITHIN if claim.bound == "over" else _MOST_OF.get(claim.bound, 1 / (1 - _ABOUT)))


def tolerance(claim: Quantity) -> float:
    """Return the tolerance, in the unit of `claim`, within which a value still `states` it."""
    if most := _MOST_OF.get(claim.bound):
        return claim.value * most
    if claim.bound == "about":
        return claim.value * (1 / (1 - _ABOUT) - 1)
    return min(claim.step / 2, claim.value * (1 / (1 - _ROUNDING) - 1))


def converted(claim: Quantity, source: Quantity) -> float:
    """Return the value of `source` in the unit of `claim`, as it is if that cannot be."""
    if claim.unit and source.unit and claim.dimension == source.dimension:
        return source.value * (UNITS[source.unit][1] / UNITS[claim.unit][1])
    return source.value


def _rounds_to(exact: float, claim: Quantity) -> bool:
    """Whether a figure rounds to the one that is claimed, as written but by at most 2 %; "about" allows 6 %."""
    off = abs(exact - claim.value)
    if exact == claim.value or off <= 1e-9 * max(exact, claim.value):
        return True
    # A limit is exact: "within 31 days" is not "within 30 days".
    if claim.bound == "about" and off <= _ABOUT * exact:
        return True
    return off <= claim.step / 2 and off <= _ROUNDING * exact
