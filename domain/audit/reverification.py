"""Compares a new verification of an answer with the previous one, sentence by sentence (N6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

GOOD = frozenset({"supported", "no_claim"})
"""States of a sentence that need no attention."""


@dataclass(frozen=True, slots=True)
class SentenceState:
    """A sentence of an answer with its state; `start:end` are code points."""

    start: int
    end: int
    text: str
    status: str
    support: float | None
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {"status": self.status, "support": self.support, "reason": self.reason}


def compare(old: Sequence[SentenceState], new: Sequence[SentenceState]) -> list[dict[str, Any]]:
    """Return {start, end, text, old, new, changed} for every sentence of either, in the order of the answer.

    Sentences at the same place are the same; a sentence that only one side has has no state on the other.
    """
    before, after = ({(sentence.start, sentence.end): sentence for sentence in side} for side in (old, new))
    said = {**before, **after}
    return [_pair(said[place], before.get(place), after.get(place)) for place in sorted(said)]


def _pair(said: SentenceState, old: SentenceState | None, new: SentenceState | None) -> dict[str, Any]:
    return {
        "start": said.start,
        "end": said.end,
        "text": said.text,
        "old": old.as_json() if old else None,
        "new": new.as_json() if new else None,
        "changed": (old.status if old else None) != (new.status if new else None),
    }


def worse(compared: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [pair for pair in compared if _is_good(pair["old"]) and not _is_good(pair["new"])]


def _is_good(state: dict[str, Any] | None) -> bool:
    return state is None or state["status"] in GOOD
