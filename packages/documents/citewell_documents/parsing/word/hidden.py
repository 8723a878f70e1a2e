"""Takes the words out of a Word document that a reader does not see."""

from collections.abc import Iterator
from itertools import islice

from docx.oxml.ns import qn

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.office.themes import PLAIN_FILL, fill_of, plain_colour
from citewell_documents.parsing.word.styles import Styles
from citewell_documents.parsing.word.text import is_on

_RUN, _TEXT, _PARAGRAPH = qn("w:r"), qn("w:t"), qn("w:p")
_SETTINGS = {qn("w:tr"): qn("w:trPr"), _PARAGRAPH: qn("w:pPr")}
_NOT_READ = {
    *(qn("w:del"), qn("w:moveFrom")),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_BACKGROUND, _HIGHLIGHT, _SHADE, _TABLE_STYLE, _BOX = map(
    qn, ("w:background", "w:highlight", "w:shd", "w:tblStyle", "w:txbxContent")
)
_NO_PATTERN = ("", "clear")
_SMALLEST, _USUAL_SIZE = 4, 24  # half points
_LOWEST, _FAR, _WIDEST_MARGIN, _EMU_A_TWIP = 40, 31_680, 2_880, 635  # twips: a line's height, the longest page
_CLEAR = 95_000  # thousandths of a percent of transparency
_VML, _W14 = "{urn:schemas-microsoft-com:vml}", "{http://schemas.microsoft.com/office/word/2010/wordml}"
_ANCHORS = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
_SHAPE = "{http://schemas.microsoft.com/office/word/2010/wordprocessingShape}"
_OUTLINE, _FILL = f"{_W14}textOutline", f"{_W14}textFill"
_NAMES_OF_THEME = {
    **dict(zip(("background1", "text1", "background2", "text2"), ("lt1", "dk1", "lt2", "dk2"), strict=True)),
    **dict(zip(("light1", "dark1", "light2", "dark2"), ("lt1", "dk1", "lt2", "dk2"), strict=True)),
}
_PAPER, _UNKNOWN = "ffffff", ""
_HIGHLIGHTS = {"white": _PAPER, "black": "000000", "yellow": "ffff00", "red": "ff0000", "blue": "0000ff"}
_STRIKES = ("w:strike", "w:dstrike")


def page_ground(document: Element) -> str:
    """The colour of the pages as six digits; nothing where a picture or a pattern fills them."""
    ground = document.find(_BACKGROUND)
    return _PAPER if ground is None else _UNKNOWN if len(ground) else ground.get(qn("w:color"), _UNKNOWN)


def drop_hidden(part: Element, styles: Styles, hidden: HiddenWords, page: str) -> None:
    """`page`: the colour of the pages."""
    for run in list(part.iter(_RUN)):
        reason = _why_out_of_sight(run) or _reason(run, styles, page)
        if not reason or any(parent.tag in _NOT_READ for parent in run.iterancestors()):
            continue
        texts = run.findall(_TEXT)
        hidden.add("".join(text.text or "" for text in texts), reason)
        for text in texts:
            run.remove(text)


def _reason(run: Element, styles: Styles, page: str) -> Reason | None:
    properties = [*_properties(run, styles)]

    def element(tag: str) -> Element | None:
        return next((named for own in properties if (named := own.find(tag)) is not None), None)

    def value(tag: str, default: int) -> int:
        named = element(qn(tag))
        said = "" if named is None else named.get(qn("w:val"), "")
        return int(said) if said.isdecimal() else default

    def switched(tag: str) -> bool:
        return next((is_on(own, tag) for own in properties if own.find(qn(tag)) is not None), False)

    if switched("w:vanish"):
        return "hidden"
    if any(map(switched, _STRIKES)):
        return "struck"
    if value("w:sz", _USUAL_SIZE) * value("w:w", 100) < 100 * _SMALLEST:
        return "small"
    outline, fill = element(_OUTLINE), element(_FILL)
    if switched("w:outline") or (outline is not None and outline.find(f"{_W14}noFill") is None):
        return None
    if fill is not None and _is_clear(fill):
        return "unseen"
    ink = _colour(element(qn("w:color")), "w:val", "w:themeColor", styles)
    grounds = (ground for ground in _grounds(run, properties, styles) if ground is not None)
    ground = next(grounds, page)
    return "unseen" if fill is None and are_alike(ink, ground) else None


def _is_clear(fill: Element) -> bool:
    """True if letters are filled with nothing. Colours and gradients of a fill are not looked at."""
    alpha = next(fill.iter(f"{_W14}alpha"), None)
    share = "" if alpha is None else alpha.get(f"{_W14}val", "")
    return fill.find(f"{_W14}noFill") is not None or (share.isdecimal() and int(share) >= _CLEAR)


def _colour(element: Element | None, name: str, of_theme: str, styles: Styles) -> str:
    """Six digits, those of the theme first; nothing where a colour of the theme is changed and Word left none."""
    if element is None:
        return _UNKNOWN
    themed = element.get(qn(of_theme), "")
    is_changed = any(element.get(qn(f"{of_theme.removesuffix('Color')}{change}")) for change in ("Tint", "Shade"))
    said = "" if is_changed else styles.theme.get(_NAMES_OF_THEME.get(themed, themed), "")
    return said or element.get(qn(name), _UNKNOWN)


def _properties(run: Element, styles: Styles) -> Iterator[Element]:
    """The properties of a run, of its style, of its paragraph's and of the document, the nearest first."""
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


def _grounds(run: Element, properties: list[Element], styles: Styles) -> Iterator[str | None]:
    """The colours behind it, the nearest first; None where nothing is said."""
    for settings in properties:
        yield _shade(settings, styles)
    for parent in run.iterancestors():
        for child in parent:
            yield _shade(child, styles) if isinstance(child.tag, str) and child.tag.endswith("Pr") else None
        yield _ground_of_box(parent, styles) if parent.tag == _BOX else None


def _shade(settings: Element, styles: Styles) -> str | None:
    highlight, shade = settings.find(_HIGHLIGHT), settings.find(_SHADE)
    if highlight is not None and (colour := highlight.get(qn("w:val"), "")) != "none":
        return _HIGHLIGHTS.get(colour, _UNKNOWN)
    if shade is not None and shade.get(qn("w:val")) != "nil":
        fill, is_plain = _colour(shade, "w:fill", "w:themeFill", styles), shade.get(qn("w:val"), "") in _NO_PATTERN
        if not is_plain or fill not in ("auto", _UNKNOWN):
            return fill if is_plain else _UNKNOWN
    return _UNKNOWN if settings.find(_TABLE_STYLE) is not None else None


def _ground_of_box(box: Element, styles: Styles) -> str:
    """The colour of a text box; unknown where it has none of its own, for it may lie over a picture."""
    shape = next(islice(box.iterancestors(), 1, 2), None)
    if shape is None:
        return _UNKNOWN
    if (fill := fill_of(shape.find(f"{_SHAPE}spPr"))) is not None:
        return (plain_colour(fill, styles.theme) if fill.tag == PLAIN_FILL else None) or _UNKNOWN
    if (
        not str(shape.tag).startswith(_VML)
        or shape.get("filled", "t")[:1] == "f"
        or shape.find(f"{_VML}fill") is not None
    ):
        return _UNKNOWN
    colour = shape.get("fillcolor", "white").partition(" ")[0]
    return _HIGHLIGHTS.get(colour, colour.removeprefix("#"))


def _why_out_of_sight(run: Element) -> Reason | None:
    """Why nothing of what the run stands in is seen."""
    return next((reason for parent in run.iterancestors() if (reason := _why_not_seen(parent))), None)


def _why_not_seen(parent: Element) -> Reason | None:
    if (tag := _SETTINGS.get(str(parent.tag))) is not None:
        settings = parent.find(tag)
        return None if settings is None else _why_no_line(settings)
    if parent.tag == f"{_ANCHORS}anchor":
        return _why_no_box(parent)
    if not str(parent.tag).startswith(_VML):
        return None
    return "hidden" if "visibility:hidden" in parent.get("style", "").replace(" ", "") else None


def _why_no_line(settings: Element) -> Reason | None:
    """Of a row or paragraph: hidden, of hardly any height, or in a frame beside the page."""
    if is_on(settings, "w:hidden"):
        return "hidden"
    for tag, height in (("w:trHeight", "w:val"), ("w:spacing", "w:line")):
        rule = settings.find(qn(tag))
        is_exact = rule is not None and "exact" in (rule.get(qn("w:hRule")), rule.get(qn("w:lineRule")))
        if rule is not None and is_exact and _integer(rule.get(qn(height)), _FAR) < _LOWEST:
            return "small"
    frame = settings.find(qn("w:framePr"))
    starts = () if frame is None else (_integer(frame.get(qn(f"w:{axis}")), 0) for axis in "xy")
    return "outside" if any(_is_away(start, 0) for start in starts) else None


def _why_no_box(anchor: Element) -> Reason | None:
    """Of what is placed anywhere on the page: hidden, or beside every page."""
    properties, size = anchor.find(f"{_ANCHORS}docPr"), anchor.find(f"{_ANCHORS}extent")
    if properties is not None and properties.get("hidden") in ("1", "true"):
        return "hidden"
    for axis, side in (("H", "cx"), ("V", "cy")):
        offset = anchor.find(f"{_ANCHORS}position{axis}/{_ANCHORS}posOffset")
        length = 0 if size is None else _integer(size.get(side), 0)
        if offset is not None and _is_away(_integer(offset.text, 0) // _EMU_A_TWIP, length // _EMU_A_TWIP):
            return "outside"
    return None


def _is_away(start: int, length: int) -> bool:
    """True for twips from a margin, or from a page's edge, that lie beside every page."""
    return start > _FAR or start + length < -_WIDEST_MARGIN


def _integer(text: str | None, default: int) -> int:
    return int(text) if text and text.lstrip("-").isdecimal() else default
