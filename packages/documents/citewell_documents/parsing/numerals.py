"""Number formats of lists."""

from collections.abc import Callable

_ROMAN = dict(
    zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    )
)
_GANADA = "가나다라마바사아자차카타파하"
_MAX_ROMAN = 3999


def roman(number: int) -> str:
    """A number in Roman numerals: 1 is `i`, 14 is `xiv`; numbers above 3999 stay decimal."""
    if not 0 < number <= _MAX_ROMAN:
        return str(number)
    letters = ""
    for value, sign in _ROMAN.items():
        count, number = divmod(number, value)
        letters += sign * count
    return letters


def letter(number: int) -> str:
    """A number in letters, as in Word: 1 is `a`, 26 is `z`, 27 is `aa`, 28 is `bb`."""
    return chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1) if 0 < number <= 26 * 26 else str(number)


def numeral(number: int, kind: str) -> str:
    """Write `number` in one of Word's number formats; for unsupported formats in digits; for `none` as an empty
    text.
    """
    return _WRITERS.get(kind, str)(number)


_WRITERS: dict[str, Callable[[int], str]] = {
    "lowerRoman": roman,
    "upperRoman": lambda number: roman(number).upper(),
    "lowerLetter": letter,
    "upperLetter": lambda number: letter(number).upper(),
    "decimalZero": lambda number: f"{number:02}",
    "ganada": lambda number: _GANADA[(number - 1) % len(_GANADA)],
    "decimalEnclosedCircle": lambda number: chr(0x2460 + number - 1) if 0 < number <= 20 else str(number),
    "none": lambda _: "",
}
