"""JSON and JSON Lines: numbers as they are written, values below their paths."""

import json
from collections.abc import Callable
from typing import Any, cast

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentTooLarge, DocumentUnreadable
from citewell_documents.parsing.decoding import decode, within_limit
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.records.outline import Group, Value, add_value
from citewell_documents.parsing.text_builder import DocumentBuilder

_WORDS = {True: "true", False: "false", None: "null"}


def parse_json(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read one JSON value. Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge."""
    builder = DocumentBuilder(filename, limits)
    text = within_limit(decode(data, filename), filename, limits)
    add_value(_loaded(text, filename, lambda error: f"line {error.lineno}, column {error.colno}"), builder)
    return builder.build_with_text()


def parse_json_lines(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a JSON value from each line; flat records become one table. Raises as `parse_json` does."""
    builder = DocumentBuilder(filename, limits)
    lines = within_limit(decode(data, filename), filename, limits).split("\n")
    values = [
        _loaded(line, filename, lambda error, number=number: f"line {number}, column {error.colno}")
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    add_value(values, builder, "records")
    return builder.build_with_text()


def _loaded(text: str, filename: str, place: Callable[[json.JSONDecodeError], str]) -> Value:
    try:
        return _value(json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=_Pairs))
    except json.JSONDecodeError as error:
        raise DocumentUnreadable(f"{filename} is not valid JSON: {error.msg} ({place(error)})") from None
    except RecursionError:
        raise DocumentTooLarge(f"{filename} is nested too deeply to be read") from None


class _Pairs(list[tuple[str, Any]]):
    """An object; a name that occurs twice keeps both values."""


def _value(loaded: Any) -> Value:
    if isinstance(loaded, _Pairs):
        return Group(tuple((name, _value(value)) for name, value in loaded))
    if isinstance(loaded, list):
        return [_value(item) for item in cast("list[Any]", loaded)]
    return loaded if isinstance(loaded, str) else _WORDS[loaded]
