"""The background colour behind the text of a slide, if it can be determined."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.shapes.base import BaseShape
from pptx.slide import Slide

from citewell_documents.parsing.office.colours import A, Colours, theme_colours
from citewell_documents.parsing.office.drawn_text import NO_FILL, PLAIN_FILL, fill_of
from citewell_documents.parsing.office.parts import Element

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_PLAIN_GROUND = "1001"  # the first of a theme's backgrounds, which is a plain colour
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


class Grounds:
    """The colours of a slide, its theme and its drawings."""

    def __init__(self, slide: Slide) -> None:
        layout = slide.slide_layout
        master = layout.slide_master
        self._layers: list[Element] = [slide.element, layout.element, master.element]
        themes = [link for link in master.part.rels.values() if link.reltype == RELATIONSHIP_TYPE.THEME]
        scheme = theme_colours(parse_xml(themes[0].target_part.blob)) if themes else {}
        self.colours = Colours(scheme, _names(slide.element, master.element))
        self._ground = self._of_slide()

    def in_cell(self, run: Element) -> str | None:
        """The colour of the table's cell that a run of text is in, if that has one of its own."""
        fill = next((cell.find(f"{A}tcPr/{PLAIN_FILL}") for cell in run.iterancestors(f"{A}tc")), None)
        return None if fill is None else self.colours.of(fill)

    def behind(self, shape: BaseShape, *, is_alone: bool) -> str | None:
        """The colour behind a shape's text, as six digits; None if the shape is in a group or a table, or lies over a
        drawing.
        """
        properties = shape.element.find(f"{_P}spPr")
        if properties is None:
            return None
        fill = fill_of(properties)
        if fill is not None and fill.tag != NO_FILL:
            return self.colours.of(fill) if fill.tag == PLAIN_FILL else None
        if not is_alone or (fill is None and shape.element.find(f"{_P}style") is not None):
            return None
        return None if self._is_over_others(shape) else self._ground

    def _of_slide(self) -> str | None:
        for layer in self._layers:
            ground = layer.find(f"{_P}cSld/{_P}bg")
            if ground is None:
                continue
            plain = ground.find(f"{_P}bgPr/{PLAIN_FILL}")
            theme = ground.find(f"{_P}bgRef")
            if plain is not None:
                return self.colours.of(plain)
            return self.colours.of(theme) if theme is not None and theme.get("idx") == _PLAIN_GROUND else None
        return None

    def _is_over_others(self, shape: BaseShape) -> bool:
        if None in (shape.left, shape.top, shape.width, shape.height):
            return True
        box = _Box(shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
        return any(
            (other is None or other.overlaps(box)) and element is not shape.element and element.getparent() is not None
            for element, other in self._drawings
        )

    @cached_property
    def _drawings(self) -> list[tuple[Element, _Box | None]]:
        """What is drawn on the slide and below it, found once for all shapes; some of it may be taken out later."""
        return [(element, _box(element)) for layer in self._layers for element in _drawn(layer)]


def _drawn(layer: Element) -> Iterator[Element]:
    """The elements of a layer that give shapes over them another background."""
    tree = layer.find(f"{_P}cSld/{_P}spTree")
    for element in tree if tree is not None else ():
        properties = element.find(f"{_P}spPr") if element.tag == f"{_P}sp" else None
        if element.tag in _DRAWN:
            yield element
        elif properties is not None:
            fill = fill_of(properties)
            if fill.tag != NO_FILL if fill is not None else element.find(f"{_P}style") is not None:
                yield element


def _box(element: Element) -> _Box | None:
    start, size = next(element.iter(f"{A}off"), None), next(element.iter(f"{A}ext"), None)
    if start is None or size is None or not size.get("cx"):
        return None
    left, top = int(start.get("x", 0)), int(start.get("y", 0))
    return _Box(left, top, left + int(size.get("cx", 0)), top + int(size.get("cy", 0)))


def _names(slide: Element, master: Element) -> dict[str, str]:
    """The theme's colour for each name: `bg1` mostly means the first light colour."""
    other = next(slide.iter(f"{A}overrideClrMapping"), None)
    names = other if other is not None else master.find(f"{_P}clrMap")
    return {} if names is None else dict(names.attrib)
