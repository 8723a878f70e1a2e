"""Differences between a statement and its source, and the disagreements that they make (V2, V3)."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "number", "date", "unit", "name", "negation", "order", "modality", "attribution", "quantifier", "subject", "wording"
]


@dataclass(frozen=True, slots=True)
class Difference:
    """`statement_text` differs from `source_text`, which is None if the source has no counterpart.

    Not `sure`: the words may mean the same, so the statement is unproven rather than contradicted.
    """

    kind: Kind
    statement_text: str
    source_text: str | None
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`claim_value` is in the claim; `source_value` is what the source says instead, None if it says nothing about it.

    `message` states both in one sentence for users.
    """

    kind: Kind
    claim_value: str
    source_value: str | None
    message: str
