"""Answers as a PDF, on pages of paper.

The font is embedded: it has Latin, Cyrillic, Korean and Japanese letters, in the only weight that its package
brings; what is emphasised is drawn with a stroke around its letters. Importing this module needs the extra `pdf`.
"""

import re
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from fpdf import FPDF
from fpdf.enums import TextMode
from fpdf.fonts import FontFace
from markdown_it.tree import SyntaxTreeNode
from pylopdf_fonts_ko import sans_path

from api.adapters.markdown import reader, texts_in
from domain.exports.taken_along import Entry, TakenAlong

_HEADINGS = {"h1": 15.0, "h2": 13.5, "h3": 12.5}
_TEXT, _SMALL = 11.0, 9.5
_STEP = 6.0
_DEEPEST = 6
_CODE, _RULE = (70, 70, 92), (200, 200, 200)

_NAME = "noto"
_INK, _QUIET, _LINK = (28, 28, 28), (92, 92, 92), (11, 87, 160)
_COLOURS = {"green": (21, 110, 60), "amber": (138, 90, 0), "red": (176, 32, 32), "grey": _QUIET}
_LINE = 6.0
_STROKE = 0.15
_UNKNOWN = "\u25a1"
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LEFT_OUT = f"Characters that the font of this file lacks are shown as {_UNKNOWN}; the export as HTML has them."


def pdf_of(title: str, answers: Sequence[TakenAlong]) -> bytes:
    page = PdfPage(title, answers)
    if [answer.question for answer in answers] != [title]:
        page.heading(title, 17)
    for answer in answers:
        _answer(page, answer)
    if page.lacks:
        page.quiet(_LEFT_OUT)
    return bytes(page.output())


def _answer(page: "PdfPage", answer: TakenAlong) -> None:
    page.heading(answer.question, 15)
    if answer.understood:
        page.quiet(answer.understood)
    draw(page, answer.linked(), answer.links)
    if answer.refusal:
        page.quiet(answer.refusal)
    page.ln(1.5)
    page.paragraph(f"{answer.word}.", _COLOURS[answer.level], 11)
    page.quiet("\n".join(answer.notes))
    for part in answer.parts:
        page.heading(part.title, 12)
        for entry in part.entries:
            _entry(page, entry)
    page.ln(_LINE / 2)
    page.quiet(answer.origin)


def _entry(page: "PdfPage", entry: Entry) -> None:
    if entry.lead:
        page.begin(10.5)
        page.run(entry.lead, colour=_COLOURS[entry.tone] if entry.tone != "grey" else _INK, emphasised=True)
        page.run(f"  {entry.text}" if entry.text else "")
        page.end()
    with page.indented(4):
        for quote in entry.quotes:
            page.begin(10)
            page.run(f"“{quote.words}”", quote.link or "")
            page.run(f" {quote.place}", colour=_QUIET)
            page.end()
    page.ln(1.5)


class PdfPage(FPDF):
    """A4 in one font; `lacks` is set once a character was shown that the font does not have."""

    def __init__(self, title: str, answers: Sequence[TakenAlong]) -> None:
        super().__init__(format="A4")
        self.lacks = False
        self.add_font(_NAME, fname=sans_path())
        font = cast("Any", self.fonts[_NAME])
        self._known: frozenset[int] = frozenset(font.cmap)
        self.set_font(_NAME, size=11)
        self.set_margin(20)
        self.set_auto_page_break(auto=True, margin=20)
        self.set_title(self.shown(title))
        self.set_creator("Citewell")
        self.set_lang("ko" if answers and answers[0].korean else "en")
        # The same answer is the same file, whenever it is exported.
        self.set_creation_date(max(answer.at for answer in answers))
        self.add_page()

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font(_NAME, size=8)
        self.set_text_color(*_QUIET)
        self.cell(0, 5, str(self.page_no()), align="C")

    def heading(self, text: str, size: float) -> None:
        self.ln(_LINE / 2 if self.get_y() > self.t_margin else 0)
        self.paragraph(text, _INK, size)
        self.ln(1)

    def quiet(self, text: str) -> None:
        self.paragraph(text, _QUIET, 9)

    def paragraph(self, text: str, colour: tuple[int, int, int], size: float) -> None:
        self.set_font(_NAME, size=size)
        self.set_text_color(*colour)
        self.multi_cell(0, size * 0.52, self.shown(text), align="L", new_x="LMARGIN", new_y="NEXT")

    @contextmanager
    def indented(self, by: float) -> Generator[None]:
        """Draw the contents of this block `by` mm further to the right."""
        before = self.l_margin
        self.set_left_margin(20 + by)
        self.set_x(self.l_margin)
        yield
        self.set_left_margin(before)
        self.set_x(before)

    def begin(self, size: float) -> None:
        self.set_font(_NAME, size=size)
        self.set_x(self.l_margin)

    def run(self, text: str, link: str = "", colour: tuple[int, int, int] = _INK, *, emphasised: bool = False) -> None:
        """Continue in the line; with an address, the text becomes a link."""
        if not text:
            return
        self.set_text_color(*(_LINK if link else colour))
        self.set_draw_color(*(_LINK if link else colour))
        self.set_line_width(_STROKE)
        self.text_mode = TextMode.FILL_STROKE if emphasised else TextMode.FILL
        self.write(self.font_size_pt * 0.55, self.shown(text), link)
        self.text_mode = TextMode.FILL

    def end(self) -> None:
        self.ln(self.font_size_pt * 0.55)

    def code(self, text: str, size: float, colour: tuple[int, int, int]) -> None:
        """Draw the lines as they are, on a shaded background."""
        self.set_font(_NAME, size=size)
        self.set_text_color(*colour)
        self.set_fill_color(244, 244, 247)
        self.multi_cell(0, size * 0.52, self.shown(text), align="L", fill=True, new_x="LMARGIN", new_y="NEXT")
        self.ln(1.5)

    def grid(self, rows: Sequence[Sequence[str]], size: float) -> None:
        """Draw a table whose first row is its head."""
        self.set_font(_NAME, size=size)
        self.set_text_color(*_INK)
        self.set_draw_color(*_QUIET)
        self.set_fill_color(255, 255, 255)
        with self.table(borders_layout="HORIZONTAL_LINES", text_align="LEFT", headings_style=FontFace()) as table:
            for texts in rows:
                row = table.row()
                for text in texts:
                    row.cell(self.shown(text))
        self.ln(1.5)

    def rule(self, colour: tuple[int, int, int]) -> None:
        self.set_draw_color(*colour)
        self.line(self.l_margin, self.get_y() + 1, self.w - self.r_margin, self.get_y() + 1)
        self.ln(3)

    def shown(self, text: str) -> str:
        kept = _CONTROLS.sub("", text).replace("\t", " ")
        signs = [sign if ord(sign) in self._known or sign in "\n\u200b" else _UNKNOWN for sign in kept]
        self.lacks = self.lacks or _UNKNOWN in signs
        return "".join(signs)


def draw(page: "PdfPage", text: str, own: Collection[str | None]) -> None:
    """Draw `text` from the current place on, from margin to margin; only the addresses in `own` become links."""
    for block in SyntaxTreeNode(reader(own).parse(text)).children:
        _block(page, block, 0)


def _block(page: "PdfPage", node: SyntaxTreeNode, depth: int, mark: str = "") -> None:
    with page.indented(_STEP * min(depth, _DEEPEST)):
        match node.type:
            case "heading":
                page.ln(1.5)
                _inline(page, node, _HEADINGS.get(node.tag, 11.5), emphasised=True)
                page.ln(1)
            case "paragraph":
                _inline(page, node, _TEXT, mark)
                page.ln(1.5)
            case "bullet_list" | "ordered_list":
                _list(page, node, depth)
            case "blockquote":
                for child in node.children:
                    _block(page, child, depth + 1)
            case _:
                _figure(page, node)


def _figure(page: "PdfPage", node: SyntaxTreeNode) -> None:
    match node.type:
        case "table":
            rows = [row for part in node.children for row in part.children]
            page.grid([["".join(texts_in(cell)) for cell in row.children] for row in rows], _SMALL)
        case "hr":
            page.rule(_RULE)
        case _:
            page.code(node.content.rstrip("\n"), _SMALL, _CODE)


def _list(page: "PdfPage", node: SyntaxTreeNode, depth: int) -> None:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        mark = f"{number}. " if node.type == "ordered_list" else "• "
        for place, child in enumerate(item.children):
            _block(page, child, depth + 1, "" if place else mark)


def _inline(page: "PdfPage", node: SyntaxTreeNode, size: float, mark: str = "", *, emphasised: bool = False) -> None:
    page.begin(size)
    page.run(mark)
    for child in node.children:
        _run(page, child.children, emphasised=emphasised)
    page.end()


def _run(page: "PdfPage", nodes: Sequence[SyntaxTreeNode], *, emphasised: bool, link: str = "") -> None:
    for node in nodes:
        match node.type:
            case "strong" | "em":
                _run(page, node.children, emphasised=True, link=link)
            case "link":
                _run(page, node.children, emphasised=emphasised, link=str(node.attrs.get("href", "")))
            case "softbreak" | "hardbreak":
                page.run("\n")
            case "code_inline":
                page.run(node.content, link, colour=_CODE)
            case "text":
                page.run(node.content, link, emphasised=emphasised)
            case _:
                _run(page, node.children, emphasised=emphasised, link=link)
                page.run("" if node.children else node.content, link)
