"""The words that were recognised on a page, before they become lines; they can be stored as JSON."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from pydantic import FiniteFloat, TypeAdapter

PixelBox = tuple[int, int, int, int]
Turns: TypeAlias = Literal[0, 1, 2, 3]


class Word(NamedTuple):
    """A word, or a part of one, at left, top, right, bottom; `joined`: it follows the word before without a space."""

    text: str
    box: PixelBox
    confidence: FiniteFloat
    joined: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The words of one line from left to right, and the height of their baseline, in pixels from the top."""

    words: tuple[Word, ...]
    baseline: FiniteFloat


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The rows of an upright picture with its size in pixels, and the number of turns by 90° clockwise with which it is
    shown.

    `unknown_script`: the script that the page seems to be in, if no installed language has it; it has no rows then.
    """

    width: int
    height: int
    dpi: int
    rows: tuple[Row, ...]
    turns: Turns = 0
    unknown_script: str = ""


RECOGNISED_PAGE = TypeAdapter(RecognisedPage)
