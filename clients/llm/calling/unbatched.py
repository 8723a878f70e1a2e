"""Shared calls for models that judge one item at a time anyway: each verdict is that of the item alone."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from domain.prompting.batched_items import Items, Statements
from domain.prompting.judgements import ItemCheck, StatementCheck, StatementChecks
from domain.prompting.numbered_sources import Sources

K = TypeVar("K", bound=Items)


def items_of(fields: Mapping[str, object], name: str, kind: type[K]) -> K:
    """The items in a field. Raises TypeError for anything else, such as a text."""
    items = fields[name]
    if not isinstance(items, kind):
        raise TypeError(f"{name} are read from {kind.__name__}, not from a text")
    return items


def check_each(fields: Mapping[str, object], check: Callable[[str, Sources], StatementCheck]) -> StatementChecks:
    """Answer `check_statements` by calling `check(statement, sources)` for each item."""
    sources = fields["sources"]
    if not isinstance(sources, Sources):
        raise TypeError("sources are read from a Sources object, not from a text")
    by_number = {source.number: source for source in sources}
    return StatementChecks(
        verdicts=[
            ItemCheck(id=item.id, verdict=check(item.text, Sources(by_number[number] for number in item.sources)))
            for item in items_of(fields, "statements", Statements)
        ]
    )
