"""Sections of a Markdown text; the text itself stays as it is."""

import re
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from clients.parsing.headings import Heading, sections_from
from domain.documents import Section

# A mapping without blank lines: two thematic breaks with text between them are something else.
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?=[^\n:]+:)(?:.+\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
# Blocks are enough to find headings; parsing what is inside them would cost most of the time.
_BLOCKS = MarkdownIt("commonmark")
_BLOCKS.core.ruler.enableOnly(["normalize", "block"])
_INLINE = MarkdownIt("commonmark")


def markdown_sections(text: str) -> tuple[Section, ...]:
    """Return the sections below ATX and setext headings; what looks like one in code or front matter is none."""
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    tokens = _BLOCKS.parse(_FRONT_MATTER.sub(lambda matter: "\n" * matter[0].count("\n"), text))
    headings = [
        Heading(line_starts[token.map[0]], title, (int(token.tag.removeprefix("h")),))
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map and (title := _plain(inline))
    ]
    return sections_from(headings, len(text))


def _plain(inline: Token) -> str:
    """The words of a heading without `**`, backticks and link targets."""
    children = _INLINE.parseInline(inline.content)[0].children or []
    return " ".join("".join(child.content or " " for child in children if child.type in _SHOWN).split())


_SHOWN = frozenset({"text", "code_inline", "softbreak", "hardbreak", "text_special", "image"})
