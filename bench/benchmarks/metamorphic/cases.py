"""Cases and their kinds, and the texts that cases are made from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Literal

Expected = Literal["supported", "not_supported"]

FAITHFUL = ("clauses", "dropped", "voice", "abbreviations", "digits", "cells")
SWAPS = (
    "names", "places", "roles", "numbered things", "metrics", "cells", "directions", "orders", "dates", "lists",
)  # fmt: skip
CHANGES = (
    "number", "sign", "unit", "currency", "half of the day", "date", "name", "negation", "antonym", "affix",
    "quantifier", "comparative", "ordinal", "modality", "attribution",
)  # fmt: skip
KINDS = (
    "verbatim",
    *(f"faithful: {name}" for name in FAITHFUL),
    *(f"swap: {name}" for name in SWAPS),
    *(f"change: {name}" for name in CHANGES),
    "missing subject",
)


@dataclass(frozen=True, slots=True)
class Case:
    """`statement` against `source`. `unchanged`: an answer that is this statement must come back byte for byte."""

    kind: str
    language: str
    statement: str
    source: str
    expected: Expected
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A source as it was found, in language "en" or "ko"."""

    language: str
    text: str


Maker = Callable[[Text, Random], Iterator[Case]]
"""A function that yields the cases of one kind that can be made from a text; none where the text is not suitable."""


def right(kind: str, language: str, statement: str, source: str, *, unchanged: bool = False) -> Case:
    """Return a case that must be supported."""
    return Case(kind, language, statement, source, "supported", unchanged)


def wrong(kind: str, language: str, statement: str, source: str) -> Case:
    """Return a case that must not be supported."""
    return Case(kind, language, statement, source, "not_supported")
