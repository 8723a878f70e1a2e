"""Random answers with citations in every form that models write, beside brackets that are not citations (V5).

The statement and the citations of each sentence are known, so that a reader of the answer can be tested against them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from citewell_verify.markers.citable import Citable, citable_sources

SOURCES: Citable = citable_sources(
    [
        {"filename": "aapl0.md", "page_number": 3, "metadata": {"ticker": "AAPL", "year": 2023, "filing_type": "10-Q"}},
        {"filename": "refund-policy.md", "section": "Returns and Fees"},
        {"title": "환불 규정", "id": "kr-7"},
        {"filename": "msft.pdf", "metadata": {"ticker": "MSFT", "year": 2022, "filing_type": "10-K"}},
        {"title": "Annual Report of Norvex", "url": "https://norvex.example/report"},
    ]
)
NAMES = (
    ("AAPL 10-Q 2023", "2023 AAPL 10-Q", "aapl0.md, p. 3", "AAPL 2023"),
    ("refund-policy.md", "refund-policy", "refund-policy.md, p. 7", "Returns and Fees"),
    ("환불 규정", "kr-7"),
    ("MSFT 10-K 2022", "10-K 2022 MSFT", "msft.pdf"),
    ("Annual Report of Norvex", "https://norvex.example/report"),
)
UNKNOWN_NAMES = ("TSLA 10-K 2019", "unknown-file.pdf, p. 12", "AAPL 10-K 2021", "없는 문서 3")

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def _each(template: str) -> Callable[[Sequence[int], Random], str]:
    return lambda numbers, _: "".join(template.replace("N", str(number)) for number in numbers)


def _joined(opening: str, between: str, closing: str) -> Callable[[Sequence[int], Random], str]:
    return lambda numbers, _: opening + between.join(map(str, numbers)) + closing


def _range(template: str) -> Callable[[Sequence[int], Random], str]:
    def written(numbers: Sequence[int], _: Random) -> str:
        is_run = len(numbers) > 1 and list(numbers) == list(range(numbers[0], numbers[-1] + 1))
        return template.format(numbers[0], numbers[-1]) if is_run else "".join(f"[{number}]" for number in numbers)

    return written


def _named(opening: str, closing: str) -> Callable[[Sequence[int], Random], str]:
    def name(number: int, rng: Random) -> str:
        return rng.choice(NAMES[number - 1] if 1 <= number <= len(NAMES) else UNKNOWN_NAMES)

    return lambda numbers, rng: "".join(f"{opening}{name(number, rng)}{closing}" for number in numbers)


FORMS: dict[str, Callable[[Sequence[int], Random], str]] = {
    "[1]": _each("[N]"),
    "[†1]": _each("[†N]"),
    "[^1]": _each("[^N]"),
    "[1, 2]": _joined("[", ", ", "]"),
    "[1-3]": _range("[{}-{}]"),
    "[1]–[3]": _range("[{}]–[{}]"),
    "［1］": _each("［N］"),
    "[１]": lambda numbers, _: "".join(f"[{str(number).translate(_FULL_WIDTH)}]" for number in numbers),
    "[†１]": lambda numbers, _: "".join(f"[†{str(number).translate(_FULL_WIDTH)}]" for number in numbers),
    "〔1〕": _each("〔N〕"),
    "【1】": _each("【N】"),
    "【1†L3】": _each("【N†L3-L9】"),
    "¹ ²": lambda numbers, _: ",".join(str(number).translate(_RAISED) for number in numbers),
    "[1](url)": _each("[N](https://a.example/b_(c)?d=2)"),
    "[[1]](#ref1)": _each("[[N]](#refN)"),
    "[[[1]]]": _each("[[[N]]]"),
    "<sup>[1]</sup>": _each("<sup>[N]</sup>"),
    "<sup>1</sup>": _joined("<sup>", ",", "</sup>"),
    "[Source: 1]": _each("[Source: N]"),
    "(Source: 1)": _each("(Source: N)"),
    "[출처: 1]": _each("[출처: N]"),
    "([1])": _joined("([", "], [", "])"),
    "[Source: NAME]": _named("[Source: ", "]"),
    "(Source: NAME)": _named("(Source: ", ")"),
}

ENGLISH = (
    "Sales rose by 5 percent",
    "Refunds take 30 days",
    "The committee met in [2023] and again in 2024",
    "Every continuous function on [0, 1] is bounded",
    "On [1, 2] the function is monotone",
    "The path γ : [0, 1] → X is closed",
    "The vector v = [3, 4] has length five",
    "The first element is a[0] and the second is a[1]",
    "The call reads argv[1] and user_ids[2] from the record",
    "Use `x[1]` and ``y[2]`` to read the row",
    "The set $[1, 2] \\cup [3, 4]$ is compact",
    "The rotation [[1, 2], [3, 4]] has a determinant",
    "Ask https://x.example/?filter[1]=5 for the record",
    "Read [the guide](https://a.example/x[1]/y) before the start",
    "The field has 20 m² and 10³ plants",
    "Here x² + y² stays below 7 km<sup>2</sup> in all",
    "The map f(x) = [1, 2] is constant",
    "The [3,3]-sigmatropic shift is fast",
    "She said “wait (5 days) or leave” to all",
)
OTHERS = (
    "매출은 5% 늘었습니다",
    "환불은 30일 이내에 가능합니다",
    "구간 [1, 2]에서 함수는 유계입니다",
    "코드 `a[1]`은 두 번째 값입니다",
    "넓이는 20 m²입니다",
)
WIDE = ("売上は5％増えた", "函数在区间 [0, 1] 上连续", "費用は減った", "退款需要30天")


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence with its full stop, and the numbers that it cites; 0 and numbers above the sources cite nothing."""

    words: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MarkedAnswer:
    """`text` has the sentences `said`; its markers have `form` and stand at `place`. `plain` is the text without
    them."""

    text: str
    plain: str
    said: tuple[Said, ...]
    form: str
    place: str


def marked_answer(seed: int) -> MarkedAnswer:
    """Return the answer of `seed`: one form of markers and one place for all of them, in one to six sentences."""
    rng = Random(seed)
    form = rng.choice(sorted(FORMS))
    place = rng.choice(
        ("before the stop", "spaced before the stop", "behind the stop", "spaced behind the stop", "in front")
    )
    if place.startswith("spaced") and form == "¹ ²":
        place = place.removeprefix("spaced ")
    kind = rng.choice((ENGLISH, ENGLISH, OTHERS, WIDE))
    if place == "in front" and kind is WIDE:
        kind = ENGLISH
    said, pieces, plain = list[Said](), list[str](), list[str]()
    for index in range(rng.randint(1, 6)):
        numbers = _numbers(rng, must=place == "in front" and index == 0)
        stop = "。" if kind is WIDE else rng.choice((".", ".", "!"))
        words = rng.choice(kind)
        said.append(Said(words + stop, numbers))
        pieces.append(_written(words, stop, FORMS[form](numbers, rng) if numbers else "", place))
        plain.append(words + stop)
    between = "" if kind is WIDE else rng.choice((" ", " ", "\n\n"))
    # After a wide full stop a marker and the next sentence touch; a line break keeps the marker with its sentence.
    return MarkedAnswer(between.join(pieces), between.join(plain), tuple(said), form, place)


def _numbers(rng: Random, *, must: bool) -> tuple[int, ...]:
    count = rng.choice((0, 1, 1, 1, 2, 3)) or must
    first = rng.choice((1, 1, 2, 2, 3, 4, 5, 7))
    numbers = [first + step for step in range(count)] if rng.random() < 0.5 else rng.sample(range(1, 8), count)
    return tuple(numbers)


def _written(words: str, stop: str, marker: str, place: str) -> str:
    if not marker:
        return words + stop
    space = " " if place.startswith("spaced") else ""
    if place == "in front":
        return f"{marker} {words}{stop}"
    return f"{words}{space}{marker}{stop}" if "before" in place else f"{words}{stop}{space}{marker}"
