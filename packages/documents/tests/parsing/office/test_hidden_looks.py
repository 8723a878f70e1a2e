"""Words of RTF, slides and workbooks that a reader does not see are left out; what is seen stays."""  # issue 42
# pyright: reportUnknownMemberType=false, reportPrivateUsage=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportOptionalMemberAccess=false, reportUnknownVariableType=false

from collections.abc import Callable

from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font, GradientFill, PatternFill
from openpyxl.styles.colors import Color
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_THEME_COLOR
from pptx.enum.shapes import MSO_SHAPE
from pptx.oxml import parse_xml
from pptx.oxml.ns import nsdecls
from pptx.presentation import Presentation
from pptx.shapes.autoshape import Shape
from pptx.shapes.base import BaseShape
from pptx.slide import Slide
from pptx.util import Cm, Pt

from citewell_documents.parsing import ParseLimits, parse
from document_material.office_files import add_box, slides, workbook
from verify_material.rows import for_all_rows

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
WHITE_FILL = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'
FADING = (
    '<a:gradFill><a:gsLst><a:gs pos="0"><a:srgbClr val="000000"><a:alpha val="0"/></a:srgbClr></a:gs></a:gsLst>'
    "</a:gradFill>"
)
LIT = '<a:solidFill><a:schemeClr val="{}"><a:{} val="{}"/><a:{} val="{}"/></a:schemeClr></a:solidFill>'
LIMITS = ParseLimits(max_pages=50, max_chars=100_000)
RTF = (
    r"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}"
    r"{\colortbl;\red0\green0\blue0;\red255\green255\blue255;\red0\green0\blue128;}\f0 "
)


@for_all_rows(
    "body",
    [
        r"Open {\v 80} end.\par",
        r"Open \v 80\v0  end.\par",
        r"Fee {\strike 80} 95.\par",
        r"Fee {\striked1 80} 95.\par",
        r"Fee {\deleted\revauthdel1 80} 95.\par",
        r"Open {\cf2 80} end.\par",
        r"Open {\fs2 80} end.\par",
        r"Open {\v 80\'e9} end.\par",
        r"Open {\v 80 \u8364?}end.\par",
        r"Open {\b\v\i 80 {\ul more}} end.\par",
        r"Open {\v {\b 80}} end.\par",
        r"Open {\cf3\cf2 80} end.\par",
        r"Open {\cf3\chcbpat3 80} end.\par",
        r"Open {\cf1\highlight1 80} end.\par",
        r"Open {\cf2\chcbpat2 80} end.\par",
        r"Open{\footnote Note {\v 80} two.} end.\par",
        r"Open {\strike one\par 80}\par end.\par",
        r"Open {\charscalex1 80} end.\par",
    ],
)
def test_words_of_rtf_that_are_not_seen_are_left_out(body: str) -> None:
    document = parse(f"{RTF}{body}}}".encode(), "fee.rtf", LIMITS)
    assert "80" not in document.text
    assert document.text.endswith(("end.", "95.", "Note two."))
    assert "hidden_text" in document.found


@for_all_rows(
    "body",
    [
        r"Open {\v secret \plain 80} end.\par",
        r"Open {\v0 80} end.\par",
        r"Open {\strike0 80} end.\par",
        r"Open {\cf2\highlight3 80} end.\par",
        r"Open {\cf2\chcbpat3 80} end.\par",
        r"Open {\revised 80} end.\par",
        r"\viewkind4\uc1 Open 80 end.\par",
        r"Open {\v hid{\*\bkmkstart a}den} 80.\par",
        r"\trowd\clcbpat3\cellx3000\cellx6000 \intbl{\cf2 80}\cell b\cell\row",
        r"\pard\cbpat3{\cf2 80} end\par",
        r"Open {\cf2\cb1 80} end.\par",
        r"Open {\cf1\cb1 80} end.\par",
        r"\pard\shading10000\cfpat3\cbpat2{\cf2 80} end.\par",
        r"Open {\fs12 80} end.\par",
        r"Open {\v hidden}80.\par",
        r"Open {\cf3 80} end.\par",
        r"\vertalc\viewscale100 Open 80.\par",
    ],
)
def test_words_of_rtf_that_are_seen_stay(body: str) -> None:
    assert "80" in parse(f"{RTF}{body}}}".encode(), "fee.rtf", LIMITS).text


NAVY, WHITE = RGBColor(0, 0, 60), RGBColor(255, 255, 255)


def coloured(shape: Shape, ink: RGBColor, ground: RGBColor | None = None) -> None:
    shape.text_frame.paragraphs[0].runs[0].font.color.rgb = ink
    if ground is not None:
        shape.fill.solid()
        shape.fill.fore_color.rgb = ground


def navy_slide(slide: Slide, box: Shape) -> None:
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = NAVY
    coloured(box, WHITE)


def navy_shape_below(slide: Slide, box: Shape) -> None:
    below = slide.shapes.add_shape(MSO_SHAPE.RECTANGLE, Cm(0), Cm(4), Cm(20), Cm(5))
    below.fill.solid()
    below.fill.fore_color.rgb = NAVY
    box._element.addprevious(below._element)
    coloured(box, WHITE)


def hidden_shape_below(slide: Slide, box: Shape) -> None:
    navy_shape_below(slide, box)
    marked(slide.shapes[1], "1")


def turned_beside(box: Shape) -> None:
    box.left, box.top, box.rotation = Cm(60), Cm(60), 30.0


def with_look(box: Shape, look: str) -> None:
    properties = box.text_frame.paragraphs[0].runs[0]._r.get_or_add_rPr()
    for child in list(parse_xml(f"<a:x {nsdecls('a')}>{look}</a:x>")):
        properties.append(child)


def styled(box: Shape, look: str) -> None:
    style = box.element.find(f".//{A}lstStyle")
    style.append(parse_xml(f"<a:lvl1pPr {nsdecls('a')}><a:defRPr>{look}</a:defRPr></a:lvl1pPr>"))


def cell_of(ink: RGBColor, ground: RGBColor) -> Callable[[Slide, Shape], None]:
    def change(slide: Slide, box: Shape) -> None:
        white_head_of_table(slide, box)
        cell = next(shape for shape in slide.shapes if shape.has_table).table.cell(0, 0)
        cell.fill.solid()
        cell.fill.fore_color.rgb, cell.text_frame.paragraphs[0].runs[0].font.color.rgb = ground, ink

    return change


def white_head_of_table(slide: Slide, box: Shape) -> None:
    cell = slide.shapes.add_table(2, 2, Cm(1), Cm(8), Cm(9), Cm(3)).table.cell(0, 0)
    cell.text, box.text_frame.text = "The fee is 80.", ""
    cell.text_frame.paragraphs[0].runs[0].font.color.rgb = WHITE


def fitted(box: Shape, share: int) -> None:
    box.text_frame._txBody.bodyPr.append(parse_xml(f'<a:normAutofit {nsdecls("a")} fontScale="{share}"/>'))


def sized(box: Shape, points: float) -> None:
    box.text_frame.paragraphs[0].runs[0].font.size = Pt(points)


def themed(box: Shape, colour: MSO_THEME_COLOR) -> None:
    box.text_frame.paragraphs[0].runs[0].font.color.theme_color = colour


def marked(box: BaseShape, value: str) -> None:
    box.element.nvSpPr.cNvPr.set("hidden", value)


def moved(box: Shape, left: float) -> None:
    box.left = Cm(left)


LOOKS: dict[str, tuple[Callable[[Slide, Shape], object], bool]] = {
    "marked as hidden": (lambda _, box: marked(box, "1"), False),
    "left of the slide": (lambda _, box: moved(box, -30), False),
    "right of the slide": (lambda _, box: moved(box, 40), False),
    "tiny": (lambda _, box: sized(box, 1), False),
    "white": (lambda _, box: coloured(box, WHITE), False),
    "in the colour of its box": (lambda _, box: coloured(box, NAVY, NAVY), False),
    "in the ground of the theme": (lambda _, box: themed(box, MSO_THEME_COLOR.BACKGROUND_1), False),
    "turned and beside": (lambda _, box: turned_beside(box), False),
    "without a fill": (lambda _, box: with_look(box, "<a:noFill/>"), False),
    "white by the style of its box": (lambda _, box: styled(box, WHITE_FILL), False),
    "in the colour of its cell": (cell_of(NAVY, NAVY), False),
    "white over a dark shape that is hidden": (hidden_shape_below, False),
    "black made white": (lambda _, box: with_look(box, LIT.format("tx1", "lumMod", 0, "lumOff", 100_000)), False),
    "of a colour by its name": (
        lambda _, box: with_look(box, '<a:solidFill><a:prstClr val="white"/></a:solidFill>'),
        False,
    ),
    "of a colour by the share of its light": (
        lambda _, box: with_look(box, '<a:solidFill><a:scrgbClr r="100%" g="100%" b="99%"/></a:solidFill>'),
        False,
    ),
    "made small to fit": (lambda _, box: fitted(box, 1_000), False),
    "made smaller to fit": (lambda _, box: fitted(box, 40_000), True),
    "black made grey": (lambda _, box: with_look(box, LIT.format("tx1", "lumMod", 50_000, "lumOff", 50_000)), True),
    "without a fill, with an outline": (lambda _, box: with_look(box, "<a:ln/><a:noFill/>"), True),
    "of a fading colour": (lambda _, box: with_look(box, FADING), True),
    "white with a shadow": (lambda _, box: with_look(box, f"{WHITE_FILL}<a:effectLst><a:glow/></a:effectLst>"), True),
    "white in a dark cell": (cell_of(WHITE, NAVY), True),
    "marked as not hidden": (lambda _, box: marked(box, "0"), True),
    "partly beside": (lambda _, box: moved(box, -4), True),
    "small": (lambda _, box: sized(box, 6), True),
    "white in a dark box": (lambda _, box: coloured(box, WHITE, NAVY), True),
    "grey": (lambda _, box: coloured(box, RGBColor(200, 200, 200)), True),
    "in the ink of the theme": (lambda _, box: themed(box, MSO_THEME_COLOR.TEXT_1), True),
    "white on a dark slide": (navy_slide, True),
    "white over a dark shape": (navy_shape_below, True),
    "white in a table": (white_head_of_table, True),
}


@for_all_rows("look", LOOKS)
def test_a_box_of_a_slide_is_read_if_it_is_seen(look: str) -> None:
    change, is_seen = LOOKS[look]

    def write(presentation: Presentation) -> None:
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        add_box(slide, "Open", Cm(1), Cm(1))
        change(slide, add_box(slide, "The fee is 80.", Cm(1), Cm(5)))

    document = parse(slides(write), "fee.pptx", LIMITS)
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


def filled(colour: Color | str) -> PatternFill:
    return PatternFill("solid", fgColor=colour)


CELLS: dict[str, tuple[Font, PatternFill | GradientFill | None, bool]] = {
    "white of the theme": (Font(color=Color(theme=0)), None, False),
    "white by number": (Font(color=Color(indexed=9)), None, False),
    "white on white": (Font(color="FFFFFFFF"), filled("FFFDFDFD"), False),
    "navy on navy": (Font(color="FF000080"), filled("FF000080"), False),
    "accent on accent": (Font(color=Color(theme=4)), filled(Color(theme=4)), False),
    "tiny": (Font(size=1), None, False),
    "white on navy": (Font(color=Color(theme=0)), filled("FF000080"), True),
    "white on accent": (Font(color=Color(theme=0)), filled(Color(theme=4)), True),
    "white on black": (Font(color=Color(theme=0)), filled(Color(theme=1)), True),
    "light on accent": (Font(color=Color(theme=4, tint=0.8)), filled(Color(theme=4)), True),
    "grey": (Font(color=Color(theme=0, tint=-0.5)), None, True),
    "ink of the system": (Font(color=Color(indexed=64)), None, True),
    "white on a gradient": (Font(color="FFFFFFFF"), GradientFill(stop=("000000", "FFFFFF")), True),
    "small": (Font(size=6), None, True),
}


@for_all_rows("look", CELLS)
def test_a_cell_is_read_if_its_words_stand_off(look: str) -> None:
    font, fill, is_seen = CELLS[look]

    def change(book: Workbook) -> None:
        cell = book["Prices"]["B2"]
        cell.font = font
        if fill is not None:
            cell.fill = fill

    document = parse(workbook({"Prices": [["Item", "Fee"], ["Lamp", "80 euros"]]}, change), "prices.xlsx", LIMITS)
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


def test_a_title_is_as_its_layout_shows_it() -> None:
    def change(deck: Presentation) -> None:
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "The fee is 80."
        slide.shapes.add_textbox(Cm(1), Cm(9), Cm(9), Cm(3)).text_frame.text = "Open"
        styled(slide.slide_layout.placeholders[0], WHITE_FILL)

    document = parse(slides(change), "deck.pptx", LIMITS)
    assert "80" not in document.text
    assert "hidden_text" in document.found


@for_all_rows(
    ("value", "number_format", "is_seen"),
    [
        (80, ";;;", False),
        ("80 euros", ";;;", False),
        ("80 euros", ";;", True),
        (80, "0;-0;;@", True),
        ("80 euros", "0;-0;;@", True),
        (-80, "General;;", False),
        (80, "[White]0", False),
        ("80 euros", "0;0;0;[white]@", False),
        ("80 euros", "[White]0", True),
        (80, "0;[White]-0", True),
        (80, "[Red][>5]0;[White]0", True),
        (80, "[Color 2]0", False),
        (80, '0" [white]"', True),
        (80, '[=0]"";General', True),
        (80, '[>100]"";0', True),
    ],
)
def test_a_cell_whose_format_prints_nothing_is_not_seen(value: object, number_format: str, is_seen: bool) -> None:
    def change(book: Workbook) -> None:
        book["Prices"]["B2"].number_format = number_format

    document = parse(workbook({"Prices": [["Item", "Fee"], ["Lamp", value]]}, change), "prices.xlsx", LIMITS)
    assert ("80" in document.text, "hidden_text" in document.found) == (is_seen, not is_seen)


def test_rows_without_height_and_comments_of_hidden_lines_are_not_seen() -> None:
    def change(book: Workbook) -> None:
        sheet = book["Prices"]
        sheet.row_dimensions[2].height = 0.01
        sheet["B2"].comment = Comment("Only 70 for Ida", "Ida")
        sheet["B3"].comment = Comment("Without the bulb", "Ida")

    rows = [["Item", "Fee"], ["Lamp", 80], ["Chair", 12]]
    document = parse(workbook({"Prices": rows}, change), "prices.xlsx", LIMITS)
    assert document.text == "Prices\n\nItem\tFee\nChair\t12\n\nB3: Comment by Ida: Without the bulb"
    assert "hidden_text" in document.found
