"""How the text of an element of a web page is drawn, as far as it decides whether it is seen."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from tinycss2 import parse_component_value_list
from tinycss2.color4 import parse_color

from citewell_documents.parsing.hidden import Reason
from citewell_documents.parsing.html.stylesheets import Style, pixels

_Rgb = tuple[float, float, float]
_PAPER, _INK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_SMALLEST = 2.0  # pixels
_SAME = 14 / 255  # of a component of a colour
_FAR_OFF = -500.0  # pixels
_CLEAR = 0.05  # of a colour's opacity
_FEWEST = 0.1  # of the height or width that text has otherwise
_PLACED, _MOVED = ("absolute", "fixed"), ("relative", "sticky")
_SCALED, _SHIFTED = re.compile(r"scale(?:3d|[xy])?\(([^()]*)\)"), re.compile(r"translate(?:3d|[xy])?\(([^()]*)\)")
_CLEARED = re.compile(r"opacity\(([^()]*)\)")
_NAMED = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_DEEPEST = 5  # names that stand for names


class Drawn(NamedTuple):
    """What text within an element inherits; a colour is None where it cannot be told."""

    colour: _Rgb | None = _INK
    ground: _Rgb | None = _PAPER
    on_paper: bool = True
    """False where the ground is that of a page whose sheets are not all known."""
    size: float = 16.0  # pixels
    root_size: float = 16.0
    visible: bool = True
    clear: bool = False
    away: bool = False
    is_placed: bool = False
    """Of the element alone: it may lie over others."""
    has_ground: bool = False
    """Of the element alone."""
    is_over_others: bool = False
    """True where an element within its ground is placed over others."""
    names: Mapping[str, str] = {}
    """What the custom properties of style sheets stand for."""

    def resolved(self, style: Style) -> Style:
        """The style with what its custom properties stand for."""
        own = {name: value for name, value in style.items() if name.startswith("--")}
        if not own and not any("var(" in value for value in style.values()):
            return style
        names = {**self.names, **own}
        values = {**style}
        for _ in range(_DEEPEST):
            values = {
                name: _NAMED.sub(lambda use: names.get(use[1], use[2] or use[0]).strip(), value)
                for name, value in values.items()
            }
        return values

    def why_unseen(self) -> Reason | None:
        if not self.visible or self.away:
            return "hidden"
        if self.clear:
            return "unseen"
        return "small" if self.size < _SMALLEST else None

    def is_like_ground(self) -> bool:
        if self.colour is None or self.ground is None or not self.on_paper:
            return False
        return all(abs(ink - ground) <= _SAME for ink, ground in zip(self.colour, self.ground, strict=True))


def why_gone(style: Style) -> Reason | None:
    """Why all text below an element goes, whatever that says of itself."""
    if not style:
        return None
    if (
        style.get("display") == "none"
        or style.get("content-visibility") == "hidden"
        or _share(style.get("opacity", "1"), 1.0) <= _CLEAR
    ):
        return "hidden"
    if "line-through" in style.get("text-decoration", "") + style.get("text-decoration-line", ""):
        return "struck"
    return "hidden" if _is_far_off(style) or _is_cut_off(style) or _is_nothing_left(style) else None


def _is_far_off(style: Style) -> bool:
    position = style.get("position")
    sides = ("left", "right", "top", "bottom") if position in _PLACED else ("left", "top") if position in _MOVED else ()
    lengths = [style.get(side, "") for side in (*sides, "margin-left", "margin-top")]
    return any((pixels(length) or 0.0) <= _FAR_OFF for length in (*lengths, *_arguments(_SHIFTED, style, "transform")))


def _is_nothing_left(style: Style) -> bool:
    """True where the element is drawn far smaller than it is, or clear."""
    scales = (style.get("zoom", "1"), *_arguments(_SCALED, style, "transform"))
    return any(abs(_share(scale, 1.0)) < _FEWEST for scale in scales) or any(
        _share(left, 1.0) <= _CLEAR for left in _arguments(_CLEARED, style, "filter")
    )


def _arguments(function: re.Pattern[str], style: Style, name: str) -> Iterable[str]:
    return (part.strip() for match in function.finditer(style.get(name, "")) for part in match[1].split(","))


def _share(value: str, otherwise: float) -> float:
    number = _number(value.removesuffix("%"))
    return otherwise if number is None else number / 100 if value.endswith("%") else number


def _is_cut_off(style: Style) -> bool:
    clip = style.get("clip", "").replace(",", " ").removeprefix("rect(").removesuffix(")").split()
    if style.get("position") in _PLACED and len(clip) == 4 and all(_is_nothing(side) for side in clip):
        return True
    if style.get("clip-path", "").startswith(("inset(50%", "inset(100%", "circle(0")):
        return True
    is_cut = any(style.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    return is_cut and any(_is_nothing(style.get(name, "")) for name in ("height", "width", "max-height", "max-width"))


def _is_nothing(length: str) -> bool:
    return pixels(length) in (0.0, 1.0)


def drawn_within(around: Drawn, style: Style) -> Drawn:
    """What the style of an element makes of what it inherits."""
    if not style:
        return around._replace(is_placed=False, has_ground=False) if around.is_placed or around.has_ground else around
    colour, clear = around.colour, around.clear
    said = style.get("-webkit-text-fill-color") or style.get("color")
    if said not in (None, "inherit", "currentcolor", "unset"):
        colour, clear = next(_colours(said), (None, False))
    if _is_drawn_otherwise(style):
        colour, clear = None, False
    ground, has_ground = _ground(style, around.ground)
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
        around.visible if visibility in (None, "inherit") else visibility not in ("hidden", "collapse"),
        clear,
        around.away if indent is None else indent <= _FAR_OFF,
        is_placed,
        has_ground,
        not has_ground and (is_placed or around.is_over_others),
        {**around.names, **own}
        if (own := {key: value for key, value in style.items() if key.startswith("--")})
        else around.names,
    )


def _is_drawn_otherwise(style: Style) -> bool:
    """True where letters are seen by their shadow, their outline, or a ground that fills them."""
    drawn = (style.get(name, "none") for name in ("text-shadow", "-webkit-text-stroke"))
    clips = (style.get(name) for name in ("background-clip", "-webkit-background-clip"))
    return any(value not in ("none", "initial", "0") for value in drawn) or "text" in clips


def _ground(style: Style, around: _Rgb | None) -> tuple[_Rgb | None, bool]:
    for value in filter(None, map(style.get, ("background-image", "background-color", "background"))):
        if "(" in value and any(name in value for name in ("url(", "gradient(", "image", "var(")):
            return None, True
        for colour, clear in _colours(value):
            if not clear:
                return colour, True
    return around, False


def _colours(value: str) -> Iterator[tuple[_Rgb | None, bool]]:
    """The colours in a value, and whether one is clear; one that is partly so is None."""
    for part in parse_component_value_list(value):
        try:
            colour = parse_color(part)
            if colour is None or isinstance(colour, str):
                continue
            yield (colour.to("srgb").coordinates if colour.alpha >= 1 else None), colour.alpha <= _CLEAR
        except (NotImplementedError, ValueError):
            yield None, False


def _size(style: Style, around: Drawn) -> float | None:
    if (value := style.get("font-size")) is None:
        value = next((part.partition("/")[0] for part in style.get("font", "").split() if part[0] in "0123456789."), "")
    if value.endswith("%") and (share := _number(value[:-1])) is not None:
        return share / 100 * around.size
    return pixels(value, around.size, around.root_size)


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None
