"""The background colour behind the text of a slide, if it can be determined."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml import parse_xml
from pptx.shapes.base import BaseShape
from pptx.slide import Slide

from citewell_documents.parsing.office.parts import Element

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_FILLS = tuple(f"{_A}{name}" for name in ("solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))
_NONE = f"{_A}noFill"
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
        self._scheme: Mapping[str, str] = _scheme(themes[0].target_part.blob) if themes else {}
        self._names = _names(slide.element, master.element)
        self._ground = self._of_slide()

    def behind(self, shape: BaseShape, *, is_alone: bool) -> str | None:
        """The colour behind a shape's text, as six digits; None if the shape is in a group or a table, or lies over a
        drawing.
        """
        properties = shape.element.find(f"{_P}spPr")
        if properties is None:
            return None
        fill = fill_of(properties)
        if fill is not None and fill.tag != _NONE:
            return self.colour(fill) if fill.tag == f"{_A}solidFill" else None
        if not is_alone or (fill is None and shape.element.find(f"{_P}style") is not None):
            return None
        return None if self._is_over_others(shape) else self._ground

    def colour(self, fill: Element) -> str | None:
        """The colour of a plain fill; None if the colour is modified, for example in its brightness."""
        colour = next(iter(fill), None)
        if colour is None or len(colour):
            return None
        value = colour.get("val", "")
        if colour.tag == f"{_A}srgbClr":
            return value
        if colour.tag == f"{_A}sysClr":
            return colour.get("lastClr")
        return self._scheme.get(self._names.get(value, value)) if colour.tag == f"{_A}schemeClr" else None

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

    def _is_over_others(self, shape: BaseShape) -> bool:
        if None in (shape.left, shape.top, shape.width, shape.height):
            return True
        box = _Box(shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
        drawn = (element for layer in self._layers for element in _drawn(layer) if element is not shape.element)
        return any((other := _box(element)) is None or other.overlaps(box) for element in drawn)


def fill_of(properties: Element) -> Element | None:
    return next((child for child in properties if child.tag in _FILLS or child.tag == _NONE), None)


def _drawn(layer: Element) -> Iterator[Element]:
    """The elements of a layer that give shapes over them another background."""
    tree = layer.find(f"{_P}cSld/{_P}spTree")
    for element in tree if tree is not None else ():
        properties = element.find(f"{_P}spPr") if element.tag == f"{_P}sp" else None
        if element.tag in _DRAWN:
            yield element
        elif properties is not None:
            fill = fill_of(properties)
            if fill.tag != _NONE if fill is not None else element.find(f"{_P}style") is not None:
                yield element


def _box(element: Element) -> _Box | None:
    start, size = next(element.iter(f"{_A}off"), None), next(element.iter(f"{_A}ext"), None)
    if start is None or size is None or not size.get("cx"):
        return None
    left, top = int(start.get("x", 0)), int(start.get("y", 0))
    return _Box(left, top, left + int(size.get("cx", 0)), top + int(size.get("cy", 0)))


def _scheme(theme: bytes) -> Mapping[str, str]:
    colours = parse_xml(theme).find(f".//{_A}clrScheme")
    values = {} if colours is None else {str(colour.tag): next(iter(colour), None) for colour in colours}
    return {
        tag.removeprefix(_A): value.get("lastClr") or value.get("val") or ""
        for tag, value in values.items()
        if value is not None
    }


def _names(slide: Element, master: Element) -> Mapping[str, str]:
    """The theme's colour for each name: `bg1` mostly means the first light colour."""
    other = next(slide.iter(f"{_A}overrideClrMapping"), None)
    names = other if other is not None else master.find(f"{_P}clrMap")
    return {} if names is None else dict(names.attrib)
