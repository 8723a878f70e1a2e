"""Removes the words that a reader does not see from an OpenDocument text."""

import re
from collections.abc import Iterator
from math import inf

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.opendocument.styles import Styles, odf

_PARAGRAPHS, _SPAN = (odf("text:p"), odf("text:h")), odf("text:span")
_TEXT = odf("text:p").removesuffix("p")  # the namespace
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(pt|%)")
_SMALLEST, _USUAL = 2.0, 12.0  # points
_NARROWEST, _CLEAR = 0.1, 0.05
_NO_LINE, _NO_GROUND = ("", "none"), ("", "transparent")
_NAME, _CELL, _BOX = odf("text:style-name"), odf("table:table-cell"), odf("draw:text-box")
_NOT_SHOWN = ("none", "collapse", "filter")
_MARK = odf("text:hidden-paragraph")
_WHOLES = (_MARK, odf("text:section"), odf("table:table-row"))


def drop_hidden(part: Element, styles: Styles, hidden: HiddenWords) -> None:
    """Judges each piece of text by the nearest style that says how it is shown, unless it goes with what it is in."""
    for whole in list(_hidden_wholes(part)):
        hidden.add(" ".join(map(str, whole.itertext())), "hidden")
        whole.clear()
    open_elements: list[tuple[Element, Reason | None]] = [(part, None)]
    while open_elements:
        element, reason = open_elements.pop()
        for child in element:
            if reason and child.tail:
                hidden.add(child.tail, reason)
                child.tail = ""
            if not isinstance(child.tag, str):
                continue
            if child.tag == _SPAN or child.tag in _PARAGRAPHS:
                open_elements.append((child, _reason(child, styles)))
            else:  # the styles of text do not decide whether pictures are shown
                open_elements.append((child, reason if child.tag.startswith(_TEXT) else None))
        if reason and element.text:
            hidden.add(element.text, reason)
            element.text = ""


def _reason(element: Element, styles: Styles) -> Reason | None:
    names = [_name(element)]
    if element.tag == _SPAN:
        for parent in element.iterancestors():
            names += [_name(parent)] if parent.tag == _SPAN or parent.tag in _PARAGRAPHS else []
            if parent.tag in _PARAGRAPHS:
                break

    def shown(attribute: str) -> str:
        return next(filter(None, (styles.text_property(name, attribute) for name in names)), "")

    if shown("text:display") == "none":
        return "hidden"
    if shown("style:text-line-through-style") not in _NO_LINE:
        return "struck"
    sizes = (size for name in names for size in styles.text_properties(name, "fo:font-size"))
    if _size(sizes) < _SMALLEST or _share(shown("style:text-scale")) < _NARROWEST:
        return "small"
    if _share(shown("loext:opacity")) < _CLEAR:
        return "unseen"
    if shown("style:use-window-font-color") == "true":
        return None
    ground = _ground(element, shown("fo:background-color"), styles.ground("paragraph", names[-1]), styles)
    return "unseen" if are_alike(shown("fo:color").lstrip("#"), ground.lstrip("#")) else None


def _size(stated: Iterator[str]) -> float:
    """The size in points by what is stated of it, the nearest first: shares of a size that is stated further away."""
    share = 1.0
    for size in stated:
        match = _SIZE.fullmatch(size)
        if match is None or match[2] == "pt":
            return share * float(match[1]) if match else inf
        share *= float(match[1]) / 100
    return share * _USUAL


def _share(percent: str) -> float:
    match = _SIZE.fullmatch(percent)
    return float(match[1]) / 100 if match and match[2] == "%" else 1.0


def _hidden_wholes(part: Element) -> Iterator[Element]:
    """Sections, rows and paragraphs that are hidden; a paragraph by a mark in it."""
    for element in part.iter(*_WHOLES):
        shown = {element.get(odf("text:display")), element.get(odf("table:visibility"))}
        if element.get(odf("text:is-hidden")) == "true" or not shown.isdisjoint(_NOT_SHOWN):
            yield next(element.iterancestors(*_PARAGRAPHS), element) if element.tag == _MARK else element


def _ground(element: Element, own: str, paragraph: str, styles: Styles) -> str:
    """The colour behind a text: its own, or that of what it is in; nothing for a cell or a box that names none."""
    for ground in (own, paragraph):
        if ground not in _NO_GROUND:
            return ground
    around = next(element.iterancestors(_CELL, _BOX), None)
    if around is None:
        return styles.page_ground
    return styles.ground("table-cell", around.get(odf("table:style-name"), ""))


def _name(element: Element) -> str:
    return element.get(_NAME, "")
