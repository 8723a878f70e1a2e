"""Shapes of text that are meant to make a function slow, of any length, and different for each argument."""

from collections.abc import Callable, Mapping
from itertools import count
from random import Random

_SYLLABLES = "ba ke li mo nu ra se ti vo wy".split()
_KOREAN = "서울 계약은 회사가 하고 금액은 2023년 부터 30일 이내에 보고서를 그리고 않는다. 지급한다. 환불과".split()


def _repeated(piece: str) -> Callable[[int, Random], str]:
    return lambda length, _: (piece * (length // len(piece) + 1))[:length]


def _inside(before: str, piece: str, behind: str = "") -> Callable[[int, Random], str]:
    whole = _repeated(piece)
    return lambda length, random: before + whole(length - len(before) - len(behind), random) + behind


def _joined(make: Callable[[Random, int], str]) -> Callable[[int, Random], str]:
    def shape(length: int, random: Random) -> str:
        parts: list[str] = []
        size = 0
        for number in count():
            parts.append(make(random, number))
            size += len(parts[-1])
            if size >= length:
                break
        return "".join(parts)[:length]

    return shape


def _word(random: Random) -> str:
    return "".join(random.choices(_SYLLABLES, k=random.randint(1, 4)))


def _brackets(length: int, random: Random) -> str:
    opened = random.choices("([{", k=length // 2)
    return "".join(opened) + "".join({"(": ")", "[": "]", "{": "}"}[sign] for sign in reversed(opened))


def _digits(length: int, random: Random) -> str:
    """Half of it is one number, half of it numbers with their units."""
    endless = "".join(random.choices("0123456789", k=length // 2))
    numbers = _joined(lambda random, _: f" {random.randint(1, 99_999):,}{random.choice(('', '%', ' kg', '.5'))}")
    return endless + numbers(length - len(endless), random)


def _spaces(length: int, random: Random) -> str:
    """Half of it is white space, half of it a mixture of everything."""
    signs = " \t\u00a0\u200b\u3000-_*#>|.:,;/&%$@\\aA1가é"
    return " " * (length // 2) + "".join(random.choices(signs, k=length - length // 2))


SHAPES: Mapping[str, Callable[[int, Random], str]] = {
    "letter": _repeated("a"),
    "words": _joined(lambda random, _: f"{_word(random)} "),
    "brackets": _brackets,
    "digits": _digits,
    "markers": _repeated("[1]"),
    "newlines": _repeated("\n"),
    "table": _joined(lambda random, number: f"| {_word(random)} {number} | {random.randint(1, 9_999)} | 12.5 % |\n"),
    "sentences": _joined(
        lambda random, number: f"The {_word(random).title()} {number} weighs {random.randint(1, 999)} kg. "
    ),
    "endless": _joined(lambda random, number: f"the {_word(random).title()} {number} of {_word(random)} was not, and "),
    "korean": _joined(lambda random, _: f"{random.choice(_KOREAN)} "),
    "quotes": _joined(lambda random, _: random.choice(("'", '"', "“", "”", "’", "(", ".", "!", "?", ",", " ", "‘a"))),
    "spaces": _spaces,
    "tag": _inside("<source>\n<", "a", "\n</source>\nWho?"),
    "closing tag": _inside("<source>\n</", "content", "\n</source>\nWho?"),
    "opened": _inside("<source>\n", "<![CDATA[", "\n</source>\nWho?"),
    "metadata": _inside("<source>\n<document_metadata>\nsourceDocument: ", "a\n", "\n</source>\nWho?"),
    "history": _inside("### Task:\n", "<chat_history>"),
}


def text_of(shape: str, length: int, place: int = 0) -> str:
    """Return the text of this shape for the argument at `place`: the same in every run, different for each place."""
    return SHAPES[shape](length, Random(place))
