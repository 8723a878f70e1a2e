"""PowerPoint presentations (.pptx): a page per slide, its title as heading, its notes below it."""

import pptx
from pptx.exc import PythonPptxError
from pptx.presentation import Presentation

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.office.drawn_text import words_of
from citewell_documents.parsing.office.missing_parts import linked_stream
from citewell_documents.parsing.office.packages import note_inserted, opened_package
from citewell_documents.parsing.office.parts import core_properties, no_text, unreadable_if_damaged
from citewell_documents.parsing.slides.comments import comments_on
from citewell_documents.parsing.slides.hidden import keep_what_is_seen
from citewell_documents.parsing.slides.shapes import add_shapes, frame_text, has_words
from citewell_documents.parsing.text_builder import DocumentBuilder

_TITLE, _BELOW = (1,), (2,)
_NOTES = "Notes"
_OFF = ("0", "false")


def parse_slides(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a .pptx: every slide is the page of its number; each slide with text is a section. A hidden slide is an
    empty page, and `found` says so.

    A slide without a title is called `Slide 3` or similar. Text, tables and chart data come from the top down, and
    descriptions of pictures. Speaker notes follow their slide, under the heading `Notes`, and comments.

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
