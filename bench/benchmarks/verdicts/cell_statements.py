"""Statements on one cell of a table as a person would write them: right ones, and five kinds of wrong ones."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Literal, get_args

from benchmarks.metamorphic.korean import with_particles
from benchmarks.verdicts import korean_cells
from benchmarks.verdicts.truth_tables import Figure, TruthTable, year_of

Kind = Literal["right", "wrong row", "wrong column", "wrong unit", "wrong period", "wrong figure"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_SCALES = ("", "thousand", "million", "billion")
_KOREAN_SCALES = {"": "", "thousand": "천", "million": "백만", "billion": "십억"}
_YEARLY = (
    "{Label} in {year} was {value}.",
    "In {year}, {label} was {value}.",
    "{Label} amounted to {value} in {year}.",
    "For {year}, {label} came to {value}.",
    "{Label} for {year} was {value}.",
    "{Label} reached {value} in {year}.",
    "The company reported {label} of {value} for {year}.",
    "{Label} stood at {value} in {year}.",
)
_DATED = (
    "At {year}, {label} was {value}.",
    "{Label} at {year} was {value}.",
    "As of {year}, {label} amounted to {value}.",
)
_NAMED = (
    "The {head} of {label} was {value}.",
    "For {label}, the {head} is {value}.",
    "The {head} for {label} was {value}.",
)
_KOREAN_YEARLY = ("{year}년 {Label}은/는 {value}이다.", "{Label}은/는 {year}년에 {value}이었다.")
_KOREAN_NAMED = ("{Label}의 {Head}은/는 {value}이다.",)
_DATE = re.compile(r"^(?:as (?:of|at) |at |on )?((?:[a-z]+ \d{1,2},? |\d{1,2} [a-z]+ )\d{4})\W*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CellStatement:
    """`statement` on a cell of `table`; `cell` names it for a reader of the results."""

    kind: Kind
    language: str
    statement: str
    table: TruthTable
    cell: str


def statements(table: TruthTable, kind: Kind, language: str, rng: Random) -> Iterator[CellStatement]:
    """Yield a statement of the `kind` on each cell of a table that allows one, in random order."""
    places = [(row, column) for row in range(len(table.rows)) for column in range(len(table.heads))]
    rng.shuffle(places)
    for row, column in places:
        label, period, figures = table.rows[row]
        figure, head = figures[column], table.heads[column]
        changed = figure and _changed(table, kind, row, column, figure, rng)
        if not figure or not changed or _is_true(kind, figure, changed[0]):
            continue
        told, said_head, said_period = changed
        value = _written(told, language, rng, rounds=kind != "wrong figure")
        text = _stated(label, said_head, said_period, value, language, rng)
        where = " · ".join(each for each in (period, label, head) if each)
        yield CellStatement(kind, language, text, table, where)


def _changed(
    table: TruthTable, kind: Kind, row: int, column: int, figure: Figure, rng: Random
) -> tuple[Figure, str, str] | None:
    """Return what a statement of this kind says instead: a figure, a head and a period; None if the table has none."""
    _, period, figures = table.rows[row]
    head = table.heads[column]
    if kind == "right":
        return figure, head, period
    own = {each.digits for each in figures if each}
    if kind == "wrong row":
        found = [each for _, _, cells in table.rows if (each := cells[column]) and each.digits not in own]
        return _one_of(found, head, period, rng)
    if kind == "wrong column":
        found = [each for each in figures if each and each.digits != figure.digits and each.percent == figure.percent]
        return _one_of(found, head, period, rng)
    if kind == "wrong unit":
        found = _other_units(figure)
        return _one_of(found, head, period, rng)
    if kind == "wrong period" and korean_cells.is_term(head):
        other = korean_cells.other_term(head, table.heads, rng)
        return (figure, other, period) if other else None
    if kind == "wrong period":
        year = year_of(head) or year_of(period)
        if not year:
            return None
        other = str(min(table.years) - rng.randint(2, 5))
        return figure, head.replace(year, other), period.replace(year, other)
    other_digits = _another_figure(figure.digits, rng)
    return (replace(figure, digits=other_digits), head, period) if other_digits not in table.source else None


def _is_true(kind: Kind, figure: Figure, told: Figure) -> bool:
    # Amounts in won also occur as rounded ones.
    wrong = kind in ("wrong row", "wrong column")
    return wrong and figure.currency == told.currency == korean_cells.WON and korean_cells.is_close(figure, told)


def _one_of(found: list[Figure], head: str, period: str, rng: Random) -> tuple[Figure, str, str] | None:
    return (rng.choice(found), head, period) if found else None


def _other_units(figure: Figure) -> list[Figure]:
    if figure.percent:
        return [replace(figure, percent=False, currency="$")]
    if figure.currency == korean_cells.WON:
        return korean_cells.other_units(figure)
    others = [replace(figure, scale=each) for each in _SCALES[1:] if figure.scale and each != figure.scale]
    if figure.currency:
        others.append(replace(figure, currency="€" if "$" in figure.currency else "$"))
    return others


def _another_figure(digits: str, rng: Random) -> str:
    at = rng.choice([place for place, sign in enumerate(digits) if sign.isdigit()])
    new = rng.choice([each for each in "123456789" if each != digits[at]])
    return digits[:at] + new + digits[at + 1 :]


def _written(figure: Figure, language: str, rng: Random, *, rounds: bool) -> str:
    """Return a figure as a person writes it: "$5,686 million", "$5.686 billion", "-$12", "3.5%"."""
    if figure.currency == korean_cells.WON:
        return korean_cells.written(figure, rng, rounds=rounds)
    digits, scale = figure.digits, figure.scale
    if scale and rng.random() < 0.4 and (larger := _in_larger_unit(digits, scale)):
        digits, scale = larger
        digits = _rounded(digits, rng) if rounds else digits
    minus = "-" if figure.negative else ""
    if figure.percent:
        return f"{minus}{digits}%"
    if language == "ko":
        return f"{minus}{figure.currency}{digits}{_KOREAN_SCALES[scale]}"
    return f"{minus}{figure.currency}{digits} {scale}".strip()


def _in_larger_unit(digits: str, scale: str) -> tuple[str, str] | None:
    place = _SCALES.index(scale) + 1
    value = Decimal(digits.replace(",", "")) / 1000
    if place >= len(_SCALES) or value < 1 or value >= 1000:
        return None
    return f"{value.normalize():f}", _SCALES[place]


def _rounded(digits: str, rng: Random) -> str:
    """Return "5.7" for "5.686" in half of the cases, where that is within one per cent."""
    value = Decimal(digits)
    short = value.quantize(Decimal("0.1"))
    return str(short) if rng.random() < 0.5 and abs(short - value) <= value / 100 else digits


def _stated(label: str, head: str, period: str, value: str, language: str, rng: Random) -> str:
    year, date = year_of(head), _DATE.match(head)
    is_year = bool(year) and head.strip() in (year, f"FY{year}", f"FY {year}")
    words = {"Label": _capital(label), "label": _small(label), "Head": head, "head": _small(head), "value": value}
    if language == "ko" and korean_cells.is_term(head):
        said = rng.choice(korean_cells.FORMS).format(
            Head=rng.choice(korean_cells.spoken_names(head)), Label=label, value=value
        )
        return with_particles(said)
    if language == "ko":
        forms = _KOREAN_YEARLY if is_year else _KOREAN_NAMED
        text = with_particles(rng.choice(forms).format(**words, year=year))
        return f"{period}: {text}" if period else text
    forms = _YEARLY if is_year else _DATED if date else _NAMED
    text = rng.choice(forms).format(**words, year=date[1] if date else year)
    return f"{_begun(period)}, {_small(text)}" if period else text


def _begun(period: str) -> str:
    return (
        f"For {_small(period)}"
        if re.match("(?:year|fiscal|quarter)", period, re.IGNORECASE)
        else (f"In {period}" if period.isdigit() else f"At {period.removeprefix('At ')}")
    )


def _capital(label: str) -> str:
    return label[0].upper() + label[1:]


def _small(name: str) -> str:
    """Return a name as it stands within a sentence; a possible proper name keeps its letters."""
    first, *others = name.split(" ")
    plain = others and first[1:].islower() and all(each[:1].islower() or not each[:1].isalpha() for each in others)
    return name[0].lower() + name[1:] if plain else name
