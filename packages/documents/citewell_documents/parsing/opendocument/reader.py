"""OpenDocument texts (.odt): headings, paragraphs, lists, tables and notes, in document order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lxml.etree import QName

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted
from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.parts import Element, found_from, no_text, unreadable_if_damaged, xml_part
from citewell_documents.parsing.opendocument.hidden import drop_hidden
from citewell_documents.parsing.opendocument.styles import Counter, Styles, odf
from citewell_documents.parsing.opendocument.tables import marks_header, row_elements, table_rows
from citewell_documents.parsing.opendocument.text import (
    anchored,
    comment_text,
    has_sequence,
    note_text,
    paragraph_text,
    picture_text,
    picture_texts,
)
from citewell_documents.parsing.picture_words import is_caption, names_other
from citewell_documents.parsing.tables import has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder

_CONTENT, _STYLES, _META, _MANIFEST = "content.xml", "styles.xml", "meta.xml", "META-INF/manifest.xml"
_PARAGRAPHS = (odf("text:p"), odf("text:h"))
_LIST, _TABLE, _BOX = odf("text:list"), odf("table:table"), odf("draw:text-box")
_ITEMS = (odf("text:list-item"), odf("text:list-header"))
_CONTAINERS = (odf("text:section"), odf("text:bibliography"), odf("text:index-body"), odf("draw:frame"), _BOX)
_PAGE_HEADERS = (odf("style:header"), odf("style:footer"))
_NUMBERED = 4  # words: `Page 3 of 7`
_DATE_NAMES = {"date": "modified", "creation-date": "created", "initial-creator": "creator"}


def parse_opendocument(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .odt: headings with their numbers, paragraphs, lists and tables in document order; no pages.

    Text boxes, descriptions of pictures, notes and comments follow their paragraph, page headers and footers the text.
    Deletions and the table of contents are left out. The text of a cell that spans rows is repeated in each.

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
    """Add what stands above and below the text of all pages, each text once, without page numbers."""
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
            # Things other than figures are counted, too, so without the style of a caption the words decide.
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
        if len(cells) == 1:  # a frame around its content
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
