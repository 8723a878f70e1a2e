"""Quantities in English and Korean text, with their scale and unit, so that `394 billion` equals `$394,000 million`.

Signs are dropped: "fell by 5 %" and "-5 %" state the same number, and the direction is a matter of words.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from domain.units import COUNTERS, NUMERALS, ORDINALS, SCALES, UNITS
from domain.words import content_stems


def _any(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_KOREAN_SCALE = _any(name for name in SCALES if not name.isascii())
_NUMBER = re.compile(
    rf"""(?<![A-Za-z0-9_.제])(?<!\d,)(?:
      (?P<code>\d+(?::\d+)+|\d+(?:\.\d+){{2,}})
    | (?P<korean>(?:(?:{_DIGITS})\s?(?:{_KOREAN_SCALE})\s?)+(?:{_DIGITS}(?!\d))?)
    | (?P<digits>{_DIGITS})(?:st|nd|rd|th)?
    | (?P<spelled>\b(?:{_any(n for n in NUMERALS if n.isascii())}|hundred|thousand)\b
        (?:[\s-](?:and\s)?(?:{_any(n for n in NUMERALS if n.isascii())}|hundred|thousand)\b)*)
    | (?P<ordinal>\b(?:{_any(ORDINALS)})(?=\s|번째))
    | (?P<native>\b(?:{_any(n for n in NUMERALS if not n.isascii())})(?=\s?(?:{_any(COUNTERS)}))))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SCALE = re.compile(r"[\s-]?(hundred|thousand|million|billion|trillion|mn|bn|tn)\b|(?<=\d)([kmb])\b", re.IGNORECASE)
_UNIT = re.compile(
    rf"""\s?(percentage\spoints?|per\scent|%p|[%％])
    | [\s-]?({_any(n for n in UNITS if n.isascii() and n.isalpha())})\b
    | ({_any(n for n in UNITS if n[0] >= "가")})(?!의|대)
    | \s({_any(n for n in UNITS if n[0] >= "가" and len(n) > 1)}|원)""",
    re.IGNORECASE | re.VERBOSE,
)
_CURRENCY = re.compile(r"(US\$|[$€£₩¥])\s?$", re.IGNORECASE)
_KOREAN_PART = re.compile(rf"({_DIGITS})\s?({_KOREAN_SCALE}|)")
_LIST_NUMBER = re.compile(r"^[ \t]*\(?\d{1,3}[.)][ \t]", re.MULTILINE)
_TABLE_SCALE = re.compile(r"\b(?:in|\$)\s+(thousand|million|billion)s\b|단위\s*:\s*(백만|십억|천|억|조)", re.IGNORECASE)
_SAME_CLAUSE = re.compile(r"[^,;:()\n]*")
_HEDGE = re.compile(
    r"\b(?:about|almost|approximately|around|nearly|roughly|some|over|under|than|least|most|up\sto)\s\W?$|약\s?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text[start:end]` states `value` (scale applied) of `unit` ('' when no known unit follows).

    `step` is the value of the last digit as written, `scaled` says that the number brings its own scale, `weak` that it
    is a small number in words, as in "the two brothers", and `nouns` are the stems of the words that follow it.
    """

    value: float
    step: float
    unit: str
    scaled: bool
    weak: bool
    hedged: bool
    nouns: frozenset[str]
    start: int
    end: int
    text: str

    @property
    def dimension(self) -> str:
        """What the unit measures, e.g. `time`; '' when the unit is not known."""
        return UNITS[self.unit][0] if self.unit else ""


def find_quantities(text: str) -> list[Quantity]:
    """Return the quantities in `text` in order; numbers of list items are not quantities."""
    listed = {match.end() - 2 for match in _LIST_NUMBER.finditer(text)}
    return [_quantity(text, match) for match in _NUMBER.finditer(text) if match.end() not in listed]


def table_scale(text: str) -> float:
    """Return what a header such as "(in millions)" multiplies the plain numbers of `text` by; 1 without one."""
    match = _TABLE_SCALE.search(text)
    return SCALES[(match[1] or match[2]).lower()] if match else 1.0


def same_value(claim: Quantity, source: Quantity, plain_scale: float = 1.0) -> bool:
    """Say whether `claim` states the value of `source`, perhaps rounded or in another unit of the same dimension.

    `plain_scale` is the `table_scale` of the source's text. Units of different dimensions are not compared here.
    """
    factor = _factor(claim) / _factor(source) if claim.dimension == source.dimension != "" else 1.0
    scales = {1.0, plain_scale} if not source.scaled else {1.0}
    return any(_rounds_to(source.value * scale / factor, claim) for scale in scales)


def same_dimension(claim: Quantity, source: Quantity) -> bool:
    """Say whether the units agree; a number without a known unit agrees with every unit."""
    return not claim.unit or not source.unit or claim.dimension == source.dimension


def _factor(quantity: Quantity) -> float:
    return UNITS[quantity.unit][1]


def _rounds_to(exact: float, claim: Quantity) -> bool:
    """A rounded figure is right when it rounds as written and is off by at most 2 %; 6 % if it says "about"."""
    off = abs(exact - claim.value)
    if off <= 1e-9 * max(exact, claim.value):
        return True
    return off <= 0.06 * exact if claim.hedged else off <= claim.step / 2 and off <= 0.02 * exact


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    value, step = _value(match)
    end = match.end()
    scaled = match["korean"] is not None
    if scale := _SCALE.match(text, end):
        factor = SCALES[(scale[1] or scale[2]).lower()]
        value, step, end, scaled = value * factor, step * factor, scale.end(), True
    currency = _CURRENCY.search(text, max(0, match.start() - 4), match.start())
    unit = _UNIT.match(text, end)
    name = currency[1] if currency else "".join((unit[unit.lastindex or 0] if unit else "").split())
    start, end = (currency or match).start(), unit.end() if unit else end
    return Quantity(
        value=value,
        step=step,
        unit=_canonical(name.lower()),
        scaled=scaled,
        weak=value <= 12 and not (match["digits"] or match["korean"] or match["code"]),
        hedged=bool(_HEDGE.search(text, max(0, start - 16), start)),
        nouns=frozenset(content_stems(_SAME_CLAUSE.match(text, end, end + 40)[0])[:2]),
        start=start,
        end=end,
        text=text[start:end].strip(),
    )


def _canonical(unit: str) -> str:
    return "%" if unit == "percent" else unit if unit in UNITS else ""


def _value(match: re.Match[str]) -> tuple[float, float]:
    """Return the value as written and the value of one in its last digit."""
    if digits := match["digits"]:
        return _decimal(digits)
    if korean := match["korean"]:
        parts = [(_decimal(part[1]), SCALES.get(part[2], 1.0)) for part in _KOREAN_PART.finditer(korean)]
        return sum(value * scale for (value, _), scale in parts), min(step * scale for (_, step), scale in parts)
    if code := match["code"]:
        # A time or version: compared as written, as one long number.
        return float(re.sub(r"\D", "", code)), 1e-9
    word = (match["ordinal"] or match["native"] or "").lower()
    return (ORDINALS.get(word) or NUMERALS.get(word) or _spelled(match["spelled"].lower())), 1.0


def _decimal(digits: str) -> tuple[float, float]:
    plain = digits.replace(",", "")
    return float(plain), 10.0 ** -len(plain.partition(".")[2])


def _spelled(phrase: str) -> float:
    total = current = 0.0
    for word in re.findall(r"[a-z]+", phrase):
        if word == "thousand":
            total, current = total + (current or 1) * 1000, 0.0
        elif word == "hundred":
            current = (current or 1) * 100
        else:
            current += NUMERALS.get(word, 0.0)
    return total + current
