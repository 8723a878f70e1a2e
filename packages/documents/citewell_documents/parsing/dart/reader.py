"""Reads DART documents by the code that reads HTML pages: the same headings, paragraphs and tables."""

import re
from collections.abc import Callable, Mapping

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.dart.header import found_in_header, found_on_cover
from citewell_documents.parsing.dart.markup import as_html, closed_up
from citewell_documents.parsing.decoding import clean, decode
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.reader import html_text
from citewell_documents.parsing.html.visible import seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

# Reads the HTML that DART's viewer saves: the same reports, with classes in place of elements.

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


# Finds the headings that DART's files write as paragraphs or cells: titles of notes and of financial statements.

_PLACE = re.compile(
    r"<(?P<table>/?table)\b|<h(?P<level>[1-6])\b[^<>]*>(?P<heading>(?:[^<]|<(?!/?h[1-6]\b)){1,300})</h[1-6]>"
    r"|<p\b[^<>]*>\s*(?:<(?:span|b)\b[^<>]*>\s*)*"
    r"(?P<title>(?P<number>\d{1,2})\s?\.\s?(?=[^\W\d])[^<>\n]{2,60}?)\s*:?\s*(?=<br\b|</(?:p|span|b)>)",
    re.IGNORECASE,
)
_NOTES = re.compile(r"주\s*석\W*$")
_TAG = re.compile(r"<[^<>]*>")
_SENTENCE = re.compile(r"[다.:]$")
_MOST_MISSED = 5  # titles that run into their text
_STATEMENT = re.compile(
    r"(<tr\b[^<>]{0,500}>)\s*<td\b[^<>]*>\s*(?:<(?:p|b)\b[^<>]*>\s*)*"
    r"((?:연결|별도)?\s?(?:재무상태표|대차대조표|(?:포괄)?손익계산서|자본변동표|현금흐름표"
    r"|(?:이익잉여금|결손금)처[분리]계산서)(?:\(안\))?)"
    r"\s*(?:</(?:p|b)>\s*)*</td>\s*(?=</tr>)",
    re.IGNORECASE,
)
_LEVEL = 5  # below sections and parts of them


def with_statement_headings(html: str) -> str:
    """Return HTML in which the name of a financial statement, alone in its row of a table, is a heading."""
    return _STATEMENT.sub(rf"\1<td><h{_LEVEL}>\2</h{_LEVEL}></td>", html)


def with_note_headings(html: str) -> str:
    """Return HTML in which "5. 유형자산", alone in its line and in sequence below the title 주석, is a heading."""
    parts: list[str] = []
    done = level = number = depth = 0
    for place in _PLACE.finditer(html):
        if place["table"]:
            depth = max(0, depth + (-1 if place["table"].startswith("/") else 1))
        elif place["level"]:
            begins = _NOTES.search(_TAG.sub("", place["heading"]).strip()) is not None
            if begins or int(place["level"]) <= level:
                level, number = (int(place["level"]) if begins else 0), 0
        elif (
            level
            and not depth
            and number < int(place["number"]) <= number + 1 + _MOST_MISSED
            and not _SENTENCE.search(place["title"])
        ):
            number = int(place["number"])
            heading = f"<h{level + 1}>{place['title']}</h{level + 1}><p>"
            parts += (html[done : place.start()], heading)
            done = place.end()
    return "".join((*parts, html[done:]))


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
