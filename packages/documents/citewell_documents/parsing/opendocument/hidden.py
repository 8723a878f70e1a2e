"""Removes the words that a reader does not see from an OpenDocument text."""

import re

from citewell_documents.parsing.hidden import HiddenWords, Reason, is_like_paper
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.opendocument.styles import Styles, odf

_PARAGRAPHS, _SPAN = (odf("text:p"), odf("text:h")), odf("text:span")
_TEXT = odf("text:p").removesuffix("p")  # the namespace
_SIZE, _SMALLEST = re.compile(r"([\d.]+)pt"), 2.0
_NO_LINE, _NO_GROUND = ("", "none"), ("", "transparent")
_NAME, _CELL, _BOX = odf("text:style-name"), odf("table:table-cell"), odf("draw:text-box")


def drop_hidden(content: Element, styles: Styles, hidden: HiddenWords) -> None:
    """Remove hidden sections, and each piece of text that the nearest style with a say in its looks makes invisible."""
    for section in list(content.iter(odf("text:section"))):
        if section.get(odf("text:display")) == "none" or section.get(odf("text:is-hidden")) == "true":
            hidden.add(" ".join(map(str, section.itertext())), "hidden")
            section.clear()
    open_elements: list[tuple[Element, Reason | None]] = [(content, None)]
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
    size = _SIZE.fullmatch(shown("fo:font-size"))
    if size and float(size[1]) < _SMALLEST:
        return "small"
    grounds = (shown("fo:background-color"), styles.ground(names[-1]))
    has_ground = any(ground not in _NO_GROUND and not is_like_paper(ground.lstrip("#")) for ground in grounds)
    if has_ground or not is_like_paper(shown("fo:color").lstrip("#")):
        return None
    # Cells and boxes have backgrounds of their own.
    return None if any(parent.tag in (_CELL, _BOX) for parent in element.iterancestors()) else "unseen"


def _name(element: Element) -> str:
    return element.get(_NAME, "")
