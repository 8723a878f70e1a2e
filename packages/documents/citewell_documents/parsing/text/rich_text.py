"""RTF: its text, by striprtf, and its notes, comments and page headers, which striprtf leaves out."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from striprtf.striprtf import rtf_to_text

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.decoding import within_limit
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.text.rich_text_hidden import marked, seen
from citewell_documents.parsing.text_builder import DocumentBuilder

_CELL = "|"  # striprtf's sign for the end of a cell
_MARK, _MARK_IN_RTF = "\ue7f1", r"\u59377?"  # takes the place of a note
_TOKEN = re.compile(r"\\(?:[a-zA-Z]+|.)|[{}]", re.DOTALL)
_APART = re.compile(
    r"\{\s*(?:\\\*\s*)?\\(fonttbl|shp(?:grp)?|footnote|annotation|atnauthor|header[lrf]?|footer[lrf]?)(?![a-zA-Z])"
)
_SHAPES = ("shp", "shpgrp")
_BOX = r"{\shptxt"
_BOXES = re.compile(r"\{\\(shptxt)(?![a-zA-Z])")
_CODE_PAGE = re.compile(r"\\ansicpg\d{1,5}")
_FONT = re.compile(r"\\f(charset)?(\d{1,5})(?!\d)")
_OF_THE_FILE = "1"
# Some programs write pictures in digits behind it; a backslash before it makes it text, as in "C:\\bin".
_NO_LENGTH = re.compile(r"(?<!\\)((?:\\\\)*)\\bin(?![a-zA-Z\d])")
_BEHIND_BYTE = re.compile(r"(?<=\\'[0-9a-fA-F]{2})[@-\[\]-z|~]")


class _Group(NamedTuple):
    kind: str
    start: int
    end: int


def parse_rich_text(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read an RTF document: paragraphs, and the rows of tables. RTF has no reliable marks of headings.

    Footnotes and comments follow their paragraph; page headers and footers follow the text. Raises DocumentUnreadable,
    DocumentEmpty or DocumentTooLarge.
    """
    if data.rstrip(b"\0\r\n \t")[-1:] != b"}":
        raise DocumentUnreadable(f"{filename} is damaged: its end is missing; save it again")
    try:
        # Bytes above ASCII are kept unchanged until striprtf knows their encoding.
        text, notes, headers = _texts(marked(data.decode("latin-1")))
    except (ValueError, TypeError, LookupError):
        raise DocumentUnreadable(
            f"{filename} is damaged: it cannot be read as RTF; save or download it again"
        ) from None
    within_limit(text, filename, limits)
    builder = DocumentBuilder(filename, limits)
    _add_lines(seen(text, builder.hidden), [seen(note, builder.hidden) for note in notes], builder)
    if headers:
        builder.begin_page_headers()
        for header in headers:
            builder.paragraph(seen(header, builder.hidden))
    return builder.build_with_text()


def _texts(rtf: str) -> tuple[str, list[str], list[str]]:
    """The running text with a mark for each note and comment; the notes and comments; the page headers and footers."""
    # The second byte of a character may be written as the letter that the byte alone would be.
    rtf = _NO_LENGTH.sub(r"\1\\bin0 ", rtf)
    rtf = _BEHIND_BYTE.sub(lambda letter: rf"\'{ord(letter[0]):x}", rtf)
    fonts = ""
    if table := next((group for group in _groups(rtf) if group.kind == "fonttbl"), None):
        fonts = _with_charsets(rtf[table.start : table.end])
        rtf = f"{rtf[: table.start]}{fonts}{rtf[table.end :]}"
    groups = list(_groups(rtf))
    page = _CODE_PAGE.search(rtf)
    head = rf"{{\rtf1\ansi{page[0] if page else ''}{fonts}"
    apart = [(group, opening) for group in groups if (opening := _APART.match(rtf, group.start))]
    inner = _MARK_IN_RTF.join(
        _boxes_in(rtf[opening.end() : group.end]) if group.kind in _SHAPES else f"{{{rtf[opening.end() : group.end]}"
        for group, opening in apart
    )
    said = [" ".join(part.split()) for part in rtf_to_text(f"{head}{inner}}}", errors="replace").split(_MARK)]
    running: list[str] = []
    notes: list[str] = []
    headers: dict[str, None] = {}
    at, author = 0, ""
    for (group, _), words in zip(apart, said, strict=False):
        if group.kind == "fonttbl":
            continue
        running.append(rtf[at : group.start])
        at = group.end
        if group.kind == "atnauthor":
            author = words
        elif group.kind in ("footnote", "annotation", *_SHAPES):
            running.append(_MARK_IN_RTF)
            notes.append(comment(words, author) if group.kind == "annotation" else words)
        elif any(map(str.isalpha, words)):
            headers.setdefault(words)
    text = rtf_to_text("".join((*running, rtf[at:])), errors="replace")
    return text, notes, list(headers)


def _boxes_in(shapes: str) -> str:
    """The texts of drawn shapes as a group; the drawing instructions are left out."""
    return "{" + " ".join(shapes[group.start + len(_BOX) : group.end - 1] for group in _groups(shapes, _BOXES)) + "}"


def _with_charsets(fonts: str) -> str:
    """The table of fonts, without fonts that have no character set: striprtf would give such a font the character set
    of the next one.
    """
    charsets: dict[str, str] = {}
    font = ""
    for is_charset, number in _FONT.findall(fonts):
        if not is_charset:
            font = number
        elif number != _OF_THE_FILE:
            charsets[font] = number
    return "{\\fonttbl" + "".join(rf"{{\f{font}\fcharset{number} A;}}" for font, number in charsets.items()) + "}"


def _groups(rtf: str, wanted: re.Pattern[str] = _APART) -> Iterator[_Group]:
    """Yield the outermost groups of the wanted kinds; a group that is not closed reaches to the end."""
    depth, opened = 0, ("", 0, 0)
    for token in _TOKEN.finditer(rtf):
        if token[0] == "{":
            depth += 1
            if not opened[0] and (apart := wanted.match(rtf, token.start())):
                opened = apart[1], token.start(), depth
        elif token[0] == "}":
            if opened[0] and depth == opened[2]:
                yield _Group(opened[0], opened[1], token.end())
                opened = "", 0, 0
            depth -= 1
    if opened[0]:
        yield _Group(opened[0], opened[1], len(rtf))


def _add_lines(text: str, notes: list[str], builder: DocumentBuilder) -> None:
    waiting = iter(notes)
    rows: list[list[str]] = []
    below: list[str] = []
    for line in text.split("\n"):
        below += [note for _, note in zip(range(line.count(_MARK)), waiting, strict=False)]
        plain = line.replace(_MARK, "")
        if plain.rstrip().endswith(_CELL) and plain.count(_CELL) > 1:
            rows.append(plain.rstrip().removesuffix(_CELL).split(_CELL))
            continue
        builder.table(rows, has_header=len(rows) > 1)
        rows = []
        builder.paragraph(plain)
        for note in below:
            builder.paragraph(note)
        below = []
    builder.table(rows, has_header=len(rows) > 1)
    for note in below:
        builder.paragraph(note)
