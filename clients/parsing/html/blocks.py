"""Converts the nodes of an HTML page to headings, paragraphs, lists and tables."""

import re
from collections.abc import Callable, Sequence

from selectolax.lexbor import LexborNode

from clients.parsing.html.lists import ListText
from clients.parsing.html.nodes import BLOCKS, HEADINGS, TEXT, is_seen, walk
from clients.parsing.html.tables import read_table
from clients.parsing.text_builder import DocumentBuilder

_BLANKS = re.compile(r"[ \t\n\r\f]+")
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_EXPONENT = re.compile(r"[+−-]?[0-9]{1,3}")
_LONGEST_HEADING = 300


def add_blocks(
    root: LexborNode,
    builder: DocumentBuilder,
    *,
    above: Sequence[float] = (),
    leave_out: Callable[[LexborNode, str], bool] = lambda node, tag: False,
    plain_heads: bool = False,
) -> None:
    """Add the visible content below `root` to the document, in order.

    An `<h2>` has the rank (*above, 2). Data tables become rows, lists keep their markers, `<pre>` its lines; images are
    represented by their alternative text in blocks without other text. `leave_out` selects nodes to skip; for
    `plain_heads` see `read_table`.
    """
    blocks = _Blocks(builder, above, leave_out, plain_heads)
    walk(root, blocks.enter, blocks.leave)
    blocks.finish()


class _Blocks:
    def __init__(
        self,
        builder: DocumentBuilder,
        above: Sequence[float],
        leave_out: Callable[[LexborNode, str], bool],
        plain_heads: bool,
    ) -> None:
        self._builder = builder
        self._above = above
        self._leave_out = leave_out
        self._plain_heads = plain_heads
        self._text: list[str] = []
        self._images: list[str] = []
        self._list = ListText()
        self._heading = 0
        self._pre = 0
        self._captioned = 0

    def enter(self, node: LexborNode, tag: str) -> bool:
        if tag == TEXT:
            self._add_text(node.text_content or "")
            return False
        if not is_seen(node, tag) or self._leave_out(node, tag):
            return False
        if tag in BLOCKS:
            return self._enter_block(node, tag)
        return self._enter_inline(node, tag)

    def leave(self, node: LexborNode, tag: str) -> None:
        if tag == "figure" and self._captioned:
            self._captioned -= node.css_first("figcaption") is not None
        if tag in HEADINGS and self._heading:
            self._end_heading(HEADINGS[tag])
        elif tag == "pre":
            self._end_pre()
        elif tag in BLOCKS:
            self._end_block()
            if self._list.leave(tag):
                self._end_list()
        elif tag in ("td", "th"):
            self._text.append(" ")

    def finish(self) -> None:
        self._end_block()
        self._end_list()

    def _add_text(self, text: str) -> None:
        self._text.append(text if self._pre else _BLANKS.sub(" ", text))

    def _enter_inline(self, node: LexborNode, tag: str) -> bool:
        if tag == "br":
            self._text.append("\n")
        elif tag == "img" and not self._captioned:
            self._images.append(node.attributes.get("alt") or "")
        elif tag == "sup" and _EXPONENT.fullmatch(exponent := node.text().strip()):
            # `10<sup>6</sup>` is not 106.
            self._text.append(exponent.translate(_RAISED))
            return False
        return True

    def _enter_block(self, node: LexborNode, tag: str) -> bool:
        if self._heading:
            self._text.append(" ")
            return True
        self._end_block()
        if tag in HEADINGS:
            self._heading += 1
        elif tag == "pre":
            self._pre += 1
        elif tag == "table":
            return not self._add_table(node)
        elif tag == "figure":
            self._captioned += node.css_first("figcaption") is not None
        else:
            self._list.enter(node, tag)
        return True

    def _add_table(self, node: LexborNode) -> bool:
        table = read_table(node, self._builder.filename, self._builder.limits, plain_heads=self._plain_heads)
        if table is None:
            return False
        self._end_list()
        for title in table.titles:
            self._builder.paragraph(title)
        self._builder.table(table.rows, has_header=table.has_header)
        return True

    def _taken(self) -> str:
        text = "".join(self._text)
        if not text.strip():
            text = " ".join(image for image in self._images if image.strip())
        self._text, self._images = [], []
        return text

    def _end_block(self) -> None:
        if self._pre:
            return
        text = self._taken()
        if self._list.is_open:
            self._list.add(text)
        else:
            self._builder.paragraph(text)

    def _end_list(self) -> None:
        self._builder.lines(self._list.taken())

    def _end_heading(self, level: int) -> None:
        self._heading -= 1
        self._end_list()
        title = self._taken()
        # A heading that was never closed holds the rest of the page.
        if len(title) > _LONGEST_HEADING:
            self._builder.paragraph(title)
        else:
            self._builder.heading(title, (*self._above, level))

    def _end_pre(self) -> None:
        self._pre -= 1
        if not self._pre:
            self._end_list()
            self._builder.lines(self._taken())
