"""Plain text and Markdown, whose stored text is the decoded file itself, except for HTML in Markdown."""

import re

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.decoding import decoded
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.signatures import HTML, kind_of
from citewell_documents.parsing.text.markdown import markdown_document
from citewell_documents.parsing.text_builder import Heading, sections_from

_UNDERLINED = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*(?P<title>\S[^\n]{0,118}?)[ \t]*\n[ \t]*(?P<rule>={3,}|-{3,}|~{3,})[ \t]*(?:\n|\Z)"
)


def plain_document(text: str) -> ParsedDocument:
    """Return the text with the sections of underlined headings. The character of the line below gives the level, in the
    order of first use.
    """
    levels: dict[str, int] = {}
    headings = [
        Heading(match.start("title"), match["title"], (levels.setdefault(match["rule"][0], len(levels)),))
        for match in _UNDERLINED.finditer(text)
        if any(character.isalpha() for character in match["title"])
    ]
    return ParsedDocument(text, sections=sections_from(headings, len(text)))


def parse_plain(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read plain text. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    return plain_document(decoded(data, filename, limits))


def parse_markdown(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read Markdown, and HTML in it as a reader sees it; a file of HTML alone is read as a web page.

    Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge.
    """
    if kind_of(data) is HTML:
        # The library that this needs is in another extra of the package.
        from citewell_documents.parsing.html.reader import parse_webpage  # noqa: PLC0415

        return parse_webpage(data, filename, limits)
    text = decoded(data, filename, limits)
    if "<" in text:
        from citewell_documents.parsing.text.markdown_html import without_html  # noqa: PLC0415

        text = without_html(text, filename, limits)
    return markdown_document(text)
