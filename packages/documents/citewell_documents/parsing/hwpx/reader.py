"""Hancom documents (.hwpx): headings by outline level, paragraphs, tables and notes, in document order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml.etree import QName

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted, DocumentUnreadable
from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.parts import Element, found_from, no_text, unreadable_if_damaged, xml_part
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.tables import Cell, has_header, with_one_header
from citewell_documents.parsing.text_builder import DocumentBuilder

_SECTION = re.compile(r"Contents/section(\d+)\.xml")
_HEADER, _PACKAGE, _MANIFEST = "Contents/header.xml", "Contents/content.hpf", "META-INF/manifest.xml"
_BREAKS = {"tab": "\t", "lineBreak": "\n", "nbSpace": " ", "fwSpace": " ", "hyphen": "-"}
_GENERATED = re.compile(r"그림입니다\.?(?:\s+원본 그림의|\s*$)")
_COUNTED = ("TABLE", "PICTURE", "EQUATION")  # without notes, whose numbers would become words of the text
_GLOSSED = ("mainText", "subText")
_REMARKS = ("fieldBegin", "hiddenComment")
_MAX_HEADING = 300
_MOST_COLUMNS = 200
_MOST_DEPTH = 50  # of tables in cells of tables, and boxes in boxes


def parse_hwpx(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .hwpx. Text boxes and notes follow their paragraph; descriptions of pictures take the place of the
    pictures.

    Captions of pictures and tables stay above or below them. Comments are marked as such; page headers and footers
    follow the text. Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_archive(data, filename, limits)
    if _MANIFEST in archive and b"encryption-data" in archive.read(_MANIFEST):
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    numbered = sorted((int(match[1]), match[0]) for name in archive.names if (match := _SECTION.fullmatch(name)))
    if not numbered:
        raise DocumentUnreadable(
            f"{filename} is damaged or incomplete: it has no Contents/section0.xml; save or download it again"
        )
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "a Hancom document"):
        reader = _Reader(builder, _outline_levels(archive, filename))
        roots = [xml_part(archive, name, filename) for _, name in numbered]
        for root in roots:
            reader.read(root)
        reader.read_page_headers(roots)
        return builder.build_with_text(_found(archive, filename), no_text(filename))


def _outline_levels(archive: Archive, filename: str) -> dict[str, int]:
    """The levels, from 1, of the paragraph formats that belong to an outline."""
    if _HEADER not in archive:
        return {}
    levels: dict[str, int] = {}
    for properties in _all(xml_part(archive, _HEADER, filename), "paraPr"):
        heading = next(_all(properties, "heading"), None)
        if heading is not None and heading.get("type") == "OUTLINE":
            levels[properties.get("id", "")] = int(heading.get("level", "0")) + 1
    return levels


def _found(archive: Archive, filename: str) -> dict[str, str]:
    if _PACKAGE not in archive:
        return {}
    texts: dict[str, str] = {}
    for element in xml_part(archive, _PACKAGE, filename).iter():
        name = _local(element)
        if name in ("title", "language"):
            texts[name] = element.text or ""
        elif name == "meta":
            texts[element.get("name", "").lower()] = element.text or ""
    return found_from({**texts, "modified": texts.get("modifieddate", ""), "created": texts.get("createddate", "")})


@dataclass(slots=True)
class _Reader:
    builder: DocumentBuilder
    levels: dict[str, int]
    _depth: int = 0

    def read(self, container: Element) -> None:
        """Read the paragraphs directly in a section or a list of paragraphs, but not the paragraphs deeper inside."""
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise DocumentUnreadable(f"{self.builder.filename} is nested more than {_MOST_DEPTH} levels deep")
        for paragraph in _children(container, "p"):
            self._paragraph(paragraph)
        self._depth -= 1

    def read_page_headers(self, roots: Sequence[Element]) -> None:
        """Read the page headers and footers, each different text once."""
        headers = (inner for root in roots for name in ("header", "footer") for inner in _all(root, name))
        texts = dict.fromkeys(text for header in headers if any(map(str.isalpha, text := _cell_text(header))))
        if texts:
            self.builder.begin_page_headers()
        for text in texts:
            self.builder.paragraph(text)

    def _paragraph(self, paragraph: Element) -> None:
        text = _paragraph_text(paragraph)
        level = self.levels.get(paragraph.get("paraPrIDRef", ""))
        if level is not None and text and len(text) <= _MAX_HEADING:
            self.builder.heading(text, (level,))
        else:
            self.builder.paragraph(text)
        for attached in _attached(paragraph):
            self._add(attached)

    def _add(self, attached: Element) -> None:
        name = _local(attached)
        if name == "subList":
            self.read(attached)
            return
        if name in _REMARKS:
            self.builder.paragraph(comment(_cell_text(attached), ""))
            return
        caption = next(_children(attached, "caption"), None)
        is_below = caption is not None and caption.get("side") == "BOTTOM"
        if not is_below:
            self._caption(caption, name)
        if name == "tbl":
            rows = with_one_header(_rows(attached))
            self.builder.table(rows, has_header=has_header(rows))
        else:
            description = next((child.text or "" for child in _children(attached, "shapeComment")), "").strip()
            # If a picture has no description, the program Hangul writes the name and size of its file instead.
            is_generated = _GENERATED.match(description) is not None
            self.builder.paragraph("" if is_generated else description, figure="alternative_text")
        if is_below:
            self._caption(caption, name)

    def _caption(self, caption: Element | None, name: str) -> None:
        text = "" if caption is None else _cell_text(caption)
        self.builder.paragraph(text, figure=None if name == "tbl" else "caption")


def _attached(paragraph: Element) -> Iterator[Element]:
    """Yield the tables, pictures, notes, boxes and comments of a paragraph itself, but not those that are within
    them.
    """
    for run in _children(paragraph, "run"):
        waiting = list(run)
        while waiting:
            element = waiting.pop(0)
            name = _local(element)
            # A memo begins in the same way as other fields.
            is_memo = name == "fieldBegin" and element.get("type") == "MEMO"
            if is_memo or name in ("tbl", "pic", "subList", "hiddenComment"):
                yield element
            elif name not in ("header", "footer", "t"):
                waiting[:0] = list(element)


def _paragraph_text(paragraph: Element) -> str:
    return "".join(part for run in _children(paragraph, "run") for element in run for part in _texts(element)).strip()


def _texts(element: Element) -> Iterator[str]:
    match _local(element):
        case "t":
            yield element.text or ""
            for child in element:
                yield _BREAKS.get(_local(child), "") + (child.tail or "")
        case "dutmal":
            # These are words with smaller words above or below them (덧말), which explain them.
            words, gloss = (
                " ".join("".join(part.itertext()) for part in _children(element, name)) for name in _GLOSSED
            )
            yield f"{words}({gloss.strip()})" if gloss.strip() else words
        case "compose":
            # These are characters that are drawn over each other (글자겹침), such as a number in a circle.
            yield element.get("composeText", "")
        case "equation":
            yield from (script.text or "" for script in _children(element, "script"))
        case "tbl" | "pic":
            yield " "  # the words around it are not one word
        case "ctrl":
            counted = (child for child in _children(element, "autoNum") if child.get("numType") in _COUNTED)
            yield from (number.get("num", "") for number in counted)
        case _:
            pass


def _rows(table: Element) -> list[list[Cell]]:
    """The cells of each row. A cell over several columns covers the cells to its right (None); a cell over several rows
    is repeated.
    """
    rows: list[dict[int, Cell]] = []
    for at, row in enumerate(_children(table, "tr")):
        for cell in _children(row, "tc"):
            column = _number(cell, "cellAddr", "colAddr", 0)
            for below in range(_number(cell, "cellSpan", "rowSpan", 1)):
                while len(rows) <= at + below:
                    rows.append({})
                rows[at + below][column] = _cell_text(cell)
                for beside in range(1, _number(cell, "cellSpan", "colSpan", 1)):
                    rows[at + below][column + beside] = None
    return [[row.get(column, "") for column in range(max(row, default=-1) + 1)] for row in rows]


def _cell_text(cell: Element) -> str:
    return " ".join(text for paragraph in _all(cell, "p") if (text := _paragraph_text(paragraph)))


def _number(cell: Element, part: str, name: str, otherwise: int) -> int:
    properties = next(_children(cell, part), None)
    given = otherwise if properties is None else int(properties.get(name, str(otherwise)))
    return min(max(given, otherwise), _MOST_COLUMNS)


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if _local(child) == name)


def _all(element: Element, name: str) -> Iterator[Element]:
    return (inner for inner in element.iter() if _local(inner) == name)


def _local(element: Element) -> str:
    return QName(element).localname if isinstance(element.tag, str) else ""
