"""Words of a file that its reader does not see. They are left out of the text, and the metadata state their number."""

import re
from collections import Counter
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["outside", "unseen", "small", "struck", "hidden"]
HIDDEN_TEXT = "hidden_text"
"""The key of the metadata that states the number of hidden words."""
_MOST_LISTED = 50  # pages
_SAID: dict[Reason, str] = {
    "outside": "outside the page",
    "unseen": "not visible",
    "small": "too small to read",
    "struck": "struck through",
    "hidden": "marked as hidden",
}
PAPER = "ffffff"
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}")
_LEAST_APART = 15  # of 255, in one component
_WORD = re.compile(r"[^\W_]+")


def are_alike(colour: str, ground: str) -> bool:
    """True if a reader cannot tell two colours of six hexadecimal digits apart."""
    if not (_COLOUR.fullmatch(colour) and _COLOUR.fullmatch(ground)):
        return False
    parts = zip(bytes.fromhex(colour), bytes.fromhex(ground), strict=True)
    return all(abs(ink - paper) < _LEAST_APART for ink, paper in parts)


def encoded(light: float) -> float:
    """The part of an sRGB colour, from 0 to 1, that gives this light."""
    light = min(max(light, 0.0), 1.0)
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


class HiddenWords:
    def __init__(self) -> None:
        self._words: Counter[Reason] = Counter()
        self._pages: set[int] = set()

    def add(self, text: str, reason: Reason | None, page: int | None = None) -> None:
        if reason and (count := len(_WORD.findall(text))):
            self._words[reason] += count
            self._pages |= {page} if page else set()

    def found(self) -> dict[str, str]:
        """The entry for the document's metadata; empty if no word is hidden."""
        if not self._words:
            return {}
        words = self._words.total()
        reasons = ", ".join(said for reason, said in _SAID.items() if self._words[reason])
        pages = f" on page{'s' * (len(self._pages) > 1)} {listed_pages(sorted(self._pages))}" if self._pages else ""
        return {HIDDEN_TEXT: f"{words:,} word{'s' * (words > 1)}{pages}: {reasons}"}


def listed_pages(numbers: list[int] | tuple[int, ...]) -> str:
    return ", ".join([*map(str, numbers[:_MOST_LISTED]), *(["…"] if len(numbers) > _MOST_LISTED else [])])
