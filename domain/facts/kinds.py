"""What may differ between a statement and its source, by kind (V2, V3)."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "number", "date", "unit", "name", "negation", "order", "modality", "attribution", "quantifier", "subject", "wording"
]


@dataclass(frozen=True, slots=True)
class Difference:
    """`stated` is what the statement says, `known` what the source says there; None where it says nothing.

    Not `sure`: other words that may mean the same, so the statement is not disproved, only unproven.
    """

    kind: Kind
    statement_text: str
    source_text: str | None
    sure: bool = True
