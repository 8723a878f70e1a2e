"""Names and styles of OpenDocument texts: which paragraph is a title, and how lists and headings are numbered."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from citewell_documents.parsing.hidden import PAPER
from citewell_documents.parsing.numerals import letter, roman
from citewell_documents.parsing.office.parts import Element

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "loext": "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0",
}


def odf(name: str) -> str:
    """The name that lxml uses for a name such as `text:p`."""
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"


_NUMBERS: dict[str, Callable[[int], str]] = {
    "1": str,
    "i": roman,
    "I": lambda number: roman(number).upper(),
    "a": letter,
    "A": lambda number: letter(number).upper(),
}
_BULLET = "•"
_GROUNDED = (odf("style:paragraph-properties"), odf("style:table-cell-properties"))
_PAGE, _PAGE_HEADER = odf("style:page-layout-properties"), odf("style:header-footer-properties")
_NO_GROUND = (None, "", "none", "transparent")
_UNKNOWN = ""
_MAX_ANCESTORS = 20


@dataclass(frozen=True, slots=True)
class _Level:
    """The numbering of a list level; a level without a format is not numbered."""

    number_format: str = ""
    prefix: str = ""
    suffix: str = ""
    shown_levels: int = 1
    start: int = 1
    is_bullet: bool = False


@dataclass(slots=True)
class Counter:
    """Counts the items of a list, or the headings of a document, on every level."""

    levels: dict[int, _Level]
    _counts: dict[int, int] = field(default_factory=dict[int, int])

    def label(self, level: int) -> str:
        """The label of the next item at a level (from 1): `•`, `2.`, `1.3` or nothing."""
        rule = self.levels.get(level, _Level())
        for deeper in [counted for counted in self._counts if counted > level]:
            del self._counts[deeper]
        self._counts[level] = self._counts.get(level, rule.start - 1) + 1
        if rule.is_bullet:
            return _BULLET
        if rule.number_format not in _NUMBERS:
            return ""
        numbers: list[str] = []
        for shown in range(max(level - rule.shown_levels + 1, 1), level + 1):
            shown_rule = self.levels.get(shown, _Level())
            if write := _NUMBERS.get(shown_rule.number_format):
                numbers.append(write(self._counts.get(shown, shown_rule.start)))
        return f"{rule.prefix}{'.'.join(filter(None, numbers))}{rule.suffix}".strip()


class Styles:
    """The styles of a document, from `content.xml` and `styles.xml`."""

    def __init__(self, parts: Iterable[Element]) -> None:
        self._parents: dict[str, str] = {}
        self._lists: dict[str, dict[int, _Level]] = {}
        self.outline: dict[int, _Level] = {}
        self._outline_levels: dict[str, int] = {}
        self._text_properties: dict[str, dict[str, str]] = {}
        self._grounds: dict[tuple[str, str], str] = {}
        self._page_grounds: set[str] = set()
        for part in parts:
            self._read(part)

    def list_levels(self, name: str) -> dict[int, _Level]:
        return self._lists.get(name) or {level: _Level(is_bullet=True) for level in range(1, 11)}

    def heading_level(self, paragraph: Element) -> int | None:
        """The level of a paragraph: 0 for the title, 1 … for headings, None for text."""
        name = paragraph.get(odf("text:style-name"), "")
        chain = self._chain(name)
        if "Title" in chain:
            return 0
        if paragraph.tag == odf("text:h"):
            return max(integer(paragraph.get(odf("text:outline-level")), 1), 1)
        return next((level for style in chain if (level := self._outline_levels.get(style))), None)

    def is_caption(self, paragraph: Element) -> bool:
        return "Caption" in self._chain(paragraph.get(odf("text:style-name"), ""))

    def text_property(self, name: str, attribute: str) -> str:
        """The value of a text property in a style, or in the nearest style that it inherits from; empty if none sets
        it.
        """
        return next(self.text_properties(name, attribute), "")

    def text_properties(self, name: str, attribute: str) -> Iterator[str]:
        """The values of a text property in a style and in those that it inherits from, the nearest first."""
        values = (self._text_properties.get(style, {}).get(odf(attribute), "") for style in self._chain(name))
        return filter(None, values)

    @property
    def page_ground(self) -> str:
        """The colour of all pages, also above and below their texts; empty if they differ or it cannot be told."""
        if not self._page_grounds:
            return PAPER
        return next(iter(self._page_grounds)) if len(self._page_grounds) == 1 else _UNKNOWN

    def ground(self, family: str, name: str) -> str:
        """The colour behind what has this style; `family` is `paragraph`, `table-cell` …, which share names."""
        return next(filter(None, (self._grounds.get((family, style), "") for style in self._chain(name))), "")

    def _chain(self, name: str) -> list[str]:
        chain: list[str] = []
        while name and name not in chain and len(chain) < _MAX_ANCESTORS:
            chain.append(name)
            name = self._parents.get(name, "")
        return chain

    def _read(self, part: Element) -> None:
        for style in part.iter(odf("style:style")):
            name = style.get(odf("style:name"), "")
            self._parents[name] = style.get(odf("style:parent-style-name"), "")
            if (shown := style.find(odf("style:text-properties"))) is not None:
                self._text_properties[name] = {str(key): str(value) for key, value in shown.items()}
            for properties in style.iterchildren(*_GROUNDED):
                self._grounds[style.get(odf("style:family"), ""), name] = properties.get(odf("fo:background-color"), "")
            if level := integer(style.get(odf("style:default-outline-level")), 0):
                self._outline_levels[name] = level
        for properties in part.iter(_PAGE, _PAGE_HEADER):
            ground, fill = properties.get(odf("fo:background-color")), properties.get(odf("draw:fill"))
            if fill not in (*_NO_GROUND, "solid"):
                self._page_grounds.add(_UNKNOWN)
            elif properties.tag == _PAGE or ground not in _NO_GROUND:
                self._page_grounds.add(f"#{PAPER}" if ground in _NO_GROUND else str(ground).lower())
        for style in part.iter(odf("text:list-style")):
            self._lists[style.get(odf("style:name"), "")] = _levels(style)
        for style in part.iter(odf("text:outline-style")):
            self.outline = _levels(style)


def integer(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() else default


def _levels(style: Element) -> dict[int, _Level]:
    return {integer(level.get(odf("text:level")), 1): _level(level) for level in style if isinstance(level.tag, str)}


def _level(element: Element) -> _Level:
    return _Level(
        element.get(odf("style:num-format"), ""),
        element.get(odf("style:num-prefix"), ""),
        element.get(odf("style:num-suffix"), ""),
        integer(element.get(odf("text:display-levels")), 1),
        integer(element.get(odf("text:start-value")), 1),
        element.tag == odf("text:list-level-style-bullet"),
    )
