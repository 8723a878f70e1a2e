"""Raw HTML in Markdown: its blocks become Markdown of the text that a reader sees, and tags within lines are
removed.
"""

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from citewell_documents.document import ParsedDocument
from citewell_documents.parsing.html.blocks import add_blocks
from citewell_documents.parsing.html.nodes import parse_tree
from citewell_documents.parsing.html.visible import hides, seen_tree
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text_builder import DocumentBuilder

_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINE = MarkdownIt("commonmark")
_LONGEST, _MOST = 5_000, 300_000  # characters of one paragraph with tags, and of all such paragraphs that are parsed
_BREAK = "<br"
_NAME = re.compile(r"<([A-Za-z][\w-]*)\b")


class _Change(NamedTuple):
    start: int
    end: int
    by: str


def without_html(text: str, filename: str, limits: ParseLimits) -> str:
    """The text with Markdown in place of HTML. Raises DocumentUnreadable or DocumentTooLarge for hostile HTML."""
    if "<" not in text:
        return text
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    tokens = _BLOCKS.parse(text)
    changes = sorted((*_blocks(tokens, text, starts, filename, limits), *_tags(tokens, text, starts, filename)))
    parts: list[str] = []
    at = 0
    for change in changes:
        if change.start >= at:
            parts += [text[at : change.start], change.by]
            at = change.end
    return "".join((*parts, text[at:]))


def _blocks(tokens: list[Token], text: str, starts: list[int], filename: str, limits: ParseLimits) -> Iterator[_Change]:
    """Yield the changes of blocks of HTML. Blocks with only blank lines between them are one, as in a table with blank
    lines.
    """
    spans: list[tuple[int, int]] = []
    for token in tokens:
        if token.type == "html_block" and token.level == 0 and token.map:
            start, end = starts[token.map[0]], min(starts[token.map[1]], len(text))
            if spans and not text[spans[-1][1] : start].strip():
                start, _ = spans.pop()
            spans.append((start, end))
    for start, end in spans:
        builder = DocumentBuilder(filename, limits)
        tree = seen_tree(text[start:end], filename, builder.hidden)
        if tree.body is not None:
            add_blocks(tree.body, builder)
        seen = "\n\n".join(_in_markdown(builder.build()))
        yield _Change(start, end, f"{seen}\n\n" if seen else "\n")


def _in_markdown(document: ParsedDocument) -> Iterator[str]:
    for block in document.blocks:
        content = document.text[block.start : block.end]
        if block.kind == "heading":
            yield f"{'#' * min(block.level, 6)} {content}"
        elif block.kind == "table":
            yield "\n".join(_table(document.text[block.start : block.header_end], content))
        else:
            yield content


def _table(heads: str, content: str) -> Iterator[str]:
    rows = [row.replace("|", "\\|").split("\t") for row in content.split("\n")]
    width = max(map(len, rows))
    # A table in Markdown needs a line of heads, so an empty one is added.
    lines = [row + [""] * (width - len(row)) for row in (rows if heads else [[], *rows])]
    for number, row in enumerate(lines):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield f"|{'---|' * width}"


def _tags(tokens: list[Token], text: str, starts: list[int], filename: str) -> Iterator[_Change]:
    """Yield the tags within lines, with the words that they hide; text that looks like a tag in code stays."""
    left, done = _MOST, 0
    for block in tokens:
        if block.type != "inline" or not block.map or "<" not in block.content:
            continue
        if len(block.content) > min(_LONGEST, left):
            continue
        left -= len(block.content)
        # The cells of a row of a table are blocks with the same lines.
        at, end = max(done, starts[block.map[0]]), min(starts[block.map[1]], len(text))
        tags: list[_Change] = []
        for part in _INLINE.parseInline(block.content)[0].children or []:
            if part.type not in ("html_inline", "code_inline") or (start := text.find(part.content, at, end)) < 0:
                continue
            done = at = start + len(part.content)
            if part.type == "html_inline":
                tags.append(_Change(start, at, " " if part.content.lower().startswith(_BREAK) else ""))
        yield from _with_hidden(tags, text, filename)


def _with_hidden(tags: list[_Change], text: str, filename: str) -> Iterator[_Change]:
    """The changes; a tag that hides words is removed together with them, up to the next tag that ends it."""
    for number, tag in enumerate(tags):
        name = _NAME.match(text, tag.start)
        body = parse_tree(text[tag.start : tag.end], filename).body if name else None
        node = body.first_child if body is not None else None
        ending = f"</{name[1]}" if name and node is not None and hides(node) else ""
        ends = (later.end for later in tags[number + 1 :] if ending and text.startswith(ending, later.start))
        yield tag._replace(end=next(ends, tag.end))
