"""Converts the nodes of an HTML page to headings, paragraphs, lists and tables."""

import re
from collections.abc import Callable, Sequence

from selectolax.lexbor import LexborNode

from citewell_documents.figures import FigureKind
from citewell_documents.parsing.html.lists import ListText
from citewell_documents.parsing.html.nodes import BLOCKS, HEADINGS, TEXT, is_seen, walk
from citewell_documents.parsing.html.tables import read_table
from citewell_documents.parsing.text_builder import DocumentBuilder

# What the author of a page wrote about its pictures: alternative texts and captions.

_PICTURES = "img, svg, canvas, picture, video, object, [role=img]"
_CAPTIONS = "p.wp-caption-text, div.thumbcaption, div.gallerytext"  # as common software writes them
_LONGEST_CAPTION = 2_000
_FILE = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|svg|webp|avif)", re.IGNORECASE)
_FEWEST_WORDS, _FEWEST_KOREAN_WORDS = 5, 3


def captions_in(root: LexborNode) -> frozenset[int]:
    """Captions that are no `<figcaption>`, by their ids."""
    return frozenset(node.mem_id for node in root.css(_CAPTIONS))


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


_BLANKS = re.compile(r"[ \t\n\r\f]+")
_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_EXPONENT = re.compile(r"[+−-]?[0-9]{1,3}")
_LONGEST_HEADING = 300
_MOST_BESIDE_TEXT = 20  # images


def add_blocks(
    root: LexborNode,
    builder: DocumentBuilder,
    *,
    above: Sequence[float] = (),
    leave_out: Callable[[LexborNode, str], bool] = lambda node, tag: False,
    plain_heads: bool = False,
) -> None:
    """Add the visible content below `root` to the document, in order.

    An `<h2>` has the rank (*above, 2). Data tables become rows, lists keep their markers, and `<pre>` keeps its lines.
    In a block without other text, the alternative text of an image stands for the image; otherwise it follows the text
    if it is a description. `leave_out` selects nodes to skip; for `plain_heads` see `read_table`.
    """
    blocks = _Blocks(builder, above, leave_out, plain_heads, captions_in(root))
    walk(root, blocks.enter, blocks.leave)
    blocks.finish()


class _Blocks:
    def __init__(
        self,
        builder: DocumentBuilder,
        above: Sequence[float],
        leave_out: Callable[[LexborNode, str], bool],
        plain_heads: bool,
        captions: frozenset[int],
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
        self._figures: list[tuple[bool, str]] = []
        """The `<figure>` elements around the text: whether each shows a picture, and its caption."""
        self._captions = 0
        self._other_captions = captions

    def enter(self, node: LexborNode, tag: str) -> bool:
        if tag == TEXT:
            text = node.text_content or ""
            self._text.append(text if self._pre else _BLANKS.sub(" ", text))
            return False
        if not is_seen(node, tag) or self._leave_out(node, tag):
            return False
        if tag in BLOCKS:
            entered = self._enter_block(node, tag)
            self._captions += entered and self._is_caption(node, tag)
            return entered
        return self._enter_inline(node, tag)

    def leave(self, node: LexborNode, tag: str) -> None:
        if tag in HEADINGS and self._heading:
            self._end_heading(HEADINGS[tag])
        elif tag == "pre":
            self._end_pre()
        elif tag in BLOCKS:
            self._end_block()
            if self._list.leave(tag):
                self._end_list()
            self._captions -= self._is_caption(node, tag)
            if tag == "figure":
                self._figures.pop()
        elif tag in ("td", "th"):
            self._text.append(" ")

    def finish(self) -> None:
        self._end_block()
        self._end_list()

    def _enter_inline(self, node: LexborNode, tag: str) -> bool:
        if tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._add_image(one_line(node.attributes.get("alt")))
        elif tag == "sup" and _EXPONENT.fullmatch(exponent := node.text().strip()):
            # `10<sup>6</sup>` is not 106.
            self._text.append(exponent.translate(_RAISED))
            return False
        return True

    def _add_image(self, text: str) -> None:
        caption = self._figures[-1][1] if self._figures else ""
        if text and (describes(text) or not caption) and not repeats(text, caption):
            self._images.append(text)

    def _is_caption(self, node: LexborNode, tag: str) -> bool:
        if tag == "figcaption":
            return bool(self._figures) and self._figures[-1][0]
        return bool(self._other_captions) and node.mem_id in self._other_captions

    def _enter_block(self, node: LexborNode, tag: str) -> bool:
        if tag == "figure":
            self._figures.append(read_figure(node))
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

    def _taken(self) -> tuple[str, str]:
        """The text since the last block, and the descriptions of the pictures in it."""
        text, images = "".join(self._text), self._images
        self._text, self._images = [], []
        if images and text.strip():
            line = one_line(text)
            images = [image for image in images[:_MOST_BESIDE_TEXT] if describes(image) and not repeats(image, line)]
        return (text if text.strip() else ""), " ".join(images)

    def _end_block(self) -> None:
        if self._pre:
            return
        text, images = self._taken()
        self._write(text, "caption" if self._captions else None)
        self._write(images, "alternative_text")

    def _write(self, text: str, figure: FigureKind | None) -> None:
        if self._list.is_open:
            self._list.add(text, figure)
        else:
            self._builder.paragraph(text, figure=figure)

    def _end_list(self) -> None:
        self._builder.lines(*self._list.taken())

    def _end_heading(self, level: int) -> None:
        self._heading -= 1
        self._end_list()
        title, images = self._taken()
        title, images = (title, images) if title else (images, "")
        # A heading that was never closed holds the rest of the page.
        if len(title) > _LONGEST_HEADING:
            self._builder.paragraph(title)
        else:
            self._builder.heading(title, (*self._above, level))
        self._write(images, "alternative_text")

    def _end_pre(self) -> None:
        self._pre -= 1
        if not self._pre:
            self._end_list()
            text, images = self._taken()
            self._builder.lines(text)
            self._write(images, "alternative_text")
