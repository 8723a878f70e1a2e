"""The text of a paragraph in an OpenDocument text, and its anchored elements."""

from collections.abc import Iterator

from citewell_documents.parsing.office.parts import Element, described_as
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.opendocument.styles import odf

_LEFT_OUT = {
    *map(odf, ("office:annotation", "office:annotation-end", "text:note", "text:ruby-text", "text:hidden-text")),
    *map(odf, ("draw:text-box", "text:tracked-changes", "draw:object", "draw:image")),
}
_BREAKS = {odf("text:tab"): " ", odf("text:line-break"): "\n"}
_PICTURES = {*map(odf, ("draw:frame", "draw:g", "draw:custom-shape"))}
_SPACES = odf("text:s")  # a run of spaces, which the builder collapses anyway
_DC = "{http://purl.org/dc/elements/1.1/}"
_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"  # titles of pictures


def paragraph_text(paragraph: Element) -> str:
    return "".join(_texts(paragraph))


def anchored(paragraph: Element, name: str) -> Iterator[Element]:
    for child in paragraph:
        if child.tag == odf(name):
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from anchored(child, name)


def picture_texts(paragraph: Element) -> Iterator[str]:
    """What is said of the pictures anchored in a paragraph."""
    for child in paragraph:
        if child.tag in _PICTURES and (text := picture_text(child)):
            yield text
        elif child.tag not in _LEFT_OUT:
            yield from picture_texts(child)


def picture_text(frame: Element) -> str:
    texts = (frame.findtext(f"{_SVG}{name}") or "" for name in ("title", "desc"))
    return described_as(": ".join(filter(None, map(str.strip, texts))))


def has_sequence(paragraph: Element) -> bool:
    """True if it is counted, as the captions of figures are."""
    return next(paragraph.iter(odf("text:sequence")), None) is not None


def note_text(note: Element) -> str:
    mark = note.findtext(odf("text:note-citation")) or ""
    body = note.find(odf("text:note-body"))
    paragraphs = () if body is None else body.iter(odf("text:p"), odf("text:h"))
    return f"{mark.translate(_RAISED)} {' '.join(map(paragraph_text, paragraphs))}".strip()


def comment_text(annotation: Element) -> str:
    paragraphs = annotation.iter(odf("text:p"), odf("text:h"))
    return comment(" ".join(map(paragraph_text, paragraphs)).strip(), annotation.findtext(f"{_DC}creator") or "")


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if shown := _BREAKS.get(str(child.tag)):
            yield shown
        elif child.tag == _SPACES:
            yield " "
        elif isinstance(child.tag, str) and child.tag not in _LEFT_OUT and not child.tag.startswith(_SVG):
            yield from _texts(child)
        yield child.tail or ""
