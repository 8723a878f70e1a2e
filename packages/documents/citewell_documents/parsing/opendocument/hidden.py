"""Takes the words out of an OpenDocument text that a reader does not see."""

import re
from collections.abc import Iterator

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.opendocument.styles import Styles, odf

_PARAGRAPHS, _SPAN = (odf("text:p"), odf("text:h")), odf("text:span")
_TEXT = odf("text:p").removesuffix("p")  # the namespace
_SIZE, _SCALE, _USUAL, _SMALLEST = re.compile(r"([\d.]+)pt"), re.compile(r"([\d.]+)%"), 12.0, 2.0
_PAPER, _UNKNOWN, _CLEAR = "#ffffff", "", tuple(f"{share}%" for share in range(6))
_NO_LINE, _NO_GROUND = ("", "none"), ("", "transparent")
_ROW, _HIDDEN_PARAGRAPH = odf("table:table-row"), odf("text:hidden-paragraph")
_HIDING = {
    odf("text:display"): ("none",),
    odf("text:is-hidden"): ("true",),
    odf("table:visibility"): ("collapse", "filter"),
}
_NAME, _BOX = odf("text:style-name"), odf("draw:text-box")
_STYLES = {
    **{odf(f"table:{name}"): odf("table:style-name") for name in ("table", "table-row", "table-cell")},
    odf("draw:frame"): odf("draw:style-name"),
}


def drop_hidden(content: Element, styles: Styles, hidden: HiddenWords) -> None:
    """Judges each piece of text by the nearest style that says how it is shown, unless its section is hidden."""
    for mark in list(content.iter(odf("text:section"), _ROW, _HIDDEN_PARAGRAPH)):
        block = mark.getparent() if mark.tag == _HIDDEN_PARAGRAPH else mark
        if block is not None and any(mark.get(name) in values for name, values in _HIDING.items()):
            hidden.add(" ".join(map(str, block.itertext())), "hidden")
            block.clear()
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
            else:  # pictures are not shown by the styles of text
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
    size, scale = _SIZE.fullmatch(shown("fo:font-size")), _SCALE.fullmatch(shown("style:text-scale"))
    if (float(size[1]) if size else _USUAL) * (float(scale[1]) / 100 if scale else 1.0) < _SMALLEST:
        return "small"
    if shown("loext:opacity") in _CLEAR:
        return "unseen"
    ground = shown("fo:background-color")
    if ground in _NO_GROUND:
        ground = next(_grounds_around(element, styles), _UNKNOWN if styles.has_dark_pages else _PAPER)
    is_automatic = shown("style:use-window-font-color") == "true"
    return "unseen" if not is_automatic and are_alike(shown("fo:color").lstrip("#"), ground.lstrip("#")) else None


def _grounds_around(element: Element, styles: Styles) -> Iterator[str]:
    """The colours behind it, the nearest first; nothing where one is not told."""
    for parent in (element, *element.iterancestors()):
        ground = styles.ground(parent.get(_STYLES.get(str(parent.tag), _NAME), ""))
        if ground not in _NO_GROUND:
            yield ground
        elif parent.tag == _BOX:
            yield _UNKNOWN


def _name(element: Element) -> str:
    return element.get(_NAME, "")
