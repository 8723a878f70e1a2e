"""The words of diagrams (SmartArt)."""

from collections.abc import Iterator

from citewell_documents.parsing.office.parts import Element

DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def data_of(diagram: Element) -> str:
    """The relationship to the part with the data of a diagram."""
    return diagram.get(_DATA, "")


def diagram_texts(data: Element) -> Iterator[str]:
    """The text of each shape, in their order."""
    for paragraph in data.iter(f"{_A}p"):
        if text := "".join(run.text or "" for run in paragraph.iter(f"{_A}t")).strip():
            yield text
