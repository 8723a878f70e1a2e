"""Words of a document on one line as a reader of it sees them, without the marks of its format."""

import re

_MARKDOWN = (".md", ".markdown", ".mdx")
_HEADING = re.compile(r"^[^\S\n]{0,3}#{1,6}[^\S\n]+", re.MULTILINE)
_RULE_OF_TABLE = re.compile(r"^[^\S\n]*\|?(?:[^\S\n]*:?-{3,}:?[^\S\n]*\|?)+[^\S\n]*$\n?", re.MULTILINE)
_EDGE_OF_ROW = re.compile(r"^[^\S\n]*\|[^\S\n]*|[^\S\n]*(?<!\\)\|[^\S\n]*$", re.MULTILINE)
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_CELLS = re.compile(r"[^\S\n]*\t[^\S\n]*")


def readable_words(text: str, document: str) -> str:
    """`text` is of a document with that name; cells of a row are parted by ` | `, as they are in Markdown."""
    if document.lower().endswith(_MARKDOWN):
        text = _EDGE_OF_ROW.sub("", _RULE_OF_TABLE.sub("", _HEADING.sub("", text)))
        text = _STRONG.sub(r"\2", text)
    return " ".join(_CELLS.sub(" | ", text.strip()).split())
