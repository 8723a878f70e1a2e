"""Finds sections, tables and front matter in a Markdown text, which itself stays unchanged."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import accumulate, islice, pairwise
from typing import Any, cast

import yaml
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citewell_documents.document import ParsedDocument, Table
from citewell_documents.figures import MOST_FIGURES, Figure
from citewell_documents.parsing.picture_words import description
from citewell_documents.parsing.text_builder import Heading, sections_from

# Front matter is a mapping without blank lines; other text between two thematic breaks is none.
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?=[^\n:]+:)(?:.+\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_MOST_FRONT_MATTER = 20_000
_KEYS = {
    "title": "title",
    "author": "author",
    "authors": "author",
    "date": "date",
    "lang": "language",
    "language": "language",
    "tags": "tags",
}
# Blocks are enough to find headings; parsing inline content would take most of the time.
_BLOCKS = MarkdownIt("commonmark").enable("table")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINE = MarkdownIt("commonmark")
_TARGET = re.compile(r"\((?:[^()\\\n]|\\.|\([^()\n]{0,500}\)){0,2000}\)|\[[^\[\]\n]{0,500}\]")
_LONGEST, _MOST = 5_000, 300_000  # characters of one paragraph with images, and of all such paragraphs that are parsed


def markdown_document(text: str) -> ParsedDocument:
    """Return the text with the sections of its ATX and setext headings, its pipe tables, images and front matter.

    Lookalikes of headings in code or front matter do not count. A table's header includes the line of dashes below it.
    """
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    front = _FRONT_MATTER.match(text)
    references: dict[str, Any] = {}
    tokens = _BLOCKS.parse("\n" * front[0].count("\n") + text[front.end() :] if front else text, references)
    headings = [
        Heading(line_starts[token.map[0]], title, (int(token.tag.removeprefix("h")),))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map and (title := _plain(inline))
    ]
    tables = [
        Table(line_starts[token.map[0]], line_starts[token.map[1]] - 1, line_starts[token.map[0] + 2] - 1)
        for token in tokens
        if token.type == "table_open" and token.map
    ]
    metadata = _front_matter(front[0]) if front else {}
    figures = tuple(islice(_images_in(tokens, text, line_starts, references), MOST_FIGURES)) if "![" in text else ()
    sections = sections_from(headings, len(text))
    return ParsedDocument(text, sections=sections, tables=tuple(tables), found=metadata, figures=figures)


def _images_in(
    blocks: Iterable[Token], text: str, line_starts: list[int], references: dict[str, Any]
) -> Iterator[Figure]:
    """Yield the images with alternative texts, in order; the span of each is its whole markup, `![alt](address)`."""
    left, done = _MOST, 0
    for block in blocks:
        if block.type == "inline" and block.map and "![" in block.content and len(block.content) <= min(_LONGEST, left):
            left -= len(block.content)
            # The cells of a row of a table are blocks with the same lines.
            at, end = max(done, line_starts[block.map[0]]), line_starts[block.map[1]]
            # The parser knows which text is code. It returns the text between the brackets, but not its place.
            parsed = _INLINE.parseInline(block.content, references)[0].children or []
            for label in (token.content for token in parsed if token.type == "image"):
                start = text.find(f"![{label}]", at, end)
                if start < 0:  # the image is written over several lines of a quotation
                    break
                at = start + len(label) + 3
                done = at = target.end() if (target := _TARGET.match(text, at, end)) else at
                if description(label):
                    yield Figure("alternative_text", start, at)


def _front_matter(block: str) -> dict[str, str]:
    """The metadata with the usual keys; several authors or tags are joined."""
    try:
        loaded: object = yaml.safe_load(block.strip().strip("-.")) if len(block) <= _MOST_FRONT_MATTER else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    metadata: dict[str, str] = {}
    for key, value in cast("Mapping[object, object]", loaded).items() if isinstance(loaded, dict) else ():
        name = _KEYS.get(str(key).lower())
        values = cast("list[object]", value) if isinstance(value, list) else [value]
        value = ", ".join(
            str(item).strip() for item in values if isinstance(item, str | int | date) and str(item).strip()
        )
        if name and value:
            metadata.setdefault(name, " ".join(value.split()))
    return metadata


def _plain(inline: Token) -> str:
    """The text of a heading without `**`, backticks and link targets."""
    children = _INLINE.parseInline(inline.content)[0].children or []
    return " ".join("".join(child.content or " " for child in children if child.type in _SHOWN).split())


_SHOWN = frozenset({"text", "code_inline", "softbreak", "hardbreak", "text_special", "image"})
