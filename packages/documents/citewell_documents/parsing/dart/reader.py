"""Reads DART documents by the code that reads HTML pages: the same headings, paragraphs and tables."""

import re
from collections.abc import Callable, Mapping

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.dart.header import found_in_header
from citewell_documents.parsing.dart.headings import with_note_headings, with_statement_headings
from citewell_documents.parsing.dart.markup import as_html
from citewell_documents.parsing.decoding import clean, decode
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.visible import seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_END = re.compile(r"</DOCUMENT\s*>\s*\Z")
_MOST_REPLACED = 0.001


def parse_dart(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a document of DART's `document.xml`. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    text = _decoded(data, filename)
    if not _END.search(text[-1000:]):
        raise DocumentUnreadable(
            f"{filename} ends before </DOCUMENT>, so a part is missing; download it from DART anew"
        )
    return read_html(as_html(text), filename, limits, lambda _: found_in_header(text))


def read_html(
    html: str, filename: str, limits: ParseLimits, metadata_in: Callable[[str], Mapping[str, str | None]]
) -> ParsedDocument:
    """Read a report as HTML; `metadata_in` finds the metadata in its text."""
    builder = DocumentBuilder(filename, limits)
    tree = seen_tree(with_note_headings(with_statement_headings(html)), filename, builder.hidden)
    if tree.body is not None:
        add_blocks(tree.body, builder, plain_heads=True)
    return builder.build(metadata_in(builder.build_with_text().text))


def _decoded(data: bytes, filename: str) -> str:
    """Decode a file: older ones are CP949 and say UTF-8, and some have a few bytes that are neither."""
    for encoding in ("utf-8-sig", "cp949"):
        text = data.decode(encoding, errors="replace")
        if text.count("\ufffd") <= _MOST_REPLACED * len(text):
            return clean(text)
    return decode(data, filename)
