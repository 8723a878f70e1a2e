"""What is drawn on a sheet: descriptions of pictures, and charts."""

import posixpath
import re
from collections.abc import Collection, Iterator
from contextlib import suppress

from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.charts import add_chart, chart_title
from citewell_documents.parsing.office.parts import Element, described, xml_part
from citewell_documents.parsing.text_builder import DocumentBuilder

_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_LINKS = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_SHEET = re.compile(r"'((?:[^']|''){1,99})'!|([^'!(),]{1,99})!")  # Excel allows 31 characters


def drawn_on(archive: Archive, sheet: str, filename: str) -> Iterator[Element]:
    """The properties of pictures (`xdr:cNvPr`) and the charts (`c:chartSpace`) of a sheet's part, in their order."""
    for drawing in _linked(archive, sheet, filename, "/drawing").values():
        charts = _linked(archive, drawing, filename, "/chart")
        roots = _whole(archive, drawing, filename)
        for element in (element for root in roots for element in root.iter(f"{_DRAWN}cNvPr", f"{_CHART}chart")):
            if element.tag == f"{_DRAWN}cNvPr":
                yield element
            elif chart := charts.pop(element.get(f"{_LINKS}id", ""), None):
                yield from _whole(archive, chart, filename)


def _whole(archive: Archive, part: str, filename: str) -> Iterator[Element]:
    """The root of a part; nothing if it is damaged, because the cells are worth more than a damaged drawing."""
    with suppress(DocumentUnreadable):
        yield xml_part(archive, part, filename)


def says(drawn: Element) -> bool:
    return drawn.tag != f"{_DRAWN}cNvPr" or bool(described(drawn))


def add_drawn(drawn: Element, sheets: Collection[str], builder: DocumentBuilder) -> None:
    """Add what is said of a picture, or a chart: only its title if its data stand in the cells of these `sheets`."""
    if drawn.tag == f"{_DRAWN}cNvPr":
        builder.paragraph(described(drawn), figure="alternative_text")
        return
    references = (match for place in drawn.iter(f"{_CHART}f") for match in _SHEET.finditer(place.text or ""))
    named = {match[1].replace("''", "'") if match[1] else match[2] for match in references}
    if named and named.issubset(sheets):
        builder.paragraph(chart_title(drawn), figure="chart")
    else:
        add_chart(drawn, builder)


def _linked(archive: Archive, part: str, filename: str, kind: str) -> dict[str, str]:
    """The names of the parts of a kind that a part is linked to, by the ids of the links."""
    folder, name = posixpath.split(part.lstrip("/"))
    links = f"{folder}/_rels/{name}.rels"
    if links not in archive:
        return {}
    targets = {
        link.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, link.get("Target", ""))).lstrip("/")
        for root in _whole(archive, links, filename)
        for link in root
        if link.get("Type", "").endswith(kind)
    }
    return {link: target for link, target in targets.items() if target in archive}
