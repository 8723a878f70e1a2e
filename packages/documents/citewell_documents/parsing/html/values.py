"""Resolves the values of declarations of a web page: custom properties, lengths and colours."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from tinycss2 import parse_component_value_list, serialize
from tinycss2.ast import DimensionToken, FunctionBlock, LiteralToken, Node, NumberToken, ParenthesesBlock
from tinycss2.color4 import Color, parse_color

from citewell_documents.parsing.hidden import encoded

Rgb = tuple[float, float, float]
SCREEN = 1280.0, 800.0  # the width and height of a reader's screen, in pixels
_OF_SCREEN = {"vw": SCREEN[0] / 100, "vh": SCREEN[1] / 100, "vmin": min(SCREEN) / 100, "vmax": max(SCREEN) / 100}
_ABSOLUTE = {"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
_SIZES = _ABSOLUTE | {f"{kind}{unit}": size for unit, size in _OF_SCREEN.items() for kind in ("", "s", "l", "d")}
_CLEAR = 0.05  # of a colour's opacity
_VARIABLE = re.compile(r"var\(\s*(--[^\s,)]+)")
_PROPERTY = re.compile(r"(--[\w-]+)|[^-]+|-")
_DEEPEST, _LONGEST = 10, 1_000  # references within references, and characters of a value that they make
_TO_SRGB = ((3.2409699, -1.5373832, -0.4986108), (-0.9692436, 1.8759675, 0.0415551), (0.0556301, -0.2039770, 1.0569715))


def lowered(text: str) -> str:
    """The text in small letters, except for the names of custom properties, of which `--a` and `--A` are two."""
    return _PROPERTY.sub(lambda match: match[0] if match[1] else match[0].lower(), text)


def references(value: str) -> list[str]:
    """The custom properties that a value names."""
    return _VARIABLE.findall(value) if "var(" in value else []


def resolved(style: Mapping[str, str], variables: Mapping[str, str], *, are_all_known: bool) -> Mapping[str, str]:
    """The style with the values of the custom properties in place of their names; `variables` are those of the element
    around.

    A name that has no value keeps its place: something else may set it. A fallback takes its place only where all
    style sheets of the page are known. A value that refers to itself, or becomes very long, is left out.
    """
    if not any("var(" in value for value in style.values()):
        return style
    return _resolved(tuple(style.items()), tuple(variables.items()), are_all_known)


# Most elements of a page share their style with others.
@lru_cache(maxsize=4_096)
def _resolved(
    style: tuple[tuple[str, str], ...], variables: tuple[tuple[str, str], ...], are_all_known: bool
) -> Mapping[str, str]:
    own = [declared for declared in style if declared[0].startswith("--")]
    properties = _Properties({**dict(variables), **dict(own)}, are_all_known)
    try:
        texts = {name: properties.replaced(value, _DEEPEST) for name, value in style}
    except RecursionError:  # deeply nested brackets, which no browser understands
        return {}
    return {name: text for name, text in texts.items() if text is not None}


class _Properties:
    """The custom properties of an element; the value of each is resolved once."""

    def __init__(self, stated: Mapping[str, str], are_all_known: bool) -> None:
        self._stated, self._are_all_known = stated, are_all_known
        self._values: dict[str, str | None] = {}

    def replaced(self, value: str, depth: int) -> str | None:
        """A value with those of the properties that it names; None if it is too deep or too long."""
        if "var(" not in value:
            return value
        if not depth:
            return None
        parts: list[str] = []
        for node in _nodes(value):
            if not isinstance(node, FunctionBlock):
                parts.append(serialize([node]))
                continue
            inner = serialize(node.arguments)
            if node.lower_name == "var":
                name, _, fallback = (part.strip() for part in inner.partition(","))
                text = self._value(name, fallback, depth - 1, unknown=serialize([node]))
            else:
                within = self.replaced(inner, depth - 1)
                text = None if within is None else f"{node.lower_name}({within})"
            if text is None or len(text) > _LONGEST:
                return None
            parts.append(text)
        return "".join(parts)

    def _value(self, name: str, fallback: str, depth: int, unknown: str) -> str | None:
        if name not in self._stated:
            return self.replaced(fallback, depth) if self._are_all_known and fallback else unknown
        if name not in self._values:
            self._values[name] = None  # of a property that refers to itself
            self._values[name] = self.replaced(self._stated[name], depth)
        return self._values[name]


@lru_cache(maxsize=4_096)
def _nodes(value: str) -> tuple[Node, ...]:
    return tuple(parse_component_value_list(value))


def pixels(value: str, em: float = 16.0, rem: float = 16.0) -> float | None:
    """A length in pixels, also a calculated one; None if it cannot be determined."""
    if value.startswith("calc("):
        (node, *others) = parse_component_value_list(value)
        return None if others or not isinstance(node, FunctionBlock) else _calculated(node.arguments, em, rem)
    unit = value.lstrip("+-0123456789.")
    return None if (length := number(value.removesuffix(unit))) is None else _in_pixels(length, unit, em, rem)


def number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def _in_pixels(length: float, unit: str, em: float, rem: float) -> float | None:
    if length == 0:
        return 0.0
    size = {"em": em, "rem": rem, "ex": em / 2, "ch": em / 2}.get(unit, _SIZES.get(unit))
    return None if size is None else length * size


def _calculated(nodes: Sequence[Node], em: float, rem: float, depth: int = _DEEPEST) -> float | None:
    """The value of a sum of products, whose numbers and lengths count alike; None for what is no sum."""
    total, term, operator = 0.0, 0.0, "+"
    for node in nodes:
        if isinstance(node, LiteralToken):
            operator = node.value
            continue
        if node.type in ("whitespace", "comment"):
            continue
        operand = _operand(node, em, rem, depth)
        if operand is None or (operator == "/" and not operand) or operator not in tuple("+-*/"):
            return None
        if operator in "*/":
            term = term * operand if operator == "*" else term / operand
        else:
            total, term = total + term, operand if operator == "+" else -operand
        operator = ""
    return None if operator else total + term


def _operand(node: Node, em: float, rem: float, depth: int) -> float | None:
    if isinstance(node, NumberToken):
        return node.value
    if isinstance(node, DimensionToken):
        return _in_pixels(node.value, node.lower_unit, em, rem)
    inner = node.arguments if isinstance(node, FunctionBlock) and node.lower_name == "calc" else None
    inner = node.content if isinstance(node, ParenthesesBlock) else inner
    return None if inner is None or not depth else _calculated(inner, em, rem, depth - 1)


def colours(value: str, ink: Rgb | None = None) -> Iterator[tuple[Rgb | None, bool]]:
    """Yield each colour in a value, and whether it is transparent; a partly transparent colour is None. `ink` is that
    of `currentcolor`.
    """
    for part in parse_component_value_list(value):
        try:
            colour = parse_color(part)
            if colour == "currentcolor" and ink is not None:
                yield ink, False
            if colour is None or isinstance(colour, str):
                continue
            yield (_srgb(colour) if colour.alpha >= 1 else None), colour.alpha <= _CLEAR
        except (NotImplementedError, ValueError):
            yield None, False


def _srgb(colour: Color) -> Rgb:
    """The colour's red, green and blue, each from 0 to 1. Raises NotImplementedError for a space that is not known."""
    if colour.space not in ("oklab", "oklch"):
        return colour.to("srgb").coordinates
    places = colour.to("xyz-d65").coordinates
    red, green, blue = (
        sum(weight * place for weight, place in zip(weights, places, strict=True)) for weights in _TO_SRGB
    )
    return encoded(red), encoded(green), encoded(blue)
