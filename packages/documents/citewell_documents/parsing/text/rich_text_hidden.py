"""What the characters of an RTF document's text look like, as far as it decides whether a reader sees them."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike

_MAY_HIDE = re.compile(r"\\(?:v1?|striked?1?|deleted1?|fs[0-3]|charscalex\d|cf[1-9]\d*)(?![a-zA-Z0-9])")
_TOKEN = re.compile(
    r"(?P<text>(?:\\'[0-9a-fA-F]{2}|\\u-?\d+ ?|\\[\\{}~_-]|[^\\{}\r\n])+)|\\(?P<word>[a-zA-Z]+)(?P<number>-?\d+)? ?"
    r"|(?P<brace>[{}])|\\?[^\\{}]",
    re.DOTALL,
)
_COLOUR = re.compile(r"\\red(\d{1,3})\\green(\d{1,3})\\blue(\d{1,3})")
_COLOURS = re.compile(r"\{\\colortbl([^{}]*)\}")
_DRAWN_GROUNDS = (r"\shp", r"\do\do", r"\background", r"\nesttableprops")
"""Boxes, pages and tables in tables with a ground of their own, which the text does not name."""
_GROUNDS = ("highlight", "cb", "chcbpat")
_PAPER, _UNKNOWN = "ffffff", -1
_SMALLEST = 4  # half-points
_REASONS: tuple[Reason, ...] = ("hidden", "struck", "unseen", "small")
_FIRST_MARK, _END = 59378, "\ue7f0"
_END_IN_RTF = r"{\uc1\u59376?}"
_MARKED = re.compile(f"([{''.join(chr(_FIRST_MARK + at) for at in range(len(_REASONS)))}])([^{_END}]*){_END}")


class _Look(NamedTuple):
    hidden: int = 0
    deleted: int = 0
    struck: int = 0
    colour: int = 0
    size: int = 24  # half-points
    wide: int = 100  # percent
    ground: int = 0
    paragraph_ground: int = 0

    def after(self, word: str, number: int | None) -> "_Look":
        value = 1 if number is None else number
        match word:
            case "plain":
                return _Look(paragraph_ground=self.paragraph_ground)
            case "pard":
                return self._replace(paragraph_ground=0)
            case "v":
                return self._replace(hidden=value)
            case "deleted":
                return self._replace(deleted=value)
            case "strike" | "striked":
                return self._replace(struck=value)
            case "cf":
                return self._replace(colour=0 if number is None else value)
            case "fs":
                return self._replace(size=value)
            case "charscalex":
                return self._replace(wide=value)
            case "cbpat":
                return self._replace(paragraph_ground=value)
            case _:
                return self._after_shade(word, value)

    def _after_shade(self, word: str, value: int) -> "_Look":
        if word in ("shading", "cfpat") and value:
            return self._replace(paragraph_ground=_UNKNOWN)
        return self._replace(ground=value) if word in _GROUNDS else self

    def reason(self, colours: Mapping[int, str], cell: int) -> Reason | None:
        if self.hidden or self.deleted:
            return "hidden"
        if self.struck:
            return "struck"
        ground = self.ground or self.paragraph_ground or cell
        if self.colour and are_alike(colours.get(self.colour, ""), colours.get(ground, "")):
            return "unseen"
        return "small" if 0 < self.size * self.wide < 100 * _SMALLEST else None


class _Cells:
    """The grounds of the cells of a table's row, in their order."""

    def __init__(self) -> None:
        self._grounds: list[int] = []
        self._next = self._at = 0
        self._is_inside = False

    @property
    def ground(self) -> int:
        if not self._is_inside:
            return 0
        return self._grounds[self._at] if self._at < len(self._grounds) else _UNKNOWN

    def after(self, word: str, number: int | None) -> None:
        match word:
            case "trowd":
                self._grounds, self._next = [], 0
            case "clcbpat":
                self._next = number or 0
            case "clshdng" | "clcfpat":
                self._next = _UNKNOWN if number else self._next
            case "cellx":
                self._grounds.append(self._next)
                self._next = self._at = 0
            case "cell":
                self._at += 1
            case "row":
                self._at = 0
            case "pard" | "intbl":
                self._is_inside = word == "intbl"
            case _:
                pass


def marked(rtf: str) -> str:
    """The document with marks around what a reader does not see, which `seen` takes out of its text."""
    return "".join(_parts(rtf)) if _MAY_HIDE.search(rtf) else rtf


def seen(text: str, hidden: HiddenWords) -> str:
    def take(match: re.Match[str]) -> str:
        hidden.add(match[2], _REASONS[ord(match[1]) - _FIRST_MARK])
        return ""

    return _MARKED.sub(take, text)


def _parts(rtf: str) -> Iterator[str]:
    colours = _colours(rtf)
    look, around, cells = _Look(), list[_Look](), _Cells()
    for token in _TOKEN.finditer(rtf):
        if token["text"]:
            reason = look.reason(colours, cells.ground)
            yield rf"{{\uc1\u{_FIRST_MARK + _REASONS.index(reason)}?}}{token[0]}{_END_IN_RTF}" if reason else token[0]
            continue
        yield token[0]
        if token["brace"] == "{":
            around.append(look)
        elif token["brace"]:
            look = around.pop() if around else look
        elif token["word"]:
            number = int(token["number"]) if token["number"] else None
            look = look.after(token["word"], number)
            cells.after(token["word"], number)


def _colours(rtf: str) -> Mapping[int, str]:
    """The colours by their numbers, 0 being the paper; none where text may stand on other grounds."""
    table = _COLOURS.search(rtf)
    if table is None or any(name in rtf for name in _DRAWN_GROUNDS):
        return {}
    colours = enumerate(_COLOUR.search(colour) for colour in table[1].split(";"))
    known = {at: "".join(f"{min(int(part), 255):02x}" for part in parts.groups()) for at, parts in colours if parts}
    return {**known, 0: _PAPER}
