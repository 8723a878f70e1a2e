"""What the rules for follow-up questions have in common."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["stands alone", "refers back"]
"""Nothing has to be resolved; or something has to, and no rule says how."""


@dataclass(frozen=True, slots=True)
class Restatement:
    """The question in words that stand alone."""

    text: str


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
