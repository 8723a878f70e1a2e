"""The words of the page in Korean, for what is written here in that language: files and shared pages."""

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
    """Read once: it is the tables that the page loads."""
    texts = _table("texts.ko.json")
    return replace(
        KOREAN,
        told=reader(_table("messages.ko.json")),
        steps=texts["parts/steps"],
        marks=texts["parts/evidence"],
    )


def _table(name: str) -> dict[str, Any]:
    return json.loads((_PAGE / name).read_text(encoding="utf-8"))
