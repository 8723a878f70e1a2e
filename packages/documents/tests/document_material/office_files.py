"""Office files for tests, written by the libraries, and helpers to modify them."""

import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from itertools import pairwise

import docx
import pptx
from docx.document import Document as WordDocument
from openpyxl import Workbook
from pptx.presentation import Presentation
from pptx.shapes.autoshape import Shape
from pptx.slide import Slide
from pptx.util import Cm, Length

from citewell_documents.document import ParsedDocument


def word(write: Callable[[WordDocument], object]) -> bytes:
    document = docx.Document()
    write(document)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def slides(write: Callable[[Presentation], object]) -> bytes:
    presentation = pptx.Presentation()
    write(presentation)
    out = BytesIO()
    presentation.save(out)
    return out.getvalue()


def workbook(sheets: Mapping[str, Iterable[Sequence[object]]], change: Callable[[Workbook], object] = id) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    change(book)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_OF_OFFICE = " ".join(
    f'xmlns:{prefix}="{_ODF}:{name}:1.0"'
    for prefix, name in {
        **{name: name for name in ("office", "text", "table", "style", "meta")},
        "draw": "drawing",
        "fo": "xsl-fo-compatible",
    }.items()
)
_NAMES = f'{_OF_OFFICE} xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'


def odt(body: str, styles: str = "", meta: str = "", **parts: bytes) -> bytes:
    """An OpenDocument text with XML for its body, its automatic styles and its metadata."""
    content = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    content += f"<office:body><office:text>{body}</office:text></office:body>"
    dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    members = {
        "mimetype": b"application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {_NAMES}>{content}</office:document-content>".encode(),
        "meta.xml": f"<office:meta {_NAMES} {dc}>{meta}</office:meta>".encode(),
    }
    return packed(members | parts)


def packed(members: Mapping[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def replaced(data: bytes, part: str, old: str, new: str) -> bytes:
    members = unpacked(data)
    assert old.encode() in members[part]
    members[part] = members[part].replace(old.encode(), new.encode())
    return packed(members)


def with_part(data: bytes, part: str, content: bytes | None) -> bytes:
    members: dict[str, bytes | None] = {**unpacked(data), part: content}
    return packed({name: kept for name, kept in members.items() if kept is not None})


def linked(data: bytes, part: str, links: Mapping[str, str], parts: Mapping[str, bytes], types: str) -> bytes:
    """The package with more parts, to which `part` is linked by their ids and kinds."""
    members = unpacked(data)
    folder, _, name = part.rpartition("/")
    rels = f"{folder}/_rels/{name}.rels"
    given = members.get(rels, b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"/>')
    given = given.replace(b"/>", b"></Relationships>") if b"</Relationships>" not in given else given
    added = "".join(
        f'<Relationship Id="{kind.rpartition("/")[2]}" Type="{kind}" Target="/{target}"/>'
        for target, kind in links.items()
    )
    members[rels] = given.replace(b"</Relationships>", f"{added}</Relationships>".encode())
    kinds = members["[Content_Types].xml"].replace(b"</Types>", f"{types}</Types>".encode())
    return packed({**members, **parts, "[Content_Types].xml": kinds})


def outline(parsed: ParsedDocument) -> list[str]:
    return [" > ".join(section.path) for section in parsed.sections]


def tables(parsed: ParsedDocument) -> list[tuple[str, str]]:
    """Header and rows of each table."""
    return [
        (parsed.text[table.start : table.header_end], parsed.text[table.header_end : table.end].strip("\n"))
        for table in parsed.tables
    ]


def check_places(parsed: ParsedDocument) -> None:
    """N3: pages, sections and tables are in the text, in order, and begin with their names."""
    for section in parsed.sections:
        assert parsed.text[section.start : section.end].startswith(section.title)
    for part in (parsed.pages, parsed.sections, parsed.tables):
        for earlier, later in pairwise(part):
            assert earlier.end <= later.start or earlier.start == earlier.end
        assert all(0 <= one.start <= one.end <= len(parsed.text) for one in part)
    for table in parsed.tables:
        assert parsed.text[table.start : table.end] == parsed.text[table.start : table.end].strip("\n")


TITLE_ONLY, BLANK = 5, 6
"""Layouts of the default presentation, by place."""


def add_slide(presentation: Presentation, title: str | None = None) -> Slide:
    slide = presentation.slides.add_slide(presentation.slide_layouts[BLANK if title is None else TITLE_ONLY])
    if slide.shapes.title is not None:
        slide.shapes.title.text_frame.text = title or ""
    return slide


def add_box(slide: Slide, text: str, left: Length, top: Length) -> Shape:
    box = slide.shapes.add_textbox(left, top, Cm(5), Cm(1))
    box.text_frame.text = text
    return box
