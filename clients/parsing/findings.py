"""Metadata derived from a document's text and file name.

Runs in the worker, not in the parsing child, because the language model takes half a second to load.
"""

from dataclasses import replace

from clients.parsing.language import language_of
from domain.documents.documents import ParsedDocument
from domain.documents.metadata import completed


def with_findings(document: ParsedDocument, filename: str) -> ParsedDocument:
    """Add title and language, and for filings ticker, year and type, from the text and the file name."""
    found = completed(document, filename)
    if language := language_of(document.text, found.get("language")):
        found["language"] = language
    return replace(document, found=found)
