"""The looks of the characters of an RTF document's text, as far as they decide whether a reader sees them."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citewell_documents.parsing.hidden import PAPER, HiddenWords, Reason, are_alike

_MAY_HIDE = re.compile(r"\\(?:v|strike|striked1|deleted|fs[0-3]|cf[1-9]\d*|charscalex\d)(?![a-zA-Z0-9])")
_TOKEN = re.compile(
    r"(?P<text>(?:\\'[0-9a-fA-F]{2}|\\u-?\d+ ?|\\[\\{}~_-]|[^\\{}\r\n])+)|\\(?P<word>[a-zA-Z]+)(?P<number>-?\d+)? ?"
    r"|(?P<brace>[{}])|\\?[^\\{}]",
    re.DOTALL,
)
_COLOUR = re.compile(r"\\red(\d{1,3})\\green(\d{1,3})\\blue(\d{1,3})")
_COLOURS = re.compile(r"\{\\colortbl([^{}]*)\}")
_DRAWN_GROUNDS = (r"\clcbpat", r"\clcfpat", r"\cfpat", r"\chcfpat", r"\shp", r"\do\do", r"\background")
"""Signs of patterns, and of cells, boxes and pages with a background of their own, which the text does not state."""
_FIELDS = {
    "v": "hidden",
    "deleted": "deleted",
    "strike": "struck",
    "striked": "struck",
    "fs": "size",
    "charscalex": "width",
    "cbpat": "paragraph_ground",
    "highlight": "ground",
    "chcbpat": "ground",
}
"""What the words that are followed by a value set."""
_UNSURE = -1  # a ground that some programs show and others do not
_SMALLEST, _NARROWEST = 4, 10  # half-points, percent
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
    width: int = 100  # percent
    ground: int = 0
    paragraph_ground: int = 0

    def after(self, word: str, number: int | None) -> "_Look":
        value = 1 if number is None else number
        match word:
            case "plain":
                return _Look(paragraph_ground=self.paragraph_ground)
            case "pard":
                return self._replace(paragraph_ground=0)
            case "cf":
                return self._replace(colour=0 if number is None else value)
            case "cb":
                return self._replace(ground=_UNSURE)
            case _:
                return self._replace(**{_FIELDS[word]: value}) if word in _FIELDS else self

    def reason(self, colours: Mapping[int, str]) -> Reason | None:
        if self.hidden or self.deleted:
            return "hidden"
        if self.struck:
            return "struck"
        ground = self.ground or self.paragraph_ground
        if are_alike(colours.get(self.colour, ""), colours.get(ground, "") if ground else PAPER):
            return "unseen"
        return "small" if 0 < self.size < _SMALLEST or 0 < self.width < _NARROWEST else None


def marked(rtf: str) -> str:
    """The document with marks around the words that a reader does not see; `seen` removes these words from its text."""
    return "".join(_parts(rtf)) if _MAY_HIDE.search(rtf) else rtf


def seen(text: str, hidden: HiddenWords) -> str:
    def take(match: re.Match[str]) -> str:
        hidden.add(match[2], _REASONS[ord(match[1]) - _FIRST_MARK])
        return ""

    return _MARKED.sub(take, text)


def _parts(rtf: str) -> Iterator[str]:
    colours = _colours(rtf)
    look, around = _Look(), list[_Look]()
    for token in _TOKEN.finditer(rtf):
        if token["text"]:
            reason = look.reason(colours)
            yield rf"{{\uc1\u{_FIRST_MARK + _REASONS.index(reason)}?}}{token[0]}{_END_IN_RTF}" if reason else token[0]
            continue
        yield token[0]
        if token["brace"] == "{":
            around.append(look)
        elif token["brace"]:
            look = around.pop() if around else look
        elif token["word"]:
            look = look.after(token["word"], int(token["number"]) if token["number"] else None)


def _colours(rtf: str) -> Mapping[int, str]:
    """The colours by their numbers, as six digits; none where text may stand on other grounds."""
    table = _COLOURS.search(rtf)
    if table is None or any(name in rtf for name in _DRAWN_GROUNDS):
        return {}
    colours = enumerate(_COLOUR.search(colour) for colour in table[1].split(";"))
    return {at: "".join(f"{min(int(part), 255):02x}" for part in parts.groups()) for at, parts in colours if parts}
