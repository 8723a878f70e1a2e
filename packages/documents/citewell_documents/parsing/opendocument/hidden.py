"""Takes the words out of an OpenDocument text that a reader does not see."""

import re

from citewell_documents.parsing.hidden import HiddenWords, Reason, is_like_paper
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.opendocument.styles import Styles, odf

_SHOWN = (odf("text:span"), odf("text:p"), odf("text:h"))
_SIZE, _SMALLEST = re.compile(r"([\d.]+)pt"), 2.0
_NO_LINE = ("", "none")
_NAME, _CELL, _BOX = odf("text:style-name"), odf("table:table-cell"), odf("draw:text-box")


def drop_hidden(content: Element, styles: Styles, hidden: HiddenWords) -> None:
    for element in list(content.iter(*_SHOWN)):
        if reason := _reason(element, styles):
            hidden.add("".join(element.itertext()), reason)
            for child in list(element):
                element.remove(child)
            element.text = ""


def _reason(element: Element, styles: Styles) -> Reason | None:
    name = element.get(_NAME, "")
    if styles.text_property(name, "text:display") == "none":
        return "hidden"
    if styles.text_property(name, "style:text-line-through-style") not in _NO_LINE:
        return "struck"
    size = _SIZE.fullmatch(styles.text_property(name, "fo:font-size"))
    if size and float(size[1]) < _SMALLEST:
        return "small"
    ground = styles.text_property(name, "fo:background-color")
    in_box = any(parent.tag in (_CELL, _BOX) for parent in element.iterancestors())  # they have grounds of their own
    if is_like_paper(styles.text_property(name, "fo:color").lstrip("#")) and not ground and not in_box:
        return "unseen"
    return None
