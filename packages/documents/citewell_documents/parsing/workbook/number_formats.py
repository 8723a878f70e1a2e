"""Excel's number formats: `#,##0.00;(#,##0.00)`, `0.0%`, `[$€-407] #,##0`, `0.0,,"M"`.

Only formats that print one plain number are read; formats of fractions, powers of ten, dates and conditions are not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<bracket>[^\]]*)\]'
    r"|(?P<digits>[0#?][0#?,.]*|\.[0#?]+)|(?P<plain>.)",
    re.DOTALL,
)
_SECTION = re.compile(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])*')
_BLANK = re.compile(r'(?:""|\s|_.|\[[^\]]*\])*')
_UNQUOTED = re.compile(r"[^\w/.,;@?#*]")  # characters that Excel prints unchanged
_CONDITIONS = ("<", ">", "=")
_COLOURS = re.compile(r"black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d+", re.IGNORECASE)
_SCALES_READ = frozenset({"", "m", "mn", "mil", "million", "b", "bn", "billion", "백만", "십억"})
_LONGEST, _MOST_DECIMALS, _MOST = 200, 10, Decimal(10) ** 15


@dataclass(frozen=True, slots=True)
class _Section:
    """The form in which a number is printed: the words around it, its numbers of digits, and its `factor`, such as a
    hundred or a thousandth.
    """

    before: str
    after: str
    grouped: bool
    whole_digits: int
    decimals: int
    optional: int
    factor: Decimal


def formatted(value: float, number_format: str) -> str | None:
    """The number as Excel shows it; None if its format is not read here."""
    sections = _sections(number_format)
    number = Decimal(format(value, ".15g"))
    if not sections or abs(number) >= _MOST:
        return None
    if number < 0 and len(sections) > 1:
        return _printed(-number, sections[1])
    section = sections[2] if number == 0 and len(sections) > 2 else sections[0]
    text = _printed(abs(number), section)
    is_negative = number < 0 and re.search("[1-9]", text)
    return f"-{text}" if is_negative else text


def prints_nothing(value: object, number_format: str) -> bool:
    """True for a value whose section of the format is blank, as all sections of `;;;` are. A zero counts as printed
    unless positive numbers are not printed either.
    """
    if ";" not in number_format:
        return False
    positive, negative, zero, text = _blank_sections(number_format)
    if isinstance(value, str):
        return text
    if isinstance(value, (int, float)):
        return negative if value < 0 else positive and (value > 0 or zero)
    return positive


@lru_cache(maxsize=1024)
def _section_colours(number_format: str) -> tuple[str, ...]:
    """The colour that each section names, such as `white` or `color 2`; empty for a section without one. Conditions,
    which decide otherwise which section holds, are not read.
    """
    brackets = _brackets(number_format)
    if _has_conditions(brackets):
        return ()
    return tuple(next(filter(_COLOURS.fullmatch, names), "") for names in brackets)


def _brackets(number_format: str) -> list[list[str]]:
    """The words in brackets of each section, such as `white` or `>100`, in small letters."""
    sections = _split(number_format[:_LONGEST])
    return [[match["bracket"].lower() for match in _TOKEN.finditer(part) if match["bracket"]] for part in sections]


def _has_conditions(brackets: Sequence[Sequence[str]]) -> bool:
    return any(name.startswith(_CONDITIONS) for names in brackets for name in names)


def printed_colour(value: object, number_format: str) -> str:
    """The name of the colour in which a format prints a value; empty if it names none."""
    colours = _section_colours(number_format) if "[" in number_format else ()
    if not colours or not any(colours):
        return ""
    if isinstance(value, str):
        has_section = len(colours) > 3 or "@" in _split(number_format)[-1]
        return colours[min(len(colours), 4) - 1] if has_section else ""
    number = value if isinstance(value, (int, float)) else 1
    at = 1 if number < 0 else 2 if number == 0 else 0
    return colours[at if at < len(colours) else 0]


@lru_cache(maxsize=1024)
def _blank_sections(number_format: str) -> tuple[bool, bool, bool, bool]:
    if _has_conditions(_brackets(number_format)):
        return False, False, False, False
    blank = [_BLANK.fullmatch(section) is not None for section in _split(number_format[:_LONGEST])]
    zero = blank[2] if len(blank) > 2 else blank[0]
    return blank[0], blank[1], zero, len(blank) > 3 and blank[3]


@lru_cache(maxsize=1024)
def _sections(number_format: str) -> Sequence[_Section] | None:
    if len(number_format) > _LONGEST:
        return None
    parts = _split(number_format)[:3]
    sections = [_section(part) for part in parts]
    # A section for zero may print only a dash; the number says more.
    if len(sections) == 3 and sections[2] is None:
        sections[2] = sections[0]
    known = tuple(section for section in sections if section)
    return known if len(known) == len(parts) else None


def _split(number_format: str) -> list[str]:
    parts: list[str] = []
    at = 0
    while at <= len(number_format):
        part = _SECTION.match(number_format, at)
        parts.append(part[0] if part else "")
        at = (part.end() if part else at) + 1
    return parts


def _section(pattern: str) -> _Section | None:
    words, digits, percent = ["", ""], "", 0
    for token in _TOKEN.finditer(pattern):
        kind, text = token.lastgroup, token[token.lastgroup] if token.lastgroup else ""
        if kind == "digits":
            if digits:
                return None
            digits = text
        elif (kind == "plain" and not _UNQUOTED.fullmatch(text)) or (
            kind == "bracket" and not _COLOURS.fullmatch(text)
        ):
            return None
        elif kind != "bracket":
            words[bool(digits)] += text
            percent += kind == "plain" and text == "%"
    return _made(words[0], words[1], digits, percent) if "0" in digits else None


def _made(before: str, after: str, digits: str, percent: int) -> _Section | None:
    whole, _, decimals = digits.rstrip(",").partition(".")
    thousands = len(digits) - len(digits.rstrip(","))
    if "." in decimals or "," in decimals or percent > 1:
        return None
    if after.strip().lower() not in _SCALES_READ and thousands:  # for `0,"K"`, the whole number is clearer
        return _made(before, "", digits.rstrip(","), percent)
    fixed = min(decimals.count("0"), _MOST_DECIMALS)
    return _Section(
        before=before,
        after=after,
        grouped="," in whole,
        whole_digits=whole.count("0"),
        decimals=fixed,
        optional=min(len(decimals) - decimals.count("0"), _MOST_DECIMALS - fixed),
        factor=Decimal(100) ** percent / Decimal(1000) ** thousands,
    )


def _printed(number: Decimal, section: _Section) -> str:
    places = section.decimals + section.optional
    rounded = (number * section.factor).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    whole, _, decimals = f"{rounded:f}".partition(".")
    shown = decimals[: section.decimals] + decimals[section.decimals :].rstrip("0")
    whole = f"{int(whole):,}" if section.grouped else whole.zfill(section.whole_digits)
    text = f"{whole}.{shown}" if shown else whole
    return f"{section.before}{text}{section.after}".strip()
