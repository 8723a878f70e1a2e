"""The metadata of PDFs."""

from io import BytesIO

import pytest
from fpdf import FPDF
from pypdf import PdfReader, PdfWriter

from citewell_documents.parsing import ParseLimits, parse
from document_material.pdf_files import Sheet
from document_material.pdf_korean import pdf_of
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)


def found(data: bytes) -> dict[str, str]:
    return dict(parse(data, "file.pdf", LIMITS).found)


def with_info(**info: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(Sheet().block("Enough text for a page.").data())))
    writer.metadata = {f"/{key}": value for key, value in info.items()}
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def test_what_the_author_wrote_is_found() -> None:
    info = {
        "Title": "반품 규정 2024",
        "Author": "Ada Lovelace",
        "Subject": "Returns",
        "Keywords": "refund, window",
        "CreationDate": "D:20240103093826+01'00'",
    }
    assert found(with_info(**info)) == {
        "title": "반품 규정 2024",
        "author": "Ada Lovelace",
        "subject": "Returns",
        "keywords": "refund, window",
        "date": "2024-01-03",
    }


@for_all_rows(
    "title", ["untitled", "Untitled-1", "Microsoft Word - policy", "policy_final.docx", "Document1", "-", "2024"]
)
def test_a_title_that_nobody_wrote_is_none(title: str) -> None:
    assert "title" not in found(with_info(Title=title))


@pytest.mark.parametrize("date", ["D:20241350", "yesterday", "D:0000", ""])
def test_an_impossible_date_is_none(date: str) -> None:
    assert "date" not in found(with_info(CreationDate=date))


def test_the_language_counts_if_the_text_is_in_its_script() -> None:
    pdf = FPDF()
    pdf.set_lang("de-DE")
    pdf.add_page()
    pdf.set_font("Helvetica", size=11)
    pdf.multi_cell(0, 14, "Waren werden innerhalb von dreissig Tagen erstattet.")
    assert found(bytes(pdf.output()))["language"] == "de"
    korean = pdf_of([[(700, 10, "환불은 영업일 기준으로 가능합니다")]])
    declared = korean.replace(b"/Type /Catalog", b"/Type /Catalog /Lang (en-US)")
    assert "language" not in found(declared)
    assert found(declared.replace(b"en-US", b"ko-KR"))["language"] == "ko"
