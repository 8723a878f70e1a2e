"""Validates the token usage that a server reports, replacing impossible figures by our own (F4).

Budgets, the ledger and the limiter rely on these numbers, so a server that reports nonsense must neither block a model
for everybody nor make a cost negative. Its reply is still used.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from clients.llm.completions.anthropic_messages import usage_of
from clients.llm.protocol import Usage

_TEMPLATE_TOKENS = 1_000
"""Tokens that a server's chat template and its rendering of a schema may add to a prompt."""
_OVER_TOKENS = 100
"""Servers may end a reply a little late."""
_CHARS_PER_TOKEN = 40
"""The longest tokens are runs of blanks or signs; in text a token has about four characters."""
_ESCAPED = 6
"""Bytes of a character in escaped JSON."""
_ENVELOPE_BYTES = 64_000
_CHUNK_BYTES = 1_000
"""Bytes that a stream wraps around each token."""


class ReplyTooLong(Exception):
    """The server sent more than any reply of the allowed tokens can have; the rest was not read (F5)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that a call can have cost: no token has less than a byte, and no reply more tokens than were allowed."""

    prompt_bytes: int
    max_tokens: int

    @property
    def prompt_tokens(self) -> int:
        return self.prompt_bytes + _TEMPLATE_TOKENS

    @property
    def completion_tokens(self) -> int:
        return self.max_tokens + _OVER_TOKENS

    @property
    def reply_chars(self) -> int:
        return self.completion_tokens * _CHARS_PER_TOKEN

    @property
    def body_bytes(self) -> int:
        return _ENVELOPE_BYTES + self.reply_chars * _ESCAPED

    @property
    def stream_bytes(self) -> int:
        return self.body_bytes + self.completion_tokens * _CHUNK_BYTES


def read_usage(reported: object, bounds: Bounds, estimate: Callable[[], Usage]) -> Usage | None:
    """The billed tokens, or None when none were reported.

    `reported` is the server's JSON or the SDK's object of it, unchecked. Impossible figures are replaced: a completion
    above its limit by `max_tokens`, anything else by our `estimate`; the usage is then marked `estimated`.
    """
    if reported is None:
        return None
    if isinstance(reported, Mapping):
        reported = usage_of(cast("Mapping[str, Any]", reported))
    prompt = _possible(_part(reported, "prompt_tokens"), bounds.prompt_tokens)
    completion = _possible(_part(reported, "completion_tokens"), bounds.completion_tokens)
    if prompt is None or completion is None:
        own = estimate()
        is_beyond = _number(_part(reported, "completion_tokens")) > bounds.completion_tokens
        counted = bounds.max_tokens if is_beyond else own.completion_tokens
        return Usage(
            prompt_tokens=own.prompt_tokens if prompt is None else prompt,
            completion_tokens=completion if completion is not None else counted,
            estimated=True,
        )
    cached = _part(_part(reported, "prompt_tokens_details"), "cached_tokens")
    reasoning = _part(_part(reported, "completion_tokens_details"), "reasoning_tokens")
    # Parts of tokens already counted; without them a call only appears a little more expensive.
    return Usage(prompt, completion, _possible(cached, prompt) or 0, _possible(reasoning, completion) or 0)


def _part(reported: object, name: str) -> Any:
    return (
        cast("Mapping[str, Any]", reported).get(name)
        if isinstance(reported, Mapping)
        else getattr(reported, name, None)
    )


def _possible(reported: Any, most: int) -> int | None:
    number = _number(reported)
    return int(number) if 0 <= number <= most and number == int(number) else None


def _number(reported: Any) -> float | int:
    # -1 for anything else, including a bool.
    return reported if isinstance(reported, int | float) and not isinstance(reported, bool) else -1
