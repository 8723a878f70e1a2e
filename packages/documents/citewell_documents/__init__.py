"""Reads files of thirty kinds into one text with its pages, sections, tables and places."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from citewell_documents.document import Page, ParsedDocument, Section, Table, TextChunk
    from citewell_documents.errors import DocumentUnusable
    from citewell_documents.parsing.limits import ParseLimits
    from citewell_documents.reading import chunks, read

__all__ = [
    "DocumentUnusable",
    "Page",
    "ParseLimits",
    "ParsedDocument",
    "Section",
    "Table",
    "TextChunk",
    "chunks",
    "read",
]

_HOMES = {
    "DocumentUnusable": "citewell_documents.errors",
    "ParseLimits": "citewell_documents.parsing.limits",
    **dict.fromkeys(("chunks", "read"), "citewell_documents.reading"),
}


def __getattr__(name: str) -> Any:
    # Names are imported when they are asked for: the child that reads a file loads only the libraries of its format.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "citewell_documents.document")), name)
