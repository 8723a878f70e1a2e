"""Colours of Office files: those that a file states, those of its theme, and the changes of their light."""

import colorsys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from citewell_documents.parsing.hidden import PAPER, encoded
from citewell_documents.parsing.office.parts import Element

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_NAMES = {
    f"{name}{number}": f"{meant}{number}"
    for meant, names in {"lt": ("background", "light", "bg"), "dk": ("text", "dark", "tx")}.items()
    for name in names
    for number in (1, 2)
}
_PRESET = {"white": PAPER, "black": "000000"}
_WHOLE = 100_000  # thousandths of a percent


class Colours(NamedTuple):
    """The colours of a theme, as six digits, and which of them other names mean."""

    scheme: Mapping[str, str]
    names: Mapping[str, str] = _NAMES

    def of(self, fill: Element) -> str | None:
        """The colour of a plain fill; None if it cannot be determined, as where the ground shines through it."""
        colour = next(iter(fill), None)
        digits = None if colour is None else self._stated(colour)
        for change in colour if colour is not None else ():
            if not digits or not isinstance(change.tag, str):
                continue
            changed = _CHANGES.get(change.tag.removeprefix(A))
            digits = changed(digits, share_of(change.get("val", ""))) if changed else None
        return digits or None

    def named(self, name: str) -> str | None:
        return self.scheme.get(self.names.get(name, name))

    def _stated(self, colour: Element) -> str | None:
        value = colour.get("val", "")
        match str(colour.tag).removeprefix(A):
            case "srgbClr" | "sysClr":
                return colour.get("lastClr", value)
            case "schemeClr":
                return self.named(value)
            case "prstClr":
                return _PRESET.get(value)
            case "scrgbClr":
                return _hexadecimal([encoded(share_of(colour.get(part, ""))) for part in "rgb"])
            case _:
                return None


def theme_colours(theme: Element) -> dict[str, str]:
    """The colours of a theme by their names, in its order: `dk1`, `lt1`, `dk2` …"""
    scheme = theme.find(f".//{A}clrScheme")
    values = {} if scheme is None else {str(colour.tag): next(iter(colour), None) for colour in scheme}
    return {
        tag.removeprefix(A): "" if value is None else value.get("lastClr") or value.get("val") or ""
        for tag, value in values.items()
    }


def relit(digits: str, factor: float = 1.0, added: float = 0.0, saturation: float = 1.0) -> str | None:
    """The colour with another light and saturation; None for what is no colour."""
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        return None
    hue, light, saturated = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    light, saturated = (min(max(part, 0.0), 1.0) for part in (light * factor + added, saturated * saturation))
    return _hexadecimal(colorsys.hls_to_rgb(hue, light, saturated))


def _mixed(digits: str, share: float, other: float) -> str | None:
    """The colour's share of its light, the rest being that of white (1) or black (0)."""
    try:
        parts = [_decoded(part / 255) for part in bytes.fromhex(digits)]
    except ValueError:
        return None
    return _hexadecimal([encoded(part * share + other * (1 - share)) for part in parts])


_CHANGES: dict[str, Callable[[str, float], str | None]] = {
    "lumMod": lambda digits, share: relit(digits, factor=share),
    "lumOff": lambda digits, share: relit(digits, added=share),
    "satMod": lambda digits, share: relit(digits, saturation=share),
    "tint": lambda digits, share: _mixed(digits, share, 1.0),
    "shade": lambda digits, share: _mixed(digits, share, 0.0),
    "alpha": lambda digits, share: digits if share >= 1 else None,
}


def share_of(thousandths: str) -> float:
    """A share that is written in thousandths of a percent, or with its sign: `60000` and `60%` are 0.6."""
    text = thousandths.removesuffix("%")
    if not text.lstrip("-").replace(".", "", 1).isdecimal():
        return 0.0
    return float(text) / (100 if thousandths.endswith("%") else _WHOLE)


def _decoded(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _hexadecimal(parts: tuple[float, float, float] | list[float]) -> str:
    return bytes(round(255 * min(max(part, 0.0), 1.0)) for part in parts).hex()
