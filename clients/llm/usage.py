"""The tokens that a server says a call cost: believed as far as they are possible, counted by ourselves beyond it (F4).

Budgets, the ledger and the limiter go by these numbers, so a server that tells nonsense must neither block a model for
everybody nor make a cost negative. Its reply is read all the same.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from clients.llm.protocol import Usage

_TEMPLATE_TOKENS = 1_000
"""What a server's chat template and its rendering of a schema may add to a prompt."""
_OVER_TOKENS = 100
"""Servers end a reply a little late."""
_CHARS_PER_TOKEN = 40
"""Runs of blanks and of signs are the longest tokens there are; of text a token has four."""
_ESCAPED = 6
"""Bytes of a character as JSON may write it."""
_ENVELOPE_BYTES = 64_000
_CHUNK_BYTES = 1_000
"""What a stream wraps around each token."""


class ReplyTooLong(Exception):
    """The server sent more than any reply of the allowed tokens can have; the rest was not read (F5)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a call can have cost at most: no token has less than a byte, and no reply more tokens than were allowed."""

    prompt_bytes: int
    max_tokens: int

    @property
    def prompt_tokens(self) -> int:
        """Of a prompt of `prompt_bytes` bytes."""
        return self.prompt_bytes + _TEMPLATE_TOKENS

    @property
    def completion_tokens(self) -> int:
        """Of a reply, its reasoning included."""
        return self.max_tokens + _OVER_TOKENS

    @property
    def reply_chars(self) -> int:
        """Of the text of a reply."""
        return self.completion_tokens * _CHARS_PER_TOKEN

    @property
    def body_bytes(self) -> int:
        """Of a whole answer, its reasoning included."""
        return _ENVELOPE_BYTES + self.reply_chars * _ESCAPED

    @property
    def stream_bytes(self) -> int:
        """Of a streamed answer."""
        return self.body_bytes + self.completion_tokens * _CHUNK_BYTES


def read_usage(told: object, bounds: Bounds, estimate: Callable[[], Usage]) -> Usage | None:
    """The billed tokens, or None when nothing was told.

    `told` is the server's JSON or the SDK's object of it, unchecked. What is impossible is replaced: a number over its
    bound by the most that was allowed, anything else by our `estimate`; the usage is `estimated` then.
    """
    if told is None:
        return None
    prompt = _possible(_part(told, "prompt_tokens"), bounds.prompt_tokens)
    completion = _possible(_part(told, "completion_tokens"), bounds.completion_tokens)
    if prompt is None or completion is None:
        own = estimate()
        is_beyond = _number(_part(told, "completion_tokens")) > bounds.completion_tokens
        counted = bounds.max_tokens if is_beyond else own.completion_tokens
        return Usage(
            prompt_tokens=own.prompt_tokens if prompt is None else prompt,
            completion_tokens=completion if completion is not None else counted,
            estimated=True,
        )
    cached = _part(_part(told, "prompt_tokens_details"), "cached_tokens")
    reasoning = _part(_part(told, "completion_tokens_details"), "reasoning_tokens")
    # Parts of what is counted already; without them it only costs a little more.
    return Usage(prompt, completion, _possible(cached, prompt) or 0, _possible(reasoning, completion) or 0)


def _part(told: object, name: str) -> Any:
    return cast("Mapping[str, Any]", told).get(name) if isinstance(told, Mapping) else getattr(told, name, None)


def _possible(told: Any, most: int) -> int | None:
    number = _number(told)
    return int(number) if 0 <= number <= most and number == int(number) else None


def _number(told: Any) -> float | int:
    """-1 for what is none; a bool is none either."""
    return told if isinstance(told, int | float) and not isinstance(told, bool) else -1
