"""The colour of a run's text in a Word document, and of what lies behind it."""

import re
from collections.abc import Iterator

from docx.oxml.ns import qn

from citewell_documents.parsing.hidden import PAPER
from citewell_documents.parsing.office.colours import relit
from citewell_documents.parsing.office.drawn_text import PLAIN_FILL
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.word.styles import Styles, value

CLEAR, UNKNOWN = "clear", ""
"""The colour of text that has none, and one that cannot be told."""
_WORD_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
_HIGHLIGHT, _SHADE, _BOX, _COLOUR = map(qn, ("w:highlight", "w:shd", "w:txbxContent", "w:color"))
_TEXT_FILL, _NO_FILL = qn("w14:textFill"), qn("w14:noFill")
_EFFECTS = tuple(map(qn, ("w14:textOutline", "w14:shadow", "w14:glow", "w:outline", "w:shadow", "w:emboss")))
_SOLID, _BACKGROUND = qn("w14:solidFill"), qn("w:background")
_W14 = _SOLID.removesuffix("solidFill")  # the namespace
_CLEAR_FROM = 95_000  # thousandths of a percent of transparency, from which on nothing is left
_NO_PATTERN = ("", "clear")
_AUTO = "auto"
_BYTE = re.compile(r"[0-9A-Fa-f]{2}")
_HIGHLIGHTS = {"white": PAPER, "black": "000000"}


def ink_of(properties: list[Element], styles: Styles) -> str:
    """The colour by the nearest properties that say one; unknown where the letters have an outline or a shadow."""
    for own in properties:
        fill, colour = own.find(_TEXT_FILL), own.find(_COLOUR)
        if fill is None and colour is None:
            continue
        if any(look.find(effect) is not None for look in properties for effect in _EFFECTS):
            return UNKNOWN
        if fill is not None:
            return _of_fill(fill, styles)
        if colour is not None:
            return _of_theme(colour, "Color", styles) or colour.get(qn("w:val"), "")
    return UNKNOWN


def page_ground(document: Element, settings: Element | None, styles: Styles) -> str:
    """The colour of the pages; unknown where the file states one but not whether programs show it."""
    background = document.find(_BACKGROUND)
    if background is None:
        return PAPER
    if settings is None or settings.find(qn("w:displayBackgroundShape")) is None or len(background):
        return UNKNOWN
    return _of_theme(background, "Color", styles) or background.get(qn("w:color"), UNKNOWN)


def _of_fill(fill: Element, styles: Styles) -> str:
    """The colour of a fill of letters; their share of transparency is what `alpha` says, other than in drawings."""
    if fill.find(_NO_FILL) is not None:
        return CLEAR
    colour = next((part for plain in fill.iter(_SOLID) for part in plain), None)
    if colour is None:
        return UNKNOWN
    alpha = next((part.get(f"{_W14}val", "") for part in colour if part.tag == f"{_W14}alpha"), "")
    if alpha.isdecimal() and int(alpha) >= _CLEAR_FROM:
        return CLEAR
    value = colour.get(f"{_W14}val", "")
    if len(colour):
        return UNKNOWN
    return value if colour.tag == f"{_W14}srgbClr" else styles.theme.named(value) or UNKNOWN


def ground_of(run: Element, properties: list[Element], styles: Styles, *, page: str) -> str:
    """The colour behind the run: its own shading, or that of the nearest element around it, or the page's."""
    return next((ground for ground in _grounds(run, properties, styles) if ground is not None), page)


def _grounds(run: Element, properties: list[Element], styles: Styles) -> Iterator[str | None]:
    """Yield the colours behind the run, the nearest first; None for an element that states none."""
    yield from (_shade(own, styles) for own in properties)
    for parent in run.iterancestors():
        for settings in (child for child in parent if str(child.tag).endswith(("Pr", "PrEx"))):
            yield _shade(settings, styles)
            named = value(settings, "w:pStyle") or ""
            yield from (_shade(inherited, styles) for inherited in styles.properties(named, "w:pPr"))
        if parent.tag == _BOX:
            yield _fill(parent, styles)


def _fill(box: Element, styles: Styles) -> str:
    shape = next(box.iterancestors(f"{_WORD_SHAPE}wsp"), None)
    fill = None if shape is None else shape.find(f"{_WORD_SHAPE}spPr/{PLAIN_FILL}")
    return UNKNOWN if fill is None else styles.theme.of(fill) or UNKNOWN


def _shade(settings: Element, styles: Styles) -> str | None:
    highlight, shade = settings.find(_HIGHLIGHT), settings.find(_SHADE)
    if highlight is not None and (colour := highlight.get(qn("w:val"), "")) != "none":
        return _HIGHLIGHTS.get(colour, UNKNOWN)
    if shade is not None and shade.get(qn("w:val")) != "nil":
        fill = _of_theme(shade, "Fill", styles) or shade.get(qn("w:fill"), _AUTO)
        is_plain = shade.get(qn("w:val"), "") in _NO_PATTERN
        if not is_plain or fill != _AUTO:
            return fill if is_plain else UNKNOWN
    table_style = value(settings, "w:tblStyle")
    return UNKNOWN if table_style is not None and styles.shades(table_style) else None


def _of_theme(element: Element, kind: str, styles: Styles) -> str | None:
    """The colour of the theme that is named, with its change of light; programs show it instead of the stated one."""
    name = element.get(qn(f"w:theme{kind}"))
    colour = styles.theme.named(name) if name else None
    prefix = "" if kind == "Color" else kind
    for change, rest in (("Tint", 1.0), ("Shade", 0.0)):
        stated = element.get(qn(f"w:theme{prefix}{change}"))
        if colour and stated and _BYTE.fullmatch(stated):
            share = int(stated, 16) / 255
            colour = relit(colour, share, rest * (1 - share))
    return colour
