"""The style sheets of an HTML page: the declarations that decide whether a reader sees the text of its elements."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import cssselect2
import tinycss2
from selectolax.lexbor import LexborHTMLParser, SelectolaxError
from tinycss2.ast import AtRule, Declaration, LiteralToken, Node, QualifiedRule, StringToken, URLToken

from citewell_documents.parsing.html.values import SCREEN, lowered, pixels, references

Style = Mapping[str, str]
"""The values of properties, in small letters; `!important` has been taken into account."""
Linked = Callable[[str, str], tuple[str, str] | None]
"""Finds the sheet at an address in another sheet, whose name is given, or in the page, which has no name. Returns the
name and content of the sheet that was found, or None."""
LOOKED_AT = frozenset(
    (
        "display visibility opacity font-size font color background background-color text-decoration"
        " text-decoration-line position left right top bottom text-indent clip clip-path overflow overflow-x overflow-y"
        " height width max-height max-width inset transform scale animation animation-name background-image"
        " background-clip -webkit-background-clip -webkit-text-fill-color -webkit-text-stroke text-shadow"
        " translate zoom filter content-visibility margin margin-left padding padding-left padding-top padding-bottom"
        " min-height min-width"
    ).split()
)
_MOST_CHARACTERS, _MOST_MATCHES, _DEEPEST = 1_000_000, 1_000_000, 20
_ELEMENTS_A_MATCH = 30  # elements that are looked through in the time of one match
_ENDS = ("min", "max")
_SCREEN = {f"{end}-{side}": size for side, size in zip(("width", "height"), SCREEN, strict=True) for end in _ENDS}
_LONGEST_SELECTOR = 10_000  # characters: a nested one may have twice as many at each level
_CONDITIONS = ("media", "supports", "layer")
_OTHERS = re.compile(r"not\b|\(-(?:moz|ms)-")  # what some browsers alone understand, or none


class _Value(NamedTuple):
    """The value of a declaration; among several declarations of one property, the highest rank holds."""

    rank: tuple[bool, tuple[int, int, int], int]
    text: str


class _Declared(NamedTuple):
    name: str
    value: str
    is_important: bool


class _Rule(NamedTuple):
    selector: list[Node]
    declared: tuple[_Declared, ...]


class _Sheet(NamedTuple):
    imports: tuple[str, ...]
    rules: tuple[_Rule, ...]


class Sheets:
    """The declarations of a page's style sheets, by the ids of its elements; `linked` reads the sheets that are not in
    the page.
    """

    def __init__(self, page: LexborHTMLParser | None, linked: Linked | None = None) -> None:
        self._of: dict[int, dict[str, _Value]] = {}
        self._linked = linked
        self._left = _MOST_CHARACTERS
        self.has_others = False
        """True if the page also uses style sheets from elsewhere that are not read."""
        if page is not None and (rules := list(self._rules(page))):
            self._apply(page, rules)

    def __bool__(self) -> bool:
        return bool(self._of)

    def style(self, node_id: int, inline: str, default: Style) -> Style:
        """The style of an element with this `style` attribute and these defaults of browsers."""
        if not inline and node_id not in self._of:
            return default
        values = {name: _Value((False, (0, 0, 0), -1), value) for name, value in default.items()}
        for name, value in self._of.get(node_id, {}).items():
            _declare(values, name, value)
        for order, (name, value, important) in enumerate(_inline(inline)):
            _declare(values, name, _Value((important, (1_000, 0, 0), order), value))
        return {name: value.text for name, value in values.items()}

    def _rules(self, page: LexborHTMLParser) -> Iterator[_Rule]:
        for node in page.css("style, link[rel~=stylesheet]"):
            attributes, parent = node.attributes, node.parent
            media = tinycss2.parse_component_value_list(attributes.get("media") or "")
            if (parent is not None and parent.tag == "noscript") or not _is_screen(media):
                continue
            if node.tag == "style":
                yield from self._rules_in(node.text(), "")
            elif "alternate" not in (attributes.get("rel") or "").lower().split():
                yield from self._rules_at(attributes.get("href") or "", "")

    def _rules_at(self, address: str, base: str, depth: int = 0) -> Iterator[_Rule]:
        sheet = self._linked(address, base) if self._linked and depth < _DEEPEST else None
        if sheet is None:
            self.has_others = True
        else:
            name, content = sheet
            yield from self._rules_in(content, name, depth + 1)

    def _rules_in(self, content: str, name: str, depth: int = 0) -> Iterator[_Rule]:
        sheet = _sheet(content[: self._left])
        self._left = max(0, self._left - len(content))
        for address in sheet.imports:
            yield from self._rules_at(address, name, depth)
        yield from sheet.rules

    def _apply(self, page: LexborHTMLParser, rules: Iterable[_Rule]) -> None:
        # Most sheets name many classes and ids that the page does not have, and custom properties that nothing uses.
        used = _used(page, rules)
        classes = (name for node in page.css("[class]") for name in (node.attributes.get("class") or "").split())
        ids = (node.attributes.get("id") or "" for node in page.css("[id]"))
        names = frozenset(name.lower() for names in (classes, ids) for name in names)
        left, cost = _MOST_MATCHES, 1 + len(page.css("*")) // _ELEMENTS_A_MATCH
        for order, rule in enumerate(rules):
            declared = [part for part in rule.declared if part.name in LOOKED_AT or part.name in used]
            for selector in _alternatives(rule.selector) if declared else ():
                if left <= 0 or not names.issuperset(_named(selector)):
                    continue
                left -= cost
                for node_id, specificity in _matches(page, selector):
                    left -= 1
                    values = self._of.setdefault(node_id, {})
                    for name, value, is_important in declared:
                        _declare(values, name, _Value((is_important, specificity, order), value))


def _used(page: LexborHTMLParser, rules: Iterable[_Rule]) -> set[str]:
    """The custom properties that decide what is seen, also those that others refer to."""
    referring: dict[str, set[str]] = {}
    inline = (node.attributes["style"] or "" for node in page.css("[style*='var(']"))
    used = {name for style in inline for name in references(lowered(style))}
    for part in (part for rule in rules for part in rule.declared):
        if names := references(part.value):
            (used if part.name in LOOKED_AT else referring.setdefault(part.name, set())).update(names)
    waiting = list(used)
    while waiting:
        others = referring.pop(waiting.pop(), set()) - used
        used |= others
        waiting += others
    return used


def _declare(values: dict[str, _Value], name: str, value: _Value) -> None:
    if name not in values or values[name].rank <= value.rank:
        values[name] = value


@lru_cache(maxsize=4_096)
def _inline(style: str) -> tuple[_Declared, ...]:
    try:
        return _declarations(tinycss2.parse_blocks_contents(style, True, True))
    except ValueError:  # a number of thousands of digits
        return ()


# The chapters of a book have the same style sheets.
@lru_cache(maxsize=32)
def _sheet(content: str) -> _Sheet:
    try:
        nodes = tinycss2.parse_stylesheet(content, True, True)
    except ValueError:  # a number of thousands of digits
        return _Sheet((), ())
    imports: list[str] = []
    for node in nodes:
        if isinstance(node, AtRule) and node.lower_at_keyword == "import":
            address, *media = [part for part in node.prelude if part.type != "whitespace"] or [node]
            if isinstance(address, StringToken | URLToken) and _is_screen(media):
                imports.append(address.value)
    return _Sheet(tuple(imports), tuple(_rules(nodes)))


def _rules(nodes: Iterable[Node], within: list[Node] | None = None, depth: int = 0) -> Iterator[_Rule]:
    """The rules of a sheet, each before those that are nested in it; `within` is the selector of the rule around."""
    for node in nodes if depth < _DEEPEST else ():
        if isinstance(node, QualifiedRule):
            content = tinycss2.parse_blocks_contents(node.content, True, True)
            if within is not None and len(node.prelude) * len(_text(within)) > _LONGEST_SELECTOR:
                continue
            selector = node.prelude if within is None else _nested(node.prelude, within)
            if declared := _declarations(content):
                yield _Rule(selector, declared)
            yield from _rules(content, selector, depth + 1)
        elif isinstance(node, AtRule) and node.content:
            is_met = node.lower_at_keyword in _CONDITIONS and not _OTHERS.match(_text(node.prelude))
            if not (_is_screen(node.prelude) if node.lower_at_keyword == "media" else is_met):
                continue
            content = tinycss2.parse_blocks_contents(node.content, True, True)
            if within is not None and (declared := _declarations(content)):
                yield _Rule(within, declared)
            yield from _rules(content, within, depth + 1)


def _nested(selector: list[Node], around: list[Node]) -> list[Node]:
    """The selector of a nested rule: `&` stands for what the rule around it selects, and so does the beginning."""
    whole: list[Node] = []
    for part in _alternatives(selector):
        has_sign = any(_is_sign(node, "&") for node in part)
        names = tinycss2.parse_component_value_list(f":is({_text(around)})")
        space = tinycss2.parse_component_value_list(" ")
        comma = tinycss2.parse_component_value_list(",") if whole else []
        replaced = [other for node in part for other in (names if _is_sign(node, "&") else [node])]
        whole += [*comma, *([] if has_sign else [*names, *space]), *replaced]
    return whole


def _declarations(content: Iterable[Node]) -> tuple[_Declared, ...]:
    return tuple(_declared(node for node in content if isinstance(node, Declaration)))


def _declared(declarations: Iterable[Declaration]) -> Iterator[_Declared]:
    for node in declarations:
        if node.lower_name == "background":
            # It sets all that belongs to a ground; what it does not name has no value.
            yield from (_Declared(f"background-{part}", "", node.important) for part in ("color", "image"))
        if node.lower_name in LOOKED_AT:
            yield _Declared(node.lower_name, _text(node.value), node.important)
        elif node.name.startswith("--"):
            yield _Declared(node.name, _text(node.value), node.important)


def _text(value: list[Node]) -> str:
    try:
        return lowered(tinycss2.serialize([node for node in value if node.type != "comment"]).strip())
    except RecursionError:  # deeply nested brackets, which no browser understands
        return ""


def _is_screen(media: list[Node]) -> bool:
    """True for the media of a reader with a screen of 1,280 by 800 pixels; other conditions cannot be decided."""
    queries = _text(media)
    return not queries or any(all(map(_is_met, query.split(" and "))) for query in queries.split(","))


def _is_met(condition: str) -> bool:
    condition = condition.strip()
    if not condition.startswith("("):
        return condition.removeprefix("only ").strip() in ("all", "screen")
    name, _, value = (part.strip() for part in condition.strip("()").partition(":"))
    size = pixels(value)
    if name not in _SCREEN or size is None:
        return False
    return _SCREEN[name] >= size if name.startswith("min") else _SCREEN[name] <= size


def _alternatives(prelude: list[Node]) -> Iterator[list[Node]]:
    """The selectors of a list. If one cannot be read, the others still count."""
    selector: list[Node] = []
    for node in prelude:
        if _is_sign(node, ","):
            yield selector
            selector = []
        else:
            selector.append(node)
    yield selector


def _is_sign(node: Node, sign: str) -> bool:
    return isinstance(node, LiteralToken) and node.value == sign


def _named(selector: list[Node]) -> Iterator[str]:
    for before, node in zip([None, *selector], selector, strict=False):
        if node.type == "hash" or (node.type == "ident" and before is not None and _is_sign(before, ".")):
            yield str(getattr(node, "value", "")).lower()


def _matches(page: LexborHTMLParser, selector: list[Node]) -> Iterator[tuple[int, tuple[int, int, int]]]:
    try:
        (compiled,) = cssselect2.compile_selector_list(selector)
        nodes = [] if compiled.pseudo_element else page.css(tinycss2.serialize(selector))
    except (cssselect2.SelectorError, SelectolaxError, ValueError, RecursionError):
        return
    for node in nodes:
        yield node.mem_id, compiled.specificity
