"""A call's request to the limiter, and the answer."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from clients.limiter.protocol import Priority
from config.models import ModelLimits

Kind = Literal["rpm", "rpd", "tpm", "tpd"]
KINDS: Mapping[Kind, float] = {"rpm": 60.0, "rpd": 86_400.0, "tpm": 60.0, "tpd": 86_400.0}
"""Every kind of limit with its window in seconds."""
OF_TOKENS: frozenset[Kind] = frozenset({"tpm", "tpd"})

# Later than any time of acceptance, so that batches sort after all interactive calls.
_BATCH = 1e11


def configured(limits: ModelLimits) -> dict[Kind, float]:
    known: dict[Kind, int | None] = {
        "rpm": limits.requests_per_minute,
        "rpd": limits.requests_per_day,
        "tpm": limits.tokens_per_minute,
        "tpd": limits.tokens_per_day,
    }
    return {kind: float(limit) for kind, limit in known.items() if limit is not None}


@dataclass(slots=True)
class Ticket:
    """A waiting call, ordered by `score`, then `id`. `claim` is the name of its query's kept place in the line."""

    id: str
    model: str
    tokens: int
    score: float
    claim: str
    first: bool = True

    @classmethod
    def of(cls, model: str, tokens: int, priority: Priority) -> "Ticket":
        # Without `since`, the call counts as waiting from now on.
        score = (priority.since or time.time()) + (_BATCH if priority.is_batch else 0.0)
        # Calls of a query go in the order of asking; a claim (`~`) sorts after all of them.
        return cls(f"{time.time_ns():016x}-{secrets.token_hex(4)}", model, tokens, score, f"~{score:.6f}")


class Answer(BaseModel):
    """The answer to a ticket: granted, or ask again in `poll` seconds; `wait` is the expected wait.

    `full` is the fill level of each bucket (1 is its limit), `limits` the known limits, `sharers` the number of
    processes that use the model, `waiting` the number of calls that wait or have a place kept, `now` the time of the
    decision.
    """

    granted: bool = False
    poll: float = 0.0
    wait: float = 0.0
    full: dict[Kind, float] = Field(default_factory=dict[Kind, float])
    limits: dict[Kind, float] = Field(default_factory=dict[Kind, float])
    sharers: int = 0
    waiting: int = 0
    known: bool = False
    """True if the server has answered since the state began."""
    refusing: bool = False
    """True if a refusal is still in force."""
    now: float = 0.0

    @property
    def is_calm(self) -> bool:
        return self.known and not self.waiting and not self.refusing

    @property
    def is_free(self) -> bool:
        return self.known and not self.limits and not self.refusing
