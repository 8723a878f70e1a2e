"""Removes the words that a reader does not see from a Word document."""

from collections.abc import Iterator

from docx.oxml.ns import qn

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike, is_like_paper
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.word.styles import Styles
from citewell_documents.parsing.word.text import is_on

_RUN, _TEXT, _PARAGRAPH = qn("w:r"), qn("w:t"), qn("w:p")
_NOT_READ = {
    *(qn("w:del"), qn("w:moveFrom")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_BACKGROUND, _HIGHLIGHT, _SHADE, _TABLE_STYLE, _BOX = map(
    qn, ("w:background", "w:highlight", "w:shd", "w:tblStyle", "w:txbxContent")
)
_NO_PATTERN = ("", "clear")
_SMALLEST = 4  # half points
_PAPER, _UNKNOWN = "ffffff", ""
_HIGHLIGHTS = {"white": _PAPER, "black": "000000"}
_STRIKES = ("w:strike", "w:dstrike")


def has_background(document: Element) -> bool:
    return document.find(_BACKGROUND) is not None


def drop_hidden(part: Element, styles: Styles, hidden: HiddenWords, *, has_ground: bool) -> None:
    """Remove the words of a part that a reader does not see. `has_ground`: the pages are not white."""
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
    ink, ground = value("w:color"), _ground(run, properties, _UNKNOWN if has_ground else _PAPER)
    return "unseen" if are_alike(ink, ground) or (is_like_paper(ink) and is_like_paper(ground)) else None


def _properties(run: Element, styles: Styles) -> Iterator[Element]:
    """Yield the properties of a run, of its style, of its paragraph's style and of the document, the nearest first."""
    own = run.find(qn("w:rPr"))
    if own is not None:
        yield own
        yield from styles.run_properties(_style(own, "w:rStyle"))
    paragraph = next(run.iterancestors(_PARAGRAPH), None)
    if paragraph is not None:
        named = _style(paragraph.find(qn("w:pPr")), "w:pStyle")
        yield from styles.run_properties(named or styles.default_paragraph)
    yield from styles.document_properties()


def _style(properties: Element | None, tag: str) -> str:
    named = None if properties is None else properties.find(qn(tag))
    return "" if named is None else named.get(qn("w:val"), "")


def _ground(run: Element, properties: list[Element], page: str) -> str:
    """The colour behind the run: its own shading, or that of the nearest element around it, or the page's."""
    return next((ground for ground in _grounds(run, properties) if ground is not None), page)


def _grounds(run: Element, properties: list[Element]) -> Iterator[str | None]:
    """Yield the colours behind the run, the nearest first; None for an element that states none."""
    yield from map(_shade, properties)
    for parent in run.iterancestors():
        yield from (_shade(child) for child in parent if isinstance(child.tag, str) and child.tag.endswith("Pr"))
        yield _UNKNOWN if parent.tag == _BOX else None


def _shade(settings: Element) -> str | None:
    highlight, shade = settings.find(_HIGHLIGHT), settings.find(_SHADE)
    if highlight is not None and (colour := highlight.get(qn("w:val"), "")) != "none":
        return _HIGHLIGHTS.get(colour, _UNKNOWN)
    if shade is not None and shade.get(qn("w:val")) != "nil":
        fill, is_plain = shade.get(qn("w:fill"), "auto"), shade.get(qn("w:val"), "") in _NO_PATTERN
        if not is_plain or fill != "auto":
            return fill if is_plain else _UNKNOWN
    return _UNKNOWN if settings.find(_TABLE_STYLE) is not None else None
