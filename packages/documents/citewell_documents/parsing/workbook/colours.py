"""Colours of a workbook's fonts and fills: stated directly, taken from its theme, or given by their old numbers."""

import colorsys
from typing import Any

from openpyxl.styles.colors import COLOR_INDEX

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.drawn_text import Colours, theme_colours
from citewell_documents.parsing.office.parts import xml_part

_THEME = "xl/theme/theme1.xml"
_OFFICE = ["000000", "FFFFFF", "", ""]
"""Ink and ground, which come first in a theme, the other way round than in a cell's numbers."""
_SYSTEM = {64: "000000", 65: "FFFFFF"}


class Palette:
    def __init__(self, archive: Archive, filename: str) -> None:
        named = theme_colours(xml_part(archive, _THEME, filename)) if _THEME in archive else {}
        first, second, third, fourth, *others = [*named.values()] if len(named) > 3 else _OFFICE
        self._theme = [second, first, fourth, third, *others]
        self.drawn = Colours(named)
        """The colours of what is drawn on sheets."""

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
