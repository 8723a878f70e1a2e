"""How the text of drawings (DrawingML) looks on slides, sheets and pages, and the colours of themes."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from citewell_documents.parsing.hidden import HiddenWords, Reason, are_alike
from citewell_documents.parsing.office.parts import Element

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
RUN, NO_FILL, PLAIN_FILL = f"{A}r", f"{A}noFill", f"{A}solidFill"
_FILLS = (PLAIN_FILL, NO_FILL, *(f"{A}{name}" for name in ("gradFill", "blipFill", "pattFill", "grpFill")))
_AROUND_LETTERS = (f"{A}ln", f"{A}effectLst/*", f"{A}highlight")
_NAMES = {
    f"{name}{number}": f"{meant}{number}"
    for meant, names in {"lt": ("background", "light", "bg"), "dk": ("text", "dark", "tx")}.items()
    for name in names
    for number in (1, 2)
}
_SMALLEST = 200  # hundredths of a point
_CLEAR = 5_000  # thousandths of a percent


class Colours(NamedTuple):
    """The colours of a theme, as six digits, and which of them other names mean."""

    scheme: Mapping[str, str]
    names: Mapping[str, str] = _NAMES

    def of(self, fill: Element) -> str | None:
        """The colour of a plain fill; None if the colour is modified, for example in its brightness."""
        colour = next(iter(fill), None)
        if colour is None or len(colour):
            return None
        value = colour.get("val", "")
        if colour.tag in (f"{A}srgbClr", f"{A}sysClr"):
            return colour.get("lastClr", value)
        return self.named(value) if colour.tag == f"{A}schemeClr" else None

    def named(self, name: str) -> str | None:
        return self.scheme.get(self.names.get(name, name))


def theme_colours(theme: Element) -> dict[str, str]:
    """The colours of a theme by their names, in its order: `dk1`, `lt1`, `dk2` …"""
    scheme = theme.find(f".//{A}clrScheme")
    values = {} if scheme is None else {str(colour.tag): next(iter(colour), None) for colour in scheme}
    return {
        tag.removeprefix(A): "" if value is None else value.get("lastClr") or value.get("val") or ""
        for tag, value in values.items()
    }


def fill_of(properties: Element) -> Element | None:
    return next((child for child in properties if child.tag in _FILLS), None)


def take_out(element: Element, reason: Reason, hidden: HiddenWords, page: int | None = None) -> None:
    hidden.add(words_of(element), reason, page)
    if (parent := element.getparent()) is not None:
        parent.remove(element)


def words_of(element: Element) -> str:
    return " ".join(text.text or "" for text in element.iter(f"{A}t"))


def why_unseen(run: Element, colours: Colours, ground: str | None) -> Reason | None:
    """Why a run of text on this ground is not seen; a ground that cannot be told is None."""
    looks = [*_looks(run)]
    if next(filter(None, (look.get("strike") for look in looks)), "noStrike") != "noStrike":
        return "struck"
    size = next(filter(None, (look.get("sz") for look in looks)), "")
    if size.isdecimal() and int(size) < _SMALLEST:
        return "small"
    fill = next((fill for look in looks if (fill := fill_of(look)) is not None), None)
    has_other_ink = any(look.find(path) is not None for look in looks for path in _AROUND_LETTERS)
    if fill is None or has_other_ink:
        return None
    if fill.tag != PLAIN_FILL:
        return "unseen" if fill.tag == NO_FILL else None
    alpha = next((share.get("val", "") for share in fill.iter(f"{A}alpha")), "")
    if alpha.isdecimal() and int(alpha) < _CLEAR:
        return "unseen"
    colour = colours.of(fill)
    return "unseen" if colour and ground and are_alike(colour, ground) else None


def _looks(run: Element) -> Iterator[Element]:
    """What says how a run looks: its own properties, then those of its level in the styles of its shape."""
    if (own := run.find(f"{A}rPr")) is not None:
        yield own
    body = next((parent for parent in run.iterancestors() if str(parent.tag).endswith("}txBody")), None)
    if body is not None and (paragraph := run.getparent()) is not None:
        properties = paragraph.find(f"{A}pPr")
        level = "" if properties is None else properties.get("lvl", "")
        name = f"{A}lvl{int(level) + 1 if level.isdecimal() else 1}pPr"
        if (style := body.find(f"{A}lstStyle/{name}/{A}defRPr")) is not None:
            yield style
