"""OpenDocument texts in reading order (N3)."""

import re
from io import BytesIO

import odfdo
import pytest

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentEncrypted, DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError
from document_material.office_files import check_places, odt, outline, tables, unpacked, with_part
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)


def read(data: bytes) -> ParsedDocument:
    parsed = parse(data, "a.odt", LIMITS)
    check_places(parsed)
    assert parsed.pages == ()
    return parsed


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def test_a_document_of_another_library_is_read_in_order() -> None:
    # N3
    document = odfdo.Document("text")
    document.body.clear()
    document.body.append(odfdo.Header(1, "Returns"))
    document.body.append(odfdo.Paragraph("Thirty days."))
    document.body.append(odfdo.List(["with receipt", "unopened"]))
    document.body.append(odfdo.Header(2, "Fees"))
    table = odfdo.Table("fees")
    table.set_values([["Fee", "Euro"], ["Late", 5]])  # pyright: ignore[reportUnknownMemberType]
    document.body.append(table)
    out = BytesIO()
    document.save(out)

    parsed = read(out.getvalue())
    assert outline(parsed) == ["1. Returns", "1. Returns > 1.1. Fees"]  # the library's template numbers them
    assert parsed.text == "1. Returns\n\nThirty days.\n\n• with receipt\n• unopened\n\n1.1. Fees\n\nFee\tEuro\nLate\t5"
    assert tables(parsed) == [("Fee\tEuro", "Late\t5")]


def test_titles_spaces_notes_comments_and_boxes_are_read_and_deleted_text_is_not() -> None:
    note = (
        "<text:note><text:note-citation>1</text:note-citation>"
        f"<text:note-body>{p('See the annex.')}</text:note-body></text:note>"
    )
    body = (
        f"<text:tracked-changes><text:changed-region>{p('deleted')}</text:changed-region></text:tracked-changes>"
        '<text:p text:style-name="P1">Policy</text:p>'
        f"<text:table-of-content><text:index-body>{p('Returns 3')}</text:index-body></text:table-of-content>"
        f"<text:p>Thirty<text:s text:c='3'/>days{note}<text:line-break/>or<office:annotation>{p('why?')}"
        f"</office:annotation> more<draw:frame><draw:text-box>{p('Boxed.')}</draw:text-box></draw:frame>.</text:p>"
        f"<text:section>{p('Within a section.')}</text:section>"
    )
    style = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    parsed = read(odt(body, style))
    assert (
        parsed.text
        == "Policy\n\nThirty days\nor more.\n\n¹ See the annex.\n\nComment: why?\n\nBoxed.\n\nWithin a section."
    )
    assert outline(parsed) == ["Policy"]


def test_page_headers_of_an_opendocument_text_are_read_once_and_without_page_numbers() -> None:
    number = "<text:p>Page <text:page-number>3</text:page-number></text:p>"
    header = f"<style:master-page><style:header>{p('Revision C-17')}</style:header>"
    styles = f"{header}<style:footer>{number}</style:footer></style:master-page>"
    parsed = read(odt(p("The press is oiled."), f"{styles}{styles}"))
    assert parsed.text == "The press is oiled.\n\nPage headers and footers:\n\nRevision C-17"


LIST_STYLE = (
    '<text:list-style style:name="L1">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/>'
    '</text:list-style><text:outline-style><text:outline-level-style text:level="1" style:num-format="I"/>'
    "</text:outline-style>"
)


def items(*contents: str) -> str:
    return "".join(f"<text:list-item>{content}</text:list-item>" for content in contents)


def test_lists_and_headings_have_their_numbers() -> None:
    inner = f"<text:list>{items(p('a'), p('b'))}</text:list>"
    body = (
        '<text:h text:outline-level="1">Terms</text:h>'
        f'<text:list text:style-name="L1">{items(p("one") + p("more"), p("two") + inner)}</text:list>{p("Between.")}'
        f'<text:list text:style-name="L1" text:continue-numbering="true">{items(p("three"))}</text:list>'
        f'<text:list text:style-name="L1">{items(p("again"))}</text:list>'
    )
    assert read(odt(body, LIST_STYLE)).text == (
        "I Terms\n\n1. one\nmore\n2. two\n2.a) a\n2.b) b\n\nBetween.\n\n3. three\n\n1. again"
    )


def test_merged_and_repeated_cells_stand_once_in_each_row() -> None:
    # N3
    def cell(text: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}>{p(text)}</table:table-cell>"

    covered = "<table:covered-table-cell/>"
    header = cell("Region") + cell("2025", 'table:number-columns-spanned="2"') + covered
    rows = [
        cell("") + cell("Q1") + cell("Q2"),
        cell("North", 'table:number-rows-spanned="2"') + cell("1", 'table:number-columns-repeated="2"'),
        covered + cell("3") + cell("4"),
    ]
    body = "<table:table><table:table-header-rows><table:table-row>" + header
    body += "</table:table-row></table:table-header-rows>"
    body += "".join(f"<table:table-row>{row}</table:table-row>" for row in rows) + "</table:table>"
    assert tables(read(odt(body))) == [("Region\t2025 Q1\t2025 Q2", "North\t1\t1\nNorth\t3\t4")]


def test_what_the_file_says_of_itself_is_found() -> None:
    meta = (
        "<dc:title>Policy</dc:title><meta:initial-creator>Ada</meta:initial-creator><dc:creator>Bob</dc:creator>"
        "<dc:date>2026-03-31T10:00:00.123</dc:date><dc:language>ko-KR</dc:language>"
        "<meta:keyword>fees</meta:keyword><meta:keyword>returns</meta:keyword>"
    )
    assert read(odt(p("Text."), meta=meta)).found == {
        "title": "Policy",
        "author": "Ada",
        "date": "2026-03-31",
        "language": "ko",
        "keywords": "fees, returns",
    }


GOOD = odt(p("Text."))
LOCKED = with_part(GOOD, "META-INF/manifest.xml", b"<manifest:encryption-data/>")


@for_all_rows(
    ("data", "error", "message"),
    [
        (odt("<text:p/>"), DocumentEmpty, "a.odt contains no text"),
        (with_part(GOOD, "content.xml", b"<office:body>"), DocumentUnreadable, "content.xml in it is not XML"),
        (with_part(GOOD, "content.xml", None), DocumentUnreadable, "it has no content.xml"),
        (LOCKED, DocumentEncrypted, "save a copy without a password"),
        (GOOD[:-100], DocumentUnreadable, "cannot be opened as a zip archive"),
        (odt(p("word " * 2_000)), DocumentTooLarge, "more than 5,000 characters"),
    ],
)  # fmt: skip
def test_a_broken_empty_or_endless_file_is_explained(data: bytes, error: type[CitewellError], message: str) -> None:
    # A8
    with pytest.raises(error, match=re.escape(message)):
        read(data)


def test_no_entity_is_resolved() -> None:
    # A8
    content = odt(p("Kept &secret;&a;"))
    declared = b'<!DOCTYPE x [<!ENTITY secret SYSTEM "file:///etc/hostname"><!ENTITY a "expanded">]>'
    assert read(with_part(content, "content.xml", declared + unpacked(content)["content.xml"])).text == "Kept"
