"""What was recognised on a page, before it becomes lines; it can be kept as JSON."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from pydantic import FiniteFloat, TypeAdapter

PixelBox = tuple[int, int, int, int]
Turns: TypeAlias = Literal[0, 1, 2, 3]


class Word(NamedTuple):
    """A word, or a part of one, at left, top, right, bottom; `joined` to the one before it without a space."""

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
    """The rows of a picture of so many pixels when it is upright; it is shown turned by 90° clockwise so often.

    `unknown_script`: in which letters it seems to be, where no language that is installed has them; it has no rows.
    """

    width: int
    height: int
    dpi: int
    rows: tuple[Row, ...]
    turns: Turns = 0
    unknown_script: str = ""


RECOGNISED_PAGE = TypeAdapter(RecognisedPage)
