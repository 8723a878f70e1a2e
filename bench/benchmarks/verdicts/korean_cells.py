"""Statements on cells of Korean financial statements: terms of a company (제31기, 당기) and amounts in won."""

import re
from dataclasses import replace
from decimal import Decimal
from random import Random

from benchmarks.verdicts.truth_tables import Figure

WON = "₩"
_UNITS = {"": 1, "thousand": 1_000, "million": 1_000_000, "hundred million": 100_000_000}
_NAMES = {"": "원", "thousand": "천원", "million": "백만원", "hundred million": "억원"}
_TERM = re.compile(r"^제\s?(\d+)\s?(?:\((당|전|전전)\)\s?)?(기말?)(?:\((당|전|전전)\))?$|^(당|전|전전)(기말?|기초)$")
FORMS = ("{Head} {Label}은/는 {value}이다.", "{Label}은/는 {Head}에 {value}이다.", "{Head}의 {Label}은/는 {value}이다.")


def scale_of(unit: str) -> str | None:
    return next((scale for scale, name in _NAMES.items() if name == unit), None)


def is_term(head: str) -> bool:
    return _TERM.match(head) is not None


def spoken_names(head: str) -> list[str]:
    """Return "제31기" and "당기" for "제 31(당) 기"."""
    term = _TERM.match(head)
    if term is None:
        return [head]
    number, inner, kind, outer, alone, point = term.groups()
    return (
        [f"{alone}{point}"] if alone else [f"제{number}{kind}", *(f"{each}{kind}" for each in (inner, outer) if each)]
    )


def other_term(head: str, heads: tuple[str, ...], rng: Random) -> str:
    """Return a term that a table does not have, "" if the head is not a term."""
    term = _TERM.match(head)
    if term is None:
        return ""
    numbers = [int(found[1]) for each in heads if (found := _TERM.match(each)) and found[1]]
    if numbers:
        other = min(numbers) - rng.randint(1, 4)
        return f"제{other if other > 0 else max(numbers) + 3}{term[3]}"
    return "" if any(each.startswith("전전") for each in heads) else f"전전{term[6]}"


def other_units(figure: Figure) -> list[Figure]:
    return [replace(figure, scale=each) for each in _UNITS if each != figure.scale]


def is_close(one: Figure, other: Figure) -> bool:
    """True if the figures could be taken for roundings of each other."""
    mine, theirs = (Decimal(each.digits.replace(",", "")) * _UNITS[each.scale] for each in (one, other))
    return abs(mine - theirs) <= abs(mine) / 25


def written(figure: Figure, rng: Random, *, rounds: bool) -> str:
    """Return an amount as printed, or in a larger unit: "12,426,276,421원", "12,426백만원", "124억원"."""
    minus = "-" if figure.negative else ""
    value = Decimal(figure.digits.replace(",", "")) * _UNITS[figure.scale]
    larger = [
        scale for scale, factor in _UNITS.items() if factor > _UNITS[figure.scale] and value >= 100 * factor and rounds
    ]
    if larger and rng.random() < 0.4:
        scale = rng.choice(larger)
        return f"{minus}{(value / _UNITS[scale]).quantize(Decimal(1)):,}{_NAMES[scale]}"
    return f"{minus}{figure.digits}{_NAMES[figure.scale]}"
