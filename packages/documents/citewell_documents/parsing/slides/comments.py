"""The comments on a slide: those of today's PowerPoint and those of before."""

from collections.abc import Iterator

from pptx.opc.package import Part
from pptx.oxml import parse_xml

from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.office.remarks import comment

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_TODAY = "{http://schemas.microsoft.com/office/powerpoint/2018/8/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def comments_on(slide: Part) -> Iterator[str]:
    authors = _authors(slide.package.presentation_part)
    for root in _linked(slide, "/comments"):
        for old in root.iter(f"{_P}cm"):
            yield comment(old.findtext(f"{_P}text") or "", authors.get(old.get("authorId", ""), ""))
        for said in root.iter(f"{_TODAY}cm", f"{_TODAY}reply"):
            body = said.find(f"{_TODAY}txBody")
            words = () if body is None else (run.text or "" for run in body.iter(f"{_A}t"))
            yield comment("".join(words), authors.get(said.get("authorId", ""), ""))


def _authors(presentation: Part) -> dict[str, str]:
    roots = (*_linked(presentation, "/commentAuthors"), *_linked(presentation, "/authors"))
    return {
        author.get("id", ""): author.get("name", "")
        for root in roots
        for author in root.iter(f"{_P}cmAuthor", f"{_TODAY}author")
    }


def _linked(part: Part, kind: str) -> Iterator[Element]:
    for link in part.rels.values():
        if link.reltype.endswith(kind) and not link.is_external:
            yield parse_xml(link.target_part.blob)
