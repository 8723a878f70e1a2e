"""Markdown of an answer on the pages of a PDF: headings, lists, quotations, emphasis, code, tables, linked citations.

The font has one weight and no slant: what is emphasised is drawn with a stroke around its letters.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from markdown_it.tree import SyntaxTreeNode

from api.adapters.markdown import reader, texts_in

if TYPE_CHECKING:
    from api.adapters.pdf_export import PdfPage

_HEADINGS = {"h1": 15.0, "h2": 13.5, "h3": 12.5}
_TEXT, _SMALL = 11.0, 9.5
_STEP = 6.0
_DEEPEST = 6
_CODE, _RULE = (70, 70, 92), (200, 200, 200)


def draw(page: "PdfPage", text: str, own: Collection[str | None]) -> None:
    """Draw `text` from the current place on, from margin to margin; only the addresses in `own` become links."""
    for block in SyntaxTreeNode(reader(own).parse(text)).children:
        _block(page, block, 0)


def _block(page: "PdfPage", node: SyntaxTreeNode, depth: int, mark: str = "") -> None:
    with page.indented(_STEP * min(depth, _DEEPEST)):
        match node.type:
            case "heading":
                page.ln(1.5)
                _inline(page, node, _HEADINGS.get(node.tag, 11.5), emphasised=True)
                page.ln(1)
            case "paragraph":
                _inline(page, node, _TEXT, mark)
                page.ln(1.5)
            case "bullet_list" | "ordered_list":
                _list(page, node, depth)
            case "blockquote":
                for child in node.children:
                    _block(page, child, depth + 1)
            case _:
                _figure(page, node)


def _figure(page: "PdfPage", node: SyntaxTreeNode) -> None:
    match node.type:
        case "table":
            rows = [row for part in node.children for row in part.children]
            page.grid([["".join(texts_in(cell)) for cell in row.children] for row in rows], _SMALL)
        case "hr":
            page.rule(_RULE)
        case _:
            page.code(node.content.rstrip("\n"), _SMALL, _CODE)


def _list(page: "PdfPage", node: SyntaxTreeNode, depth: int) -> None:
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        mark = f"{number}. " if node.type == "ordered_list" else "• "
        for place, child in enumerate(item.children):
            _block(page, child, depth + 1, "" if place else mark)


def _inline(page: "PdfPage", node: SyntaxTreeNode, size: float, mark: str = "", *, emphasised: bool = False) -> None:
    page.begin(size)
    page.run(mark)
    for child in node.children:
        _run(page, child.children, emphasised=emphasised)
    page.end()


def _run(page: "PdfPage", nodes: Sequence[SyntaxTreeNode], *, emphasised: bool, link: str = "") -> None:
    for node in nodes:
        match node.type:
            case "strong" | "em":
                _run(page, node.children, emphasised=True, link=link)
            case "link":
                _run(page, node.children, emphasised=emphasised, link=str(node.attrs.get("href", "")))
            case "softbreak" | "hardbreak":
                page.run("\n")
            case "code_inline":
                page.run(node.content, link, colour=_CODE)
            case "text":
                page.run(node.content, link, emphasised=emphasised)
            case _:
                _run(page, node.children, emphasised=emphasised, link=link)
                page.run("" if node.children else node.content, link)
