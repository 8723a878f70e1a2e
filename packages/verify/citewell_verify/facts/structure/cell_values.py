"""Compares a figure of a statement with a cell, in the unit that the heads, the column or the cell itself state (V2).

A table prints "5,686" below "(in millions)", a person writes "$5,686 million", "$5.7 billion" or "5,686". The scale of
a table need not hold for shares, rates and amounts per share.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.quantities import UNITS, Bound, Quantity, converted, states
from citewell_verify.facts.reading.tokens import Token, Value
from citewell_verify.facts.structure.column_heads import unit_in_name
from citewell_verify.facts.structure.tables import Cell

Outcome = Literal["same", "no scale", "other unit", "other", "unsure"]
"""`no scale`: an amount of money, "$1,200", without the millions of its table. `unsure`: the comparison cannot be
decided, because the table names no scale, or the statement leaves the sign out."""

_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?(?:\s?%)?|\.\d+")
_NEGATIVE = re.compile(r"^\W*(?:\(.*\d.*\)|[-−–]\s?[$€£¥₩]?\s?\d.*|[$€£¥₩]\s?[-−–(].*)\W*$")
_SHARE = re.compile(r"%|percent|rate|ratio|margin|yield|growth|change|weight|share of|비율|률|율$|비중", re.IGNORECASE)
_LESSENING = re.compile(
    r"loss|less|accumulated|expense|cost|charge|depreciation|amorti[sz]ation|allowance|decrease|deduct|liabilit|paid|"
    r"payment|used|outflow|provision|tax|interest|repurchase|dividend|impairment|write|repay|손실|비용|감소|차감|유출",
    re.IGNORECASE,
)
_DOLLARS = re.compile(r"\b(US|AU?|CA?|HK|NZ|S|NT)\$")
_MONEY = frozenset("usd eur gbp krw jpy cny inr rub mxn chf".split())
_LIMITS: dict[str, Bound] = {
    **dict.fromkeys(("over", "초과", "넘다", "상회", "웃도", "웃돌다"), "over"),
    **dict.fromkeys(("under", "미달", "하회", "밑도", "밑돌다"), "under"),
}
_INCLUDED = re.compile(r"minimum|maximum|이상|이하|최소|최대")
_LOSS = re.compile(r"\bloss(?:es)?\b|손실", re.IGNORECASE)
_EITHER = re.compile(r"income|profit|gain|earnings|margin|[(]|이익|수익|손익", re.IGNORECASE)
_NEXT = 1e-9
_OPPOSITE: dict[Bound, Bound] = {"over": "under", "under": "over"}
_IN_FULL = re.compile(r"\bper\b|주당|\bemployees\b|\bheadcount\b|임?직원|종업원", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CellFigure:
    """The figure of a cell: as printed, and in full with the scale of its table (None if the table states no scale)."""

    printed: Quantity
    full: Quantity | None
    negative: bool
    currency: str
    dollars: str
    percent: bool


@lru_cache(maxsize=8192)
def cell_figure(cell: Cell) -> CellFigure | None:
    """Return the figure of a cell; None for words, several figures and blanks."""
    digits = _FIGURE.findall(cell.content)
    if len(digits) != 1 or re.search(r"[^\W\d_]{4}", cell.content):
        return None
    printed = find_quantities(digits[0].rstrip(" %").lstrip("."))
    if not printed:
        return None
    percent = "%" in cell.content
    scaled = None if percent or not cell.unit else _scaled(printed[0], cell.unit)
    sign = re.search(r"[$€£¥₩]", cell.content) or re.search(r"[$€£¥₩]", cell.currency)
    korean = scaled.dimension if scaled and scaled.dimension in _MONEY else ""
    dollars = _DOLLARS.search(f"{cell.content} {cell.currency}")
    return CellFigure(
        printed=printed[0],
        full=scaled,
        negative=_NEGATIVE.match(cell.content) is not None,
        currency="" if percent else UNITS[sign[0]][0] if sign else korean,
        dollars=dollars[1].upper()[0] if dollars else "",
        percent=percent or "%" in cell.head or "percent" in cell.head.casefold(),
    )


def _scaled(printed: Quantity, unit: str) -> Quantity | None:
    units = find_quantities(f"1 {unit}" if unit.isascii() else f"1{unit}")
    if len(units) != 1 or (units[0].value == 1 and not units[0].unit):
        return None
    factor = units[0].value
    return replace(
        printed, value=printed.value * factor, step=printed.step * factor, unit=units[0].unit, scaled=units[0].scaled
    )


def with_limit(tokens: Sequence[Token]) -> list[Token] | None:
    """Return the tokens with "more than $5" or "5억 원을 넘지 않았다" as one value, a limit; None without one."""
    for at, token in enumerate(tokens):
        if bound := _LIMITS.get(token.cue or token.key):
            # English puts the word for a limit before the amount ("$5 over 2023" has none), Korean mostly after it.
            is_english = token.text.isascii()
            for beside in (at + 1,) if is_english else (at - 1, at + 1):
                if limit := _limited(tokens, at, beside, bound, at - 1 if is_english else at + 1):
                    return limit
    return None


def _limited(tokens: Sequence[Token], at: int, beside: int, bound: Bound, denied: int) -> list[Token] | None:
    token = tokens[beside] if 0 <= beside < len(tokens) else None
    if token is None or token.value is None or token.value.quantity is None or token.value.date:
        return None
    if is_denied := 0 <= denied < len(tokens) and tokens[denied].cue == "denied":
        bound = _OPPOSITE[bound]
    limit = token.value.quantity
    # Only at equality does it matter whether the limit itself is included.
    included = _INCLUDED.match(tokens[at].text) is not None
    moved = 0.0 if included is is_denied else limit.value * (-_NEXT if bound == "over" else _NEXT)
    value = replace(token.value, quantity=replace(limit, bound=bound, value=limit.value + moved))
    left_out = {at, denied} if is_denied else {at}
    others = {beside: replace(token, value=value)}
    return [others.get(place, token) for place, token in enumerate(tokens) if place not in left_out]


def unit_of(cell: Cell, label: str) -> str:
    """Return the unit of a cell, which the name of its row may state. The scale of a table applies neither to amounts
    per share nor to numbers of people.
    """
    if named := unit_in_name(label)[0]:
        return named
    if cell.unit and _IN_FULL.search(f"{label} {cell.head} {cell.outer_heads}"):
        figure = cell_figure(cell)
        return "" if figure and figure.full and figure.full.scaled else cell.unit
    return cell.unit


def compare_figure(stated: Value, cell: Cell, label: str) -> Outcome:
    figure, quantity = cell_figure(replace(cell, unit=unit_of(cell, label))), stated.quantity
    if figure is None or quantity is None:
        return "unsure"
    figure = _in_unit_of(quantity, figure)
    signed = _signed(stated, figure, f"{label} {cell.head} {cell.outer_heads}")
    is_limit = quantity.bound in ("over", "under")
    # "Operating loss" is a loss; "Net income (loss)", "Income before taxes" and 법인세비용차감전순이익 may be either.
    is_loss = _LOSS.search(label) is not None and _EITHER.search(label) is None
    if is_limit and (stated.negative or signed != "same" or (figure.negative and not is_loss)):
        return "unsure"
    has_measure = quantity.unit and quantity.dimension not in _MONEY and not quantity.dimension.startswith("percent")
    if is_limit and has_measure and (figure.full is None or figure.full.unit != quantity.unit):
        return "unsure"
    if figure.currency and quantity.dimension not in ("", "percent", "percentage points", *_MONEY):
        return "other unit"
    number = _compare_limit(quantity, figure) if is_limit else _compare_number(quantity, figure)
    if number in ("other", "unsure"):
        return number
    if number == "other unit" or _other_currency(stated, figure) or _other_share(quantity, figure, cell, label):
        return "other unit"
    if _unit_unknown(quantity, figure):
        return "unsure"
    return number if signed == "same" else signed


def has_other_unit(stated: Value, cell: Cell, label: str) -> bool:
    """Return whether a value has a unit of another dimension or currency than a cell."""
    figure = cell_figure(replace(cell, unit=unit_of(cell, label)))
    own = figure and (figure.currency or (figure.full.dimension if figure.full else ""))
    return bool(own and stated.quantity and stated.quantity.unit and stated.quantity.dimension != own)


def _compare_limit(limit: Quantity, figure: CellFigure) -> Outcome:
    whole = figure.full or figure.printed
    if figure.full is not None and figure.full.scaled and not limit.scaled:
        # "More than 1,100" below "(in millions)" leaves the scale out.
        # Counts such as "fewer than 1,300 customers" may mean what they say.
        is_open = limit.dimension in _MONEY or (limit.bound == "under" and not figure.currency)
        if not is_open and _holds(limit, figure.printed):
            return "same"
        return "no scale" if _holds(limit, whole) or _holds(limit, figure.printed) else "other"
    if figure.full is None and limit.scaled:
        return "same" if limit.bound == "over" and _holds(limit, whole) else "unsure"
    if _holds(limit, whole):
        return "same"
    return "unsure" if whole.value == limit.value else "other"


def _in_unit_of(stated: Quantity, figure: CellFigure) -> CellFigure:
    """Return the figure in the unit of a statement, if both are of one dimension: 1,200 kg as 1.2 tonnes."""
    full = figure.full
    if full is None or not full.unit or full.unit == stated.unit:
        return figure
    if not stated.unit or full.dimension != stated.dimension or full.dimension in _MONEY:
        return figure
    factor = converted(stated, replace(full, value=1.0))
    moved = replace(full, value=full.value * factor, step=full.step * factor, unit=stated.unit)
    return replace(figure, printed=moved, full=moved)


def _holds(limit: Quantity, value: Quantity) -> bool:
    return value.value > limit.value if limit.bound == "over" else value.value < limit.value


def _compare_number(stated: Quantity, figure: CellFigure) -> Outcome:
    plain = replace(stated, unit="")
    if figure.full is not None and states(plain, replace(figure.full, unit="")):
        return "same"
    if stated.scaled:
        # The amount is printed in full, 5,000,000, unless the table states a scale.
        in_full = stated.dimension not in _MONEY or figure.full is None or not figure.full.scaled
        if in_full and states(plain, replace(figure.printed, scaled=True)):
            return "same"
        # This compares the number as it is written before its scale word.
        match = _FIGURE.search(stated.text)
        digits = find_quantities(match[0]) if match else []
        if not _is_number(replace(digits[0], bound=stated.bound) if digits else stated, figure.printed):
            return "other"
        named = figure.full is not None and (figure.full.scaled or figure.full.dimension == "krw")
        return "other unit" if named else "unsure"
    if not _is_number(plain, figure.printed):
        return "other"
    if figure.full is None or not figure.full.scaled:
        return "same"
    # Nobody leaves out 천 or 백만 before 원, but writing "$1,200" for millions may be mere carelessness.
    if figure.full.dimension == "krw":
        return "other unit" if stated.text.endswith("원") else "same"
    return "no scale" if stated.dimension in _MONEY else "same"


def _is_number(stated: Quantity, printed: Quantity) -> bool:
    return states(stated, replace(printed, scaled=True))


def _other_currency(stated: Value, figure: CellFigure) -> bool:
    quantity = stated.quantity
    own = quantity.dimension if quantity and quantity.dimension in _MONEY else ""
    if own and figure.currency and own != figure.currency:
        return True
    return bool(own and stated.currency and figure.dollars and stated.currency != figure.dollars)


def _other_share(stated: Quantity, figure: CellFigure, cell: Cell, label: str) -> bool:
    """Return whether one figure is a percentage and the other is an amount of money or certainly no percentage."""
    if stated.dimension in _MONEY:
        return figure.percent
    if stated.dimension not in ("percent", "percentage points"):
        return False
    named = _SHARE.search(f"{label} {cell.head} {cell.outer_heads}")
    return not figure.percent and (figure.currency != "" or figure.full is not None) and not named


def _unit_unknown(stated: Quantity, figure: CellFigure) -> bool:
    """Return whether the statement names a unit that the table does not state, or leaves out a percent sign."""
    if figure.percent and stated.dimension == "percentage points":
        return True  # a rate of 28 % is no change in percentage points, but a change of 2 % may be one
    if (figure.percent and "%" not in figure.printed.text and not stated.unit) or stated.dimension in _MONEY:
        return False
    has_units = stated.dimension and figure.full is not None and figure.full.unit
    return bool(has_units and figure.full and figure.full.dimension != stated.dimension)


def _signed(stated: Value, figure: CellFigure, names: str) -> Outcome:
    if stated.negative and not figure.negative:
        return "other"
    if figure.negative and not stated.negative and not _LESSENING.search(names):
        return "unsure"
    return "same"
