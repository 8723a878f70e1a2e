"""Removes the words that a reader does not see from a Word document."""

from collections.abc import Iterator

from docx.oxml.ns import qn

from citewell_documents.parsing.hidden import PAPER, HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.word.colours import CLEAR, UNKNOWN, ground_of, ink_of
from citewell_documents.parsing.word.styles import Styles
from citewell_documents.parsing.word.text import is_on

_RUN, _TEXT, _PARAGRAPH = qn("w:r"), qn("w:t"), qn("w:p")
_VML = "urn:schemas-microsoft-com:vml"
_NOT_READ = {
    *(qn("w:del"), qn("w:moveFrom")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_BACKGROUND, _DRAWN, _SHAPE = qn("w:background"), qn("wp:docPr"), f"{{{_VML}}}shape"
_SMALLEST = 4  # half points
_STRIKES = ("w:strike", "w:dstrike")
_ON = ("1", "true")


def has_background(document: Element) -> bool:
    return document.find(_BACKGROUND) is not None


def drop_hidden(part: Element, styles: Styles, hidden: HiddenWords, *, has_ground: bool) -> None:
    """Remove the words of a part that a reader does not see. `has_ground`: the pages are not white."""
    for whole in list(_hidden_wholes(part)):
        if not any(parent.tag in _NOT_READ for parent in whole.iterancestors()):
            hidden.add(" ".join(text.text or "" for text in whole.iter(_TEXT)), "hidden")
        if (parent := whole.getparent()) is not None:
            parent.remove(whole)
    for run in list(part.iter(_RUN)):
        reason = _reason(run, styles, has_ground=has_ground)
        if not reason or any(parent.tag in _NOT_READ for parent in run.iterancestors()):
            continue
        texts = run.findall(_TEXT)
        hidden.add("".join(text.text or "" for text in texts), reason)
        for text in texts:
            run.remove(text)


def _reason(run: Element, styles: Styles, *, has_ground: bool) -> Reason | None:
    properties = [*_properties(run, styles)]

    def value(tag: str) -> str:
        named = (style.get(qn("w:val"), "") for own in properties if (style := own.find(qn(tag))) is not None)
        return next(named, "")

    def switched(tag: str) -> bool:
        return next((is_on(own, tag) for own in properties if own.find(qn(tag)) is not None), False)

    if switched("w:vanish"):
        return "hidden"
    if any(map(switched, _STRIKES)):
        return "struck"
    if (size := value("w:sz")).isdecimal() and int(size) < _SMALLEST:
        return "small"
    ink = ink_of(properties, styles)
    if ink in (CLEAR, UNKNOWN):
        return "unseen" if ink == CLEAR else None
    page = UNKNOWN if has_ground else PAPER
    return "unseen" if are_alike(ink, ground_of(run, properties, styles, page=page)) else None


def _hidden_wholes(part: Element) -> Iterator[Element]:
    """Yield the drawings and shapes that are hidden with all that is in them."""
    for element in part.iter(_DRAWN, _SHAPE):
        if element.tag == _DRAWN and element.get("hidden") in _ON:
            yield next(element.iterancestors(qn("wp:anchor"), qn("wp:inline")), element)
        elif "visibility:hidden" in element.get("style", "").replace(" ", ""):
            yield element


def _properties(run: Element, styles: Styles) -> Iterator[Element]:
    """Yield the properties of a run, of its style, of its paragraph's style and of the document, the nearest first."""
    own = run.find(qn("w:rPr"))
    if own is not None:
        yield own
        yield from styles.properties(_style(own, "w:rStyle"), "w:rPr")
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    if paragraph is not None:
        named = _style(paragraph.find(qn("w:pPr")), "w:pStyle")
        yield from styles.properties(named or styles.default_paragraph, "w:rPr")
    yield from styles.document_properties()


def _style(properties: Element | None, tag: str) -> str:
    named = None if properties is None else properties.find(qn(tag))
    return "" if named is None else named.get(qn("w:val"), "")
