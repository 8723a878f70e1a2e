"""Jupyter notebooks: their text, their code and its printed output, cell by cell."""

import json
from typing import Any, cast

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentUnreadable
from citewell_documents.parsing.decoding import decoded
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.text.markdown import markdown_document
from citewell_documents.parsing.text_builder import DocumentBuilder

_PRINTED = "Output:"


def parse_notebook(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a notebook. Pictures in its outputs, and errors, are left out; an output in several forms is read in one.

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
    return builder.build_with_text()


def _add_cell(cell: dict[str, Any], builder: DocumentBuilder) -> None:
    source = _joined(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        _add_markdown(source, builder)
        return
    builder.lines(source)
    outputs: object = cell.get("outputs")
    listed = cast("list[object]", outputs) if isinstance(outputs, list) else []
    shown = [cast("dict[str, Any]", output) for output in listed if isinstance(output, dict)]
    printed = "\n".join(filter(None, map(_printed, shown)))
    formatted = [output for output in shown if not _printed(output)]
    if printed.strip():
        builder.lines(f"{_PRINTED}\n{printed}")
    for output in formatted:
        _add_formatted(output, builder)


def _add_markdown(source: str, builder: DocumentBuilder) -> None:
    if "<" in source:
        # The library that this needs is in another extra of the package.
        from citewell_documents.parsing.text.markdown_html import without_html  # noqa: PLC0415

        source = without_html(source, builder.filename, builder.limits)
    parsed = markdown_document(source)
    starts = [section.start for section in parsed.sections]
    builder.lines(source[: starts[0]] if starts else source)
    for section in parsed.sections:
        builder.heading(section.title, (len(section.path),))
        _, _, below = source[section.start : section.end].partition("\n")
        builder.lines(below)


def _add_formatted(output: dict[str, Any], builder: DocumentBuilder) -> None:
    """Add an output that exists only as Markdown or HTML."""
    if markdown := _form(output, "text/markdown"):
        _add_markdown(markdown, builder)
    elif page := _form(output, "text/html"):
        from citewell_documents.parsing.html.blocks import add_blocks  # noqa: PLC0415
        from citewell_documents.parsing.html.visible import seen_tree  # noqa: PLC0415

        if (body := seen_tree(page, builder.filename, builder.hidden).body) is not None:
            add_blocks(body, builder)


def _printed(output: dict[str, Any]) -> str:
    """The text of an output; "" if it is only the name of a picture, such as `<Figure size 640x480>`."""
    said = (_joined(output.get("text")) or _form(output, "text/plain")).rstrip("\n")
    data: object = output.get("data")
    is_picture = isinstance(data, dict) and any(kind.startswith("image/") for kind in cast("dict[str, Any]", data))
    return "" if is_picture and said.startswith("<") and said.endswith(">") else said


def _form(output: dict[str, Any], kind: str) -> str:
    data: object = output.get("data")
    return _joined(cast("dict[str, Any]", data).get(kind)) if isinstance(data, dict) else ""


def _joined(lines: object) -> str:
    """A text of a notebook, which is one string or a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in cast("list[object]", lines) if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
