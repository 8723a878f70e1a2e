"""What an outcome tells of the allowance: what it used, and what the server said of its limits."""

import math
import re
from dataclasses import dataclass
from typing import cast

from clients.limiter.ticket import Kind
from clients.llm.protocol import Allowance, ModelError, ModelRateLimited, ModelReply

_WITHOUT_RETRY_AFTER_S = 1.0
_MOST_TOKENS = 10**15
"""More than any account has: a larger limit is ignored."""
_UNKNOWN = Allowance()

# A refusal names the limit that was hit, and with it requests per minute and tokens per day, which no header tells.
_REFUSAL = re.compile(r"\((RPM|RPD|TPM|TPD)\)(?:: Limit (\d+), Used (\d+))?")


@dataclass(frozen=True, slots=True)
class Told:
    """`used` tokens count against the limit, None: nobody knows. `answered`: the server said something at all.

    `refused` is for how many seconds after a 429 nothing may be sent, for the limit `kind` that is `kind_limit` and of
    which `kind_used` is used.
    """

    used: int | None = None
    answered: bool = False
    allowance: Allowance = _UNKNOWN
    refused: float | None = None
    kind: Kind | None = None
    kind_limit: int | None = None
    kind_used: int | None = None

    @property
    def tells_limits(self) -> bool:
        """Whether it says that there are limits."""
        return self.refused is not None or self.allowance != _UNKNOWN

    @classmethod
    def by(cls, outcome: ModelReply | ModelError | None, longest_wait_s: float = math.inf) -> "Told":
        """Read an outcome; None tells nothing. No refusal is taken for longer than `longest_wait_s` seconds: one more
        refusal is the price."""
        if outcome is None:
            return cls()
        allowance = outcome.allowance or _UNKNOWN
        if isinstance(outcome, ModelRateLimited):
            return _refusal(outcome, allowance, longest_wait_s)
        heard = not isinstance(outcome, ModelError) or outcome.status is not None or outcome.allowance is not None
        return cls(_used(outcome), heard, allowance)


def _used(outcome: ModelReply | ModelError) -> int | None:
    usage = outcome.usage
    if usage is None:  # an error that cost nothing
        return 0
    # An estimate is of what arrived; the server may have gone on.
    return None if usage.estimated else usage.prompt_tokens - usage.cached_tokens + usage.completion_tokens


def _refusal(error: ModelRateLimited, allowance: Allowance, longest_wait_s: float) -> Told:
    wait = min(_WITHOUT_RETRY_AFTER_S if error.retry_after_s is None else error.retry_after_s, longest_wait_s)
    if not (named := _REFUSAL.search(str(error))):
        return Told(0, True, allowance, wait)
    kind, limit, used = named.groups()
    numbers = (int(limit), int(used)) if limit and max(int(limit), int(used)) < _MOST_TOKENS else (None, None)
    return Told(0, True, allowance, wait, cast("Kind", kind.lower()), *numbers)
