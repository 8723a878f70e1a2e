"""Says in one line where two documents disagree, for people: in the terminal and in files."""

from collections.abc import Mapping
from typing import Any


def conflict_in_words(conflict: Mapping[str, Any]) -> str:
    """Both values with their documents and dates, that of the document in force first.

    `EUR 0.42 (travel-policy.md, 2026-03-01), which replaces: EUR 0.35 (travel-policy-2024.md, 2024-06-01)`.
    """
    stated, other, in_force = conflict["stated"], conflict["other"], conflict["in_force"]
    sides = (other, stated) if in_force == "other" else (stated, other)
    return (", which replaces: " if in_force else " / ").join(map(_side, sides))


def _side(place: Mapping[str, Any]) -> str:
    document = place["document"] if place["page"] is None else f"{place['document']}, p.{place['page']}"
    return f"{place['value']} ({document}, {place['date']})" if place["date"] else f"{place['value']} ({document})"
