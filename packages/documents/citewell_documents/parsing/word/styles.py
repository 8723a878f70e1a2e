"""Paragraph styles of a Word document: heading levels, lists and tables of contents."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docx.oxml.ns import qn

from citewell_documents.parsing.office.colours import Colours, theme_colours
from citewell_documents.parsing.office.parts import Element

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)  # a file has the English names of styles in any language
_CONTENTS = re.compile(r"(?:toc|table of (?:figures|authorities)) ?\d*", re.IGNORECASE)
_TITLE, _CAPTION = "title", "caption"
_BODY_TEXT = 9  # Word's outline level for body text
_MAX_ANCESTORS = 20


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style. `level` is that of a heading, 0 for the document's title, None for text; `list_id` and
    `list_level` are as in w:numPr.
    """

    level: int | None = None
    list_id: str | None = None
    list_level: int | None = None
    is_contents: bool = False
    is_caption: bool = False


@dataclass(slots=True)
class Styles:
    """The paragraph styles of a document, with their inherited properties."""

    _elements: dict[str, Element]
    _defaults: Element | None = None
    default_paragraph: str = ""
    """The style of paragraphs that name no style."""
    theme: Colours = field(default_factory=lambda: Colours({}))
    _resolved: dict[str, Style] = field(default_factory=dict[str, Style])

    @classmethod
    def of(cls, part: Element | None, theme: Element | None = None) -> "Styles":
        elements = [] if part is None else part.findall(qn("w:style"))
        defaults = None if part is None else part.find(f"{qn('w:docDefaults')}/{qn('w:rPrDefault')}/{qn('w:rPr')}")
        styles = {element.get(qn("w:styleId"), ""): element for element in elements}
        default = next((name for name, style in styles.items() if _is_default(style)), "")
        return cls(styles, defaults, default, Colours({} if theme is None else theme_colours(theme)))

    def of_paragraph(self, paragraph: Element) -> Style:
        properties = paragraph.find(qn("w:pPr"))
        if properties is None:
            return Style()
        return _merged(_own(properties), self._of(value(properties, "w:pStyle") or ""))

    def properties(self, style_id: str, tag: str) -> Iterator[Element]:
        """How a style, and those that it is based on, show characters (`w:rPr`) or paragraphs (`w:pPr`)."""
        for element in self._chain(style_id):
            if (properties := element.find(qn(tag))) is not None:
                yield properties

    def shades(self, style_id: str) -> bool:
        """True if a style of tables, or one that it is based on, colours cells."""
        return any(next(element.iter(qn("w:shd")), None) is not None for element in self._chain(style_id))

    def document_properties(self) -> Iterator[Element]:
        """Yield the document's default properties of characters, for properties that no style sets."""
        if self._defaults is not None:
            yield self._defaults

    def _of(self, style_id: str) -> Style:
        if style_id not in self._resolved:
            style = Style()
            for element in self._chain(style_id):
                style = _merged(style, _named(element))
            self._resolved[style_id] = style
        return self._resolved[style_id]

    def _chain(self, style_id: str) -> Iterator[Element]:
        for _ in range(_MAX_ANCESTORS):
            if (element := self._elements.get(style_id)) is None:
                return
            yield element
            style_id = value(element, "w:basedOn") or ""


def value(parent: Element, tag: str) -> str | None:
    child = parent.find(qn(tag))
    return None if child is None else child.get(qn("w:val"))


def _is_default(style: Element) -> bool:
    return style.get(qn("w:type")) == "paragraph" and style.get(qn("w:default"), "0") in ("1", "true", "on")


def _named(element: Element) -> Style:
    """A style by its name and properties; the names of Word's built-in styles take precedence."""
    name = (value(element, "w:name") or "").strip().lower()
    properties = element.find(qn("w:pPr"))
    own = Style() if properties is None else _own(properties)
    heading = _HEADING.fullmatch(name)
    level = int(heading[1]) if heading else 0 if name == _TITLE else own.level
    return Style(level, own.list_id, own.list_level, bool(_CONTENTS.fullmatch(name)), name == _CAPTION)


def _own(properties: Element) -> Style:
    outline = _integer(value(properties, "w:outlineLvl"))
    numbering = properties.find(qn("w:numPr"))
    if numbering is None:
        return Style(None if outline is None else outline + 1)
    list_level = _integer(value(numbering, "w:ilvl"))
    return Style(None if outline is None else outline + 1, value(numbering, "w:numId"), list_level)


def _merged(style: Style, base: Style) -> Style:
    return Style(
        base.level if style.level is None else style.level,
        base.list_id if style.list_id is None else style.list_id,
        base.list_level if style.list_level is None else style.list_level,
        style.is_contents or base.is_contents,
        style.is_caption or base.is_caption,
    )


def heading_level(style: Style) -> int | None:
    """The level of a style: 0 for the title, 1 … 9 for headings, None for text, also for a style that revokes an
    inherited level.
    """
    return None if style.level is None or style.level > _BODY_TEXT else style.level


def _integer(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None
