"""Builds one text from a file's blocks, and records the places of its pages, sections, tables and figures."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest

from citewell_documents.blocks import MOST_BLOCKS, Block, BlockKind, SheetPlace
from citewell_documents.document import Page, ParsedDocument, Section, Table
from citewell_documents.errors import DocumentEmpty, DocumentTooLarge
from citewell_documents.figures import Figure, FigureKind
from citewell_documents.parsing.decoding import clean
from citewell_documents.parsing.hidden import HiddenWords
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.tables import head_rows

_NUMBER = re.compile(r"(?:§\s?)?(?:(?:\d{1,3}|[A-Z])(?:\.\d{1,3})+|\d{1,3})[.)]?\s+(?=[^\W\d])")
_PAGE_HEADERS = "Page headers and footers"
_BLANKS = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at `start`; it belongs below the nearest earlier heading with a smaller `rank`."""

    start: int
    title: str
    rank: tuple[float, ...]


def number_depth(title: str) -> int:
    """The depth of a heading's number: 2 for `3.2 Returns`, 1 for `3. Returns`, 0 without a number."""
    number = _NUMBER.match(title)
    return number[0].rstrip(" \t.)").count(".") + 1 if number else 0


def sections_from(headings: Iterable[Heading], text_length: int) -> tuple[Section, ...]:
    """Give each heading the text up to the next one, of any level, and the path of the headings above it."""
    ordered = sorted(headings, key=lambda heading: heading.start)
    above: list[Heading] = []
    sections: list[Section] = []
    for heading, following in zip_longest(ordered, ordered[1:]):
        while above and above[-1].rank >= heading.rank:
            above.pop()
        above.append(heading)
        end = following.start if following else text_length
        sections.append(Section(heading.title, tuple(parent.title for parent in above), heading.start, end))
    return tuple(sections)


@dataclass(slots=True)
class DocumentBuilder:
    """Collects the output of a format's reader in reading order; blocks are separated by a blank line.

    Text is cleaned (NFC, no control characters), runs of blanks are collapsed, empty blocks dropped; a block with a
    `figure` belongs to a picture. `hidden` counts words that are left out because a reader does not see them. Raises
    DocumentTooLarge as soon as there are more pages or characters than `limits` allow.
    """

    filename: str
    limits: ParseLimits
    hidden: HiddenWords = field(default_factory=HiddenWords)
    _parts: list[str] = field(default_factory=list[str])
    _length: int = 0
    _headings: list[Heading] = field(default_factory=list[Heading])
    _tables: list[Table] = field(default_factory=list[Table])
    _pages: list[Page] = field(default_factory=list[Page])
    _blocks: list[Block] = field(default_factory=list[Block])
    _figures: list[Figure] = field(default_factory=list[Figure])
    _notes: dict[str, None] = field(default_factory=dict[str, None])

    def page(self, number: int) -> None:
        if number > self.limits.max_pages:
            raise DocumentTooLarge(
                f"{self.filename} has more than {self.limits.max_pages:,} pages, which is the limit."
            )
        self._pages.append(Page(number, self._length, self._length))

    def heading(self, title: str, rank: Sequence[float]) -> None:
        """Add a heading; it belongs below the nearest earlier heading with a smaller rank: (1,), (2,), …"""
        if line := _one_line(title):
            self._headings.append(Heading(self._add(line, "heading"), line, tuple(rank)))

    def begin_page_headers(self) -> None:
        """Begin the page headers and footers, in a section directly below the document's first heading.

        So they change neither the document's title nor the levels of the headings before them.
        """
        if self._headings:
            self.heading(_PAGE_HEADERS, (*self._headings[0].rank, 1))
        else:
            self.paragraph(f"{_PAGE_HEADERS}:")

    def note(self, said: str) -> None:
        """Tell in the metadata about a part of the file that the text does not show: `hidden sheet Costs is left
        out`.
        """
        self._notes.setdefault(_one_line(said))

    def paragraph(self, text: str, *, place: SheetPlace | None = None, figure: FigureKind | None = None) -> None:
        lines = (_BLANKS.sub(" ", line).strip() for line in clean(text).split("\n"))
        if block := "\n".join(line for line in lines if line):
            self._add(block, "text", place, figure)

    def lines(self, text: str, figures: Mapping[int, FigureKind] | None = None) -> None:
        """Add lines unchanged; `figures` has the kinds of the lines, counted from 0, that stand for pictures."""
        lines = [line.rstrip() for line in clean(text).split("\n")]
        if block := "\n".join(lines).strip("\n"):
            start = self._add(block, "lines")
            if figures:
                blank = sum(1 for _ in takewhile(lambda line: not line, lines))  # empty lines that `block` has dropped
                self._mark_lines(start - blank, lines, figures)

    def _mark_lines(self, start: int, lines: Sequence[str], figures: Mapping[int, FigureKind]) -> None:
        for number, line in enumerate(lines):
            words = line.lstrip()
            if words and (kind := figures.get(number)):
                self._figures.append(Figure(kind, start + len(line) - len(words), start + len(line)))
            start += len(line) + 1

    def table(
        self,
        rows: Iterable[Sequence[str]],
        *,
        has_header: bool,
        place: SheetPlace | None = None,
        figure: FigureKind | None = None,
    ) -> None:
        """Add a table: a line per row, tabs between cells, empty cells kept, empty rows dropped.

        With `has_header` the first non-empty row holds the column names; rows of further names and units may follow.
        """
        cells = [[_one_line(cell) for cell in row] for row in rows]
        cells = [row for row in cells if any(row)]
        lines = ["\t".join(row).rstrip() for row in cells]
        if lines:
            start = self._add("\n".join(lines), "table", place, figure)
            heads = head_rows(cells, has_header=has_header) if len(lines) > 1 else 0
            header_end = start + len("\n".join(lines[:heads]))
            self._tables.append(Table(start, self._length, header_end))
            self._blocks[-1] = self._blocks[-1]._replace(header_end=header_end)

    def build(self, metadata: Mapping[str, str | None] | None = None) -> ParsedDocument:
        """Return the document; `metadata` is the file's own, and its empty values are dropped."""
        sections = sections_from(self._headings, self._length)
        described = {**(metadata or {}), "reading_notes": "; ".join(self._notes)}
        levels = {section.start: max(1, len(section.path)) for section in sections}
        blocks = (
            block._replace(level=levels[block.start]) if block.kind == "heading" else block for block in self._blocks
        )
        return ParsedDocument(
            "".join(self._parts),
            tuple(self._pages),
            sections,
            tuple(self._tables),
            {key: line for key, value in described.items() if value and (line := _one_line(value))}
            | self.hidden.found(),
            blocks=tuple(blocks) if len(self._blocks) <= MOST_BLOCKS else (),
            figures=tuple(self._figures),
        )

    def build_with_text(self, metadata: Mapping[str, str | None] | None = None, empty: str = "") -> ParsedDocument:
        """Return the document as `build` does; raise DocumentEmpty, with the message `empty`, if there is no text."""
        document = self.build(metadata)
        if not document.text:
            raise DocumentEmpty(empty or f"{self.filename} contains no text")
        return document

    def _add(
        self, block: str, kind: BlockKind, place: SheetPlace | None = None, figure: FigureKind | None = None
    ) -> int:
        if self._length + len(block) > self.limits.max_chars:
            raise DocumentTooLarge(
                f"{self.filename} has more than {self.limits.max_chars:,} characters of text, which is the limit."
            )
        start = self._length + 2 if self._parts else 0
        self._parts += ["\n\n", block] if self._parts else [block]
        self._length = start + len(block)
        self._blocks.append(Block(kind, start, self._length, place=place))
        if figure:
            self._figures.append(Figure(figure, start, self._length))
        if self._pages:
            page = self._pages[-1]
            empty = page.start == page.end
            self._pages[-1] = Page(page.number, start if empty else page.start, self._length)
        return start


def _one_line(text: str) -> str:
    if text.isascii() and text.isprintable():  # most cells of large tables need no cleaning
        return " ".join(text.split())
    return " ".join(clean(text).split())
