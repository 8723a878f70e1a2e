"""Removes the words that a reader does not see from a Word document."""

from collections.abc import Iterator
from math import inf
from typing import TypeAlias

from docx.oxml.ns import qn

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
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
_DRAWN, _SHAPE = qn("wp:docPr"), f"{{{_VML}}}shape"
_SMALLEST, _LOWEST = 4, 40  # half points, and twentieths of a point
_NARROWEST = 10  # percent
_Levels: TypeAlias = tuple[list[Element], ...]
_STRIKES = ("w:strike", "w:dstrike")
_ON = ("1", "true")


def drop_hidden(part: Element, styles: Styles, hidden: HiddenWords, page: str) -> None:
    """Remove the words of a part that a reader does not see; `page` is the colour of the pages."""
    for whole in list(_hidden_wholes(part)):
        if not any(parent.tag in _NOT_READ for parent in whole.iterancestors()):
            hidden.add(" ".join(text.text or "" for text in whole.iter(_TEXT)), "hidden")
        if (parent := whole.getparent()) is not None:
            parent.remove(whole)
    for run in list(part.iter(_RUN)):
        reason = _reason(run, styles, page)
        if not reason or any(parent.tag in _NOT_READ for parent in run.iterancestors()):
            continue
        texts = run.findall(_TEXT)
        hidden.add("".join(text.text or "" for text in texts), reason)
        for text in texts:
            run.remove(text)


def _reason(run: Element, styles: Styles, page: str) -> Reason | None:
    levels = _levels(run, styles)
    properties = [own for level in levels for own in level]
    if _is_switched(levels, "w:vanish"):
        return "hidden"
    if any(_is_switched(levels, strike) for strike in _STRIKES):
        return "struck"
    if _is_small(run, properties, styles):
        return "small"
    ink = ink_of(properties, styles)
    if ink in (CLEAR, UNKNOWN):
        return "unseen" if ink == CLEAR else None
    return "unseen" if are_alike(ink, ground_of(run, properties, styles, page=page)) else None


def _is_switched(levels: _Levels, tag: str) -> bool:
    """True if a property is on: the run's own one decides, or else whether an odd number of its two styles have it; the
    document's default can only switch it on.
    """
    own, *inherited, defaults = (
        next((is_on(properties, tag) for properties in level if properties.find(qn(tag)) is not None), None)
        for level in levels
    )
    return bool(defaults) or sum(map(bool, inherited)) % 2 == 1 if own is None else own


def _is_small(run: Element, properties: list[Element], styles: Styles) -> bool:
    """True for type that is too small, or too narrow, or in lines or rows that are too low for it to be read."""
    if _first(properties, "w:sz") < _SMALLEST or _first(properties, "w:w") < _NARROWEST:
        return True
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    own = None if paragraph is None else paragraph.find(qn("w:pPr"))
    named = _style(own, "w:pStyle") or styles.default_paragraph
    spacings = (level.find(qn("w:spacing")) for level in (own, *styles.properties(named, "w:pPr")) if level is not None)
    lines = next((line for line in spacings if line is not None and line.get(qn("w:line"))), None)
    row = next(run.iterancestors(qn("w:tr")), None)
    height = None if row is None else row.find(f"{qn('w:trPr')}/{qn('w:trHeight')}")
    return _is_low(lines, "w:line", "w:lineRule") or _is_low(height, "w:val", "w:hRule")


def _is_low(element: Element | None, height: str, rule: str) -> bool:
    if element is None or element.get(qn(rule)) != "exact":
        return False
    stated = element.get(qn(height), "")
    return stated.isdecimal() and int(stated) < _LOWEST


def _first(properties: list[Element], tag: str) -> float:
    """The number that the nearest properties say; infinite if none says one."""
    stated = next((own.find(qn(tag)) for own in properties if own.find(qn(tag)) is not None), None)
    number = "" if stated is None else stated.get(qn("w:val"), "").removesuffix("%")
    return int(number) if number.isdecimal() else inf


def _hidden_wholes(part: Element) -> Iterator[Element]:
    """Yield the drawings and shapes that are hidden with all that is in them."""
    for element in part.iter(_DRAWN, _SHAPE):
        if element.tag == _DRAWN and element.get("hidden") in _ON:
            yield next(element.iterancestors(qn("wp:anchor"), qn("wp:inline")), element)
        elif "visibility:hidden" in element.get("style", "").replace(" ", ""):
            yield element


def _levels(run: Element, styles: Styles) -> _Levels:
    """The properties of a run, its style, its paragraph's style and the document, of each the nearest first."""
    own = run.find(qn("w:rPr"))
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    named = "" if paragraph is None else _style(paragraph.find(qn("w:pPr")), "w:pStyle") or styles.default_paragraph
    return (
        [] if own is None else [own],
        [] if own is None else [*styles.properties(_style(own, "w:rStyle"), "w:rPr")],
        [*styles.properties(named, "w:rPr")],
        [*styles.document_properties()],
    )


def _style(properties: Element | None, tag: str) -> str:
    named = None if properties is None else properties.find(qn(tag))
    return "" if named is None else named.get(qn("w:val"), "")
