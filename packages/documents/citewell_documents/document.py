"""A document as Citewell stores it: one text, and the places of its pages and sections.

All offsets are code points into `ParsedDocument.text`, half-open: `text[start:end]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from citewell_documents.blocks import Block
from citewell_documents.boxes import PageBoxes
from citewell_documents.figures import Figure
from citewell_verify.text.windows import indexed_text


@dataclass(frozen=True, slots=True)
class Page:
    """Page `number` (from 1, as a reader counts) covers `text[start:end]`."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text below it; `title` is the heading, `path` has all headings from the top.

    In a document without headings, such as source code, `title` names the part (`lines 1–25`), and `path` is empty.
    """

    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Table:
    """Rows, one on each line of `text[start:end]`, with cells separated by tabs.

    The names of the columns are `text[start:header_end]`; without them `header_end == start`.
    """

    start: int
    end: int
    header_end: int


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The stored text. `pages` is empty for formats without pages: an unknown page is None, never guessed (N3).

    `found` has the file's own metadata: title, author, date (ISO 8601), language (ISO 639-1), … `boxes` has the pages
    that can be shown as pictures, with the places of their words; other documents are shown from `blocks`. `figures`
    are the parts of the text that stand for pictures. `scanned` are the numbers of pages that are pictures and were not
    read.
    """

    text: str
    pages: tuple[Page, ...] = ()
    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    found: Mapping[str, str] = field(default_factory=dict[str, str])
    boxes: tuple[PageBoxes, ...] = ()
    blocks: tuple[Block, ...] = ()
    scanned: tuple[int, ...] = ()
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece to index: `text == document.text[start:end]`; a chunk never crosses a page, so its page is certain.

    `context` has the headings above the text and the columns of its table if the text does not contain them. It is
    searched and shown to models together with the text, and never cited.
    """

    index: int
    start: int
    end: int
    text: str
    page: int | None
    section: str | None
    context: str | None = None


class Embeddable(Protocol):
    """A chunk, stored or not yet."""

    @property
    def text(self) -> str: ...

    @property
    def context(self) -> str | None: ...


def embedded_text(chunk: Embeddable) -> str:
    """The text that a chunk's vector is made of; a stored vector is looked up by exactly this text."""
    return indexed_text(chunk.text, chunk.context)
