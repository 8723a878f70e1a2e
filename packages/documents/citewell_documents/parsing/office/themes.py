"""The colours of a theme, which Word, Excel and PowerPoint keep in the same form."""

from collections.abc import Mapping

from citewell_documents.parsing.office.parts import Element

_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_FILLS = tuple(f"{_DRAWING}{name}" for name in ("noFill", "solidFill", "gradFill", "blipFill", "pattFill", "grpFill"))
NO_FILL, PLAIN_FILL = _FILLS[:2]


_JPEG, _PNG, _TRANSPARENT = b"\xff\xd8", b"\x89PNG", b"tRNS"
_KIND_OF_PNG, _OPAQUE_KINDS, _HEAD = 25, (0, 2, 3), 2_000  # bytes


def is_opaque(picture: bytes) -> bool:
    """True for a JPEG, or a PNG without transparency."""
    head = picture[:_HEAD]
    is_png = head.startswith(_PNG) and head[_KIND_OF_PNG : _KIND_OF_PNG + 1] != b"" and _TRANSPARENT not in head
    return head.startswith(_JPEG) or (is_png and head[_KIND_OF_PNG] in _OPAQUE_KINDS)


def theme_colours(theme: Element | None) -> Mapping[str, str]:
    """Six digits of each colour by its name, in the order of the theme: `dk1`, `lt1`, `dk2`, `lt2`, `accent1` …"""
    colours = None if theme is None else theme.find(f".//{_DRAWING}clrScheme")
    values = {} if colours is None else {str(colour.tag): next(iter(colour), None) for colour in colours}
    return {
        name.removeprefix(_DRAWING): "" if value is None else value.get("lastClr") or value.get("val") or ""
        for name, value in values.items()
    }


def fill_of(properties: Element | None) -> Element | None:
    """How the shape of these properties is filled, if they say it."""
    return None if properties is None else next((child for child in properties if child.tag in _FILLS), None)


def plain_colour(fill: Element, theme: Mapping[str, str], names: Mapping[str, str] | None = None) -> str | None:
    """The colour of a plain fill; None where it is changed, as by its brightness. `names` are those of the theme."""
    colour = next(iter(fill), None)
    if colour is None or len(colour):
        return None
    value = colour.get("val", "")
    match str(colour.tag).removeprefix(_DRAWING):
        case "srgbClr":
            return value
        case "sysClr":
            return colour.get("lastClr")
        case "schemeClr":
            return theme.get((names or {}).get(value, value))
        case _:
            return None
