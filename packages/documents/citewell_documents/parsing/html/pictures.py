"""What the author of a page wrote about its pictures: alternative texts, labels, and titles of drawings."""

import re
from collections.abc import Mapping

from selectolax.lexbor import LexborNode

from citewell_documents.parsing.html.nodes import is_seen

_DRAWINGS = frozenset(("svg", "canvas"))
_PICTURES = "img, svg, canvas, picture, video, object, [role=img]"
_CAPTIONS = "p.wp-caption-text, div.thumbcaption, div.gallerytext"  # as common software writes them
_LONGEST_CAPTION = 2_000
_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|webp|avif)", re.IGNORECASE)
_FEWEST_WORDS, _FEWEST_KOREAN_WORDS = 5, 3


def captions_in(root: LexborNode) -> frozenset[int]:
    """Captions that are no `<figcaption>`, by their ids."""
    return frozenset(node.mem_id for node in root.css(_CAPTIONS))


def labels_in(root: LexborNode) -> Mapping[int, str]:
    """The labels of elements that are shown as one picture, by the elements' ids."""
    shown = root.css("[role=img][aria-label]")
    return {node.mem_id: one_line(node.attributes.get("aria-label")) for node in shown if is_seen(node, "img")}


def drawing_text(node: LexborNode, tag: str) -> str:
    """The title and description of a drawing that has no label; nothing of other elements."""
    if tag not in _DRAWINGS or not is_seen(node, "img"):
        return ""
    said = (node.css_first(name) for name in ("title", "desc"))
    return one_line(": ".join(text.text() for text in said if text is not None))


def describes(text: str) -> bool:
    """True for a description; icons, logos and separators have a word or two, and some pictures the name of a file."""
    fewest = _FEWEST_KOREAN_WORDS if any("가" <= character <= "힣" for character in text) else _FEWEST_WORDS
    return len(text.split()) >= fewest and not _FILE.fullmatch(text)


def repeats(text: str, line: str) -> bool:
    return text.casefold() in line.casefold()


def read_figure(figure: LexborNode) -> tuple[bool, str]:
    """Whether it shows a picture (others show tables, code or quotations), and its caption."""
    caption = figure.css_first("figcaption")
    return figure.css_first(_PICTURES) is not None, one_line(caption.text())[:_LONGEST_CAPTION] if caption else ""


def one_line(text: str | None) -> str:
    return " ".join((text or "").split())
