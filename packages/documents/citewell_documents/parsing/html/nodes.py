"""Nodes of an HTML page: an iterative walk, and the elements whose text does not belong to the page."""

import re
from collections import Counter
from collections.abc import Callable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable

TEXT = "-text"
HEADINGS = {f"h{level}": level for level in range(1, 7)}
BLOCKS = HEADINGS.keys() | frozenset(
    (
        "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer"
        " form header hgroup hr html legend li main menu nav ol option p pre section summary ul"
        " table caption thead tbody tfoot tr"
    ).split()
)
UNSEEN = frozenset(
    (
        "script style noscript template head svg iframe object embed canvas audio video select datalist map"
        " annotation annotation-xml -comment -doctype"
    ).split()
)
# Classes of a wiki's tools around an article and beside its headings.
_TOOLS = frozenset("mw-editsection mw-jump-link mw-indicators noprint printfooter catlinks".split())

_MAX_DEPTH = 1_000  # browsers stop at 512; the parser's time grows with the square
_MAX_TAGS = 2_000_000
_MAX_ATTRIBUTES = 500
_LONG_TAG = 2_000
_TAG = re.compile(r"<!--(?!-?>)|-->|<(/?)([a-zA-Z][^\s/<>]*)([^<>]*)")
_VALUE = re.compile(r""""[^"]*"|'[^']*'""")
_RAW = {"<!--": "-->", "script": "script", "style": "style"}  # the beginnings and ends of text that is no markup
# Void elements, and elements that the next element of their kind closes.
_NEVER_DEEP = frozenset(
    (
        "area base br col embed hr img input link meta param source track wbr"
        " --> p li dt dd tr td th thead tbody tfoot colgroup option optgroup rt rp rb rtc html head body"
        " path rect circle ellipse line polyline polygon use stop"
    ).split()
)


def parse_tree(html: str, filename: str) -> LexborHTMLParser:
    """Parse HTML. Raises DocumentUnreadable or DocumentTooLarge if the parser would take very long."""
    _check_depth(html, filename)
    return LexborHTMLParser(html)


def walk(root: LexborNode, enter: Callable[[LexborNode, str], bool], leave: Callable[[LexborNode, str], None]) -> None:
    """Visit the nodes below `root`, depth first; `leave` is called only for nodes for which `enter` returned True."""
    node, depth = root.first_child, 1
    while node is not None:
        tag = node.tag or ""
        if enter(node, tag):
            if (child := node.first_child) is not None:
                node, depth = child, depth + 1
                continue
            leave(node, tag)
        while node.next is None:
            depth -= 1
            if depth == 0 or (node := node.parent) is None:
                return
            leave(node, node.tag or "")
        node = node.next


def is_seen(node: LexborNode, tag: str) -> bool:
    classes = "" if tag == TEXT else (node.attributes or {}).get("class")
    return tag not in UNSEEN and _TOOLS.isdisjoint((classes or "").split())


def _check_depth(html: str, filename: str) -> None:
    if html.count("<") > _MAX_TAGS:
        raise DocumentTooLarge(f"{filename} has more than {_MAX_TAGS:,} tags, which is the limit.")
    opened: Counter[str] = Counter()
    depth, end_of_raw = 0, ""
    for match in _TAG.finditer(html):
        closing, tag, rest = match.groups(default="")
        tag = tag.lower() or match[0]
        if end_of_raw:
            end_of_raw = "" if tag == end_of_raw and (closing or tag == "-->") else end_of_raw
        elif closing and opened[tag]:
            opened[tag] -= 1
            depth -= 1
        elif tag in _RAW and not rest.endswith("/"):
            end_of_raw = _RAW[tag]
        elif not closing and tag not in _NEVER_DEEP:
            opened[tag] += 1
            depth += 1
        if len(rest) > _LONG_TAG and len(_VALUE.sub("", rest).split()) > _MAX_ATTRIBUTES:
            raise DocumentUnreadable(
                f"{filename} has a tag of more than {_MAX_ATTRIBUTES:,} attributes; it is damaged: save it again."
            )
        if depth > _MAX_DEPTH:
            raise DocumentUnreadable(f"{filename} is nested more than {_MAX_DEPTH:,} levels deep; save it more simply.")
