"""Finds the images of a Markdown text, whose alternative texts are text of their own: `![alt](address)`."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from clients.parsing.picture_words import description
from domain.documents.figures import Figure

_INLINE = MarkdownIt("commonmark")
_TARGET = re.compile(r"\((?:[^()\\\n]|\\.|\([^()\n]{0,500}\)){0,2000}\)|\[[^\[\]\n]{0,500}\]")
_LONGEST, _MOST = 5_000, 300_000  # characters of one paragraph, and of all that are looked into


def images_in(
    blocks: Iterable[Token], text: str, line_starts: list[int], references: dict[str, Any]
) -> Iterator[Figure]:
    """The images with alternative texts, whole as they are written, in their order."""
    left, done = _MOST, 0
    for block in blocks:
        if block.type == "inline" and block.map and "![" in block.content and len(block.content) <= min(_LONGEST, left):
            left -= len(block.content)
            # The cells of a row of a table are blocks with the same lines.
            at, end = max(done, line_starts[block.map[0]]), line_starts[block.map[1]]
            # The parser knows what is code; it says what stands between the brackets, but not where.
            parsed = _INLINE.parseInline(block.content, references)[0].children or []
            for label in (token.content for token in parsed if token.type == "image"):
                start = text.find(f"![{label}]", at, end)
                if start < 0:  # written over lines of a quotation
                    break
                at = start + len(label) + 3
                done = at = target.end() if (target := _TARGET.match(text, at, end)) else at
                if description(label):
                    yield Figure("alternative_text", start, at)
