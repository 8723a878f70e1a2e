"""The looks of the text of an element of a web page, as far as they decide whether a reader sees it."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.html.stylesheets import Style
from citewell_documents.parsing.html.values import Rgb, colours, number, pixels

_PAPER, _INK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_SMALLEST = 2.0  # pixels
_SAME = 14 / 255  # of a component of a colour
_FAR_OFF = -500.0  # pixels
_FAR_MOVED = -5_000.0  # pixels, further than a carousel moves its slides, all of which a reader sees in turn
_CLEAR = 0.05  # of an opacity
_PLACED = ("absolute", "fixed")
_NO_SIZES = ("0", "0px", "auto", "initial")
_NAMED_SIZES = {"initial": 16.0, "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0}
_SIDES = ("top", "right", "bottom", "left")
_AROUND_LETTERS = ("-webkit-text-stroke", "text-shadow")
_CUT = re.compile(r"inset\((?:(?:[5-9]\d|\d{3,})%\s*)+\)|circle\(0(?:px|%)?[ )]")  # to nothing
_SHRUNK = re.compile(r"scale(?:x|y|3d)?\(0[,)]")
_MOVED = re.compile(r"translate(x|y|3d)?\(((?:[^()]|\([^()]*\))*)\)")
_FILTERED = re.compile(r"\bopacity\(([^()]*)\)")


class Drawn(NamedTuple):
    """The looks that text within an element inherits; a colour is None if it cannot be determined."""

    colour: Rgb | None = _INK
    ground: Rgb | None = _PAPER
    on_paper: bool = True
    """False if the background is that of a page whose style sheets are not all known."""
    size: float = 16.0  # pixels
    root_size: float = 16.0
    zoom: float = 1.0
    variables: Mapping[str, str] = {}
    """The values of custom properties."""
    visible: bool = True
    clear: bool = False
    away: bool = False
    is_placed: bool = False
    """True if the element itself is positioned, so that it may lie over others; its children do not inherit this."""
    has_ground: bool = False
    """True if the element itself has a background; its children do not inherit this."""
    is_over_others: bool = False
    """True if the text is in an element that is positioned over others, within the nearest background."""

    def why_unseen(self) -> Reason | None:
        if not self.visible or self.away:
            return "hidden"
        if self.clear:
            return "unseen"
        return "small" if self.size * self.zoom < _SMALLEST else None

    def is_like_ground(self) -> bool:
        if self.colour is None or self.ground is None or not self.on_paper:
            return False
        return all(abs(ink - ground) <= _SAME for ink, ground in zip(self.colour, self.ground, strict=True))


def why_gone(style: Style) -> Reason | None:
    """The reason why all text below an element is hidden, whatever the styles of its children say; None if it is
    not.
    """
    if not style:
        return None
    may_come = any(style.get(name, "none") != "none" for name in ("animation", "animation-name"))
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return "hidden"
    if "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", ""):
        return "struck"
    is_shrunk = _SHRUNK.search(style.get("transform", "")) or style.get("scale") == "0"
    is_gone = _opacity(style) <= _CLEAR or _is_far_off(style) or is_shrunk or _is_cut_off(style)
    return "hidden" if is_gone and not may_come else None


def _opacity(style: Style) -> float:
    filtered = _FILTERED.search(style.get("filter", ""))
    return _share(style.get("opacity", "1")) * _share(filtered[1] if filtered else "1")


def _share(value: str) -> float:
    share = number(value.removesuffix("%"))
    return 1.0 if share is None else share / 100 if value.endswith("%") else share


def _is_far_off(style: Style) -> bool:
    """True if the element is placed, or moved, so far to the left or up that no part of it is on the page."""
    sides = [*map(style.get, _SIDES), *style.get("inset", "").split()] if style.get("position") in _PLACED else []
    if any((pixels(side or "") or 0.0) <= _FAR_OFF for side in sides):
        return True
    moved = [style.get("translate", "").split()] if "translate" in style else []
    for kind, lengths in _MOVED.findall(style.get("transform", "")):
        parts = [length.strip() for length in lengths.split(",")]
        moved.append(["", *parts] if kind == "y" else parts)
    shifts = [pixels(part) or 0.0 for parts in moved for part in parts[:2]]
    # A page as wide as the screen has a margin to the left and a padding of the same length.
    shifts.append(_left(style, "margin") + _left(style, "padding"))
    width = pixels(style.get("width", "")) or 0.0
    return min(shifts) <= _FAR_MOVED and min(shifts) + width <= _FAR_OFF


def _left(style: Style, name: str) -> float:
    sides = style.get(name, "").split()
    return pixels(style.get(f"{name}-left", sides[-1 if len(sides) != 3 else 1] if sides else "")) or 0.0


def _is_cut_off(style: Style) -> bool:
    clip = style.get("clip", "").replace(",", " ").removeprefix("rect(").removesuffix(")").split()
    if style.get("position") in _PLACED and len(clip) == 4 and all(_is_nothing(side) for side in clip):
        return True
    if _CUT.match(style.get("clip-path", "")):
        return True
    is_cut = any(style.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    return is_cut and (_is_no_size(style, "height", "padding-top", "padding-bottom") or _is_no_size(style, "width"))


def _is_no_size(style: Style, side: str, *others: str) -> bool:
    """True if an element has no height or width, and nothing else that gives it one."""
    is_held = any(style.get(name, "0") not in _NO_SIZES for name in (f"min-{side}", *others))
    return not is_held and any(_is_nothing(style.get(name, "")) for name in (side, f"max-{side}"))


def _is_nothing(length: str) -> bool:
    return pixels(length) in (0.0, 1.0)


def drawn_within(around: Drawn, style: Style) -> Drawn:
    """The looks within an element: the looks `around` it, changed by its style."""
    if not style:
        return around._replace(is_placed=False, has_ground=False) if around.is_placed or around.has_ground else around
    colour, clear = around.colour, around.clear
    said = style.get("-webkit-text-fill-color", style.get("color"))
    if _has_letters_of_other_colours(style):
        colour, clear = None, False
    elif said not in (None, "inherit", "currentcolor", "unset"):
        colour, clear = next(colours(said), (None, False))
    ground, has_ground = _ground(style, around.ground, None if "-webkit-text-fill-color" in style else colour)
    visibility = style.get("visibility")
    size = _size(style, around)
    indent = pixels(style.get("text-indent", ""), around.size, around.root_size)
    is_placed = style.get("position") in _PLACED
    return Drawn(
        colour,
        ground,
        around.on_paper or has_ground,
        around.size if size is None else size,
        around.root_size,
        around.zoom * (_share(style.get("zoom", "1")) or 1.0),
        _variables(style, around.variables),
        around.visible if visibility in (None, "inherit") else visibility not in ("hidden", "collapse"),
        clear,
        around.away if indent is None else indent <= _FAR_OFF,
        is_placed,
        has_ground,
        not has_ground and (is_placed or around.is_over_others),
    )


def _variables(style: Style, around: Mapping[str, str]) -> Mapping[str, str]:
    own = {name: value for name, value in style.items() if name.startswith("--")}
    return {**around, **own} if own else around


def _has_letters_of_other_colours(style: Style) -> bool:
    """True where the ground is drawn in the shape of the letters, or an outline or a shadow around them."""
    clip = style.get("background-clip", style.get("-webkit-background-clip"))
    return clip == "text" or any(style.get(name, "none") != "none" for name in _AROUND_LETTERS)


def _ground(style: Style, around: Rgb | None, ink: Rgb | None) -> tuple[Rgb | None, bool]:
    for value in filter(None, map(style.get, ("background-image", "background-color", "background"))):
        named = [*colours(value, ink)]
        if "(" in value and (not named or any(name in value for name in ("url(", "gradient(", "image", "var("))):
            return None, True
        for colour, clear in named:
            if not clear:
                return colour, True
    return around, False


def _size(style: Style, around: Drawn) -> float | None:
    if (value := style.get("font-size")) is None:
        value = next(filter(_is_size, (part.partition("/")[0] for part in style.get("font", "").split())), "")
    if value in _NAMED_SIZES:
        return _NAMED_SIZES[value]
    if value.endswith("%") and (share := number(value[:-1])) is not None:
        return share / 100 * around.size
    return pixels(value, around.size, around.root_size)


def _is_size(part: str) -> bool:
    return part[:1] in tuple("0123456789.") or part in _NAMED_SIZES
