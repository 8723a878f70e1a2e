"""Words that a reader of an office document or a web page does not see are left out, and the document says how many."""

import pytest
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.shared import RGBColor
from openpyxl import Workbook
from openpyxl.styles import Font, PatternFill
from pptx.presentation import Presentation
from pptx.util import Cm

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from document_material.office_files import add_box, add_slide, odt, replaced, slides, with_part, word, workbook
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
WHITE = RGBColor(255, 255, 255)
W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'


def filled(colour: str) -> str:
    return f"<w14:textFill {W14}><w14:solidFill>{colour}</w14:solidFill></w14:textFill>"


def with_run(properties: str) -> ParsedDocument:
    """A sentence with a run that has these properties."""

    def write(document: WordDocument) -> None:
        document.styles.add_style("Old", WD_STYLE_TYPE.CHARACTER).font.strike = True  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        paragraph = document.add_paragraph("The fee is ")
        paragraph.add_run("80 ").bold = True
        paragraph.add_run("95 euros.")

    data = replaced(word(write), "word/document.xml", "<w:rPr><w:b/></w:rPr>", f"<w:rPr>{properties}</w:rPr>")
    return parse(data, "fee.docx", LIMITS)


@for_all_rows(
    "properties",
    [
        "<w:strike/>",
        "<w:dstrike/>",
        '<w:rStyle w:val="Old"/>',
        "<w:vanish/>",
        '<w:color w:val="FFFFFF"/>',
        '<w:color w:val="FCFDFC"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:color="auto" w:fill="FFFFFF"/>',
        '<w:color w:val="FFFFFF"/><w:highlight w:val="none"/>',
        '<w:color w:val="000000"/><w:highlight w:val="black"/>',
        '<w:color w:val="1F3864"/><w:shd w:val="clear" w:fill="1F3864"/>',
        '<w:sz w:val="2"/>',
        '<w:color w:val="000000" w:themeColor="background1"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000" w:themeFill="background1"/>',
        f"<w14:textFill {W14}><w14:noFill/></w14:textFill>",
        filled('<w14:srgbClr w14:val="FFFFFF"/>'),
        filled('<w14:schemeClr w14:val="bg1"/>'),
        filled('<w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr>'),
        '<w:color w:val="000000" w:themeColor="text1" w:themeTint="00"/>',
        '<w:w w:val="1"/>',
    ],
)
def test_words_of_word_that_are_not_seen_are_left_out(properties: str) -> None:
    document = with_run(properties)
    assert document.text == "The fee is 95 euros."
    assert document.found["hidden_text"].startswith("1 word: ")


@for_all_rows(
    "properties",
    [
        '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:fill="000080"/>',
        '<w:highlight w:val="black"/>',
        '<w:color w:val="D0D0D0"/>',
        '<w:strike w:val="0"/>',
        '<w:sz w:val="8"/>',
        '<w:color w:val="FFFFFF" w:themeColor="text1"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="FFFFFF" w:themeFill="accent1"/>',
        '<w:color w:val="F2F2F2" w:themeColor="background1" w:themeShade="80"/><w:shd w:val="pct25" w:fill="auto"/>',
        filled('<w14:srgbClr w14:val="FF0000"><w14:alpha w14:val="40000"/></w14:srgbClr>'),
        '<w:color w:val="FFFFFF" w:themeColor="text1" w:themeTint="A6"/>',
        '<w:w w:val="60"/>',
        f'<w:color w:val="FFFFFF"/><w14:textOutline {W14} w14:w="9525"><w14:solidFill/></w14:textOutline>',
    ],
)
def test_words_of_word_that_can_be_read_stay(properties: str) -> None:
    document = with_run(properties)
    assert document.text == "The fee is 80 95 euros."
    assert "hidden_text" not in document.found


def test_words_that_the_default_style_shows_white_and_those_of_page_headers_are_left_out() -> None:
    def write(document: WordDocument) -> None:
        document.styles["Normal"].font.color.rgb = WHITE  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        document.add_paragraph("The fee is 80 euros.")
        document.add_paragraph().add_run("The rent is 95 euros.").font.color.rgb = RGBColor(0, 0, 0)
        header = document.sections[0].header.paragraphs[0]
        header.add_run("Revision C").font.color.rgb = RGBColor(0, 0, 0)
        header.add_run(" of May").font.hidden = True

    document = parse(word(write), "fee.docx", LIMITS)
    assert document.text == "The rent is 95 euros.\n\nPage headers and footers:\n\nRevision C"
    assert document.found["hidden_text"] == "7 words: not visible, marked as hidden"


def test_white_heads_of_a_coloured_table_stay() -> None:
    def write(document: WordDocument) -> None:
        table = document.add_table(rows=2, cols=2, style="Colorful List")
        for cell, text in zip(
            [*table.rows[0].cells, *table.rows[1].cells], ["Item", "Price", "Lamp", "12"], strict=True
        ):
            cell.paragraphs[0].add_run(text).font.color.rgb = WHITE

    assert parse(word(write), "prices.docx", LIMITS).text == "Item\tPrice\nLamp\t12"


def test_cells_that_are_hidden_struck_or_white_are_left_out() -> None:
    def change(book: Workbook) -> None:
        sheet = book["Prices"]
        sheet.row_dimensions[3].hidden = True
        sheet.column_dimensions["C"].hidden = True
        sheet["B4"].font = Font(strike=True)
        sheet["A5"].font = Font(color="FFFFFFFF")
        sheet["A6"].font, sheet["A6"].fill = Font(color="FFFFFFFF"), PatternFill("solid", fgColor="FF000000")

    rows = [
        ["Item", "Cost", "Secret"],
        ["Lamp", 12, 1],
        ["Chair", 13, 2],
        ["Desk", 14, 3],
        ["White", 15, 4],
        ["Black", 16, 5],
    ]
    document = parse(workbook({"Prices": rows}, change), "prices.xlsx", LIMITS)
    assert document.text == "Prices\n\nItem\tCost\nLamp\t12\nDesk\n\t15\nBlack\t16"
    assert document.found["hidden_text"].startswith("10 words: ")


def test_characters_of_a_cell_that_are_struck_are_left_out() -> None:  # issue 42
    names, part = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "xl/sharedStrings.xml"
    texts = f'<sst xmlns="{names}"><si><r><t>Lamp </t></r><r><rPr><strike/></rPr><t>80</t></r></si></sst>'
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    data = with_part(workbook({"Prices": [["Item"], ["Lamp"], ["Desk"]]}), part, texts.encode())
    data = replaced(
        data, "[Content_Types].xml", "</Types>", f'<Override PartName="/{part}" ContentType="{kind}"/></Types>'
    )
    sheet = "xl/worksheets/sheet1.xml"
    data = replaced(data, sheet, 't="inlineStr"><is><t>Lamp</t></is>', 't="s"><v>0</v>')
    data = replaced(
        data,
        sheet,
        "<t>Desk</t>",
        '<r><rPr><strike/></rPr><t>95 </t></r><r><rPr><color rgb="FFFFFFFF"/></rPr><t>7 </t></r><r><t>Desk</t></r>',
    )
    document = parse(data, "prices.xlsx", LIMITS)
    assert (document.text, document.found["hidden_text"]) == (
        "Prices\n\nItem\nLamp\nDesk",
        "3 words: not visible, struck through",
    )


def test_a_merged_cell_whose_beginning_is_hidden_shows_its_value_in_the_others() -> None:
    rows = [["Region", "Town", "Code", "Fee"], ["North", "Oakham", 7, 12], [None, "Stowe", "Ask us", None]]

    def change(book: Workbook) -> None:
        sheet = book["Prices"]
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("C3:D3")
        sheet.row_dimensions[2].hidden = True
        sheet.column_dimensions["C"].hidden = True

    document = parse(workbook({"Prices": rows}, change), "prices.xlsx", LIMITS)
    assert document.text == "Prices\n\nRegion\tTown\tFee\nNorth\tStowe\tAsk us"
    assert document.found["hidden_text"] == "4 words: marked as hidden"


def test_a_sheet_that_is_hidden_is_counted() -> None:
    def change(book: Workbook) -> None:
        book["Secret"].sheet_state = "hidden"

    document = parse(workbook({"Open": [["Seen"]], "Secret": [["Not seen"]]}, change), "book.xlsx", LIMITS)
    assert document.text == "Open\n\nSeen"
    assert document.found["hidden_text"] == "2 words: marked as hidden"


def test_struck_words_of_slides_are_left_out() -> None:
    def write(presentation: Presentation) -> None:
        frame = add_box(add_slide(presentation, "Fees"), "The fee is ", Cm(1), Cm(4)).text_frame
        run = frame.paragraphs[0].add_run()
        run.text = "80 "
        run.font._element.set("strike", "sngStrike")  # pyright: ignore[reportPrivateUsage]
        frame.paragraphs[0].add_run().text = "95 euros."

    document = parse(slides(write), "fees.pptx", LIMITS)
    assert document.text == "Fees\n\nThe fee is 95 euros."
    assert document.found["hidden_text"] == "1 word on page 1: struck through"


@pytest.mark.parametrize(
    "shown",
    [
        'style:text-line-through-style="solid"',
        'text:display="none"',
        'fo:color="#ffffff"',
        'fo:font-size="0.5pt"',
    ],
)
def test_words_of_opendocument_that_are_not_seen_are_left_out(shown: str) -> None:
    style = f'<style:style style:name="T1" style:family="text"><style:text-properties {shown}/></style:style>'
    body = '<text:p>The fee is <text:span text:style-name="T1">80 </text:span>95 euros.</text:p>'
    section = '<text:section text:display="none"><text:p>Or 70.</text:p></text:section>'
    document = parse(odt(body + section, style), "fee.odt", LIMITS)
    assert document.text == "The fee is 95 euros."
    assert document.found["hidden_text"].startswith("3 words: ")


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ('fo:color="#ffffff"', 'fo:color="#000000"'),
        ('style:text-line-through-style="solid"', 'style:text-line-through-style="none"'),
        ('text:display="none"', 'text:display="true"'),
    ],
)
def test_a_span_of_opendocument_is_seen_in_a_paragraph_that_is_not(outer: str, inner: str) -> None:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {shown}/></style:style>'
        for name, shown in (("P1", outer), ("T1", inner))
    )
    body = (
        '<text:p text:style-name="P1">Until May 80 <text:span text:style-name="T1">The fee is 95 euros.</text:span>'
        " or 70</text:p>"
    )
    document = parse(odt(body, styles), "fee.odt", LIMITS)
    assert document.text == "The fee is 95 euros."
    assert document.found["hidden_text"].startswith("5 words: ")


def test_white_words_on_a_dark_paragraph_of_opendocument_stay() -> None:
    style = (
        '<style:style style:name="P1" style:family="paragraph"><style:paragraph-properties '
        'fo:background-color="#000000"/><style:text-properties fo:color="#ffffff"/></style:style>'
    )
    document = parse(odt('<text:p text:style-name="P1">The fee is 95 euros.</text:p>', style), "fee.odt", LIMITS)
    assert document.text == "The fee is 95 euros."


@for_all_rows(
    "hidden",
    [
        "<s>80</s>",
        "<del>80</del>",
        "<span style='text-decoration: line-through'>80</span>",
        "<span style='color: white; background: #FFF'>80</span>",
        "<span style='color: transparent'>80</span>",
        "<span style='font-size:0'>80</span>",
        "<span style='opacity:0'>80</span>",
        "<b hidden>80</b>",
    ],
)
def test_words_of_a_page_that_are_not_seen_are_left_out(hidden: str) -> None:
    document = parse(f"<p>The fee is {hidden} 95 euros.</p>".encode(), "fee.html", LIMITS)
    assert document.text == "The fee is 95 euros."
    assert document.found["hidden_text"].startswith("1 word: ")


def test_white_words_on_a_dark_ground_of_a_page_stay() -> None:
    page = b"<p style='color:#fff;background-color:#003'>The fee is 95 euros.</p>"
    assert parse(page, "fee.html", LIMITS).text == "The fee is 95 euros."
