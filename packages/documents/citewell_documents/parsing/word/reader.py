"""Word documents (.docx): python-docx opens the package, and the body is read in document order."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import cast

import docx
from docx.exceptions import PythonDocxError
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.opc.part import Part
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.parts.document import DocumentPart
from lxml import etree

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.charts import add_chart
from citewell_documents.parsing.office.diagrams import diagram_text
from citewell_documents.parsing.office.missing_parts import linked_stream
from citewell_documents.parsing.office.packages import note_inserted, opened_package
from citewell_documents.parsing.office.parts import Element, core_properties, no_text, unreadable_if_damaged
from citewell_documents.parsing.picture_words import is_caption, names_other
from citewell_documents.parsing.tables import Cell, has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder
from citewell_documents.parsing.word.colours import page_ground
from citewell_documents.parsing.word.hidden import drop_hidden
from citewell_documents.parsing.word.numbering import Numbering
from citewell_documents.parsing.word.styles import Styles, heading_level, value
from citewell_documents.parsing.word.text import (
    Notes,
    charts,
    diagrams,
    has_sequence,
    is_on,
    note_references,
    paragraph_text,
    pictures,
    text_boxes,
    without_page_numbers,
)

# The rows of tables in Word documents.

_WRAPPERS = tuple(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")))
_MAX_SPAN = 200


def table_rows(table: Element, cell_text: Callable[[Element], str]) -> list[list[Cell]]:
    """The texts of a `w:tbl`. A cell over several columns covers others (None), one over several rows is repeated."""
    above: dict[int, Cell] = {}
    rows: list[list[Cell]] = []
    for row in children(table, qn("w:tr")):
        properties = row.find(qn("w:trPr"))
        if properties is None or properties.find(qn("w:del")) is None:
            cells = _cells(row, cell_text, above)
            above = dict(enumerate(cells))
            rows.append(cells)
    return rows


def marks_header(table: Element) -> bool:
    row = next(children(table, qn("w:tr")), None)
    return row is not None and is_on(row.find(qn("w:trPr")), "w:tblHeader")


def children(parent: Element, *tags: str) -> Iterator[Element]:
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from children(child, *tags)


def is_layout(table: Element) -> bool:
    """True if the table only arranges its content: one cell, or one row of cells with nested tables."""
    rows = list(children(table, qn("w:tr")))
    if len(rows) != 1:
        return False
    cells = list(children(rows[0], qn("w:tc")))
    return len(cells) == 1 or any(next(children(cell, qn("w:tbl")), None) is not None for cell in cells)


def _cells(row: Element, cell_text: Callable[[Element], str], above: dict[int, Cell]) -> list[Cell]:
    cells: list[Cell] = [""] * _span(row.find(qn("w:trPr")), "w:gridBefore", 0)
    for cell in children(row, qn("w:tc")):
        properties = cell.find(qn("w:tcPr"))
        merge = None if properties is None else properties.find(qn("w:vMerge"))
        continues = merge is not None and merge.get(qn("w:val")) != "restart"
        text = above.get(len(cells), "") if continues else cell_text(cell)
        cells += [text, *[None] * (_span(properties, "w:gridSpan", 1) - 1)]
    return cells


def _span(properties: Element | None, tag: str, default: int) -> int:
    text = None if properties is None else value(properties, tag)
    return min(int(text), _MAX_SPAN) if text and text.isdecimal() else default


# Files that a Word document holds for Word to insert (altChunk), as programs do that write reports.

_HTML = ("text/html", "application/xhtml+xml")


def add_inserted(part: DocumentPart, relationship: str, builder: DocumentBuilder) -> None:
    """Add an inserted web page in its place; of another file the metadata say that it is left out."""
    inserted = part.related_parts.get(relationship)
    if inserted is None:
        return
    if inserted.content_type not in _HTML:
        builder.note(f"inserted file {inserted.partname.filename} is left out")
        return
    # Few documents have one, and the library takes time to load.
    from citewell_documents.parsing.html.blocks import add_blocks  # noqa: PLC0415
    from citewell_documents.parsing.html.reader import html_text  # noqa: PLC0415
    from citewell_documents.parsing.html.visible import seen_tree  # noqa: PLC0415

    tree = seen_tree(html_text(inserted.blob, builder.filename), builder.filename, builder.hidden)
    if tree.body is not None:
        add_blocks(tree.body, builder)


_PARAGRAPH, _TABLE, _CELL, _ROW, _CHUNK = (qn(tag) for tag in ("w:p", "w:tbl", "w:tc", "w:tr", "w:altChunk"))
_MAX_HEADING = 300  # a longer paragraph in a heading style is text
_CONTENTS = "Table of Contents"


def parse_word(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .docx: paragraphs, headings with their numbers, lists and tables in document order; no pages.

    Text boxes, descriptions of pictures, notes and comments follow their paragraph; page headers and footers follow the
    text. Deleted text, hidden and struck text (`hidden`) and the table of contents are left out. The text of a cell
    that spans rows is repeated in each row.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_package(data, filename, limits)
    stream = linked_stream(archive, filename)
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "a Word document", PythonDocxError, OpcError):
        document = docx.Document(stream)
        reader = _Reader.of(document.part, builder)
        for body in document.part.element.iterchildren(qn("w:body")):
            reader.read(body)
        reader.read_page_headers()
        note_inserted(archive, builder)
        return builder.build_with_text(core_properties(archive, filename), no_text(filename))


@dataclass(slots=True)
class _Reader:
    part: DocumentPart
    builder: DocumentBuilder
    styles: Styles
    numbering: Numbering
    notes: Notes
    page: str
    """The colour of the pages."""
    _items: list[str] = field(default_factory=list[str])
    _pending: list[str] = field(default_factory=list[str])
    _described: list[str] = field(default_factory=list[str])
    """Descriptions of pictures in cells."""

    @classmethod
    def of(cls, part: DocumentPart, builder: DocumentBuilder) -> "_Reader":
        styles = Styles.of(_related(part, RELATIONSHIP_TYPE.STYLES), _theme(part))
        kinds = (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES, RELATIONSHIP_TYPE.COMMENTS)
        notes = [_related(part, kind) for kind in kinds]
        page = page_ground(part.element, _related(part, RELATIONSHIP_TYPE.SETTINGS), styles)
        for element in (part.element, *notes):
            if element is not None:
                drop_hidden(element, styles, builder.hidden, page)
        numbering = Numbering.of(_related(part, RELATIONSHIP_TYPE.NUMBERING))
        return cls(part, builder, styles, numbering, Notes.of(*notes), page)

    def read(self, container: Element) -> None:
        for block in _blocks(container):
            if block.tag == _TABLE:
                self._flush()
                self._table(block)
                self._flush()
            elif block.tag == _CHUNK:
                self._flush()
                add_inserted(self.part, block.get(qn("r:id"), ""), self.builder)
            else:
                self._paragraph(block)
        self._flush()

    def read_page_headers(self) -> None:
        """Read the page headers and footers, each different text once, without page numbers."""
        told: set[str] = set()
        for kind in (RELATIONSHIP_TYPE.HEADER, RELATIONSHIP_TYPE.FOOTER):
            for part in _related_parts(self.part, kind):
                root = parse_xml(part.blob)
                without_page_numbers(root)
                drop_hidden(root, self.styles, self.builder.hidden, self.page)
                text = " ".join(filter(None, (paragraph_text(inner).strip() for inner in root.iter(_PARAGRAPH))))
                if not any(map(str.isalpha, text)) or text in told:
                    continue
                if not told:
                    self.builder.begin_page_headers()
                told.add(text)
                replace(self, part=cast("DocumentPart", part)).read(root)

    def _paragraph(self, paragraph: Element) -> None:
        style = self.styles.of_paragraph(paragraph)
        text = paragraph_text(paragraph).strip()
        level = heading_level(style)
        if text and not style.is_contents:
            label = self._label(style.list_id, style.list_level)
            if level is not None and len(text) <= _MAX_HEADING:
                self._flush()
                self.builder.heading(f"{label.strip('•')} {text}", (level,))
            elif label:
                self._items.append(f"{label} {text}")
            else:
                self._flush()
                # Sequences number other things, too, so the words decide if the style is not that of a caption.
                captions = (style.is_caption and not names_other(text)) or (
                    is_caption(text) and has_sequence(paragraph)
                )
                self.builder.paragraph(text, figure="caption" if captions else None)
        self._attached(paragraph)

    def _label(self, list_id: str | None, level: int | None) -> str:
        return self.numbering.label(list_id, level or 0) if list_id and list_id != "0" else ""

    def _attached(self, paragraph: Element) -> None:
        self._pending += self.notes.texts(note_references(paragraph))
        boxes = list(text_boxes(paragraph))
        if boxes or not self._items:
            self._flush()
        for box in boxes:
            self.read(box)
        for description in filter(None, pictures(paragraph)):
            self._flush()
            self.builder.paragraph(description, figure="alternative_text")
        for relationship in charts(paragraph):
            if (part := self.part.related_parts.get(relationship)) is not None:
                self._flush()
                add_chart(parse_xml(part.blob), self.builder)
        for relationship in diagrams(paragraph):
            if (part := self.part.related_parts.get(relationship)) is not None:
                self._flush()
                self.builder.paragraph(diagram_text(parse_xml(part.blob)))

    def _table(self, table: Element) -> None:
        if is_layout(table):
            for row in children(table, _ROW):
                for cell in children(row, _CELL):
                    self.read(cell)
            return
        boxes: list[Element] = []
        rows = with_one_header(table_rows(table, lambda cell: self._cell(cell, boxes)))
        self.builder.table(rows, has_header=marks_header(table) or has_header(rows))
        for box in boxes:
            self.read(box)

    def _cell(self, cell: Element, boxes: list[Element]) -> str:
        """The text of a cell; nested tables have commas between cells and semicolons between rows."""
        texts: list[str] = []
        for block in _blocks(cell):
            if block.tag == _TABLE:
                rows = table_rows(block, lambda inner: self._cell(inner, boxes))
                texts.append("; ".join(", ".join(filter(None, row)) for row in rows))
                continue
            style = self.styles.of_paragraph(block)
            if text := paragraph_text(block).strip():
                texts.append(f"{self._label(style.list_id, style.list_level)} {text}".strip())
            self._pending += self.notes.texts(note_references(block))
            self._described += filter(None, pictures(block))
            boxes.extend(text_boxes(block))
        return " ".join(texts)

    def _flush(self) -> None:
        if self._items:
            self.builder.paragraph("\n".join(self._items))
            self._items.clear()
        for note in self._pending:
            self.builder.paragraph(note)
        self._pending.clear()
        for description in self._described:
            self.builder.paragraph(description, figure="alternative_text")
        self._described.clear()


def _blocks(container: Element) -> Iterator[Element]:
    """The blocks of a container and of its content controls, except the control of the table of contents."""
    for child in container:
        if child.tag in (_PARAGRAPH, _TABLE, _CHUNK):
            yield child
        elif child.tag in _BLOCK_WRAPPERS:
            gallery = child.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
            if gallery is None or gallery.get(qn("w:val")) != _CONTENTS:
                yield from _blocks(child)


_BLOCK_WRAPPERS = tuple(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")))


def _theme(part: DocumentPart) -> Element | None:
    """The theme; None if it is damaged, because only colours come from it, or if the document exchanges its colours."""
    settings = _related(part, RELATIONSHIP_TYPE.SETTINGS)
    mapping = None if settings is None else settings.find(qn("w:clrSchemeMapping"))
    if mapping is not None and mapping.get(qn("w:bg1"), "light1") != "light1":
        return None
    with suppress(etree.LxmlError):
        return _related(part, RELATIONSHIP_TYPE.THEME)
    return None


def _related(part: DocumentPart, kind: str) -> Element | None:
    related = _related_parts(part, kind)
    return parse_xml(related[0].blob) if related else None


def _related_parts(part: DocumentPart, kind: str) -> list[Part]:
    return [link.target_part for link in part.rels.values() if link.reltype == kind and not link.is_external]
