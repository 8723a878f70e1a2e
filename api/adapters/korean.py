"""The dashboard's Korean texts, for files and shared pages that the server writes in Korean."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from domain.exports.messages import reader
from domain.exports.wording import KOREAN, Wording

_PAGE = Path(__file__).parents[1] / "dashboard"


@cache
def korean() -> Wording:
    """Return the Korean texts, read once from the table that the dashboard loads."""
    texts = _table("texts.ko.json")
    return replace(
        KOREAN,
        told=reader(_table("messages.ko.json")),
        steps=texts["parts/steps"],
        marks=texts["parts/evidence"],
    )


def _table(name: str) -> dict[str, Any]:
    return json.loads((_PAGE / name).read_text(encoding="utf-8"))
