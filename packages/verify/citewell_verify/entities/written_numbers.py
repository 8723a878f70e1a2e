"""The value of a number as it is written: in digits, in English or Korean words, or in both."""

import re
from collections.abc import Iterable
from math import prod

from citewell_verify.entities.units import KOREAN_NUMERALS, NUMERALS, ORDINALS, SCALES, SINO_DIGITS, SINO_PLACES


def any_of(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


# Tokenised text has spaces around separators: `45 , 000`, `10, 000`.
DIGITS = r"\d{1,3}(?:,\d{3}(?!\d)|[ ],[ ]\d{3}(?!\d)|,[ ]000(?!\d))+(?:\.\d+)?|\d+(?:\.\d+)?"
KOREAN_SCALE = any_of(name for name in SCALES if not name.isascii())
_KOREAN_PART = re.compile(rf"({DIGITS})\s?({KOREAN_SCALE}|)")
_MYRIADS = (1e4, 1e8, 1e12)
_COUNTED = ("ten", "dozen")


def written_value(match: re.Match[str]) -> tuple[float, float]:
    """Return the value as written and the value of one in its last digit."""
    if digits := match["digits"]:
        return _decimal(digits)
    if korean := match["korean"]:
        return _korean(korean)
    if vague := match["vague"]:
        return _vague(vague), 0.0
    if code := match["code"]:
        # A time or a version is compared as written, as one long number.
        return float(re.sub(r"\D", "", code)), 0.0
    if ordinal := match["ordinal"]:
        return ORDINALS[ordinal.lower()], 1.0
    if native := match["native"]:
        return KOREAN_NUMERALS[native], 1.0
    if sino := match["sino"]:
        return _sino(sino), 1.0
    return _spelled(match["spelled"]) if match["spelled"] else 0.5 if match["half"] else 1.0, 1.0


def _korean(written: str) -> tuple[float, float]:
    """The value of `1조 2,000억`, and its last place; in `3천5백만` the 만 also multiplies the 3천 before it."""
    parts = [(_decimal(part[1]), SCALES.get(part[2], 1.0)) for part in _KOREAN_PART.finditer(written)]
    total, step, myriad = 0.0, float("inf"), 1.0
    for (value, last), scale in reversed(parts):
        myriad = (
            max((power for power in _MYRIADS if power <= scale), default=myriad) if scale >= _MYRIADS[0] else myriad
        )
        factor = scale if scale >= _MYRIADS[0] else scale * myriad
        total, step = total + value * factor, min(step, last * factor)
    return total, step


def _sino(written: str) -> float:
    """The value of `백`, `이십오`, `삼백오십`."""
    total, digit = 0.0, 0.0
    for letter in written:
        if place := SINO_PLACES.get(letter):
            total, digit = total + (digit or 1.0) * place, 0.0
        else:
            digit = SINO_DIGITS[letter]
    return total + digit


def _decimal(digits: str) -> tuple[float, float]:
    plain = digits.replace(",", "").replace(" ", "")
    return float(plain), 10.0 ** -len(plain.partition(".")[2])


def _vague(written: str) -> float:
    """100 in `several hundred`, 10,000 in `tens of thousands` and `수만`."""
    if written.startswith("수"):
        return prod({**SINO_PLACES, **SCALES}[word] for word in written[1:])
    names = [word.rstrip("s") for word in written.lower().split()]
    return prod({"ten": 10.0, "dozen": 12.0, **SCALES}[word] for word in names if word in (*_COUNTED, *SCALES))


def _spelled(phrase: str) -> float:
    total, current = (0.5 if phrase.lower().endswith("half") else 0.0), 0.0
    for word in re.findall("[a-z]+", phrase.lower()):
        if word == "thousand":
            total, current = total + (current or 1) * 1000, 0.0
        elif word in ("hundred", "dozen"):
            current = (current or 1) * SCALES[word]
        else:
            current += NUMERALS.get(word, 0.0)
    return total + current
