"""The content of a slide in reading order: from the top down, and in each line from the left."""

from collections.abc import Iterator

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.oxml import parse_xml
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.shapes.graphfrm import GraphicFrame
from pptx.shapes.group import GroupShape
from pptx.shapes.shapetree import SlideShapes
from pptx.table import Table
from pptx.text.text import TextFrame

from citewell_documents.parsing.numerals import letter, roman
from citewell_documents.parsing.office.charts import add_chart
from citewell_documents.parsing.office.diagrams import DIAGRAM, data_of, diagram_text
from citewell_documents.parsing.office.equations import linear
from citewell_documents.parsing.office.parts import Element, described
from citewell_documents.parsing.tables import Cell, has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_GRAPHICS = ("{http://schemas.openxmlformats.org/drawingml/2006/chart}chart", DIAGRAM)
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_PROPERTIES = "{http://schemas.openxmlformats.org/presentationml/2006/main}cNvPr"
_FURNITURE = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER)
_LINE = 200_000  # EMU, about half a centimetre: shapes whose tops differ by less are side by side
_COUNTS = {"arabic": str, "alphaLc": letter, "romanLc": roman}


def has_words(shapes: SlideShapes) -> bool:
    elements = [shape.element for shape in shapes if not _is_furniture(shape)]
    return any(
        (part.tag == f"{_A}t" and (part.text or "").strip())
        or part.tag in _GRAPHICS
        or (part.tag == _PROPERTIES and described(part))
        for element in elements
        for part in element.iter()
    )


def add_shapes(shapes: SlideShapes, builder: DocumentBuilder, title: BaseShape | None) -> None:
    wanted = (shape for shape in shapes if title is None or shape.shape_id != title.shape_id)
    _add_all([shape for shape in wanted if not _is_furniture(shape)], builder)


def frame_text(frame: TextFrame) -> str:
    """The paragraphs of a text frame, one per line, with the bullets and numbers that they define themselves."""
    lines: list[str] = []
    counts: dict[int, int] = {}
    for paragraph in frame.paragraphs:
        element = paragraph._p  # pyright: ignore[reportPrivateUsage]: equations and bullets have no public name
        text = "".join(_texts(element)).strip()
        if text:
            lines.append(f"{_label(element, paragraph.level, counts)}{text}")
    return "\n".join(lines)


def _is_furniture(shape: BaseShape) -> bool:
    return shape.is_placeholder and shape.placeholder_format.type in _FURNITURE


def _add_all(shapes: list[BaseShape], builder: DocumentBuilder) -> None:
    for shape in _in_reading_order(shapes):
        # The first properties are those of the shape itself, others those of shapes in it.
        description = next((described(properties) for properties in shape.element.iter(_PROPERTIES)), "")
        builder.paragraph(description, figure="alternative_text")
        if isinstance(shape, GroupShape):
            _add_all(list(shape.shapes), builder)
        elif isinstance(shape, GraphicFrame):
            _add_graphic(shape, builder)
        elif isinstance(shape, Shape):
            builder.paragraph(frame_text(shape.text_frame))


def _in_reading_order(shapes: list[BaseShape]) -> list[BaseShape]:
    """Order the shapes in lines by their tops; shapes without a position come first, in their own order."""
    placed = sorted(shapes, key=lambda shape: shape.top or 0)
    lines: list[list[BaseShape]] = []
    for shape in placed:
        if lines and (shape.top or 0) - (lines[-1][0].top or 0) < _LINE:
            lines[-1].append(shape)
        else:
            lines.append([shape])
    return [shape for line in lines for shape in sorted(line, key=lambda shape: shape.left or 0)]


def _add_graphic(frame: GraphicFrame, builder: DocumentBuilder) -> None:
    if frame.has_table:
        rows = with_one_header(_table_rows(frame.table))
        builder.table(rows, has_header=has_header(rows))
    elif frame.has_chart:
        add_chart(parse_xml(frame.chart_part.blob), builder)
    else:
        for diagram in frame.element.iter(DIAGRAM):
            if (link := frame.part.rels.get(data_of(diagram))) is not None:
                builder.paragraph(diagram_text(parse_xml(link.target_part.blob)))


def _table_rows(table: Table) -> list[list[Cell]]:
    """The cells of each row. A cell merged over rows is repeated; a cell merged over columns covers others (None)."""
    rows: list[list[Cell]] = []
    for row in table.rows:
        cells: list[Cell] = []
        for column, cell in enumerate(row.cells):
            element = cell._tc  # pyright: ignore[reportPrivateUsage]: merges have no public name
            if element.vMerge and rows:
                cells.append(rows[-1][column])
            else:
                cells.append(None if element.hMerge else frame_text(cell.text_frame))
        rows.append(cells)
    return rows


def _texts(paragraph: Element) -> Iterator[str]:
    for child in paragraph:
        if child.tag == f"{_A}t":
            yield child.text or ""
        elif child.tag == f"{_A}br":
            yield "\n"
        elif child.tag == _MATH:
            yield linear(child)
        elif child.tag not in (f"{_A}pPr", f"{_A}rPr", f"{_A}endParaRPr"):
            yield from _texts(child)


def _label(paragraph: Element, level: int, counts: dict[int, int]) -> str:
    properties = paragraph.find(f"{_A}pPr")
    numbering = None if properties is None else properties.find(f"{_A}buAutoNum")
    for deeper in [counted for counted in counts if counted > level or (counted == level and numbering is None)]:
        del counts[deeper]
    if numbering is not None:
        counts[level] = counts[level] + 1 if level in counts else int(numbering.get("startAt", "1"))
        kind, _, ending = numbering.get("type", "arabicPeriod").rpartition("P")
        return f"{_COUNTS.get(kind, str)(counts[level])}{'.' if ending == 'eriod' else ')'} "
    return "• " if properties is not None and properties.find(f"{_A}buChar") is not None else ""
