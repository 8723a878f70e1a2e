"""Finds numbers in a text, in digits and in words.

Signs are dropped: "fell by 5 %" and "-5 %" state the same number, and the direction is left to the words.
"""

import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from math import prod

from citewell_verify.entities.quantities import (
    COUNTERS,
    JOINED_COUNTERS,
    KOREAN_NUMERALS,
    NUMERALS,
    ORDINALS,
    SCALES,
    SINO_DIGITS,
    SINO_PLACES,
    UNITS,
    UNMISTAKABLE_NUMERALS,
    Bound,
    Quantity,
    latin_letters,
)
from citewell_verify.text.words import content_stems


def any_of(names: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


# Tokenised text has spaces around separators: `45 , 000`, `10, 000`.
DIGITS = r"\d{1,3}(?:,\d{3}(?!\d)|[ ],[ ]\d{3}(?!\d)|,[ ]000(?!\d))+(?:\.\d+)?|\d+(?:\.\d+)?"
KOREAN_SCALE = any_of(name for name in SCALES if not name.isascii())
_KOREAN_PART = re.compile(rf"({DIGITS})\s?({KOREAN_SCALE}|)")
_MYRIADS = (1e4, 1e8, 1e12)
_COUNTED = ("ten", "dozen")


def written_value(match: re.Match[str]) -> tuple[float, float]:
    """Return the value as written, and the value of a 1 in the place of its last digit."""
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
    """The value of `1조 2,000억` and of its last place; in `3천5백만` the 만 also multiplies the 3천 before it."""
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
    """The value of a Sino-Korean numeral such as `백`, `이십오`, `삼백오십`."""
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
    """The unit of a vague number: 100 in `several hundred`, 10,000 in `tens of thousands` and `수만`."""
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


_ENGLISH_NUMERAL = any_of([*NUMERALS, "hundred", "thousand", "dozen"])
# Endings that may follow a Korean counter within its word: `두 알씩`, `세 번만에`, `네 명이다`.
_ENDING = (
    r"(?:씩|째|쯤|짜리|마다|당|뿐|들|간|이상|이하|미만|정도|만에?|밖에)?"
    r"(?:이|가|은|는|을|를|의|에|에서|에게|에는|도|만|과|와|으?로|까지|부터|보다|이나|나|인|이?고|이?며|이?다|입니다|이?었다|였다)?(?![가-힣])"
)
_MEASURES = any_of(
    name
    for name, (dimension, _) in UNITS.items()
    if dimension in ("time", "months", "length", "mass", "volume", "area")
    # "A second time", "a foot injury", "a ton of work" measure nothing.
    and name not in ("second", "foot", "ton")
    and name.isascii()
    and name.isalpha()
    and len(name) > 2
)
_BEFORE_ONE = "for in within after of than is are was takes take took taking lasts last lasted about only over"
BEFORE_ONE = "|".join(rf"(?<={word}\s)" for word in _BEFORE_ONE.split())
"""After one of these words, "a" and a unit measure something; elsewhere they may be a rate: `8 euros an hour`."""
_NUMBER = re.compile(
    rf"""(?<![A-Za-z0-9_.제])(?<!\d,)(?:
      (?P<code>\d+(?::\d+)+|\d+(?:\.\d+){{2,}})
    | (?P<vague>\b(?:several|many|a\sfew|a\scouple(?:\sof)?)\s(?:hundred|thousand|million|billion|dozen)\b
        |(?<![\d$]\s)\b(?:tens|dozens|hundreds|thousands|millions|billions)(?:\sof\s(?:thousands|millions|billions))?(?=\sof\b)
        |(?<![가-힣])수(?:[십백천][만억조]?|[만억조])(?=\s?(?:{any_of((*COUNTERS, "년", "일", "원", "건", "달러"))})))
    | (?P<korean>(?:(?:{DIGITS})\s?(?:{KOREAN_SCALE})\s?)+(?:(?:{DIGITS})(?!\d))?)
    | (?P<digits>{DIGITS})(?:st|nd|rd|th)?
    | (?P<spelled>\b(?:{_ENGLISH_NUMERAL})\b(?:[\s-](?:and\s)?(?:{_ENGLISH_NUMERAL})\b)*
        (?:\sand\sa\shalf\b)?)
    | (?P<half>\bhalf\s(?:an?\s)?(?=(?:{_MEASURES}|dozen)\b))
    | (?P<one>\b(?:{BEFORE_ONE})an?(?=\s(?:{_MEASURES})\b))
    | (?P<ordinal>\b(?:{any_of(ORDINALS)})(?=[\s-]|번째))
    | (?P<native>\b(?:(?:{any_of(UNMISTAKABLE_NUMERALS)})(?=\s[가-힣])
        |(?:{any_of(KOREAN_NUMERALS)})(?=(?:\s(?:{any_of(COUNTERS)})|(?:{any_of(JOINED_COUNTERS)})){_ENDING})))
    | (?P<sino>\b[{"".join(SINO_DIGITS)}]?[십백천][{"".join((*SINO_DIGITS, *SINO_PLACES))}]{{0,6}}
        (?=\s(?:{any_of((*COUNTERS, "년", "일", "원", "퍼센트", "킬로미터", "미터"))}))))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SCALE = re.compile(
    r"[\s-]?(?:(hundred|thousand|million|billion|trillion|dozen)s?|(mn|bn|tn))(?![A-Za-z])"
    r"|(?<=\d)([kb]|m(?!\s?(?:high|long|wide|deep|tall|above)\b))(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_UNIT = re.compile(
    rf"""\s?(percentage[\s-]points?|%p|%포인트|[%％]|[㎜㎝㎞㎎㎏㎡℃℉]|°[CF]|km/h)
    | [\s-]?((?:barrels?|bbls?)(?:\s(?:a|per)\sday|/d(?:ay)?)|m?[mk]?b(?:bl|oe)?(?:/d|pd))(?![A-Za-z0-9])
    | [\s-]?({any_of(name for name in UNITS if name.isascii() and name.isalpha())})(?![A-Za-z0-9])
    | ({any_of(name for name in UNITS if "가" <= name[0] <= "힣")})(?!의\s?\d|대)
    | \s({any_of(name for name in UNITS if "가" <= name[0] <= "힣" and len(name) > 1)}|원)""",
    re.IGNORECASE | re.VERBOSE,
)
_AND_HALF = re.compile(r"\sand\sa\shalf\b", re.IGNORECASE)  # "an hour and a half"
_KOREAN_METRES = re.compile(r"m\s?[가-힣]")  # 420m이다; $420m is money
# These pounds are money: weights in pounds have smaller numbers, or a noun as in "a million pounds of beef".
_POUNDS = re.compile(r"\spounds?\b(?!\sof\b)(?:\ssterling\b)?", re.IGNORECASE)
_CURRENCY = re.compile(r"(US\$|[$€£₩¥]|\b(?-i:USD|EUR|GBP|KRW|JPY|CNY|RMB|INR|CHF))\s?$", re.IGNORECASE)
_LIST_NUMBER = re.compile(
    r"^[ \t]*\(?\d{1,3}(?=[.)][ \t])|(?<=[,;:.] )\(?\d{1,2}(?=\) )|^[ \t]*(?:step|단계) \d{1,3}(?= ?[:.)] )",
    re.MULTILINE | re.IGNORECASE,
)
# A decimal comma counts only before a unit: elsewhere "1,5" may list two numbers.
_UNIT_WORD = rf"(?:{any_of(name for name in UNITS if name.isalpha())})(?![A-Za-z0-9])"
_DECIMAL_COMMA = re.compile(rf"(?<![\d.,])(\d{{1,3}}),(\d{{1,2}})(?=\s?(?:[%％℃]|{_UNIT_WORD}))")
# Spaces group digits (ISO, French, Swedish): narrow and unbreakable ones always, others before what is counted, and
# where they are all that a cell of a table has. "10 737 MAX" and "in 1956 200 000" are two numbers.
_GROUPED = re.compile(
    rf"""(?<![\d.,:/×^+-])(?<![\d×]\s)\d{{1,3}}(?:
        (?:[\u00a0\u202f\u2009]\d{{3}})+(?!\d)
      | (?:[ ]\d{{3}})+(?!\d)(?=\s?(?:[%％℃℉€$£¥₩]|{_UNIT_WORD})|\s(?!(?:and|or|to|by|x)\s)[a-z]{{2}}|\s?(?:[\t|]|$))
    )""",
    re.VERBOSE | re.MULTILINE,
)
_GROUP_SIGN = re.compile(r"[ \u00a0\u202f\u2009]")
_TABLE_SCALE = re.compile(r"\b(?:in|\$)\s+(thousand|million|billion)s\b|단위\s*:\s*(백만|십억|천|억|조)", re.IGNORECASE)
_BEFORE: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("under", re.compile(r"\b(?:(?:no|not) (?:more|later) than|at most|up to|within)\s$|최대\s?$", re.IGNORECASE)),
    ("over", re.compile(r"\b(?:no|not) (?:less|fewer) than\s$|최소\s?$", re.IGNORECASE)),
    ("over", re.compile(r"\b(?:more than|over|at least|above|exceed(?:s|ed|ing)?)\s$", re.IGNORECASE)),
    ("under", re.compile(r"\b(?:less than|fewer than|under|below)\s$", re.IGNORECASE)),
    ("about", re.compile(r"\b(?:about|almost|approximately|around|nearly|roughly|some)\s$|약\s?$", re.IGNORECASE)),
)
_AFTER: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("over", re.compile(r"\s?\w{0,2}\s(?:이상|초과|or more)|이 넘|\s?여\s")),
    ("under", re.compile(r"\s?\w{0,2}\s(?:이하|미만|이내|or less)")),
    ("about", re.compile(r"\s?\w{0,2}\s?(?:가량|정도)")),
)
_CAPITAL = re.compile(r"\s[A-Z][a-z]")
_DECADE = re.compile(r"['’]?s\b")
_NAME_BEFORE = re.compile(r"(?<![^\W\d_])[A-Z][A-Za-z]{0,20}-$")
_LETTER_AFTER = re.compile(r"-[A-Z](?![A-Za-z0-9])")
_LETTER_HYPHEN = re.compile(r"[A-Za-z]-$")
_CLAUSE = re.compile(r"[^,;:()|\n]{0,40}")


def find_quantities(text: str) -> list[Quantity]:
    """Return the quantities in `text` in order, dates included; the number of a list item is no quantity."""
    text = _DECIMAL_COMMA.sub(r"\1.\2", latin_letters(text))
    joined = _GROUPED.sub(lambda match: _GROUP_SIGN.sub(",", match[0]), text)
    listed = {match.end() for match in _LIST_NUMBER.finditer(joined)}
    quantities = list(_quantities(joined, listed))
    if joined == text:
        return quantities
    return [replace(part, text=text[part.start : part.start + len(part.text)]) for part in quantities]


def _quantities(text: str, listed: Set[int]) -> Iterator[Quantity]:
    end = 0
    for match in _NUMBER.finditer(text):
        # "Half a dozen" and "3 dozen" are one quantity.
        if match.start() >= end and match.end() not in listed and not _is_name(text, match):
            quantity = _quantity(text, match)
            end = quantity.start + len(quantity.text)
            yield quantity


def _is_name(text: str, match: re.Match[str]) -> bool:
    """True if a number belongs to a name: `Fifty Shades`, `the Hundred Years' War`, `the 80s`, `COVID-19`, `10-Q`."""
    spelled, rest = match["spelled"], text[match.end() : match.end() + 4]
    if spelled:
        return spelled[0].isupper() and spelled.istitle() and _CAPITAL.match(rest) is not None
    is_joined = _LETTER_AFTER.match(rest) or _NAME_BEFORE.search(text, max(0, match.start() - 24), match.start())
    return match["digits"] is not None and bool(is_joined or _DECADE.match(rest))


def table_scale(text: str) -> float:
    """Return the factor that a header such as "(in millions)" gives the plain numbers of `text`; 1 without one."""
    match = _TABLE_SCALE.search(text)
    return SCALES[(match[1] or match[2]).lower()] if match else 1.0


def _quantity(text: str, match: re.Match[str]) -> Quantity:
    value, step = written_value(match)
    end = match.end()
    currency = _CURRENCY.search(text, max(0, match.start() - 4), match.start())
    scale = _SCALE.match(text, end)
    if scale and not currency and _KOREAN_METRES.match(text, end):
        scale = None
    if scale:
        factor = SCALES[(scale[1] or scale[2] or scale[3]).lower()]
        value, step, end = value * factor, step * factor, scale.end()
    unit = _UNIT.match(text, end)
    pounds = _POUNDS.match(text, end) if scale and not unit else None
    start, end = (currency or match).start(), measured.end() if (measured := unit or pounds) else end
    name = currency[1] if currency else unit[unit.lastindex or 0] if unit else "gbp" if pounds else ""
    half = _AND_HALF.match(text, end) if measured else None
    if half:
        value, end = value + 0.5, half.end()
    clause = _CLAUSE.match(text, end)
    bound = _bound(text, start, end)
    if vague := match["vague"]:  # `several hundred` and `수백` are fewer than a thousand; `hundreds` need not be
        bound = "multiples" if vague.lower().partition(" ")[0].endswith("s") else "several"
    return Quantity(
        value=value,
        step=step,
        unit="".join(name.lower().replace("percentage-", "percentage").split()).replace("％", "%"),
        bound=bound,
        scaled=bool(scale or match["korean"] or match["vague"]),
        weak=_is_weak(text, match, value),
        nouns=frozenset(content_stems(clause[0] if clause else "")[:2]),
        start=start,
        text=text[start:end].strip(),
    )


def _is_weak(text: str, match: re.Match[str], value: float) -> bool:
    if match["digits"]:
        return _LETTER_HYPHEN.search(text, max(0, match.start() - 2), match.start()) is not None  # COVID-19
    return match["vague"] is not None or (value <= 12 and not (match["korean"] or match["code"] or match["half"]))


def _bound(text: str, start: int, end: int) -> Bound:
    for bound, cue in _BEFORE:
        if cue.search(text, max(0, start - 18), start):
            return bound
    for bound, cue in _AFTER:
        if cue.match(text, end):
            return bound
    return "exactly"
