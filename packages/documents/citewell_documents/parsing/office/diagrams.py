"""The words of diagrams (SmartArt)."""

from collections import defaultdict
from collections.abc import Iterator

from citewell_documents.parsing.office.parts import Element

_DGM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
DIAGRAM, DATA_MODEL = f"{_DGM}relIds", f"{_DGM}dataModel"
_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def data_of(diagram: Element) -> str:
    """The id of the relationship to the part with the data of a diagram."""
    return diagram.get(_DATA, "")


def diagram_text(data: Element) -> str:
    """The text of each shape on a line of its own, below the text of the shape that it belongs to.

    The points of a `dgm:dataModel` are listed in the order in which they were made, but the model's connections give
    their real order. Points of the presentation may repeat the texts of other points.
    """
    points: dict[str, list[Element]] = defaultdict(list)
    for point in data.iter(f"{_DGM}pt"):
        points[point.get("modelId", "")].append(point)
    if not points:
        return "\n".join(_paragraphs(data))
    below: dict[str, list[str]] = defaultdict(list)
    for link in sorted(data.iter(f"{_DGM}cxn"), key=_order):
        if link.get("type", "parOf") == "parOf":
            below[link.get("srcId", "")].append(link.get("destId", ""))
    shown: list[str] = []
    presented: list[str] = []
    left = list(reversed(points))
    while left:
        name = left.pop()
        for point in points.pop(name, ()):
            (presented if point.get("type") == "pres" else shown).extend(_paragraphs(point))
        left += reversed(below.pop(name, ()))
    known = set(shown)
    return "\n".join((*shown, *(text for text in presented if text not in known)))


def _order(link: Element) -> int:
    place = link.get("srcOrd", "")
    return int(place) if place.isdecimal() else 0


def _paragraphs(element: Element) -> Iterator[str]:
    for paragraph in element.iter(f"{_A}p"):
        if text := "".join(run.text or "" for run in paragraph.iter(f"{_A}t")).strip():
            yield text
