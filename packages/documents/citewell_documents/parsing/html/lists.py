"""Renders HTML lists as lines with markers."""

from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from citewell_documents.figures import FigureKind
from citewell_documents.parsing.numerals import numeral

_LISTS = frozenset(("ul", "ol", "dl", "menu", "dir"))
_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_MOST_INDENTED = 8
_INDENT = "  "


@dataclass(slots=True)
class _Level:
    tag: str
    number: int
    style: str
    marker: str = ""


class ListText:
    """Collects the lines of a list and its nested lists: `- item`, `2. item`, indented by two blanks per level."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._lines: list[str] = []
        self._figures: dict[int, FigureKind] = {}

    @property
    def is_open(self) -> bool:
        return bool(self._levels)

    def enter(self, node: LexborNode, tag: str) -> None:
        if tag in _LISTS:
            number = _number(node.attributes.get("start"), 1) if tag == "ol" else 1
            self._levels.append(_Level(tag, number, node.attributes.get("type") or "1"))
        elif self._levels and tag in ("li", "dt", "dd"):
            self._begin_item(self._levels[-1], node, tag)

    def leave(self, tag: str) -> bool:
        """Return True if the list that ends was the outermost one."""
        if tag not in _LISTS or not self._levels:
            return False
        self._levels.pop()
        return not self._levels

    def add(self, text: str, figure: FigureKind | None = None) -> None:
        indent = _INDENT * min(len(self._levels) - 1, _MOST_INDENTED)
        level = self._levels[-1]
        for line in filter(None, (" ".join(line.split()) for line in text.split("\n"))):
            if figure:
                self._figures[len(self._lines)] = figure
            self._lines.append(f"{indent}{level.marker}{line}")
            level.marker = " " * len(level.marker)

    def taken(self) -> tuple[str, dict[int, FigureKind]]:
        """The text, and the kinds of its lines that stand for pictures, by their numbers."""
        text, figures = "\n".join(self._lines), self._figures
        self._lines, self._figures = [], {}
        return text, figures

    @staticmethod
    def _begin_item(level: _Level, node: LexborNode, tag: str) -> None:
        if tag == "dt" or tag == "dd":
            level.marker = _INDENT if tag == "dd" else ""
        elif level.tag == "ol":
            level.number = _number(node.attributes.get("value"), level.number)
            level.marker = f"{numeral(level.number, _FORMATS.get(level.style, ''))}. "
            level.number += 1
        else:
            level.marker = "- "


def _number(value: str | None, default: int) -> int:
    digits = (value or "").strip()
    return int(digits) if digits.removeprefix("-").isdecimal() and len(digits) < 10 else default
