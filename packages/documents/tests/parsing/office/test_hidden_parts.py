"""Parts of office documents that go as a whole, and grounds that decide whether their words are seen."""  # issue 42
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from collections.abc import Callable

from docx.document import Document as WordDocument
from openpyxl import Workbook
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font
from openpyxl.worksheet.table import Table

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing import ParseLimits, parse
from document_material.office_files import linked, odt, packed, replaced, unpacked, word, workbook
from verify_material.rows import for_all_rows

LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
NAMES = " ".join(
    f'xmlns:{name}="http://schemas.{place}"'
    for name, place in {
        "wp": "openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "a": "openxmlformats.org/drawingml/2006/main",
        "wps": "microsoft.com/office/word/2010/wordprocessingShape",
    }.items()
)
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = 'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"'
WHITE = '<w:color w:val="FFFFFF"/>'
AWAY = '<w:rStyle w:val="Away"/>'


def run(look: str = "") -> str:
    return f"<w:r><w:rPr>{look}</w:rPr><w:t>Or 80.</w:t></w:r>"


def drawn(hidden: str, look: str, fill: str) -> str:
    fill = fill and f'<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill>'
    return (
        f'<w:p><w:r><w:drawing {NAMES}><wp:inline><wp:docPr id="1" name="Box" hidden="{hidden}"/><a:graphic>'
        f"<a:graphicData><wps:wsp><wps:spPr>{fill}</wps:spPr><wps:txbx><w:txbxContent><w:p>{run(look)}</w:p>"
        "</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>"
    )


def shape(style: str) -> str:
    return (
        f'<w:p><w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml"><v:shape style="{style}"><v:textbox>'
        f"<w:txbxContent><w:p>{run()}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>"
    )


def table(row: str, style: str = "", look: str = "") -> str:
    head = "<w:tr><w:tc><w:p><w:r><w:t>Fee</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr>"
    return (
        f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/></w:tblPr>{head}'
        f"<w:tr><w:trPr>{row}</w:trPr><w:tc><w:p>{run(look)}</w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"
    )


def in_word(body: str) -> ParsedDocument:
    def write(document: WordDocument) -> None:
        document.add_paragraph("The fee is 95.")

    named = "<w:pPr><w:shd w:val='clear' w:fill='203040'/></w:pPr>"
    looks = {
        ("paragraph", "Band"): named,
        ("paragraph", "Gone"): "<w:rPr><w:vanish/></w:rPr>",
        ("character", "Away"): "<w:rPr><w:vanish/></w:rPr>",
    }
    styles = "".join(
        f'<w:style w:type="{kind}" w:styleId="{name}"><w:name w:val="{name}"/>{look}</w:style>'
        for (kind, name), look in looks.items()
    )
    data = replaced(word(write), "word/styles.xml", "</w:styles>", f"{styles}</w:styles>")
    return parse(replaced(data, "word/document.xml", "<w:sectPr", f"{body}<w:sectPr"), "fee.docx", LIMITS)


BODIES: dict[str, tuple[str, bool]] = {
    "white in a table of a style without shades": (table("", "TableGrid", WHITE), False),
    "a hidden box": (drawn("1", "", ""), False),
    "white in a white box": (drawn("0", WHITE, "FFFFFF"), False),
    "a hidden shape": (shape("width:9pt; visibility: hidden"), False),
    "a row without height": (table('<w:trHeight w:val="1" w:hRule="exact"/>'), False),
    "a line without height": (
        f'<w:p><w:pPr><w:spacing w:line="1" w:lineRule="exact"/></w:pPr>{run()}</w:p>',
        False,
    ),
    "hidden by the style of the paragraph": (f'<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr>{run()}</w:p>', False),
    "hidden by two styles, so that the one undoes the other": (
        f'<w:p><w:pPr><w:pStyle w:val="Gone"/></w:pPr>{run(AWAY)}</w:p>',
        True,
    ),
    "a row": (table("<w:cantSplit/>"), True),
    "a row of 15 points": (table('<w:trHeight w:val="300" w:hRule="exact"/>'), True),
    "a line of 12 points": (
        f'<w:p><w:pPr><w:spacing w:line="240" w:lineRule="exact"/></w:pPr>{run()}</w:p>',
        True,
    ),
    "a row whose end sign is hidden": (table("<w:hidden/>"), True),
    "white in a row with a shade of its own": (
        table("", "TableGrid", WHITE).replace(
            "<w:trPr></w:trPr>", "<w:tblPrEx><w:shd w:val='clear' w:fill='203040'/></w:tblPrEx>"
        ),
        True,
    ),
    "white in a table of a style with shades": (table("", "ColorfulList", WHITE), True),
    "a box": (drawn("0", "", ""), True),
    "white in a navy box": (drawn("0", WHITE, "203040"), True),
    "white in a box of no known fill": (drawn("0", WHITE, ""), True),
    "a shape": (shape("width:9pt;visibility:visible"), True),
    "white in a paragraph of a style with a shade": (
        f'<w:p><w:pPr><w:pStyle w:val="Band"/></w:pPr>{run(WHITE)}</w:p>',
        True,
    ),
}


@for_all_rows("body", BODIES)
def test_a_part_of_a_word_document_is_read_if_it_is_seen(body: str) -> None:
    xml, is_seen = BODIES[body]
    document = in_word(xml)
    assert "95" in document.text
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


@for_all_rows(("ink", "setting", "is_seen"), [("222222", True, False), ("FFFFFF", True, True), ("222222", False, True)])
def test_words_in_the_colour_of_their_pages_are_not_seen(ink: str, setting: bool, is_seen: bool) -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("The fee is 95.").runs[0].font.bold = True

    coloured = f"<w:p>{run(WHITE.replace('FFFFFF', ink))}</w:p>"
    data = replaced(word(write), "word/document.xml", "<w:body>", '<w:background w:color="222222"/><w:body>')
    data = replaced(data, "word/document.xml", "<w:sectPr", f"{coloured}<w:sectPr")
    shown = "<w:displayBackgroundShape/></w:settings>" if setting else "</w:settings>"
    assert (
        "80" in parse(replaced(data, "word/settings.xml", "</w:settings>", shown), "fee.docx", LIMITS).text
    ) is is_seen


def test_a_theme_that_is_damaged_or_exchanged_hides_nothing() -> None:
    def write(document: WordDocument) -> None:
        document.add_paragraph("The fee is 95.")

    themed = run('<w:color w:val="000000" w:themeColor="background1"/>')
    data = replaced(word(write), "word/document.xml", "<w:sectPr", f"<w:p>{themed}</w:p><w:sectPr")
    assert "80" not in parse(data, "fee.docx", LIMITS).text
    for part, old, new in (
        ("word/theme/theme1.xml", "</a:theme>", "<"),
        ("word/settings.xml", 'w:bg1="light1"', 'w:bg1="dark1"'),
    ):
        assert "80" in parse(replaced(data, part, old, new), "fee.docx", LIMITS).text


def style(properties: str, family: str = "text", name: str = "T1") -> str:
    return f'<style:style style:name="{name}" style:family="{family}">{properties}</style:style>'


def coloured(ink: str, **more: str) -> str:
    others = " ".join(f'{name.replace("_", ":", 1).replace("_", "-")}="{value}"' for name, value in more.items())
    return style(f'<style:text-properties fo:color="{ink}" {others}/>')


def ground(colour: str) -> str:
    return style(f'<style:table-cell-properties fo:background-color="{colour}"/>', "table-cell", "C1")


SPAN = '<text:span text:style-name="T1">Or 80.</text:span>'
CELL = '<table:table-cell table:style-name="C1"><text:p>{}</text:p></table:table-cell>'
ROWS = f"<table:table><table:table-row>{CELL.format('Fee')}{CELL.format('a')}</table:table-row>{{}}</table:table>"
IN_CELL = ROWS.format(f"<table:table-row>{CELL.format(SPAN)}{CELL.format('b')}</table:table-row>")
COLLAPSED = ROWS.format(f'<table:table-row table:visibility="collapse">{CELL.format("Or 80.")}</table:table-row>')
PAGE = '<style:page-layout style:name="p"><style:page-layout-properties fo:background-color="{}"/></style:page-layout>'
TEXTS: dict[str, tuple[str, str, bool]] = {
    "a hidden paragraph": ('<text:p><text:hidden-paragraph text:is-hidden="true"/>Or 80.</text:p>', "", False),
    "a collapsed row": (COLLAPSED, "", False),
    "navy on navy": (f"<text:p>{SPAN}</text:p>", coloured("#000080", fo_background_color="#000080"), False),
    "white in a white cell": (IN_CELL, coloured("#ffffff") + ground("#ffffff"), False),
    "white on a white page": (f"<text:p>{SPAN}</text:p>", coloured("#ffffff") + PAGE.format("#ffffff"), False),
    "a paragraph that may be hidden": (
        '<text:p><text:hidden-paragraph text:is-hidden="false"/>Or 80.</text:p>',
        "",
        True,
    ),
    "white in a navy cell": (IN_CELL, coloured("#ffffff") + ground("#000080"), True),
    "white in a navy paragraph whose style has the name of a white cell's": (
        f'<text:p text:style-name="C1">{SPAN}</text:p>',
        coloured("#ffffff")
        + style('<style:paragraph-properties fo:background-color="#000080"/>', "paragraph", "C1")
        + ground("#ffffff"),
        True,
    ),
    "a share of its size": (f"<text:p>{SPAN}</text:p>", coloured("#000000", fo_font_size="1%"), False),
    "clear": (f"<text:p>{SPAN}</text:p>", coloured("#000000", loext_opacity="0%"), False),
    "pressed together": (f"<text:p>{SPAN}</text:p>", coloured("#000000", style_text_scale="1%"), False),
    "navy on a navy page": (f"<text:p>{SPAN}</text:p>", coloured("#000080") + PAGE.format("#000080"), False),
    "half of its size": (f"<text:p>{SPAN}</text:p>", coloured("#000000", fo_font_size="50%"), True),
    "navy on a navy page of two": (
        f"<text:p>{SPAN}</text:p>",
        coloured("#000080") + PAGE.format("#000080") + PAGE.format("#ffffff"),
        True,
    ),
    "white in a cell of no known ground": (IN_CELL, coloured("#ffffff"), True),
    "white on a navy page": (f"<text:p>{SPAN}</text:p>", coloured("#ffffff") + PAGE.format("#000080"), True),
    "in the colour of the reader's screen": (
        f"<text:p>{SPAN}</text:p>",
        coloured("#ffffff", style_use_window_font_color="true"),
        True,
    ),
}


@for_all_rows("text", TEXTS)
def test_a_part_of_an_opendocument_text_is_read_if_it_is_seen(text: str) -> None:
    body, styles, is_seen = TEXTS[text]
    document = parse(odt(f"<text:p>The fee is 95.</text:p>{body}", styles), "fee.odt", LIMITS)
    assert "95" in document.text
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


def test_what_is_hidden_in_the_page_header_of_an_opendocument_text_is_left_out() -> None:
    members = unpacked(odt("<text:p>The fee is 95.</text:p>"))
    header = f"<style:master-page><style:header><text:p>Page {SPAN}</text:p></style:header></style:master-page>"
    content = members["content.xml"].decode()
    names = content[content.index(" ") : content.index(">")]
    styles = f"<office:document-styles{names}>{coloured('#ffffff')}{header}</office:document-styles>"
    document = parse(packed({**members, "styles.xml": styles.encode()}), "fee.odt", LIMITS)
    assert document.text == "The fee is 95.\n\nPage headers and footers:\n\nPage"
    assert "hidden_text" in document.found


def box(look: str = "", hidden: str = "0", fill: str = "") -> str:
    fill = fill and f'<a:solidFill><a:schemeClr val="{fill}"/></a:solidFill>'
    return (
        f'<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="Box" hidden="{hidden}"/></xdr:nvSpPr><xdr:spPr>{fill}</xdr:spPr>'
        f"<xdr:txBody><a:p><a:r><a:rPr>{look}</a:rPr><a:t>Or 80.</a:t></a:r></a:p></xdr:txBody></xdr:sp>"
    )


WHITE_FILL = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'
BOXES: dict[str, tuple[str, bool]] = {
    "hidden": (box(hidden="1"), False),
    "white on the ground of the theme": (box(WHITE_FILL, fill="bg1"), False),
    "without a fill": (box("<a:noFill/>"), False),
    "white on the ink of the theme": (box(WHITE_FILL, fill="tx1"), True),
    "white on no known ground": (box(WHITE_FILL), True),
    "white with a marker": (box(f"{WHITE_FILL}<a:highlight><a:srgbClr val='000000'/></a:highlight>", fill="bg1"), True),
}


@for_all_rows("kind", BOXES)
def test_a_box_on_a_sheet_is_read_if_it_is_seen(kind: str) -> None:
    xml, is_seen = BOXES[kind]
    drawing = f'<xdr:wsDr {SHEET} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">{xml}</xdr:wsDr>'
    part = "xl/drawings/drawing1.xml"
    data = workbook({"Fees": [["Fee", "Now"], ["Room", 95]]})
    data = linked(data, "xl/worksheets/sheet1.xml", {part: f"{RELATED}/drawing"}, {part: drawing.encode()}, "")
    document = parse(data, "fees.xlsx", LIMITS)
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


def white_at(place: str) -> Callable[[Workbook], None]:
    def change(book: Workbook) -> None:
        sheet = book["Fees"]
        sheet[place].font = Font(color="FFFFFFFF")
        sheet.conditional_formatting.add("B2:B3 D9", CellIsRule(operator="greaterThan", formula=["1"]))
        sheet.add_table(Table(displayName="Fees", ref="D1:E3"))

    return change


@for_all_rows(("place", "is_seen"), [("A2", False), ("B2", True), ("B3", True), ("D2", True), ("E3", True)])
def test_white_cells_are_seen_only_where_a_table_or_a_rule_may_colour_them(place: str, *, is_seen: bool) -> None:
    rows = [[f"{column}{row}x" for column in "ABCDE"] for row in range(1, 5)]
    document = parse(workbook({"Fees": rows}, white_at(place)), "fees.xlsx", LIMITS)
    assert (f"{place}x" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)
