"""The drawings on a sheet: descriptions of pictures, text boxes, charts and diagrams."""

import re
from collections.abc import Collection, Iterator

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.hidden import HiddenWords
from citewell_documents.parsing.office.charts import add_chart, chart_title
from citewell_documents.parsing.office.colours import A, Colours
from citewell_documents.parsing.office.diagrams import DATA_MODEL, DIAGRAM, data_of, diagram_text
from citewell_documents.parsing.office.drawn_text import PLAIN_FILL, RUN, take_out, why_unseen
from citewell_documents.parsing.office.parts import Element, described
from citewell_documents.parsing.text_builder import DocumentBuilder
from citewell_documents.parsing.workbook.links import linked, roots

_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_BOX = f"{_DRAWN}txBody"
_SHAPES = tuple(f"{_DRAWN}{name}" for name in ("sp", "pic", "grpSp", "graphicFrame", "cxnSp"))
_LINKS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SHEET = re.compile(r"'((?:[^']|''){1,99})'!|([^'!(),]{1,99})!")  # Excel allows 31 characters


def drawn_on(archive: Archive, sheet: str, filename: str, colours: Colours, hidden: HiddenWords) -> Iterator[Element]:
    """Yield the drawings of a sheet's part that a reader sees, in their order: properties of pictures (`xdr:cNvPr`),
    texts of boxes (`xdr:txBody`), charts (`c:chartSpace`) and the data of diagrams (`dgm:dataModel`).
    """
    for drawing in linked(archive, sheet, filename, "/drawing").values():
        charts = linked(archive, drawing, filename, "/chart")
        diagrams = linked(archive, drawing, filename, "/diagramData")
        drawn = (f"{_DRAWN}cNvPr", _BOX, f"{_CHART}chart", DIAGRAM)
        pages = [*roots(archive, drawing, filename)]
        for page in pages:
            _keep_what_is_seen(page, colours, hidden)
        for element in (element for page in pages for element in page.iter(*drawn)):
            if element.tag in (f"{_DRAWN}cNvPr", _BOX):
                yield element
            elif element.tag == DIAGRAM:
                if diagram := diagrams.pop(data_of(element), None):
                    yield from roots(archive, diagram, filename)
            elif chart := charts.pop(element.get(f"{_LINKS}id", ""), None):
                yield from roots(archive, chart, filename)


def _keep_what_is_seen(page: Element, colours: Colours, hidden: HiddenWords) -> None:
    for properties in [*page.iter(f"{_DRAWN}cNvPr")]:
        shape = next(properties.iterancestors(*_SHAPES), None)
        if shape is not None and properties.get("hidden") in ("1", "true"):
            take_out(shape, "hidden", hidden)
    for run in [*page.iterfind(f".//{_BOX}/{A}p/{RUN}")]:
        fill = next((shape.find(f"{_DRAWN}spPr/{PLAIN_FILL}") for shape in run.iterancestors(f"{_DRAWN}sp")), None)
        if reason := why_unseen(run, colours, None if fill is None else colours.of(fill)):
            take_out(run, reason, hidden)


def says(drawn: Element) -> bool:
    if drawn.tag == f"{_DRAWN}cNvPr":
        return bool(described(drawn))
    return drawn.tag not in (_BOX, DATA_MODEL) or bool(diagram_text(drawn))


def add_drawn(drawn: Element, sheets: Collection[str], builder: DocumentBuilder) -> None:
    """Add the description of a picture, the text of a box or a diagram, or a chart. A chart whose data are in cells of
    these `sheets` adds only its title.
    """
    if drawn.tag == f"{_DRAWN}cNvPr":
        builder.paragraph(described(drawn), figure="alternative_text")
        return
    if drawn.tag in (_BOX, DATA_MODEL):
        builder.paragraph(diagram_text(drawn))
        return
    references = (match for place in drawn.iter(f"{_CHART}f") for match in _SHEET.finditer(place.text or ""))
    named = {match[1].replace("''", "'") if match[1] else match[2] for match in references}
    if named and named.issubset(sheets):
        builder.paragraph(chart_title(drawn), figure="chart")
    else:
        add_chart(drawn, builder)
