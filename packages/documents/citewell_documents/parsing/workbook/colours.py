"""Colours of a workbook's fonts and fills: stated directly, taken from its theme, or given by their old numbers."""

from typing import Any

from openpyxl.styles.colors import COLOR_INDEX

from citewell_documents.parsing.archives import Archive
from citewell_documents.parsing.office.colours import Colours, relit, theme_colours
from citewell_documents.parsing.office.parts import xml_part

_THEME = "xl/theme/theme1.xml"
_OFFICE = ["000000", "FFFFFF", "", ""]
"""Ink and ground, which come first in a theme, the other way round than in a cell's numbers."""
_NAMED = ("black", "white", "red", "green", "blue", "yellow", "magenta", "cyan")
_FIRST_NUMBERED = 7  # Colour 1 is the eighth of the old numbers.
_SYSTEM = {64: "000000", 65: "FFFFFF"}


class Palette:
    def __init__(self, archive: Archive, filename: str) -> None:
        named = theme_colours(xml_part(archive, _THEME, filename)) if _THEME in archive else {}
        first, second, third, fourth, *others = [*named.values()] if len(named) > 3 else _OFFICE
        self._theme = [second, first, fourth, third, *others]
        self.drawn = Colours(named)
        """The colours of what is drawn on sheets."""

    def printed(self, name: str) -> str | None:
        """The colour that a number's format names, as six digits; None for no name."""
        number = name.lstrip("colur ")
        if number.isdecimal():
            at = int(number) + _FIRST_NUMBERED
            return COLOR_INDEX[at][-6:] if at < len(COLOR_INDEX) else None
        return COLOR_INDEX[_NAMED.index(name)][-6:] if name in _NAMED else None

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
        if not isinstance(digits, str) or not digits:
            return None
        tint = colour.tint or 0.0  # below 0 darker, above 0 lighter
        return relit(digits, 1 + tint) if tint < 0 else relit(digits, 1 - tint, tint)
