"""Removes the parts of a slide that its viewers do not see: shapes that are hidden or beside the slide, and words that
their looks make invisible.
"""

from collections.abc import Iterator
from contextlib import suppress
from math import hypot
from typing import Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.presentation import Presentation
from pptx.shapes.base import BaseShape
from pptx.shapes.group import GroupShape
from pptx.slide import Slide

from citewell_documents.parsing.hidden import HiddenWords, Reason
from citewell_documents.parsing.office.colours import A
from citewell_documents.parsing.office.drawn_text import RUN, take_out, why_unseen
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.slides.grounds import Grounds

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ON = ("1", "true")
_TITLES = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE)


def keep_what_is_seen(slide: Slide, number: int, presentation: Presentation, hidden: HiddenWords) -> None:
    grounds = Grounds(slide)
    size = presentation.slide_width or 0, presentation.slide_height or 0
    for shape in list(slide.shapes):
        if reason := _why_gone(shape, size):
            take_out(shape.element, reason, hidden, number)
            continue
        for part in list(_parts(shape)):
            if part.element is not shape.element and _is_hidden(part):
                take_out(part.element, "hidden", hidden, number)
                continue
            ground = grounds.behind(part, is_alone=part.element is shape.element)
            inherited = _inherited(part, slide)
            for run in list(part.element.iter(RUN)) if not isinstance(part, GroupShape) else ():
                if reason := why_unseen(run, grounds.colours, grounds.in_cell(run) or ground, inherited):
                    take_out(run, reason, hidden, number)


def _parts(shape: BaseShape) -> Iterator[BaseShape]:
    yield shape
    if isinstance(shape, GroupShape):
        for part in shape.shapes:
            yield from _parts(part)


def _why_gone(shape: BaseShape, size: tuple[int, int]) -> Reason | None:
    if _is_hidden(shape):
        return "hidden"
    if None in (shape.left, shape.top, shape.width, shape.height):
        return None
    turned = hypot(shape.width, shape.height) if getattr(shape, "rotation", 0) else 0
    spans = ((shape.left, shape.width, size[0]), (shape.top, shape.height, size[1]))
    middles = ((start + length / 2, max(length, turned) / 2, end) for start, length, end in spans)
    return "outside" if any(middle + reach <= 0 or middle - reach >= end for middle, reach, end in middles) else None


def _inherited(shape: BaseShape, slide: Slide) -> list[Element]:
    """The styles of lists that a placeholder has from its layout and its master, the nearest first."""
    if not shape.is_placeholder or shape.element.find(f"{_P}style") is not None:
        return []
    bases: list[Any] = [getattr(shape, "_base_placeholder", None)]
    with suppress(KeyError):  # kinds of placeholders that no master has
        bases.append(getattr(bases[0], "_base_placeholder", None))
    styles = [base.element.find(f"{_P}txBody/{A}lstStyle") for base in bases if base is not None]
    kind = "titleStyle" if shape.placeholder_format.type in _TITLES else "bodyStyle"
    styles.append(slide.slide_layout.slide_master.element.find(f"{_P}txStyles/{_P}{kind}"))
    return [style for style in styles if style is not None]


def _is_hidden(shape: BaseShape) -> bool:
    properties = next(shape.element.iter(f"{_P}cNvPr"), None)
    return properties is not None and properties.get("hidden") in _ON
