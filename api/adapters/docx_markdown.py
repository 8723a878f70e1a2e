"""Markdown of an answer in a document of Word: headings, lists, quotations, code, tables, linked citations."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from docx.text.paragraph import Paragraph
from markdown_it.tree import SyntaxTreeNode

from api.adapters.markdown import reader, texts_in

if TYPE_CHECKING:
    from api.adapters.docx_export import DocxPage

_DEEPEST = 3
# A heading of the answer stands below its question.
_BELOW = 2
_LOWEST = 9


def write(page: "DocxPage", text: str, own: Collection[str | None]) -> None:
    """Write `text` at the end; only the addresses in `own` become links."""
    for block in SyntaxTreeNode(reader(own).parse(text)).children:
        _block(page, block, 0)


def _block(page: "DocxPage", node: SyntaxTreeNode, depth: int, style: str = "Normal") -> None:
    match node.type:
        case "heading":
            page.heading("".join(texts_in(node)), min(int(node.tag[1]) + _BELOW, _LOWEST))
        case "paragraph":
            paragraph = page.paragraph(style)
            for child in node.children:
                _run(page, paragraph, child.children)
        case "bullet_list" | "ordered_list":
            _list(page, node, depth + 1)
        case "blockquote":
            for child in node.children:
                _block(page, child, depth, "Quote")
        case "table":
            rows = [row for part in node.children for row in part.children]
            page.grid([["".join(texts_in(cell)) for cell in row.children] for row in rows])
        case "hr":
            page.paragraph()
        case _:
            page.run(page.paragraph(style), node.content.rstrip("\n"), code=True)


def _list(page: "DocxPage", node: SyntaxTreeNode, depth: int) -> None:
    level = min(depth, _DEEPEST)
    # A number that Word counts would go on from the list before; so it is written.
    first = int(node.attrs.get("start", 1))
    for number, item in enumerate(node.children, start=first):
        for place, child in enumerate(item.children):
            style = "List Bullet" if node.type == "bullet_list" and not place else "List Continue"
            numbered = node.type == "ordered_list" and not place and child.type == "paragraph"
            if numbered:
                paragraph = page.paragraph(f"List Continue {level}" if level > 1 else "List Continue")
                page.run(paragraph, f"{number}. ")
                for inline in child.children:
                    _run(page, paragraph, inline.children)
            else:
                _block(page, child, depth, f"{style} {level}" if level > 1 else style)


def _run(
    page: "DocxPage",
    paragraph: Paragraph,
    nodes: Sequence[SyntaxTreeNode],
    *,
    bold: bool = False,
    italic: bool = False,
    link: str = "",
) -> None:
    for node in nodes:
        match node.type:
            case "strong":
                _run(page, paragraph, node.children, bold=True, italic=italic, link=link)
            case "em":
                _run(page, paragraph, node.children, bold=bold, italic=True, link=link)
            case "link":
                _run(page, paragraph, node.children, bold=bold, italic=italic, link=str(node.attrs.get("href", "")))
            case "softbreak":
                page.run(paragraph, " ")
            case "hardbreak":
                page.run(paragraph, "\n")
            case "code_inline":
                page.run(paragraph, node.content, code=True, link=link)
            case _ if node.children:
                _run(page, paragraph, node.children, bold=bold, italic=italic, link=link)
            case _:
                page.run(paragraph, node.content, bold=bold, italic=italic, link=link)
