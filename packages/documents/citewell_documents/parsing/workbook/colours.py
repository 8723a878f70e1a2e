"""Colours of a workbook's fonts and fills: stated directly, taken from its theme, or given by their old numbers."""

import colorsys
from collections.abc import Sequence
from typing import Any

from openpyxl.styles.colors import COLOR_INDEX

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.parts import xml_part

_THEME = "xl/theme/theme1.xml"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_OFFICE = ("FFFFFF", "000000")
"""The colours of background and text in Office's own theme. A cell numbers the background first, the theme the text."""
_SYSTEM = {64: "000000", 65: "FFFFFF"}


class Palette:
    def __init__(self, archive: Archive, filename: str) -> None:
        self._theme: Sequence[str] = _OFFICE
        if _THEME in archive:
            scheme = xml_part(archive, _THEME, filename).find(f".//{_DRAWING}clrScheme")
            values = [next(iter(colour), None) for colour in scheme] if scheme is not None else []
            named = ["" if value is None else value.get("lastClr") or value.get("val") or "" for value in values]
            if len(named) > 3:
                self._theme = [named[1], named[0], named[3], named[2], *named[4:]]

    def hexadecimal(self, colour: Any) -> str | None:
        """openpyxl's colour as six digits; None if it cannot be determined."""
        if colour is None:
            return None
        digits: object = None
        if colour.type == "rgb":
            digits = colour.rgb[-6:] if isinstance(colour.rgb, str) else None
        elif colour.type == "theme" and isinstance(colour.theme, int) and colour.theme < len(self._theme):
            digits = self._theme[colour.theme]
        elif colour.type == "indexed" and isinstance(colour.indexed, int):
            known = colour.indexed < len(COLOR_INDEX)
            digits = COLOR_INDEX[colour.indexed][-6:] if known else _SYSTEM.get(colour.indexed)
        return _tinted(digits, colour.tint or 0.0) if isinstance(digits, str) and digits else None


def _tinted(digits: str, tint: float) -> str | None:
    """The colour, made darker (by a tint below 0) or lighter as in Excel."""
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        return None
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return bytes(round(255 * min(max(part, 0), 1)) for part in colorsys.hls_to_rgb(hue, light, saturation)).hex()
