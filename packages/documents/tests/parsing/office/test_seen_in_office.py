"""What people see in Word, Excel and PowerPoint beside the running text is read, and said to be what it is (N3)."""

import re
from collections.abc import Callable, Mapping

import pytest
from docx.document import Document as WordDocument
from docx.oxml.parser import parse_xml
from docx.section import Section
from docx.shared import Cm
from openpyxl import Workbook
from openpyxl.comments import Comment
from pptx.presentation import Presentation

from citewell_documents.chunking import split_document
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing import ParseLimits, parse
from document_material.office_files import add_slide, linked, packed, replaced, slides, unpacked, word, workbook

LIMITS = ParseLimits(max_pages=3, max_chars=5_000)
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"


def strict(data: bytes) -> bytes:
    """The package in the form that Office calls Strict Open XML."""
    ordinary = re.compile(rb"http://schemas\.openxmlformats\.org/(?!package)(\w+)/2006/(\w+)")
    members = {
        name: ordinary.sub(rb"http://purl.oclc.org/ooxml/\1/\2", content) for name, content in unpacked(data).items()
    }
    return packed(members)


def _written(document: WordDocument) -> None:
    document.add_heading("Lease", 1)
    document.add_paragraph("It runs for nine years.")
    document.add_table(1, 2).cell(0, 1).text = "Room 4"


_ORDINARY: Mapping[str, Callable[[], bytes]] = {
    "a.docx": lambda: word(_written),
    "a.xlsx": lambda: workbook({"Rent": [["Room", "Euro"], ["North", 480], ["South", 510.5]]}),
    "a.pptx": lambda: slides(lambda presentation: add_slide(presentation, "The lease runs for nine years.")),
}


@pytest.mark.parametrize("name", _ORDINARY)
def test_a_strict_package_is_read_like_an_ordinary_one(name: str) -> None:  # A8, N3
    ordinary = _ORDINARY[name]()
    assert strict(ordinary) != ordinary
    assert parse(strict(ordinary), name, LIMITS) == parse(ordinary, name, LIMITS)


def test_a_damaged_strict_package_is_called_damaged() -> None:  # A8
    damaged = replaced(strict(_ORDINARY["a.docx"]()), "word/document.xml", "</w:body>", "<")
    with pytest.raises(DocumentUnreadable, match="damaged"):
        parse(damaged, "a.docx", LIMITS)


def test_comments_in_word_are_said_to_be_comments() -> None:
    def write(document: WordDocument) -> None:
        words = document.add_paragraph("The lift holds eight people.").runs
        document.add_comment(words, "Only six since March.", author="Ida")
        document.add_paragraph("It stops at night.")
        document.add_comment(document.add_paragraph("The key hangs there.").runs, "Not any more.", author="")

    assert parse(word(write), "a.docx", LIMITS).text == (
        "The lift holds eight people.\n\nComment by Ida: Only six since March.\n\nIt stops at night."
        "\n\nThe key hangs there.\n\nComment: Not any more."
    )


def _numbered(section: Section) -> None:
    field = '<w:fldSimple w:instr=" PAGE "><w:r><w:t>3</w:t></w:r></w:fldSimple>'
    line = f'<w:p xmlns:w="{_W}"><w:r><w:t>Page </w:t></w:r>{field}</w:p>'
    section.footer._element.append(parse_xml(line))  # pyright: ignore[reportPrivateUsage]


def test_headers_and_footers_of_pages_are_read_once_and_without_page_numbers() -> None:
    def write(document: WordDocument) -> None:
        document.add_heading("Press", 1)
        document.add_paragraph("It is oiled weekly.")
        for _ in range(2):
            section = document.add_section()
            section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
            section.header.paragraphs[0].text = "Works instruction"
            row = section.header.add_table(1, 2, Cm(10)).rows[0].cells
            row[0].text, row[1].text = "Revision", "C-17"
            _numbered(section)

    document = parse(word(write), "a.docx", LIMITS)
    assert document.text == (
        "Press\n\nIt is oiled weekly.\n\nPage headers and footers\n\nWorks instruction\n\nRevision\tC-17"
    )
    assert [section.path for section in document.sections][1] == ("Press", "Page headers and footers")


def _point(name: str, text: str = "", kind: str = "node") -> str:
    return (
        f'<dgm:pt modelId="{name}" type="{kind}"><dgm:prSet/><dgm:spPr/><dgm:t><a:bodyPr/><a:lstStyle/>'
        f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>"
    )


def _connection(above: int, below: int, order: int | str, kind: str = "parOf") -> str:
    return f'<dgm:cxn modelId="c" type="{kind}" srcId="{above}" destId="{below}" srcOrd="{order}" destOrd="0"/>'


_ORDER_OF_POINTS = (
    _point("0", kind="doc"),
    _point("2", "Weigh it"),
    _point("1", "Unload it"),
    _point("3", "with care"),
)
_DATA_MODEL = (
    f'<dgm:dataModel xmlns:dgm="{_DIAGRAM}" xmlns:a="{_A}"><dgm:ptLst>{"".join(_ORDER_OF_POINTS)}'
    f"{_point('4', 'then', 'sibTrans')}{_point('5', 'Unload it', 'pres')}{_point('5', 'Done', 'pres')}"
    "</dgm:ptLst><dgm:cxnLst>"
    f"{_connection(0, 2, 1)}{_connection(0, 1, 0)}{_connection(1, 3, 0)}{_connection(1, 5, 0, 'presOf')}"
    f"{_connection(3, 1, '')}</dgm:cxnLst><dgm:bg/><dgm:whole/></dgm:dataModel>"
).encode()
"""Points in the order of their making, a text of the presentation that repeats one of them and one that does not, and a
circle with a place that is no number."""
_TEXT_OF_MODEL = "Unload it\nwith care\nWeigh it\nthen\nDone"


def test_diagrams_on_slides_and_sheets_are_read_in_the_order_of_their_shapes() -> None:  # issue 42
    frame = (
        f'<graphicFrame><nvGraphicFramePr><cNvPr id="9" name="Steps"/><cNvGraphicFramePr/><nvPr/></nvGraphicFramePr>'
        '<xfrm><a:off x="0" y="0"/><a:ext cx="9" cy="9"/></xfrm><a:graphic><a:graphicData '
        f'uri="{_DIAGRAM}"><dgm:relIds xmlns:dgm="{_DIAGRAM}" xmlns:r="{_R}" r:dm="diagramData"/></a:graphicData>'
        "</a:graphic></graphicFrame>"
    )
    on_slide = re.sub("(</?)(graphicFrame|nv|cNv|xfrm)", r"\1p:\2", frame)
    deck = replaced(
        slides(lambda deck: add_slide(deck, "Goods")), "ppt/slides/slide1.xml", "</p:spTree>", f"{on_slide}</p:spTree>"
    )
    links = {"ppt/data1.xml": f"{_R}/diagramData"}
    read = parse(linked(deck, "ppt/slides/slide1.xml", links, {"ppt/data1.xml": _DATA_MODEL}, ""), "a.pptx", LIMITS)
    assert read.text == f"Goods\n\n{_TEXT_OF_MODEL}"
    # A deck that lost the part is read without it.
    assert parse(linked(deck, "ppt/slides/slide1.xml", links, {}, ""), "a.pptx", LIMITS).text == "Goods"

    on_sheet = re.sub("(</?)(graphicFrame|nv|cNv|xfrm)", r"\1xdr:\2", frame)
    drawing = (
        f'<xdr:wsDr xmlns:xdr="{_DRAWING}" xmlns:a="{_A}"><xdr:twoCellAnchor>{on_sheet}</xdr:twoCellAnchor></xdr:wsDr>'
    )
    sheet = linked(
        workbook({"Goods": [["Room", "Rent"], ["Shed", 80]]}),
        "xl/worksheets/sheet1.xml",
        {"xl/drawings/drawing1.xml": f"{_R}/drawing"},
        {"xl/drawings/drawing1.xml": drawing.encode()},
        "",
    )
    links = {"xl/data1.xml": f"{_R}/diagramData"}
    read = parse(linked(sheet, "xl/drawings/drawing1.xml", links, {"xl/data1.xml": _DATA_MODEL}, ""), "a.xlsx", LIMITS)
    assert _TEXT_OF_MODEL in read.text


def test_diagrams_and_inserted_pages_in_word_stand_in_their_place() -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("Steps")
        document.add_paragraph("After.")

    diagram = (
        f'<w:r><w:drawing><dgm:relIds xmlns:dgm="{_DIAGRAM}" xmlns:r="{_R}" r:dm="diagramData"/>'
        f'</w:drawing></w:r></w:p><w:altChunk xmlns:r="{_R}" r:id="aFChunk"/><w:p>'
    )
    data = replaced(word(write), "word/document.xml", "<w:t>Steps</w:t></w:r>", f"<w:t>Steps</w:t></w:r>{diagram}")
    data = linked(
        data,
        "word/document.xml",
        {"word/data1.xml": f"{_R}/diagramData", "word/page.html": f"{_R}/aFChunk"},
        {
            "word/data1.xml": _DATA_MODEL,
            "word/page.html": b"<html><body><p>The deposit is 700 pounds.</p></body></html>",
        },
        '<Default Extension="html" ContentType="text/html"/>',
    )
    document = parse(data, "a.docx", LIMITS)
    assert document.text == f"Steps\n\n{_TEXT_OF_MODEL}\n\nThe deposit is 700 pounds.\n\nAfter."
    other = replaced(data, "[Content_Types].xml", 'ContentType="text/html"', 'ContentType="application/rtf"')
    assert parse(other, "a.docx", LIMITS).found["reading_notes"] == "inserted file page.html is left out"


def _sheet(change: Callable[[Workbook], object]) -> bytes:
    rows = [["Room", "Summer", "Winter"], ["Single", 80, 60], ["Double", 120, 95], [], ["Group rates"]]
    return workbook({"Prices": [*rows, ["Dormitory", 25, 18]], "Old": [["Single", 70]]}, change)


def test_comments_and_what_is_hidden_in_a_workbook_are_told() -> None:
    def change(book: Workbook) -> None:
        book["Prices"]["B3"].comment = Comment("Kim:\nOnly with breakfast.", "Kim")
        book["Prices"].row_dimensions[6].hidden = True
        book["Prices"]["C7"] = "=C3*2"
        book["Old"].sheet_state = "veryHidden"

    document = parse(_sheet(change), "a.xlsx", LIMITS)
    assert document.text.endswith("\n\nB3: Comment by Kim: Only with breakfast.")
    assert document.found["reading_notes"] == (
        "formulas without a value in Prices: 1 (open it in Excel and save it again)"
    )
    assert document.found["hidden_text"].endswith(": marked as hidden")


def test_conversations_of_todays_excel_are_read_with_the_names_of_people() -> None:
    threads = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"
    said = '<threadedComment ref="A2" personId="p"><text>{}</text></threadedComment>'
    data = linked(
        _sheet(id),
        "xl/worksheets/sheet1.xml",
        {"xl/threadedComments/t.xml": "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"},
        {
            "xl/threadedComments/t.xml": (
                f'<ThreadedComments xmlns="{threads}">{said.format("Closed?")}{said.format("Yes.")}</ThreadedComments>'
            ).encode(),
            "xl/persons/person.xml": (
                f'<personList xmlns="{threads}"><person id="p" displayName="Mina Oh"/></personList>'
            ).encode(),
        },
        "",
    )
    assert parse(data, "a.xlsx", LIMITS).text.count("A2: Comment by Mina Oh: Closed?; Comment by Mina Oh: Yes.") == 1


def test_rows_below_a_blank_line_have_the_heads_above_it() -> None:
    def context_of(data: bytes) -> str | None:
        chunks = split_document(parse(data, "a.xlsx", LIMITS), chunk_tokens=12, overlap_tokens=0)
        return next(chunk for chunk in chunks if "Dormitory" in chunk.text).context

    assert context_of(_sheet(id)) == "Prices\nRoom\tSummer\tWinter"
    moved = workbook({"Prices": [["Room", "Summer", "Winter"], ["Single", 80, 60], [], [None, "Dormitory", 25, 18]]})
    assert "Summer" not in (context_of(moved) or "")


def test_text_boxes_on_a_sheet_are_read() -> None:
    box = "<xdr:sp><xdr:txBody><a:p><a:r><a:t>Closed in May.</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    data = linked(
        _sheet(id),
        "xl/worksheets/sheet1.xml",
        {"xl/drawings/drawing9.xml": f"{_R}/drawing"},
        {"xl/drawings/drawing9.xml": f'<xdr:wsDr xmlns:xdr="{_DRAWING}" xmlns:a="{_A}">{box}</xdr:wsDr>'.encode()},
        "",
    )
    assert parse(data, "a.xlsx", LIMITS).text.startswith("Prices\n\nRoom\t")
    assert "\n\nClosed in May." in parse(data, "a.xlsx", LIMITS).text


def test_damaged_comments_do_not_keep_a_workbook_from_being_read() -> None:  # A8
    def change(book: Workbook) -> None:
        book["Prices"]["B3"].comment = Comment("Only with breakfast.", "Kim")

    members, part = unpacked(_sheet(change)), "xl/comments/comment1.xml"
    for damage in (members[part][:40], b"", b"<a/>", members[part].replace(b"B3", b"ZZZZZ99")):
        document = parse(packed({**members, part: damage}), "a.xlsx", LIMITS)
        assert "Single\t80\t60" in document.text


def test_comments_on_slides_and_hidden_slides_are_told() -> None:
    def write(presentation: Presentation) -> None:
        add_slide(presentation, "Ferries")
        add_slide(presentation, "Budget").element.set("show", "0")

    main = "http://schemas.openxmlformats.org/presentationml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.presentationml"
    data = linked(
        slides(write),
        "ppt/slides/slide1.xml",
        {"ppt/comments/c1.xml": f"{_R}/comments"},
        {
            "ppt/comments/c1.xml": (
                f'<p:cmLst xmlns:p="{main}"><p:cm authorId="1"><p:text>Cancelled in May.</p:text></p:cm></p:cmLst>'
            ).encode(),
            "ppt/authors.xml": (
                f'<p:cmAuthorLst xmlns:p="{main}"><p:cmAuthor id="1" name="Noor"/></p:cmAuthorLst>'
            ).encode(),
        },
        f'<Override PartName="/ppt/comments/c1.xml" ContentType="{kind}.comments+xml"/>'
        f'<Override PartName="/ppt/authors.xml" ContentType="{kind}.commentAuthors+xml"/>',
    )
    data = linked(data, "ppt/presentation.xml", {"ppt/authors.xml": f"{_R}/commentAuthors"}, {}, "")
    document = parse(data, "a.pptx", LIMITS)
    assert document.text == "Ferries\n\nComment by Noor: Cancelled in May."
    assert [page.number for page in document.pages] == [1, 2]
