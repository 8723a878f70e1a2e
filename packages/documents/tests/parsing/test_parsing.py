"""The type of a file: by its name, confirmed by its content; every unusual file gets a clear answer."""

import gzip
import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell_documents.errors import (
    DocumentEmpty,
    DocumentEncrypted,
    DocumentTooLarge,
    DocumentTypeUnknown,
    DocumentUnreadable,
)
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from document_material.pdf_files import Sheet, drawing, encrypted
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
PDF = Sheet().block("A short policy of one page.").data()
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def office_file() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", "<w:document/>")
    return out.getvalue()


def long_pdf(pages: int, text: str) -> bytes:
    sheet = Sheet()
    for _ in range(pages - 1):
        sheet.block(text).add_page()
    return sheet.block(text).data()


ODD_FILES: dict[str, tuple[bytes, type[CitewellError], str]] = {
    "empty.txt": (b"", DocumentEmpty, "empty.txt is empty"),
    "empty.pdf": (b"", DocumentEmpty, "empty.pdf is empty"),
    "blank.md": (b" \r\n\t\n", DocumentEmpty, "blank.md is empty"),
    "mark-only.txt": (b"\xef\xbb\xbf", DocumentEmpty, "contains no text"),
    "scan.pdf": (drawing(), DocumentEmpty, "needs text recognition (OCR)"),
    "password.pdf": (encrypted(PDF, "secret"), DocumentEncrypted, "save a copy without a password"),
    "truncated.pdf": (PDF[:60], DocumentUnreadable, "cannot be opened as a PDF; save or download it again"),
    "header-only.pdf": (b"%PDF-1.7\n", DocumentUnreadable, "is damaged"),
    "text.pdf": (b"This is only text.", DocumentUnreadable, "is named .pdf but seems to be plain text"),
    "page.pdf": (b"<!DOCTYPE html><p>Hi", DocumentUnreadable, "seems to be an HTML page; rename it to .html"),
    "word.pdf": (office_file(), DocumentUnreadable, "a zip archive or an Office document"),
    "noise.pdf": (b"\x00\x9f\x01garbage" * 50, DocumentUnreadable, "seems to be a damaged or binary file"),
    "policy.txt": (PDF, DocumentUnreadable, "is named .txt but seems to be a PDF; rename it to .pdf"),
    "policy.md": (b"\n" + PDF, DocumentUnreadable, "rename it to .pdf"),
    "photo.md": (PNG, DocumentUnreadable, "seems to be a PNG image"),
    "letter.txt": (office_file(), DocumentUnreadable, "a zip archive or an Office document"),
    "packed.txt": (gzip.compress(b"text"), DocumentUnreadable, "a gzip archive"),
    "nul.txt": (b"text\0text", DocumentUnreadable, "a damaged or binary file"),
    "controls.md": (b"\x01\x02\x03\x04" * 20, DocumentUnreadable, "is not readable as text"),
    "novel.txt": (b"word " * 2_000, DocumentTooLarge, "has 10,000 characters; the limit is 5,000"),
    "pages.pdf": (long_pdf(4, "Page."), DocumentTooLarge, "has 4 pages; the limit is 3"),
    "dense.pdf": (long_pdf(3, "word " * 400), DocumentTooLarge, "has more text than the limit (page 3)"),
    "letter.doc": (b"\xd0\xcf\x11\xe0", DocumentTypeUnknown, ".doc is read through LibreOffice; save it as .docx"),
    "deck.odp": (office_file(), DocumentTypeUnknown, ".odp is not supported; save it as .pptx"),
    "README": (b"text", DocumentTypeUnknown, "a name without an extension is not supported"),
    "archive.pdf.gz": (gzip.compress(PDF), DocumentTypeUnknown, ".gz is not supported"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("odd")
    for name, (data, _, _) in ODD_FILES.items():
        (path / name).write_bytes(data)
    return path


@for_all_rows("name", ODD_FILES)
def test_an_odd_file_gives_a_clear_error_that_names_it(name: str, folder: Path) -> None:  # A8
    _, error, message = ODD_FILES[name]
    with pytest.raises(error, match=re.escape(message)) as raised:
        parse((folder / name).read_bytes(), name, LIMITS)
    assert type(raised.value) is error
    assert raised.value.message.startswith(name)


@for_all_rows(
    ("name", "data"),
    [
        ("NOTES.TXT", b"All goods."),
        ("notes.text", b"<html> is a tag, and %PDF- begins a PDF."),
        ("page.md", b"<!doctype html><p>Markdown may contain HTML.</p>"),
        ("folder.d/guide.Markdown", "# 안내\n\n본문".encode("utf-16")),
        ("policy.PDF", PDF),
        ("mailed.pdf", b"junk that a mail gateway added\n" + PDF),
        ("unlocked.pdf", encrypted(PDF, "")),
    ],
)
def test_a_usual_file_is_read(name: str, data: bytes) -> None:
    document = parse(data, name, LIMITS)
    assert document.text.strip()
    assert len(document.pages) == (1 if name.lower().endswith(".pdf") else 0)


@given(
    st.binary(max_size=300), st.sampled_from(["a.txt", "a.md", "a.pdf", "a.bin"]), st.sampled_from([b"", b"%PDF-1.4\n"])
)
def test_any_bytes_give_a_document_or_a_citewell_error(data: bytes, name: str, head: bytes) -> None:
    try:
        document = parse(head + data, name, LIMITS)
    except CitewellError:
        return
    document.text.encode()
    assert "\0" not in document.text
    assert document.text.strip()


@given(st.integers(0, len(PDF) - 1), st.binary(min_size=1, max_size=20))
def test_a_damaged_pdf_never_breaks_the_process(position: int, damage: bytes) -> None:
    try:
        document = parse(PDF[:position] + damage + PDF[position + len(damage) :], "damaged.pdf", LIMITS)
    except CitewellError:
        return
    assert document.pages
