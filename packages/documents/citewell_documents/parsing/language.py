"""The language of a document, if it is certain, and other metadata of a document that was read."""

from dataclasses import replace

from citewell_documents.document import ParsedDocument
from citewell_documents.metadata import completed
from citewell_verify.text.languages import probabilities

_SAMPLE_CHARS = 5_000
_MIN_LETTER_BYTES = 200
_MIN_PROBABILITY = 0.95
_OWN_SCRIPT = ("ko", "ja")
"""Languages whose letters overrule a template that declares English."""


def language_of(text: str, declared: str | None = None) -> str | None:
    """The language of a text in ISO 639-1: by its script, or else as `declared`, or else detected.

    None if uncertain: fewer than about 200 letters, code, tables, several languages.
    """
    sample = text[:_SAMPLE_CHARS]
    if len("".join(filter(str.isalpha, sample)).encode()) < _MIN_LETTER_BYTES:
        return declared
    language, probability = max(probabilities(sample).items(), key=lambda item: item[1])
    likely = language if probability >= _MIN_PROBABILITY else None
    return likely if likely in _OWN_SCRIPT else declared or likely


def with_findings(document: ParsedDocument, filename: str) -> ParsedDocument:
    metadata = completed(document, filename)
    if language := language_of(document.text, metadata.get("language")):
        metadata["language"] = language
    return replace(document, found=metadata)
