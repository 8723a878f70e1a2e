"""Writes nested values as text: a heading with the path for each group, a line for each value, a table for records."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias, Union

from citewell_documents.errors import DocumentTooLarge
from citewell_documents.parsing.text_builder import DocumentBuilder

_MOST_DEPTH = 100
_MIN_ROWS = 2
_SMALL_TABLE, _MOST_EMPTY = 10_000, 20  # cells of a small table, and the most cells for each filled one in a larger one


class Group(NamedTuple):
    """Named values in their order; a name may occur more than once."""

    values: tuple[tuple[str, "Value"], ...]


Value: TypeAlias = Union[str, Group, "list[Value]"]


def add_value(value: Value, builder: DocumentBuilder, path: str = "") -> None:
    """Add a value: `orders[2].price` is found below the heading `orders[2]`, as `price: 30`.

    Records without groups of their own become a table, whose first column has their places: `[2]`.
    Raises DocumentTooLarge for values that are nested too deeply.
    """
    _add(value, builder, path, 0)


def _add(value: Value, builder: DocumentBuilder, path: str, depth: int) -> None:
    if depth > _MOST_DEPTH:
        raise DocumentTooLarge(f"{builder.filename} is nested more than {_MOST_DEPTH} levels deep, which is the limit.")
    if isinstance(value, Group):
        _add_group(value, builder, path, depth)
    elif isinstance(value, list):
        _add_list(value, builder, path, depth)
    else:
        builder.paragraph(value)


def _add_group(group: Group, builder: DocumentBuilder, path: str, depth: int) -> None:
    if path:
        builder.heading(path, (1,))
    lines = [f"{name}: {_flat(value)}" for name, value in group.values if _is_flat(value)]
    builder.lines("\n".join(lines))
    for name, value in group.values:
        if not _is_flat(value):
            _add(value, builder, f"{path}.{name}" if path else name, depth + 1)


def _add_list(values: "list[Value]", builder: DocumentBuilder, path: str, depth: int) -> None:
    if _is_flat(values):
        builder.heading(path, (1,))
        builder.lines("\n".join(map(_flat, values)))
        return
    records = [
        value for value in values if isinstance(value, Group) and all(_is_flat(held) for _, held in value.values)
    ]
    # Records that each have other names would give a table of mostly empty cells.
    names = {name for record in records for name, _ in record.values}
    filled = sum(len(record.values) for record in records)
    is_full = len(names) * len(records) <= max(_SMALL_TABLE, _MOST_EMPTY * filled)
    if len(values) >= _MIN_ROWS and len(records) == len(values) and is_full:
        builder.heading(path, (1,))
        builder.table(_rows(records), has_header=True)
    else:
        for number, value in enumerate(values):
            _add(
                value if isinstance(value, Group | list) else Group((("", value),)),
                builder,
                f"{path}[{number}]",
                depth + 1,
            )


def _rows(records: Sequence[Group]) -> Iterator[list[str]]:
    names = list(dict.fromkeys(name for record in records for name, _ in record.values))
    yield ["#", *names]
    for number, record in enumerate(records):
        held = {name: _flat(value) for name, value in record.values}
        yield [f"[{number}]", *(held.get(name, "") for name in names)]


def _is_flat(value: Value) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _flat(value: Value) -> str:
    return value if isinstance(value, str) else ", ".join(item for item in value if isinstance(item, str))
