"""Removes the parts of a slide that its viewers do not see: shapes that are hidden or beside the slide, and words that
their looks make invisible.
"""

from collections.abc import Iterator

from pptx.presentation import Presentation
from pptx.shapes.base import BaseShape
from pptx.shapes.group import GroupShape
from pptx.slide import Slide

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.slides.grounds import Grounds

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ON = ("1", "true")
_SMALLEST = 200  # hundredths of a point
_CLEAR = 5_000  # thousandths of a percent


def words_of(element: Element) -> str:
    return " ".join(text.text or "" for text in element.iter(f"{_A}t"))


def keep_what_is_seen(slide: Slide, number: int, presentation: Presentation, hidden: HiddenWords) -> None:
    grounds = Grounds(slide)
    size = presentation.slide_width or 0, presentation.slide_height or 0
    for shape in list(slide.shapes):
        if reason := _why_gone(shape, size):
            _take_out(shape.element, reason, number, hidden)
            continue
        for part in list(_parts(shape)):
            if part.element is not shape.element and _is_hidden(part):
                _take_out(part.element, "hidden", number, hidden)
                continue
            ground = grounds.behind(part, is_alone=part.element is shape.element)
            for run in list(part.element.iter(f"{_A}r")) if not isinstance(part, GroupShape) else ():
                if reason := _why_unseen(run, grounds, ground):
                    _take_out(run, reason, number, hidden)


def _take_out(element: Element, reason: Reason, number: int, hidden: HiddenWords) -> None:
    hidden.add(words_of(element), reason, number)
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def _parts(shape: BaseShape) -> Iterator[BaseShape]:
    yield shape
    if isinstance(shape, GroupShape):
        for part in shape.shapes:
            yield from _parts(part)


def _why_gone(shape: BaseShape, size: tuple[int, int]) -> Reason | None:
    if _is_hidden(shape):
        return "hidden"
    if None in (shape.left, shape.top, shape.width, shape.height) or getattr(shape, "rotation", 0):
        return None
    spans = ((shape.left, shape.width, size[0]), (shape.top, shape.height, size[1]))
    return "outside" if any(start + length <= 0 or start >= end for start, length, end in spans) else None


def _is_hidden(shape: BaseShape) -> bool:
    properties = next(shape.element.iter(f"{_P}cNvPr"), None)
    return properties is not None and properties.get("hidden") in _ON


def _why_unseen(run: Element, grounds: Grounds, ground: str | None) -> Reason | None:
    properties = run.find(f"{_A}rPr")
    if properties is not None and properties.get("strike", "noStrike") != "noStrike":
        return "struck"
    size = _size(run, properties)
    if size is not None and size < _SMALLEST:
        return "small"
    fill = None if properties is None else properties.find(f"{_A}solidFill")
    if fill is None:
        return None
    alpha = next(fill.iter(f"{_A}alpha"), None)
    if alpha is not None and alpha.get("val", "").isdigit() and int(alpha.get("val", "")) < _CLEAR:
        return "unseen"
    colour = grounds.colour(fill)
    return "unseen" if colour and ground and are_alike(colour, ground) else None


def _size(run: Element, properties: Element | None) -> int | None:
    """The size of a run in hundredths of a point: its own size, or that of its level in the styles of its shape."""
    said = "" if properties is None else properties.get("sz", "")
    if not said and (body := next(run.iterancestors(f"{_P}txBody", f"{_A}txBody"), None)) is not None:
        paragraph = run.getparent()
        level = paragraph.find(f"{_A}pPr") if paragraph is not None else None
        name = f"{_A}lvl{int((level.get('lvl') if level is not None else None) or 0) + 1}pPr"
        style = body.find(f"{_A}lstStyle/{name}/{_A}defRPr")
        said = "" if style is None else style.get("sz", "")
    return int(said) if said.isdigit() else None
