"""What is found out about a document that was read: in the worker and not in the child that read it, because the model
of languages takes half a second to load."""

from dataclasses import replace

from clients.parsing.language import language_of
from domain.documents import ParsedDocument
from domain.found import completed


def with_findings(document: ParsedDocument, filename: str) -> ParsedDocument:
    """Add what the text and the file's name tell: title, language, and of filings ticker, year and type."""
    found = completed(document, filename)
    if language := language_of(document.text, found.get("language")):
        found["language"] = language
    return replace(document, found=found)
