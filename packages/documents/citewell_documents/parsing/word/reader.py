"""Word documents (.docx): python-docx opens the package, the body is read in document order."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import docx
from docx.exceptions import PythonDocxError
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.opc.part import Part
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml
from docx.parts.document import DocumentPart

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.archives import opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.charts import add_chart
from citewell_documents.parsing.office.missing_parts import linked_stream
from citewell_documents.parsing.office.parts import Element, core_properties, described, no_text, unreadable_if_damaged
from citewell_documents.parsing.picture_words import is_caption, names_other
from citewell_documents.parsing.tables import has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder
from citewell_documents.parsing.word.hidden import drop_hidden
from citewell_documents.parsing.word.numbering import Numbering
from citewell_documents.parsing.word.styles import Styles, heading_level
from citewell_documents.parsing.word.tables import children, is_layout, marks_header, table_rows
from citewell_documents.parsing.word.text import (
    Notes,
    charts,
    has_sequence,
    note_references,
    paragraph_text,
    pictures,
    text_boxes,
)

_PARAGRAPH, _TABLE, _CELL, _ROW = (qn(tag) for tag in ("w:p", "w:tbl", "w:tc", "w:tr"))
_MAX_HEADING = 300  # whole paragraphs in a heading style are text
_CONTENTS = "Table of Contents"


def parse_word(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .docx: paragraphs, headings with their numbers, lists and tables in document order; no pages.

    Text boxes, descriptions of pictures and notes follow their paragraph.
    Deleted text, hidden and struck text (`hidden`), comments, running headers and the table of
    contents are left out. The text of a cell that spans rows is repeated in each.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_archive(data, filename, limits)
    stream = linked_stream(archive, filename)
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "a Word document", PythonDocxError, OpcError):
        document = docx.Document(stream)
        reader = _Reader.of(document.part, builder)
        for body in document.part.element.iterchildren(qn("w:body")):
            reader.read(body)
        parsed = builder.build(core_properties(archive, filename))
    if not parsed.text:
        raise no_text(filename)
    return parsed


@dataclass(slots=True)
class _Reader:
    part: DocumentPart
    builder: DocumentBuilder
    styles: Styles
    numbering: Numbering
    notes: Notes
    _items: list[str] = field(default_factory=list[str])
    _pending: list[str] = field(default_factory=list[str])
    _described: list[str] = field(default_factory=list[str])
    """Descriptions of pictures in cells."""

    @classmethod
    def of(cls, part: DocumentPart, builder: DocumentBuilder) -> "_Reader":
        styles = Styles.of(_related(part, RELATIONSHIP_TYPE.STYLES))
        notes = [_related(part, kind) for kind in (RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES)]
        for element in (part.element, *notes):
            if element is not None:
                drop_hidden(element, styles, builder.hidden)
        numbering = Numbering.of(_related(part, RELATIONSHIP_TYPE.NUMBERING))
        return cls(part, builder, styles, numbering, Notes.of(*notes))

    def read(self, container: Element) -> None:
        for block in _blocks(container):
            if block.tag == _TABLE:
                self._flush()
                self._table(block)
                self._flush()
            else:
                self._paragraph(block)
        self._flush()

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
                # Sequences number other things, too, so without the style of a caption the words decide.
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
        for picture in pictures(paragraph):
            if description := described(picture):
                self._flush()
                self.builder.paragraph(description, figure="alternative_text")
        for relationship in charts(paragraph):
            if (part := self.part.related_parts.get(relationship)) is not None:
                self._flush()
                add_chart(parse_xml(part.blob), self.builder)

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
            self._described += filter(None, map(described, pictures(block)))
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
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag in _BLOCK_WRAPPERS and not _is_contents(child):
            yield from _blocks(child)


_BLOCK_WRAPPERS = tuple(map(qn, ("w:sdt", "w:sdtContent", "w:ins", "w:moveTo", "w:customXml", "w:smartTag")))


def _is_contents(control: Element) -> bool:
    gallery = control.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
    return gallery is not None and gallery.get(qn("w:val")) == _CONTENTS


def _related(part: DocumentPart, kind: str) -> Element | None:
    related: list[Part] = [
        link.target_part for link in part.rels.values() if link.reltype == kind and not link.is_external
    ]
    return parse_xml(related[0].blob) if related else None
