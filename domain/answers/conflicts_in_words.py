"""Describes a disagreement of two documents in one line for people, in the terminal and in files."""

from collections.abc import Mapping
from typing import Any


def conflict_in_words(conflict: Mapping[str, Any], replaces: str = ", in place of ", on_page: str = "p.{}") -> str:
    """Both values with their documents and dates; the value of the document in force comes first.

    `EUR 0.42 (travel-policy.md, 2026-03-01), in place of EUR 0.35 (travel-policy-2024.md, 2024-06-01)`.
    """
    stated, differing, in_force = conflict["stated"], conflict["other"], conflict["in_force"]
    sides = (differing, stated) if in_force == "other" else (stated, differing)
    written: list[str] = []
    for side in sides:
        document = side["document"] if side["page"] is None else f"{side['document']}, {on_page.format(side['page'])}"
        date = f", {side['date']}" if side["date"] else ""
        written.append(f"{side['value']} ({document}{date})")
    return (replaces if in_force else " / ").join(written)
