"""Answers as a document of Word."""

import io
import re
from collections.abc import Collection, Sequence
from typing import Any

from docx import Document
from docx.document import Document as Docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from markdown_it.tree import SyntaxTreeNode

from api.adapters.markdown import reader, texts_in
from domain.exports.taken_along import Entry, TakenAlong, Tone

_DEEPEST = 3
# A heading of the answer stands below its question.
_BELOW = 2
_LOWEST = 9

_COLOURS: dict[Tone, RGBColor] = {
    "green": RGBColor(21, 110, 60),
    "amber": RGBColor(138, 90, 0),
    "red": RGBColor(176, 32, 32),
    "grey": RGBColor(92, 92, 92),
}
_LINK = RGBColor(11, 87, 160)
# XML has no place for these.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def docx_of(title: str, answers: Sequence[TakenAlong]) -> bytes:
    page = DocxPage(title, answers)
    if [answer.question for answer in answers] != [title]:
        page.heading(title, 0)
    for answer in answers:
        _answer(page, answer)
    return page.saved()


def _answer(page: "DocxPage", answer: TakenAlong) -> None:
    page.heading(answer.question, 1)
    page.quiet(answer.understood)
    write(page, answer.linked(), answer.links)
    page.quiet(answer.refusal)
    page.run(page.paragraph(), f"{answer.word}.", bold=True).font.color.rgb = _COLOURS[answer.level]
    page.quiet("\n".join(answer.notes))
    for part in answer.parts:
        page.heading(part.title, 2)
        for entry in part.entries:
            _entry(page, entry)
    page.quiet(answer.origin)


def _entry(page: "DocxPage", entry: Entry) -> None:
    if entry.lead:
        paragraph = page.paragraph("List Bullet")
        lead = page.run(paragraph, entry.lead, bold=True)
        if entry.tone != "grey":
            lead.font.color.rgb = _COLOURS[entry.tone]
        page.run(paragraph, f" {entry.text}" if entry.text else "")
    for quote in entry.quotes:
        quoted = page.paragraph("List Continue")
        page.run(quoted, f"“{quote.words}”", link=quote.link or "")
        page.run(quoted, f" {quote.place}").font.color.rgb = _COLOURS["grey"]


class DocxPage:
    """A document that is written from top to bottom."""

    def __init__(self, title: str, answers: Sequence[TakenAlong]) -> None:
        self._document: Docx = Document()
        properties = self._document.core_properties
        properties.title, properties.author, properties.comments = _text(title)[:255], "Citewell", ""
        # The same answer is the same file, whenever it is exported.
        at = max(answer.at for answer in answers).replace(tzinfo=None)
        properties.created = properties.modified = at
        properties.language = "ko-KR" if answers[0].korean else "en-US"
        styles: Any = self._document.styles
        styles["Normal"].font.size = Pt(11)
        # The letters of Korean come from a font of their own, which every program replaces by one that it has.
        styles["Normal"].element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), "Malgun Gothic")

    def saved(self) -> bytes:
        content = io.BytesIO()
        self._document.save(content)
        return content.getvalue()

    def heading(self, text: str, level: int) -> None:
        self._document.add_heading(_text(text), level)

    def paragraph(self, style: str = "Normal") -> Paragraph:
        return self._document.add_paragraph(style=style)

    def quiet(self, text: str) -> None:
        if text:
            run = self.run(self.paragraph(), text)
            run.font.size, run.font.color.rgb = Pt(9), _COLOURS["grey"]

    def run(
        self, paragraph: Paragraph, text: str, *, bold: bool = False, italic: bool = False, code: bool = False,
        link: str = "",
    ) -> Run:  # fmt: skip
        """Continue the paragraph; with an address, the text becomes a link."""
        run = paragraph.add_run(_text(text))
        run.bold, run.italic = bold or None, italic or None
        if code:
            run.font.name = "Consolas"
        if link:
            run.font.color.rgb = _LINK
            self._link(paragraph, run, link)
        return run

    def grid(self, rows: Sequence[Sequence[str]]) -> None:
        """Write a table whose first row is its head."""
        table = self._document.add_table(rows=0, cols=max(map(len, rows)), style="Table Grid")
        for number, texts in enumerate(rows):
            cells = table.add_row().cells
            for cell, text in zip(cells, texts, strict=False):
                self.run(cell.paragraphs[0], text, bold=number == 0)

    @staticmethod
    def _link(paragraph: Paragraph, run: Run, address: str) -> None:
        id_ = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
        # python-docx reads links and has no method that writes one.
        hyperlink: Any = OxmlElement("w:hyperlink")
        hyperlink.set(qn("r:id"), id_)
        written: Any = run.element
        written.addprevious(hyperlink)
        hyperlink.append(written)


def _text(text: str) -> str:
    return _CONTROLS.sub("", text)


def write(page: "DocxPage", text: str, own: Collection[str | None]) -> None:
    """Write `text` at the end; only the addresses in `own` become links."""
    for block in SyntaxTreeNode(reader(own).parse(text)).children:
        _block(page, block, 0)


def _block(page: "DocxPage", node: SyntaxTreeNode, depth: int, style: str = "Normal") -> None:
    match node.type:
        case "heading":
            page.heading("".join(texts_in(node)), min(int(node.tag[1]) + _BELOW, _LOWEST))
        case "paragraph":
            paragraph = page.paragraph(style)
            for child in node.children:
                _run(page, paragraph, child.children)
        case "bullet_list" | "ordered_list":
            _list(page, node, depth + 1)
        case "blockquote":
            for child in node.children:
                _block(page, child, depth, "Quote")
        case "table":
            rows = [row for part in node.children for row in part.children]
            page.grid([["".join(texts_in(cell)) for cell in row.children] for row in rows])
        case "hr":
            page.paragraph()
        case _:
            page.run(page.paragraph(style), node.content.rstrip("\n"), code=True)


def _list(page: "DocxPage", node: SyntaxTreeNode, depth: int) -> None:
    level = min(depth, _DEEPEST)
    # A number that Word counts would go on from the list before; so it is written.
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        for place, child in enumerate(item.children):
            style = "List Bullet" if node.type == "bullet_list" and not place else "List Continue"
            numbered = node.type == "ordered_list" and not place and child.type == "paragraph"
            if numbered:
                paragraph = page.paragraph(f"List Continue {level}" if level > 1 else "List Continue")
                page.run(paragraph, f"{number}. ")
                for inline in child.children:
                    _run(page, paragraph, inline.children)
            else:
                _block(page, child, depth, f"{style} {level}" if level > 1 else style)


def _run(
    page: "DocxPage",
    paragraph: Paragraph,
    nodes: Sequence[SyntaxTreeNode],
    *,
    bold: bool = False,
    italic: bool = False,
    link: str = "",
) -> None:
    for node in nodes:
        match node.type:
            case "strong":
                _run(page, paragraph, node.children, bold=True, italic=italic, link=link)
            case "em":
                _run(page, paragraph, node.children, bold=bold, italic=True, link=link)
            case "link":
                _run(page, paragraph, node.children, bold=bold, italic=italic, link=str(node.attrs.get("href", "")))
            case "softbreak":
                page.run(paragraph, " ")
            case "hardbreak":
                page.run(paragraph, "\n")
            case "code_inline":
                page.run(paragraph, node.content, code=True, link=link)
            case _ if node.children:
                _run(page, paragraph, node.children, bold=bold, italic=italic, link=link)
            case _:
                page.run(paragraph, node.content, bold=bold, italic=italic, link=link)
