"""EPUB books: the documents of the reading order, one after another."""

from functools import partial

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEncrypted
from citewell_documents.parsing.archives import Archive, opened_archive
from citewell_documents.parsing.epub.package import is_encrypted, path_from, read_package
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.nodes import HEADINGS
from citewell_documents.parsing.html.reader import html_text
from citewell_documents.parsing.html.stylesheets import Linked
from citewell_documents.parsing.html.visible import seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_ANY_HEADING = ", ".join(HEADINGS)


def parse_epub(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a book's chapters in reading order; a chapter without a heading gets its title from the table of contents.

    Raises DocumentEmpty, DocumentEncrypted, DocumentUnreadable or DocumentTooLarge.
    """
    archive = opened_archive(data, filename, limits)
    if is_encrypted(archive, filename):
        raise DocumentEncrypted(f"{filename}: {DocumentEncrypted.__doc__}")
    package = read_package(archive, filename)
    builder = DocumentBuilder(filename, limits)
    for name in package.spine:
        _add_chapter(archive.read(name), package.titles.get(name, ""), builder, partial(_sheet, archive, name))
    return builder.build_with_text(
        package.metadata, f"{filename} contains no text; a book of scanned pages needs text recognition (OCR) first."
    )


def _sheet(archive: Archive, chapter: str, address: str, base: str) -> tuple[str, str] | None:
    name = path_from(base or chapter, address)
    return (name, archive.read(name).decode(errors="replace")) if name in archive else None


def _add_chapter(data: bytes, title: str, builder: DocumentBuilder, linked: Linked) -> None:
    if not data.strip():
        return
    tree = seen_tree(html_text(data, builder.filename), builder.filename, builder.hidden, linked)
    if tree.body is None:
        return
    if title and tree.body.css_first(_ANY_HEADING) is None and tree.body.text().strip():
        builder.heading(title, (1,))
    add_blocks(tree.body, builder)
