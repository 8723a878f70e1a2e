"""The provider's record of every call: the other side of the caller's own records."""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field


@dataclass(slots=True)
class Entry:
    """One call. `fault` names the scripted fault that hit it; tokens are 0 when it was not billed."""

    id: str
    org: str
    model: str
    kind: str
    prompt_hash: str
    stream: bool
    status: int
    billed: bool
    fault: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    at: float = field(default_factory=time.time)
    """Time of arrival, in Unix seconds."""
    left: float = 0.0
    """The time when the last of its answer had left, in Unix seconds; 0 if it has not."""
    written: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    """For a stream: the time when each piece of its text left, in Unix seconds, and the number of characters sent by
    then."""


@dataclass(slots=True)
class Ledger:
    """All calls in the order of their arrival. An entry is written before its answer leaves."""

    entries: list[Entry] = field(default_factory=list[Entry])

    def of(self, kind: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.kind == kind]

    @property
    def billed(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.billed]

    def as_json(self) -> list[dict[str, object]]:
        return [asdict(entry) for entry in self.entries]


def totals(entries: Iterable[Entry]) -> tuple[int, int, int]:
    """Prompt, completion and cached tokens of `entries`."""
    rows = list(entries)
    return (
        sum(row.prompt_tokens for row in rows),
        sum(row.completion_tokens for row in rows),
        sum(row.cached_tokens for row in rows),
    )
