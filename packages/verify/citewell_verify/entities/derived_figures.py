"""Finds figures that a source states in words (`half`, `이틀`), and figures that follow from two of its figures.

Readers work such figures out: "20 %" from "one in five", "32 hours" from "eight modules of four hours". The first kind
is stated; the second is not, so it neither proves nor disproves a claim.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from citewell_verify.entities.quantities import KOREAN_NUMERALS, NUMERALS, UNITS, Quantity, states
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
_MOST = 60  # figures of a source that are combined, in its order
_NEAR = 240  # characters between two figures that belong together
_WHOLE = 1e-6
_DIMENSIONS = frozenset({"", *(dimension for dimension, _ in UNITS.values())})


@text_cache()
def figures_in_words(text: str) -> tuple[Quantity, ...]:
    """Return the shares and times that `text` gives in words, as percentages and in units, in order of their form."""
    return (*_shares(text), *_times(text))


def is_in_words(stated: Quantity, text: str) -> bool:
    """Whether the text has the figure in words: 50 % as "half", 30 minutes as "half an hour"."""
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

    Two figures near each other: their sum, difference, product or share, where the units allow it. `known` are the
    quantities of the `source` in order, dates included. At most 60 of them are tried.
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
    """Pairs of figures near each other; a repeated figure is no second figure."""
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
