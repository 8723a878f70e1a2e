"""PowerPoint presentations (.pptx): a page for each slide, with its title as a heading and its notes below it."""

from collections.abc import Iterator

import pptx
from pptx.exc import PythonPptxError
from pptx.opc.package import Part
from pptx.oxml import parse_xml
from pptx.presentation import Presentation

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.drawn_text import words_of
from citewell_documents.parsing.office.missing_parts import linked_stream
from citewell_documents.parsing.office.packages import note_inserted, opened_package
from citewell_documents.parsing.office.parts import Element, core_properties, no_text, unreadable_if_damaged
from citewell_documents.parsing.office.remarks import comment
from citewell_documents.parsing.slides.hidden import keep_what_is_seen
from citewell_documents.parsing.slides.shapes import add_shapes, frame_text, has_words
from citewell_documents.parsing.text_builder import DocumentBuilder

# The comments on a slide: those of today's PowerPoint and those of before.

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


_TITLE, _BELOW = (1,), (2,)
_NOTES = "Notes"
_OFF = ("0", "false")


def parse_slides(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .pptx: every slide is the page with its number; each slide with text is a section. A hidden slide is an
    empty page, and `found` says so.

    A slide without a title is called `Slide 3` or similar. Text, tables, chart data and descriptions of pictures come
    from the top down. Speaker notes, under the heading `Notes`, and comments follow their slide.

    Raises DocumentUnreadable, DocumentEncrypted, DocumentEmpty or DocumentTooLarge.
    """
    archive = opened_package(data, filename, limits)
    stream = linked_stream(archive, filename)
    builder = DocumentBuilder(filename, limits)
    with unreadable_if_damaged(filename, "a PowerPoint presentation", PythonPptxError):
        presentation: Presentation = pptx.Presentation(stream)
        for number, slide in enumerate(presentation.slides, 1):
            builder.page(number)
            element = slide._element  # pyright: ignore[reportPrivateUsage]: whether it is shown has no public name
            if element.get("show") in _OFF:
                builder.hidden.add(words_of(element), "hidden", number)
                continue
            keep_what_is_seen(slide, number, presentation, builder.hidden)
            title = slide.shapes.title
            text = frame_text(title.text_frame) if title is not None else ""
            notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
            spoken = "" if notes is None else frame_text(notes)
            if text or spoken or has_words(slide.shapes):
                builder.heading(text or f"Slide {number}", _TITLE)
                add_shapes(slide.shapes, builder, title)
            if spoken:
                builder.heading(_NOTES, _BELOW)
                builder.paragraph(spoken)
            for said in comments_on(slide.part):
                builder.paragraph(said)
        note_inserted(archive, builder)
        return builder.build_with_text(core_properties(archive, filename), no_text(filename))
