"""What colour lies behind the text of a slide, where that can be told."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.shapes.base import BaseShape
from pptx.slide import Slide

from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.office.themes import (
    NO_FILL,
    PLAIN_FILL,
    fill_of,
    is_opaque,
    plain_colour,
    theme_colours,
)

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_EMBEDDED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_PLAIN_GROUND = "1001"  # the first of a theme's grounds, which is its colour alone
_DRAWN = tuple(f"{_P}{name}" for name in ("pic", "grpSp", "graphicFrame", "cxnSp"))


class _Box(NamedTuple):
    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: "_Box") -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )

    def holds(self, other: "_Box") -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and self.right >= other.right
            and self.bottom >= other.bottom
        )


class Grounds:
    """The colours of a slide, its theme and what is drawn on it."""

    def __init__(self, slide: Slide) -> None:
        layout = slide.slide_layout
        self._slide: Element = slide.element
        self._part = slide.part
        master = layout.slide_master
        self._layers: list[Element] = [slide.element, layout.element, master.element]
        themes = [link for link in master.part.rels.values() if link.reltype == RELATIONSHIP_TYPE.THEME]
        self._scheme: Mapping[str, str] = theme_colours(parse_xml(themes[0].target_part.blob) if themes else None)
        self._names = _names(slide.element, master.element)
        self._ground = self._of_slide()

    def behind(self, shape: BaseShape, *, is_alone: bool) -> str | None:
        """The colour behind a shape's text, as six digits; None in a group, in a table, or over what is drawn."""
        properties = shape.element.find(f"{_P}spPr")
        if properties is None:
            return None
        fill = fill_of(properties)
        if fill is not None and fill.tag != NO_FILL:
            return self._plain(fill)
        if not is_alone or (fill is None and shape.element.find(f"{_P}style") is not None):
            return None
        return self._below(shape)

    def in_cell(self, run: Element) -> str | None:
        """The colour of the cell of a table that a text stands in, where that says it."""
        cell = next(run.iterancestors(f"{_A}tc"), None)
        fill = None if cell is None else fill_of(cell.find(f"{_A}tcPr"))
        return None if fill is None else self._plain(fill)

    def is_covered(self, shape: BaseShape) -> bool:
        """True if something that nothing shows through lies over the whole shape, and no animation takes it away."""
        box = _box_of(shape)
        if box is None or self._slide.find(f"{_P}timing") is not None:
            return False
        above = [element for element in shape.element.itersiblings() if self._is_opaque(element)]
        return any((other := _box(element)) is not None and other.holds(box) for element in above)

    def _is_opaque(self, element: Element) -> bool:
        properties = element.find(f"{_P}spPr")
        if properties is None or not _is_full(properties):
            return False
        if element.tag == f"{_P}pic":
            picture = next(element.iter(f"{_A}blip"), None)
            if picture is None or any(change.tag != f"{_A}extLst" for change in picture):
                return False
            link = picture.get(_EMBEDDED, "")
            return link in self._part.rels and is_opaque(self._part.related_part(link).blob)
        fill = fill_of(properties)
        return fill is not None and bool(self._plain(fill))

    def _plain(self, fill: Element) -> str | None:
        return self.colour(fill) if fill.tag == PLAIN_FILL else None

    def colour(self, fill: Element) -> str | None:
        return plain_colour(fill, self._scheme, self._names)

    def _of_slide(self) -> str | None:
        for layer in self._layers:
            ground = layer.find(f"{_P}cSld/{_P}bg")
            if ground is None:
                continue
            plain = ground.find(f"{_P}bgPr/{_A}solidFill")
            theme = ground.find(f"{_P}bgRef")
            if plain is not None:
                return self.colour(plain)
            return self.colour(theme) if theme is not None and theme.get("idx") == _PLAIN_GROUND else None
        return None

    def _below(self, shape: BaseShape) -> str | None:
        """The colour of the uppermost of what lies below the whole shape, or of the slide."""
        box, ground = _box_of(shape), self._ground
        if box is None:
            return None
        for layer in reversed(self._layers):
            for element in _drawn(layer):
                if element is shape.element:
                    return ground
                other = _box(element)
                if other is None or other.overlaps(box):
                    fill = fill_of(element.find(f"{_P}spPr")) if other is not None and other.holds(box) else None
                    ground = self._plain(fill) if fill is not None and self._is_opaque(element) else None
        return ground


def _is_full(properties: Element) -> bool:
    """True for a shape that fills its box."""
    shape, place = properties.find(f"{_A}prstGeom"), properties.find(f"{_A}xfrm")
    is_turned = place is None or place.get("rot", "0") != "0"
    return shape is not None and shape.get("prst") == "rect" and not is_turned


def _drawn(layer: Element) -> Iterator[Element]:
    """The elements of a layer that colour what lies over them."""
    tree = layer.find(f"{_P}cSld/{_P}spTree")
    for element in tree if tree is not None else ():
        properties = element.find(f"{_P}spPr") if element.tag == f"{_P}sp" else None
        if element.tag in _DRAWN:
            yield element
        elif properties is not None:
            fill = fill_of(properties)
            if fill.tag != NO_FILL if fill is not None else element.find(f"{_P}style") is not None:
                yield element


def _box_of(shape: BaseShape) -> _Box | None:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    return _Box(shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)


def _box(element: Element) -> _Box | None:
    start, size = next(element.iter(f"{_A}off"), None), next(element.iter(f"{_A}ext"), None)
    if start is None or size is None or not size.get("cx"):
        return None
    left, top = int(start.get("x", 0)), int(start.get("y", 0))
    return _Box(left, top, left + int(size.get("cx", 0)), top + int(size.get("cy", 0)))


def _names(slide: Element, master: Element) -> Mapping[str, str]:
    """Which colour of the theme a name means: `bg1` the first light one, mostly."""
    other = next(slide.iter(f"{_A}overrideClrMapping"), None)
    names = other if other is not None else master.find(f"{_P}clrMap")
    return {} if names is None else dict(names.attrib)
