"""Answers as a document of Word."""

import io
import re
from collections.abc import Sequence
from typing import Any

from docx import Document
from docx.document import Document as Docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt, RGBColor
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from api.adapters.docx_markdown import write
from domain.exports.taken_along import Entry, TakenAlong, Tone

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
