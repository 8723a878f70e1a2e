"""Reads for the simulated model: words, numbers, negation, sentences. Deliberately crude and independent."""

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

Relation = Literal["supports", "partially_supports", "contradicts", "does_not_mention"]

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_HANGUL = re.compile(r"[가-힣]")
_SENTENCE = re.compile(r"\S.*?(?:[.!?。](?=\s|\[|$)|(?=\n\s*(?:\n|#|[-*] ))|\Z)", re.DOTALL)
_MARKER = re.compile(r"\s*\[†?\d+\]")
_NEGATION = re.compile(r"\b(?:not|no|never|without|cannot|neither|nor|none)\b|n't\b|않|없|아니|못", re.IGNORECASE)
_STOP = frozenset(
    """
    a about after all an and any are as at be been before by can did do does for from had has have how i if in into is
    it its many me more much must my of on or our say should so tell than that the their them there these they this to
    under up was we were what when where which who whom whose why will with within would you your
    무엇 얼마 언제 어디 어떤 어떻 누구 입니 인가 있나 되나 하나 나요 무슨 대해 대한 것은 몇
    """.split()
)


@dataclass(frozen=True, slots=True)
class Span:
    """`text` as at `[start, start + len(text))` of what was read."""

    start: int
    text: str

    @property
    def flat(self) -> str:
        return " ".join(self.text.split())

    @property
    def is_whole(self) -> bool:
        """Whether it ends like a sentence; otherwise it was cut, or is an item of a list or table."""
        return self.text.endswith((".", "!", "?", "。"))


def stems(text: str) -> set[str]:
    """Content words and numbers, cut where inflection begins."""
    found = {_stem(word) for word in _WORD.findall(text.lower())} - _STOP
    return {stem for stem in found if len(stem) > 1 or _HANGUL.match(stem)} | numbers(text)


def _stem(word: str) -> str:
    if word in _STOP:
        return word
    if _HANGUL.match(word):
        return word[:2]
    return word[:6] if len(word) > 6 else word.rstrip("s") or word


def numbers(text: str) -> set[str]:
    """The numbers in `text`, without thousands separators."""
    return {number.replace(",", "") for number in _NUMBER.findall(_MARKER.sub("", text))}


def sentences(text: str) -> list[Span]:
    """Sentences with at least two content words, exactly as in `text`; headings are no sentences."""
    spans = [Span(match.start(), match[0].rstrip()) for match in _SENTENCE.finditer(text)]
    return [span for span in spans if len(stems(span.text)) > 1 and not span.text.startswith("#")]


def without_markers(text: str) -> str:
    return _MARKER.sub("", text)


def share(part: AbstractSet[str], whole: AbstractSet[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0


def judge(statement: str, source: str) -> tuple[Relation, float, str]:
    """Compare a statement with a source: relation, confidence and the deciding sentence."""
    said = stems(without_markers(statement))
    rated = [(share(said, stems(span.text)), span) for span in sentences(source)] or [(0.0, Span(0, source))]
    same_words, best = max(rated, key=lambda pair: pair[0])
    overlap = share(said, stems(source))
    if overlap < 0.3:
        return "does_not_mention", 0.85, best.flat
    # A number elsewhere in the source, about something else, is no support.
    around = " ".join(span.text for rate, span in rated if rate >= 0.6 * same_words)
    negation_differs = same_words >= 0.6 and _negated(statement) != _negated(best.text)
    if numbers(statement) - numbers(around) or negation_differs:
        return "contradicts", 0.9, best.flat
    if overlap >= 0.75:
        return "supports", round(0.6 + 0.39 * overlap, 2), best.flat
    return "partially_supports", 0.7, best.flat


def _negated(text: str) -> bool:
    return _NEGATION.search(text) is not None
