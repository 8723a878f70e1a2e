"""Texts that are ASCII except for signs such as €, °, × or §, which show too little for a guess by languages.

They are read as Windows-1252, the most usual encoding, if each sign stands in a usual place: beside a number, on its
own, or around words. A text does not pass if a sign may be a letter in another encoding.
"""

import re
import unicodedata

_ENCODING = "cp1252"
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_UNIT = re.compile(r"[A-Za-z]{0,4}")
_BLANK, _MICRO, _DEGREE, _ELLIPSIS, _OPERATIONS = "\xa0", "µ", "°", "…", "×÷"
_UNUSUAL = frozenset("¤¦¬¡¿")
_CATEGORIES = frozenset(("Sc", "So", "Sm", "No", "Po", "Pd", "Pi", "Pf"))
_OF_WORDS = ("cp1250", "cp1251")  # these encodings have letters in place of some signs


def is_ascii_with_signs(data: bytes) -> bool:
    try:
        text = data.decode(_ENCODING)
    except UnicodeDecodeError:
        return False
    if _CONTROL.search(text):
        return False
    # Quotation marks come in pairs; a lone one may be a letter of the Macintosh or of DOS.
    pairs = (("“", "”"), ("‘", "’"), ("«", "»"))
    return all(text.count(left) == text.count(right) for left, right in pairs) and all(
        _is_in_place(text, sign.start()) for sign in _FOREIGN.finditer(text)
    )


def _is_in_place(text: str, at: int) -> bool:
    sign = text[at]
    before, after = (text[side : side + 1].replace(_BLANK, " ") for side in (max(at - 1, 0), at + 1))
    before = before if at else ""
    if not (before + after).isascii() or sign in _UNUSUAL:
        return False  # the two bytes may be one character of East Asia
    if sign == _BLANK:
        return not (before.isalpha() and after.isalpha())
    if sign in (_MICRO, _DEGREE):
        return not before.isalpha() and _is_before_unit(text, at)
    category = unicodedata.category(sign)
    if unicodedata.decomposition(sign).startswith("<super>"):
        may_be_word = any(sign.encode(_ENCODING).decode(other).islower() for other in _OF_WORDS)
        return _ends(after) and (before.isdigit() or (before.isalpha() and category == "No" and not may_be_word))
    if category not in _CATEGORIES:
        return False
    if category == "Pi":
        return not before.isalnum() and not after.isspace()
    return _ends(after) and _stands_alone(text, at, before, category)


def _is_before_unit(text: str, at: int) -> bool:
    """True for signs before a short unit, as in µg and °C; longer units come after a number."""
    unit = _UNIT.match(text, at + 1)
    length = len(unit[0]) if unit else 0
    counted = text[max(at - 2, 0) : at].strip()[-1:].isdigit()
    return length < 2 or (text[at] == _MICRO and length < 4 and counted)


def _stands_alone(text: str, at: int, before: str, category: str) -> bool:
    if before.isalpha():
        return category in ("Pf", "So") or text[at] == _ELLIPSIS
    left, right = text[max(at - 3, 0) : at].rstrip(" \xa0")[-1:], text[at + 1 : at + 4].lstrip(" \xa0")[:1]
    if text[at] in _OPERATIONS:
        return left.isalnum() and right.isalnum()
    # At the start of a line the sign may be a bullet in the encoding of the Macintosh.
    return category != "Sc" or left not in ("", "\n") or not right.isalpha()


def _ends(after: str) -> bool:
    """True if the text after a sign cannot begin with the second byte of a character of East Asia."""
    return not after or after.isspace() or "!" <= after <= "?"
