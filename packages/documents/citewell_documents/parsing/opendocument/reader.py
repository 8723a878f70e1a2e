"""OpenDocument texts (.odt): headings, paragraphs, lists, tables and notes, in document order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from lxml.etree import QName

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted
from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.parts import (
    Element,
    described_as,
    found_from,
    no_text,
    unreadable_if_damaged,
    xml_part,
)
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.opendocument.hidden import drop_hidden
from citewell_documents.parsing.opendocument.styles import Counter, Styles, integer, odf
from citewell_documents.parsing.picture_words import is_caption, names_other
from citewell_documents.parsing.tables import Cell, has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder

# The text of a paragraph in an OpenDocument text, and its anchored elements.

_LEFT_OUT = {
    *map(odf, ("office:annotation", "office:annotation-end", "text:note", "text:ruby-text", "text:hidden-text")),
    *map(odf, ("draw:text-box", "text:tracked-changes", "draw:object", "draw:image")),
}
_BREAKS = {odf("text:tab"): " ", odf("text:line-break"): "\n"}
_PICTURES = {*map(odf, ("draw:frame", "draw:g", "draw:custom-shape"))}
_SPACES = odf("text:s")  # a run of spaces, which the builder collapses anyway
_DC = "{http://purl.org/dc/elements/1.1/}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"  # titles of pictures


def paragraph_text(paragraph: Element) -> str:
    return "".join(_texts(paragraph))


def anchored(paragraph: Element, name: str) -> Iterator[Element]:
    for child in paragraph:
        if child.tag == odf(name):
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from anchored(child, name)


def picture_texts(paragraph: Element) -> Iterator[str]:
    """What is said of the pictures anchored in a paragraph."""
    for child in paragraph:
        if child.tag in _PICTURES and (text := picture_text(child)):
            yield text
        elif child.tag not in _LEFT_OUT:
            yield from picture_texts(child)


def picture_text(frame: Element) -> str:
    texts = (frame.findtext(f"{_SVG}{name}") or "" for name in ("title", "desc"))
    return described_as(": ".join(filter(None, map(str.strip, texts))))


def has_sequence(paragraph: Element) -> bool:
    """True if it is counted, as the captions of figures are."""
    return next(paragraph.iter(odf("text:sequence")), None) is not None


def note_text(note: Element) -> str:
    mark = note.findtext(odf("text:note-citation")) or ""
    body = note.find(odf("text:note-body"))
    paragraphs = () if body is None else body.iter(odf("text:p"), odf("text:h"))
    return f"{mark.translate(_RAISED)} {' '.join(map(paragraph_text, paragraphs))}".strip()


def comment_text(annotation: Element) -> str:
    paragraphs = annotation.iter(odf("text:p"), odf("text:h"))
    return comment(" ".join(map(paragraph_text, paragraphs)).strip(), annotation.findtext(f"{_DC}creator") or "")


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if shown := _BREAKS.get(str(child.tag)):
            yield shown
        elif child.tag == _SPACES:
            yield " "
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT and not child.tag.startswith(_SVG):
            yield from _texts(child)
        yield child.tail or ""


# The rows of tables in OpenDocument texts.

_ROW, _HEADER_ROWS = odf("table:table-row"), odf("table:table-header-rows")
_GROUPS = (_HEADER_ROWS, odf("table:table-rows"), odf("table:table-row-group"))
_CELL, _COVERED = odf("table:table-cell"), odf("table:covered-table-cell")
_MAX_REPEATED = 200


def table_rows(table: Element, cell_text: Callable[[Element], str]) -> list[list[Cell]]:
    """The texts of a `table:table`: a cell over columns covers others (None), one over rows is repeated in each."""
    rows: list[list[Cell]] = []
    for row in row_elements(table):
        cells = _cells(row, cell_text, rows[-1] if rows else [])
        rows += [cells] * _repeated(row, "table:number-rows-repeated")
    return rows


def marks_header(table: Element) -> bool:
    return any(group.find(_ROW) is not None for group in table.findall(_HEADER_ROWS))


def row_elements(parent: Element) -> Iterator[Element]:
    for child in parent:
        if child.tag == _ROW:
            yield child
        elif child.tag in _GROUPS:
            yield from row_elements(child)


def _cells(row: Element, cell_text: Callable[[Element], str], above: list[Cell]) -> list[Cell]:
    cells: list[Cell] = []
    beside = 0  # how many of the next cells the one to the left covers
    for cell in row.iterchildren(_CELL, _COVERED):
        for _ in range(_repeated(cell, "table:number-columns-repeated")):
            if cell.tag == _CELL:
                cells.append(cell_text(cell))
                beside = integer(cell.get(odf("table:number-columns-spanned")), 1) - 1
            elif beside > 0:
                cells.append(None)
                beside -= 1
            else:
                cells.append(above[len(cells)] if len(cells) < len(above) else "")
    return cells


def _repeated(element: Element, name: str) -> int:
    return min(integer(element.get(odf(name)), 1), _MAX_REPEATED)


_CONTENT, _STYLES, _META, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_PARAGRAPHS = (odf("text:p"), odf("text:h"))
_LIST, _TABLE, _BOX = odf("text:list"), odf("table:table"), odf("draw:text-box")
_ITEMS = (odf("text:list-item"), odf("text:list-header"))
_CONTAINERS = (odf("text:section"), odf("text:bibliography"), odf("text:index-body"), odf("draw:frame"), _BOX)
_PAGE_HEADERS = (odf("style:header"), odf("style:footer"))
_NUMBERED = 4  # the most words of a page number, as in `Page 3 of 7`
_DATE_NAMES = {"date": "modified", "creation-date": "created", "initial-creator": "creator"}


def parse_opendocument(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .odt: headings with their numbers, paragraphs, lists and tables in document order; no pages.

    Text boxes, descriptions of pictures, notes and comments follow their paragraph; page headers and footers follow the
    text. Deletions and the table of contents are left out. The text of a cell that spans rows is repeated in each row.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_archive(data, filename, limits)
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    content = xml_part(archive, _CONTENT, filename)
    parts = [xml_part(archive, _STYLES, filename), content] if _STYLES in archive else [content]
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "an OpenDocument text"):
        styles = Styles(parts)
        for part in parts:
            drop_hidden(part, styles, builder.hidden)
        _Reader(builder, styles, Counter(styles.outline)).read(content.iter(odf("office:text")))
        _add_page_headers(parts, builder)
        return builder.build_with_text(_found(archive, filename), no_text(filename))


def _add_page_headers(parts: Sequence[Element], builder: DocumentBuilder) -> None:
    """Add the page headers and footers, each different text once, without page numbers."""
    texts: dict[str, None] = {}
    for paragraph in (
        inner for part in parts for header in part.iter(*_PAGE_HEADERS) for inner in header.iter(*_PARAGRAPHS)
    ):
        text = paragraph_text(paragraph).strip()
        is_number = next(paragraph.iter(odf("text:page-number")), None) is not None and len(text.split()) <= _NUMBERED
        if any(map(str.isalpha, text)) and not is_number:
            texts.setdefault(text)
    if texts:
        builder.begin_page_headers()
    for text in texts:
        builder.paragraph(text)


def _found(archive: Archive, filename: str) -> dict[str, str]:
    if _META not in archive:
        return {}
    texts: dict[str, str] = {}
    keywords: list[str] = []
    for element in xml_part(archive, _META, filename).iter():
        name, text = QName(element).localname, (element.text or "").strip()
        if name == "keyword":
            keywords.append(text)
        elif name in _DATE_NAMES or name not in texts.keys() & {"creator"}:
            texts[_DATE_NAMES.get(name, name)] = text
    return found_from({**texts, "keywords": ", ".join(filter(None, keywords))})


@dataclass(slots=True)
class _Reader:
    builder: DocumentBuilder
    styles: Styles
    outline: Counter
    _counters: dict[str, Counter] = field(default_factory=dict[str, Counter])
    _items: list[str] = field(default_factory=list[str])
    _notes: list[str] = field(default_factory=list[str])
    _described: list[str] = field(default_factory=list[str])
    """Descriptions of pictures in cells."""

    def read(self, containers: Iterator[Element]) -> None:
        for container in containers:
            self._blocks(container)
        self._flush()

    def _blocks(self, container: Element) -> None:
        for child in container:
            if child.tag in _PARAGRAPHS:
                self._paragraph(child)
            elif child.tag == _LIST:
                self._flush()
                self._list(child)
                self._flush()
            elif child.tag == _TABLE:
                self._flush()
                self._table(child)
                self._flush()
            elif child.tag in _CONTAINERS:
                self._describe(picture_text(child))
                self._blocks(child)

    def _paragraph(self, paragraph: Element, label: str = "") -> None:
        text = paragraph_text(paragraph).strip()
        level = self.styles.heading_level(paragraph)
        if text and level is not None:
            self._flush()
            number = label or (self.outline.label(level) if level and paragraph.tag == odf("text:h") else "")
            self.builder.heading(f"{number.strip('•')} {text}", (level,))
        elif text and label:
            self._items.append(f"{label} {text}")
        elif text:
            self._flush()
            # Other things than figures are counted, too, so the words decide if the style is not that of a caption.
            if self.styles.is_caption(paragraph):
                captions = not names_other(text)
            else:
                captions = is_caption(text) and has_sequence(paragraph)
            self.builder.paragraph(text, figure="caption" if captions else None)
        self._attached(paragraph)

    def _describe(self, text: str) -> None:
        if text:
            self._flush()
            self.builder.paragraph(text, figure="alternative_text")

    def _attached(self, paragraph: Element) -> None:
        self._notes += map(note_text, anchored(paragraph, "text:note"))
        self._notes += filter(None, map(comment_text, anchored(paragraph, "office:annotation")))
        boxes = list(anchored(paragraph, "draw:text-box"))
        if boxes or not self._items:
            self._flush()
        for text in picture_texts(paragraph):
            self._describe(text)
        for box in boxes:
            self._blocks(box)

    def _counter(self, element: Element) -> Counter:
        style = element.get(odf("text:style-name"), "")
        continues = element.get(odf("text:continue-numbering")) == "true" or element.get(odf("text:continue-list"))
        if not continues or style not in self._counters:
            self._counters[style] = Counter(self.styles.list_levels(style))
        return self._counters[style]

    def _list(self, element: Element) -> None:
        for label, paragraph in self._labelled(element, self._counter(element), 1):
            text = paragraph_text(paragraph).strip()
            if not label and text and self._items:
                self._items.append(text)
                self._attached(paragraph)
            else:
                self._paragraph(paragraph, label)

    def _labelled(self, element: Element, counter: Counter, level: int) -> Iterator[tuple[str, Element]]:
        if level > 1 and (style := element.get(odf("text:style-name"))):
            counter = Counter(self.styles.list_levels(style))
        for item in element.iterchildren(*_ITEMS):
            is_first = item.tag == _ITEMS[0]
            for child in item:
                if child.tag == _LIST:
                    yield from self._labelled(child, counter, level + 1)
                elif child.tag in _PARAGRAPHS:
                    yield (counter.label(level) if is_first else ""), child
                    is_first = False

    def _table(self, table: Element) -> None:
        rows = list(row_elements(table))
        cells = list(rows[0].iterchildren(odf("table:table-cell"))) if len(rows) == 1 else []
        if len(cells) == 1:  # the table only frames its content
            self._blocks(cells[0])
            return
        texts = with_one_header(table_rows(table, self._cell))
        self.builder.table(texts, has_header=marks_header(table) or has_header(texts))

    def _cell(self, cell: Element) -> str:
        """The text of a cell; nested tables have commas between cells and semicolons between rows."""
        texts: list[str] = []
        for child in cell:
            if child.tag == _TABLE:
                rows = table_rows(child, self._cell)
                texts.append("; ".join(", ".join(filter(None, row)) for row in rows))
            elif child.tag == _LIST:
                texts += (self._line(*item) for item in self._labelled(child, self._counter(child), 1))
            elif child.tag in _PARAGRAPHS:
                texts.append(self._line("", child))
            else:
                texts.append(self._cell(child))
        return " ".join(filter(None, texts))

    def _line(self, label: str, paragraph: Element) -> str:
        self._notes += map(note_text, anchored(paragraph, "text:note"))
        self._notes += filter(None, map(comment_text, anchored(paragraph, "office:annotation")))
        self._described += picture_texts(paragraph)
        boxes = (self._cell(box) for box in anchored(paragraph, "draw:text-box"))
        return " ".join(filter(None, (label, paragraph_text(paragraph).strip(), *boxes)))

    def _flush(self) -> None:
        if self._items:
            self.builder.paragraph("\n".join(self._items))
            self._items.clear()
        for note in self._notes:
            self.builder.paragraph(note)
        self._notes.clear()
        described, self._described = self._described, []
        for text in described:
            self.builder.paragraph(text, figure="alternative_text")
