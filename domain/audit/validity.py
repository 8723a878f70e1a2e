"""Decides whether a published answer still holds after a cited document changed or was deleted (N7)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

# Compares a new verification of an answer with the previous one, sentence by sentence (N6).

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


class Standing(StrEnum):
    """The validity of an answer. `stale`: a cited version is no longer in force, and has not been compared yet.
    `invalidated`: the answer does not hold any more."""

    VALID = "valid"
    STALE = "stale"
    INVALIDATED = "invalidated"


class Ruling(NamedTuple):
    """A state and the reason for it."""

    state: Standing
    reason: str


IN_FORCE = Ruling(Standing.VALID, "All that it cites is in force as it was cited.")
_ORDER = (Standing.VALID, Standing.STALE, Standing.INVALIDATED)


def worst(rulings: Sequence[Ruling]) -> Ruling:
    return max(rulings, key=lambda ruling: _ORDER.index(ruling.state), default=IN_FORCE)


def after_deletion(filename: str) -> Ruling:
    """The ruling after the document was deleted: a citation without its source proves nothing."""
    return Ruling(Standing.INVALIDATED, f"{filename}, which it cites, was deleted.")


def after_change(filename: str, quotes: Sequence[str], current: str, *, is_same: bool) -> Ruling:
    """The ruling by a comparison without a model: `quotes` are the passages that the answer cites from the old version,
    `current` is the text of the new version. Differences in white space do not count."""
    if is_same:
        return IN_FORCE
    text = _squeezed(current)
    lost = sum(_squeezed(quote) not in text for quote in quotes)
    if lost:
        return Ruling(
            Standing.INVALIDATED,
            f"{filename} has a new version, in which {lost} of {len(quotes)} cited passages do not stand.",
        )
    return Ruling(Standing.STALE, f"{filename} has a new version; all cited passages stand in it.")


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def after_reverification(filename: str, compared: Sequence[dict[str, Any]] | None) -> Ruling:
    """The ruling by a new verification on the current evidence; `compared` is the result of `compare`, or None if there
    was no verification."""
    if compared is None:
        return Ruling(Standing.STALE, f"{filename} changed, and the answer could not be verified again.")
    lost = worse(compared)
    unsure = [pair for pair in lost if pair["new"] is None or pair["new"]["status"] == "not_checked"]
    if len(lost) > len(unsure):
        count = f"{len(lost) - len(unsure)} of {len(compared)} sentences"
        return Ruling(Standing.INVALIDATED, f"After a change of {filename} {count} do not hold any more.")
    if unsure:
        return Ruling(Standing.STALE, f"{filename} changed, and {len(unsure)} sentences could not be checked again.")
    return Ruling(Standing.VALID, f"After a change of {filename} it was verified again, and holds.")
