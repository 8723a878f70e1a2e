"""Validates the answer of the parsing child as untrusted input."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter, ValidationError

from citewell_documents import blocks, figures
from citewell_documents.blocks import Block
from citewell_documents.boxes import PageBoxes, Recognised, are_sound
from citewell_documents.document import Page, ParsedDocument, Section, Table
from citewell_documents.errors import DocumentUnusable
from citewell_documents.figures import Figure
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.recognition.rows import RECOGNISED_PAGE, RecognisedPage

_MAX_MESSAGE = 1_000


@dataclass(frozen=True, slots=True)
class _Refusal:
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class _Answer:
    chars: int = 0
    pages: tuple[Page, ...] = ()
    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    found: dict[str, str] = field(default_factory=dict[str, str])
    boxes: tuple[tuple[int, float, float, int, tuple[Recognised, ...]], ...] = ()
    scanned: tuple[int, ...] = ()
    blocks: tuple[Block, ...] = ()
    figures: tuple[Figure, ...] = ()
    error: _Refusal | None = None


@dataclass(frozen=True, slots=True)
class _Recognised:
    recognised: dict[int, RecognisedPage] = field(default_factory=dict[int, RecognisedPage])
    error: _Refusal | None = None


_ANSWER = TypeAdapter(_Answer)
_RECOGNISED = TypeAdapter(_Recognised)


class AnswerInvalid(Exception):
    """The answer is truncated, or no reader can have produced it."""


def read_answer(output: bytes | bytearray, limits: ParseLimits) -> ParsedDocument:
    """Return the document, with all positions in order and within its text.

    Raises the child's error, a DocumentUnusable, or AnswerInvalid.
    """
    end = output.find(b"\n", 0, limits.max_marks_bytes + 1)
    if end < 0:
        raise AnswerInvalid
    try:
        answer = _ANSWER.validate_json(bytes(output[:end]), strict=True)
        words_at = len(output) - sum(length for *_, length, _ in answer.boxes)
        text = str(memoryview(output)[end + 1 : max(words_at, end + 1)], "utf-8")
    except (ValidationError, UnicodeDecodeError):
        raise AnswerInvalid from None
    if answer.error:
        raise _error(answer.error)
    boxes = tuple(_boxes(answer, memoryview(output), words_at))
    marks = (answer.pages, answer.sections, answer.tables, answer.found, boxes, answer.blocks, answer.scanned)
    document = ParsedDocument(text, *marks, answer.figures)
    if len(text) != answer.chars or len(text) > limits.max_chars or not _is_sound(document, limits):
        raise AnswerInvalid
    return document


def read_picture(output: bytes | bytearray) -> bytes:
    """Return the picture. Raises the child's error, or AnswerInvalid."""
    head, _, picture = bytes(output).partition(b"\n")
    try:
        answer = _ANSWER.validate_json(head, strict=True)
    except ValidationError:
        raise AnswerInvalid from None
    if answer.error:
        raise _error(answer.error)
    if not picture.startswith(b"RIFF"):
        raise AnswerInvalid
    return picture


def read_recognised(output: bytes | bytearray, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return recognised pages with these numbers, in the form in which they are stored; the first one is among them.
    Raises the child's error, or AnswerInvalid."""
    try:
        answer = _RECOGNISED.validate_json(bytes(output))
    except ValidationError:
        raise AnswerInvalid from None
    if answer.error:
        raise _error(answer.error)
    words = (word for page in answer.recognised.values() for row in page.rows for word in row.words)
    if not 0 < len(answer.recognised.keys() & set(numbers)) == len(answer.recognised) or any(
        not word.text.isprintable() for word in words
    ):
        raise AnswerInvalid
    return {number: RECOGNISED_PAGE.dump_python(page, mode="json") for number, page in answer.recognised.items()}


def _boxes(answer: _Answer, output: memoryview, at: int) -> Generator[PageBoxes]:
    if any(length < 0 for *_, length, _ in answer.boxes):
        raise AnswerInvalid
    for number, width, height, length, recognised in answer.boxes:
        yield PageBoxes(number, width, height, bytes(output[at : at + length]), recognised)
        at += length


def _error(refusal: _Refusal) -> Exception:
    for kind in _kinds(DocumentUnusable):
        error = kind(refusal.message[:_MAX_MESSAGE])
        if error.code == refusal.code:
            return error
    return AnswerInvalid()


def _kinds(kind: type[DocumentUnusable]) -> Generator[type[DocumentUnusable]]:
    yield kind
    for narrower in kind.__subclasses__():
        yield from _kinds(narrower)


def _is_sound(document: ParsedDocument, limits: ParseLimits) -> bool:
    numbers = [page.number for page in document.pages]
    titles = (title for section in document.sections for title in (section.title, *section.path))
    words = (document.text, *document.found, *document.found.values(), *titles)
    return (
        all(0 < number <= limits.max_pages for number in numbers)
        and all(before < after for before, after in pairwise(numbers))
        and all(_in_order(marks, len(document.text)) for marks in (document.pages, document.sections, document.tables))
        and all(table.start <= table.header_end <= table.end for table in document.tables)
        and not any("\0" in word for word in words)
        and blocks.are_sound(document.blocks, len(document.text))
        and figures.are_sound(document.figures, len(document.text))
        and _are_sound(document)
    )


def _are_sound(document: ParsedDocument) -> bool:
    """True if all boxes belong to words of their page, and no page has two lists of boxes."""
    pages = {page.number: page for page in document.pages}
    numbers = [boxes.number for boxes in document.boxes]
    return all(before < after for before, after in pairwise(numbers)) and all(
        boxes.number in pages and are_sound(boxes, pages[boxes.number].start, pages[boxes.number].end)
        for boxes in document.boxes
    )


def _in_order(marks: Sequence[Page | Section | Table], length: int) -> bool:
    return all(0 <= mark.start <= mark.end <= length for mark in marks) and all(
        before.end <= after.start for before, after in pairwise(marks)
    )
