"""Reads the HTML that DART's viewer saves: the same reports, with classes in place of elements."""

import re

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.dart.header import found_on_cover
from citewell_documents.parsing.dart.markup import closed_up
from citewell_documents.parsing.dart.reader import read_html
from citewell_documents.parsing.html.reader import html_text
from citewell_documents.parsing.limits import ParseLimits

_TITLE = re.compile(
    r"<p\b[^<>]{0,500}\bclass=[\"']?(cover-title|part|section-([1-6]))\b[^<>]{0,500}>((?s:.){0,400}?)</p>",
    re.IGNORECASE,
)
_NESTED = re.compile(r"</?h[1-6]\b[^<>]*>", re.IGNORECASE)
_SHADED = re.compile(r"<td\b(?=[^<>]*\bbackground(?:-color)?\s*:)", re.IGNORECASE)
_TEXT = re.compile(r"(?<=>)[^<>]{3,80}(?=<)")
_HARD_BLANK = re.compile("&nbsp;|\xa0")


def parse_export(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a page of DART's viewer. Raises DocumentEmpty, DocumentUnreadable or DocumentTooLarge."""
    html = _SHADED.sub("<th", _TITLE.sub(_heading, html_text(data, filename)))
    html = _TEXT.sub(lambda match: closed_up(_HARD_BLANK.sub(" ", match[0])), html)
    return read_html(html, filename, limits, found_on_cover)


def _heading(title: re.Match[str]) -> str:
    level = title[2] or "1"
    return f"<h{level}>{_NESTED.sub('', title[3])}</h{level}>"
