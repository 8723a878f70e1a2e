"""Sections of a plain text. Only unambiguous headings count: a blank line before and a rule below."""

import re

from clients.parsing.headings import Heading, sections_from
from domain.documents.documents import ParsedDocument

_UNDERLINED = re.compile(
    r"(?:\A|\n[ \t]*\n)[ \t]*(?P<title>\S[^\n]{0,118}?)[ \t]*\n[ \t]*(?P<rule>={3,}|-{3,}|~{3,})[ \t]*(?:\n|\Z)"
)


def plain_document(text: str) -> ParsedDocument:
    """Return the text with the sections of underlined headings; the rule's character gives the level, by first use."""
    levels: dict[str, int] = {}
    headings = [
        Heading(match.start("title"), match["title"], (levels.setdefault(match["rule"][0], len(levels)),))
        for match in _UNDERLINED.finditer(text)
        if any(character.isalpha() for character in match["title"])
    ]
    return ParsedDocument(text, sections=sections_from(headings, len(text)))
