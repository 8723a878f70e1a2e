"""Notebooks of Jupyter: their text, code and what the code printed, cell by cell."""

import json
from collections.abc import Iterator
from typing import Any, cast

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty, DocumentUnreadable
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text.markdown import markdown_document
from citewell_documents.parsing.text.reader import decoded
from citewell_documents.parsing.text_builder import DocumentBuilder

_PRINTED = "Output:"


def parse_notebook(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a notebook; pictures among its outputs, and errors, are left out.

    Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge.
    """
    text = decoded(data, filename, limits)
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        loaded = None
    cells = cast("dict[str, Any]", loaded).get("cells") if isinstance(loaded, dict) else None
    if not isinstance(cells, list):
        raise DocumentUnreadable(f"{filename} is no notebook of today (.ipynb with cells); open and save it in Jupyter")
    builder = DocumentBuilder(filename, limits)
    for cell in cast("list[object]", cells):
        if isinstance(cell, dict):
            _add_cell(cast("dict[str, Any]", cell), builder)
    document = builder.build()
    if not document.text:
        raise DocumentEmpty(f"{filename} contains no text")
    return document


def _add_cell(cell: dict[str, Any], builder: DocumentBuilder) -> None:
    source = _joined(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        _add_markdown(source, builder)
        return
    builder.lines(source)
    outputs: object = cell.get("outputs")
    printed = "\n".join(filter(None, _printed(cast("list[object]", outputs) if isinstance(outputs, list) else [])))
    if printed.strip():
        builder.lines(f"{_PRINTED}\n{printed}")


def _add_markdown(source: str, builder: DocumentBuilder) -> None:
    parsed = markdown_document(source)
    starts = [section.start for section in parsed.sections]
    builder.lines(source[: starts[0]] if starts else source)
    for section in parsed.sections:
        builder.heading(section.title, (len(section.path),))
        _, _, below = source[section.start : section.end].partition("\n")
        builder.lines(below)


def _printed(outputs: list[object]) -> Iterator[str]:
    for output in outputs:
        if not isinstance(output, dict):
            continue
        shown = cast("dict[str, Any]", output)
        data: object = shown.get("data")
        plain = cast("dict[str, Any]", data).get("text/plain") if isinstance(data, dict) else None
        yield _joined(shown.get("text") or plain).rstrip("\n")


def _joined(lines: object) -> str:
    """A text of a notebook, which is one string or a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in cast("list[object]", lines) if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
