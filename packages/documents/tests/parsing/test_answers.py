"""The results of the reading child are accepted only if they can be true: every place slices the text."""

import json
from typing import Any

import pytest

from citewell_documents.document import Page, ParsedDocument, Section, Table
from citewell_documents.errors import DocumentEncrypted
from citewell_documents.parsing import ParseLimits
from citewell_documents.parsing.sandbox.replies import AnswerInvalid, read_answer
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=100)
TEXT = "Terms\n\nname\tfee\nAda\t3"
PAGES = [{"number": 1, "start": 0, "end": 5}, {"number": 3, "start": 7, "end": 21}]
SECTIONS = [{"title": "Terms", "path": ["All"], "start": 0, "end": 21}]
TABLES = [{"start": 7, "end": 21, "header_end": 15}]
GOOD = {"chars": 21, "pages": PAGES, "sections": SECTIONS, "tables": TABLES, "found": {"title": "Terms"}}


def output(text: str = TEXT, **changes: Any) -> bytes:
    return json.dumps(GOOD | changes).encode() + b"\n" + text.encode()


def page(start: int, end: int, number: int = 1) -> dict[str, int]:
    return {"number": number, "start": start, "end": end}


def test_a_sound_answer_is_the_document() -> None:  # N3
    assert read_answer(output(), LIMITS) == ParsedDocument(
        TEXT,
        (Page(1, 0, 5), Page(3, 7, 21)),
        (Section("Terms", ("All",), 0, 21),),
        (Table(7, 21, 15),),
        {"title": "Terms"},
    )


WRONG: dict[str, bytes] = {
    "nothing": b"",
    "no line": b'{"chars": 0}',
    "no JSON": b"words\nwords",
    "cut off": output()[:-3],
    "more than said": output() + b"!",
    "too long": output("x" * 101, chars=101, pages=[], sections=[], tables=[]),
    "too many marks": output(found={str(n): "x" * 1000 for n in range(1000)}),
    "no UTF-8": output()[:-1] + b"\xff",
    "NUL": output(TEXT[:-1] + "\0"),
    "NUL in a title": output(sections=[SECTIONS[0] | {"title": "a\0b"}]),
    "NUL in a finding": output(found={"title": "a\0b"}),
    "half a character": output().replace(b'"Terms"', b'"\\ud800"'),
    "figure beyond the end": output(figures=[["caption", 0, 22]]),
    "figure of nothing": output(figures=[["caption", 5, 5]]),
    "figures out of order": output(figures=[["caption", 4, 6], ["chart", 0, 5]]),
    "unknown figure": output(figures=[["photo", 0, 5]]),
    "too many figures": output(
        "x" * 100, chars=100, pages=[], sections=[], tables=[], figures=[["chart", 0, 1]] * 5_001
    ),
    "beyond the end": output(pages=[page(0, 22)]),
    "negative": output(pages=[page(-1, 5)]),
    "backwards": output(pages=[page(5, 4)]),
    "overlapping": output(pages=[page(0, 5), page(4, 6, 2)]),
    "pages out of order": output(pages=[page(0, 5, 2), page(5, 6, 1)]),
    "page zero": output(pages=[page(0, 5, 0)]),
    "page beyond the limit": output(pages=[page(0, 5, 4)]),
    "no number": output(pages=[page(0, 5) | {"number": "1"}]),
    "fraction": output(pages=[page(0, 5) | {"start": 0.5}]),
    "huge": output(pages=[page(0, 10**30)]),
    "section beyond the end": output(sections=[SECTIONS[0] | {"end": 99}]),
    "header beyond its table": output(tables=[TABLES[0] | {"header_end": 22}]),
    "deep": b"[" * 1000 + b"]" * 1000 + b"\n",
    "foreign error": b'{"error": {"code": "key_invalid", "message": "no"}}\n',
    "no error": b'{"error": {"code": "exception", "message": "no"}}\n',
}


@for_all_rows("wrong", WRONG)
def test_an_answer_that_cannot_be_true_is_refused(wrong: str) -> None:  # A8, N3
    with pytest.raises(AnswerInvalid):
        read_answer(WRONG[wrong], LIMITS)


def test_an_error_of_the_child_is_raised_here_with_a_bounded_message() -> None:
    said = {"error": {"code": "document_encrypted", "message": "a.pdf " + "x" * 9_000}}
    with pytest.raises(DocumentEncrypted) as raised:
        read_answer(json.dumps(said).encode() + b"\n", LIMITS)
    assert raised.value.message.startswith("a.pdf x")
    assert len(raised.value.message) == 1_000
