"""Markdown in files: answers as models write them, and texts of documents, which are not Markdown.

Models may repeat what documents order them to write. So only the form of an answer is kept (headings, lists, tables,
emphasis, code): no HTML, no pictures, and no links except those to the cited documents.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_SIGNS = re.compile(r"[\\`*_\[\]<>!|#&~]")
# A line that begins with one of these would be a list, a heading or a table.
_BEGINNING = re.compile(r"^([^\S\n]*(?:\d{1,9}(?=[.)]))?)([-+=:.)])", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
_BACKTICKS = re.compile(r"`+")
_CITATION = re.compile(r"\\\[(\d+)\\\]")


def reader(own: Collection[str | None]) -> MarkdownIt:
    """Return a parser for answers; only the addresses in `own` become links."""
    # An entity in an answer is text of a document, and so is the definition of a link.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.disable(["image", "autolink", "entity", "reference"])
    markdown.validateLink = lambda url: url in own
    return markdown


def literal(text: str) -> str:
    """Return a text on one line that any viewer of Markdown shows unchanged."""
    return _as_text(_escaped(" ".join(text.split())))


def written(answer: str, own: Collection[str | None]) -> str:
    """Return the answer in Markdown that every viewer understands as `reader(own)` understands the answer."""
    markdown = reader(own)
    read = SyntaxTreeNode(markdown.parse(answer))
    text = _blocks(read.children)
    if _shown(SyntaxTreeNode(markdown.parse(text))) != _shown(read):
        # Once the signs beside them that mean nothing are escaped, signs of emphasis may pair differently.
        text = _blocks(SyntaxTreeNode(markdown.disable("emphasis").parse(answer)).children)
    return text


def texts_in(node: SyntaxTreeNode) -> Iterator[str]:
    """Yield the text of a node without its form, piece by piece."""
    if node.type in ("softbreak", "hardbreak"):
        yield " "
    elif node.type in ("text", "code_inline"):
        yield node.content
    for child in node.children:
        yield from texts_in(child)


def _shown(read: SyntaxTreeNode) -> str:
    leaves = (node for block in read.children for node in block.walk() if not node.children)
    return "".join("".join(node.content for node in leaves).split())


def _escaped(text: str) -> str:
    return _SIGNS.sub(r"\\\g<0>", text)


def _as_text(lines: str) -> str:
    return _BEGINNING.sub(r"\1\\\2", lines)


def _blocks(nodes: Sequence[SyntaxTreeNode], between: str = "\n\n") -> str:
    return between.join(map(_block, nodes))


def _block(node: SyntaxTreeNode) -> str:
    match node.type:
        case "heading":
            text = _inline(node)
            # Only an underlined heading has several lines; a longer line under it could turn it into a table.
            return f"{_as_text(text)}\n{node.markup}" if "\n" in text else f"{'#' * int(node.tag[1:])} {text}"
        case "paragraph":
            return _as_text(_inline(node))
        case "bullet_list" | "ordered_list":
            return _list(node)
        case "blockquote":
            return "\n".join(f"> {line}" for line in _blocks(node.children).split("\n"))
        case "table":
            # A bar would end the cell, even within code.
            head, *rows = [
                [_PIPE.sub(r"\|", _inline(cell)) for cell in row.children]
                for part in node.children
                for row in part.children
            ]
            return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
        case "hr":
            return "___"
        case _:
            fence = _longer_than_any(node.content, 3)
            return f"{fence}\n{node.content.removesuffix(chr(10))}\n{fence}"


def _list(node: SyntaxTreeNode) -> str:
    first = int(node.attrs.get("start", 1))
    # A list has no space between its items if none of its paragraphs stands alone.
    is_tight = any(child.hidden for item in node.children for child in item.children)
    items: list[str] = []
    for number, item in enumerate(node.children, start=first):
        mark = f"{number}{node.markup}" if node.type == "ordered_list" else node.markup
        inner = _blocks(item.children, "\n" if is_tight else "\n\n").replace("\n", f"\n{' ' * (len(mark) + 1)}")
        items.append(f"{mark} {inner}")
    return ("\n" if is_tight else "\n\n").join(items)


def _inline(node: SyntaxTreeNode) -> str:
    return "".join(_run(child) for child in node.children)


def _run(node: SyntaxTreeNode) -> str:
    match node.type:
        case "softbreak":
            return "\n"
        case "hardbreak":
            return "\\\n"
        case "code_inline":
            content, mark = node.content, _longer_than_any(node.content, 1)
            space = " " if content[:1] in ("`", " ") or content[-1:] in ("`", " ") else ""
            return f"{mark}{space}{content}{space}{mark}"
        case "strong" | "em":
            return f"{node.markup}{_inline(node)}{node.markup}"
        case "link" if node.attrs["href"]:  # `[text]()` has no address
            # A citation keeps the form that it has in every file.
            label = _CITATION.sub(r"[\1]", _inline(node))
            return f"[{label}]({node.attrs['href']})"
        case _:
            return _inline(node) if node.children else _escaped(node.content)


def _longer_than_any(content: str, least: int) -> str:
    return "`" * max([least, *(len(run) + 1 for run in _BACKTICKS.findall(content))])
