"""The visible text of a paragraph in a Word document, without deleted or hidden text and field codes,
and the notes it refers to.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from docx.oxml.ns import qn

from citewell_documents.parsing.numerals import roman
from citewell_documents.parsing.office.diagrams import DIAGRAM, data_of
from citewell_documents.parsing.office.equations import linear
from citewell_documents.parsing.office.parts import Element, described, described_as
from citewell_documents.parsing.office.remarks import comment

_TEXTS = {
    qn("w:tab"): " ",
    qn("w:ptab"): " ",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "\u2011",
}
_LEFT_OUT = {
    *(qn("w:pPr"), qn("w:rPr"), qn("w:sdtPr"), qn("w:sdtEndPr")),
    *(qn("w:del"), qn("w:moveFrom"), qn("w:delText"), qn("w:delInstrText"), qn("w:instrText")),
    *(qn("w:softHyphen"), qn("w:rt"), qn("w:txbxContent")),  # w:rt: how the characters above it are pronounced
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_TICKED, _UNTICKED = "\u2611", "\u2610"
_TICKS = {
    ("Wingdings", 0xF0FE): _TICKED,
    ("Wingdings", 0xF0FD): "\u2612",
    ("Wingdings", 0xF0A8): _UNTICKED,
    ("Wingdings", 0xF06F): _UNTICKED,
    ("Wingdings", 0xF0FC): "\u2713",
    ("Wingdings 2", 0xF052): _TICKED,
    ("Wingdings 2", 0xF0A3): _UNTICKED,
}
"""Boxes and ticks by their font, because in another symbol font the same code may be an arrow or a sun."""
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_TEXT, _RUN, _SYMBOL, _TICK_BOX = qn("w:t"), qn("w:r"), qn("w:sym"), qn("w:checkBox")
_WORD_ART = "{urn:schemas-microsoft-com:vml}textpath"
_OFF = ("0", "false", "off")
_PRIVATE_USE = range(0xE000, 0xF900)
_MOST_BESIDE_NUMBER = 2  # words beside a page number, as in `Page … of …`
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def paragraph_text(paragraph: Element) -> str:
    return "".join(_texts(paragraph))


def text_boxes(paragraph: Element) -> Iterator[Element]:
    yield from _outermost(paragraph, qn("w:txbxContent"))


def diagrams(paragraph: Element) -> Iterator[str]:
    for diagram in _outermost(paragraph, DIAGRAM):
        yield data_of(diagram)


def charts(paragraph: Element) -> Iterator[str]:
    for chart in _outermost(paragraph, "{http://schemas.openxmlformats.org/drawingml/2006/chart}chart"):
        yield chart.get(qn("r:id"), "")


def pictures(paragraph: Element) -> Iterator[str]:
    """Yield the descriptions of the pictures; older versions of Word drew pictures as shapes."""
    for picture in _outermost(paragraph, _DRAWN):
        yield described(picture)
    for shape in _outermost(paragraph, "{urn:schemas-microsoft-com:vml}shape"):
        yield described_as(shape.get("alt", ""))


def has_sequence(paragraph: Element) -> bool:
    """True if a field numbers the paragraph, as captions of figures are numbered."""
    simple = (field.get(qn("w:instr"), "") for field in paragraph.iter(qn("w:fldSimple")))
    codes = (code.text or "" for code in paragraph.iter(qn("w:instrText")))
    return any(code.lstrip().startswith("SEQ ") for code in (*simple, *codes))


def note_references(paragraph: Element) -> Iterator[tuple[str, str]]:
    """The notes that a paragraph refers to: (`footnote`, `endnote` or `comment`, id)."""
    for kind in ("footnote", "endnote", "comment"):
        for reference in _outermost(paragraph, qn(f"w:{kind}Reference")):
            yield kind, reference.get(qn("w:id"), "")


def without_page_numbers(root: Element) -> None:
    """Empty the paragraphs of a page header that only state the page number: `Page 3 of 7`."""
    for paragraph in root.iter(qn("w:p")):
        simple = (field.get(qn("w:instr"), "") for field in paragraph.iter(qn("w:fldSimple")))
        codes = (code.text or "" for code in paragraph.iter(qn("w:instrText")))
        words = re.findall(r"[^\W\d_]+", paragraph_text(paragraph))
        if len(words) <= _MOST_BESIDE_NUMBER and any("PAGE" in code for code in (*simple, *codes)):
            for child in list(paragraph):
                paragraph.remove(child)


@dataclass(slots=True)
class Notes:
    """The notes by kind and id; they are numbered in the order of their references."""

    _notes: dict[tuple[str, str], str]
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    @classmethod
    def of(cls, footnotes: Element | None, endnotes: Element | None, comments: Element | None = None) -> "Notes":
        notes: dict[tuple[str, str], str] = {}
        for kind, part in (("footnote", footnotes), ("endnote", endnotes), ("comment", comments)):
            for note in () if part is None else part.findall(qn(f"w:{kind}")):
                text = " ".join(paragraph_text(paragraph) for paragraph in note.iter(qn("w:p"))).strip()
                said = comment(text, note.get(qn("w:author"), "")) if kind == "comment" else text
                notes[kind, note.get(qn("w:id"), "")] = said
        return cls(notes)

    def texts(self, references: Iterable[tuple[str, str]]) -> list[str]:
        notes: list[str] = []
        for kind, note_id in references:
            if kind == "comment":
                notes += filter(None, (self._notes.get((kind, note_id)),))
                continue
            self._counts[kind] = number = self._counts.get(kind, 0) + 1
            mark = str(number).translate(_RAISED) if kind == "footnote" else roman(number)
            if text := self._notes.get((kind, note_id)):
                notes.append(f"{mark} {text}")
        return notes


def is_on(parent: Element | None, tag: str) -> bool:
    """True if a property such as `w:vanish` is there and not switched off."""
    switch = None if parent is None else parent.find(qn(tag))
    return switch is not None and switch.get(qn("w:val")) not in _OFF


def _texts(element: Element) -> Iterator[str]:
    for child in element:
        if child.tag == _TEXT:
            yield child.text or ""
        elif shown := _TEXTS.get(str(child.tag)):
            yield shown
        elif child.tag == _MATH:
            yield linear(child)
        elif child.tag == _WORD_ART:
            yield f"{child.get('string', '')} "
        elif child.tag == _SYMBOL:
            yield _symbol(child)
        elif child.tag == _TICK_BOX:
            set_to = next(
                (state for tag in ("w:checked", "w:default") if (state := child.find(qn(tag))) is not None), None
            )
            yield _UNTICKED if set_to is None or set_to.get(qn("w:val")) in _OFF else _TICKED
        elif (
            isinstance(child.tag, str)
            and child.tag not in _LEFT_OUT
            and not (child.tag == _RUN and is_on(child.find(qn("w:rPr")), "w:vanish"))
        ):
            yield from _texts(child)


def _symbol(element: Element) -> str:
    """The character of a symbol; most characters of the private use area mean nothing without a font such as
    Wingdings.
    """
    try:
        code = int(element.get(qn("w:char"), ""), 16)
    except ValueError:
        return ""
    if tick := _TICKS.get((element.get(qn("w:font"), ""), code)):
        return tick
    return "" if code in _PRIVATE_USE or not 0 < code < 0x11_0000 else chr(code)


def _outermost(element: Element, tag: str) -> Iterator[Element]:
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _outermost(child, tag)
