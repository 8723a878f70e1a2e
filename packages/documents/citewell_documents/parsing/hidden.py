"""Words of a file that its reader does not see: they are left out of the text, and the document says how many."""

import re
from collections import Counter
from typing import Literal, TypeAlias

Reason: TypeAlias = Literal["outside", "unseen", "small", "struck", "hidden"]
HIDDEN_TEXT = "hidden_text"
"""The key of the metadata that says what was left out."""
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
    """True for two colours, of six hexadecimal digits each, that a reader cannot tell apart."""
    if not (_COLOUR.fullmatch(colour) and _COLOUR.fullmatch(ground)):
        return False
    parts = zip(bytes.fromhex(colour), bytes.fromhex(ground), strict=True)
    return all(abs(ink - paper) < _LEAST_APART for ink, paper in parts)


class HiddenWords:
    def __init__(self) -> None:
        self._words: Counter[Reason] = Counter()
        self._pages: set[int] = set()

    def add(self, text: str, reason: Reason | None, page: int | None = None) -> None:
        if reason and (count := len(_WORD.findall(text))):
            self._words[reason] += count
            self._pages |= {page} if page else set()

    def found(self) -> dict[str, str]:
        """What the document says of itself: nothing if every word is seen."""
        if not self._words:
            return {}
        words = self._words.total()
        reasons = ", ".join(said for reason, said in _SAID.items() if self._words[reason])
        pages = f" on page{'s' * (len(self._pages) > 1)} {listed_pages(sorted(self._pages))}" if self._pages else ""
        return {HIDDEN_TEXT: f"{words:,} word{'s' * (words > 1)}{pages}: {reasons}"}


def listed_pages(numbers: list[int] | tuple[int, ...]) -> str:
    return ", ".join([*map(str, numbers[:_MOST_LISTED]), *(["…"] if len(numbers) > _MOST_LISTED else [])])
