"""Rate-limit feedback parsed from a response: the tokens used, and the limits that the server reported."""

import math
import re
from dataclasses import dataclass
from typing import cast

from clients.limiter.request import Kind
from clients.llm.protocol import Allowance, ModelError, ModelRateLimited, ModelReply

_WITHOUT_RETRY_AFTER_S = 1.0
_MOST_TOKENS = 10**15
"""No account has such a limit: a larger one is ignored."""
_UNKNOWN = Allowance()

# A refusal names the limit that was hit, including requests per minute and tokens per day, which no header reports.
_REFUSAL = re.compile(r"\((RPM|RPD|TPM|TPD)\)(?:: Limit (\d+), Used (\d+))?")


@dataclass(frozen=True, slots=True)
class RateLimitFeedback:
    """`used` tokens count against the limit, None if unknown. `answered`: the server answered at all.

    After a 429, `refused` is the number of seconds in which nothing may be sent. The reason is the limit `kind`, which
    is `kind_limit` and of which `kind_used` is used.
    """

    used: int | None = None
    answered: bool = False
    allowance: Allowance = _UNKNOWN
    refused: float | None = None
    kind: Kind | None = None
    kind_limit: int | None = None
    kind_used: int | None = None

    @property
    def reports_limits(self) -> bool:
        return self.refused is not None or self.allowance != _UNKNOWN

    @classmethod
    def from_outcome(
        cls, outcome: ModelReply | ModelError | None, longest_wait_s: float = math.inf
    ) -> "RateLimitFeedback":
        """Read an outcome; None gives no information. A refusal counts for at most `longest_wait_s` seconds: if the
        server wants a longer wait, this costs one more refusal.
        """
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
    # An estimate covers what arrived; the server may have continued.
    return None if usage.estimated else usage.prompt_tokens - usage.cached_tokens + usage.completion_tokens


def _refusal(error: ModelRateLimited, allowance: Allowance, longest_wait_s: float) -> RateLimitFeedback:
    # Neither a missing wait nor a wait of 0 says when there will be room.
    wait = min(error.retry_after_s or _WITHOUT_RETRY_AFTER_S, longest_wait_s)
    if not (named := _REFUSAL.search(str(error))):
        return RateLimitFeedback(0, True, allowance, wait)
    kind, limit, used = named.groups()
    numbers = (int(limit), int(used)) if limit and max(int(limit), int(used)) < _MOST_TOKENS else (None, None)
    return RateLimitFeedback(0, True, allowance, wait, cast("Kind", kind.lower()), *numbers)
