"""The few fields of a chat completion that are read, each of them validated.

The SDK builds its objects without validation (a missing `choices` is None, an HTML page is a `str`), so nothing here
trusts them. A complete answer is read like a stream of one chunk.
"""

import asyncio
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from clients.llm.completions.request_body import GROQ, Dialect
from clients.llm.completions.usage import Bounds, ReplyTooLong, read_usage
from clients.llm.protocol import (
    Allowance,
    ModelError,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelUnavailable,
    Usage,
)

_MESSAGE_CHARS = 300
_HALF = re.compile("[\ud800-\udfff]")
_DIGITS = 16


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _Fault(BaseModel):
    message: str = "no reason given"


class _XGroq(BaseModel):
    id: str | None = None
    usage: Any = None
    error: str | None = None


class WireChunk(BaseModel):
    """A whole completion (`choices[].message`), a piece of a streamed one (`choices[].delta`), or the `error` that ends
    a stream midway.
    """

    model: str | None = None
    choices: list[_Choice] | None = None
    usage: Any = None
    x_groq: _XGroq | None = None
    error: _Fault | str | None = None

    @property
    def fault(self) -> str | None:
        if isinstance(self.error, _Fault):
            return self.error.message
        return self.error or (self.x_groq.error if self.x_groq else None)


@dataclass(slots=True)
class Exchange:
    """One request in progress, and what is known when it ends or breaks.

    `deadline` is a time of the running event loop; `silence_s` is how long nothing may come before it; `sent` becomes
    True once the server may have begun to work.
    """

    model: str
    prompt: str
    streamed: bool
    deadline: float
    bounds: Bounds
    dialect: Dialect = GROQ
    silence_s: float = math.inf
    whole_s: float = math.inf
    sent: bool = False
    request_id: str | None = None
    allowance: Allowance | None = None
    _text: list[str] = field(default_factory=list[str])
    _half: str = ""
    _chars: int = 0
    _reported: object = None
    _finish_reason: str | None = None

    @classmethod
    def of(cls, request: ModelRequest, size: int, dialect: Dialect, *, streamed: bool) -> "Exchange":
        prompt = request.text.rendered
        whole_s = request.timeout_s if request.whole_s is None else request.whole_s
        deadline = asyncio.get_running_loop().time() + whole_s
        bounds = Bounds(size, request.max_tokens)
        whole = prompt.system + prompt.user
        return cls(request.model, whole, streamed, deadline, bounds, dialect, request.timeout_s, whole_s)

    def take(self, chunk: WireChunk) -> str:
        """Add the contents of `chunk` and return its text. Raises ModelUnavailable when the server gave up midway."""
        self.model = chunk.model or self.model
        groq = chunk.x_groq or _XGroq()
        self.request_id = groq.id or self.request_id
        reported = chunk.usage if groq.usage is None else groq.usage
        self._reported = self._reported if reported is None else reported
        text = ""
        for choice in (chunk.choices or [])[:1]:
            # No model means a NUL, and Postgres cannot store one.
            text = ((choice.message or choice.delta or _Message()).content or "").replace("\0", "")
            text = self._without_halves(text)
            self._finish_reason = choice.finish_reason or self._finish_reason
        self._text.append(text)
        self._chars += len(text)
        if self._chars > self.bounds.reply_chars:
            raise ReplyTooLong
        if fault := chunk.fault:
            raise self.failed(ModelUnavailable, f"the server stopped the reply: {fault}")
        return text

    def _without_halves(self, text: str) -> str:
        # A character outside the basic plane may be split between two chunks.
        text, self._half = self._half + text, ""
        if not _HALF.search(text):
            return text
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    def reply(self) -> ModelReply:
        """Return the reply if it is complete: finish reason `stop`, some text, and the usage.

        Raises ModelUnavailable for a truncated stream, ModelReplyInvalid for any other incomplete reply.
        """
        text, reason, usage = "".join(self._text), self._finish_reason, self.reported
        if reason == "stop" and usage and text.strip():
            return ModelReply(text, self.model, usage, reason, self.request_id, self.allowance)
        if reason == "stop" and usage:
            raise self.failed(ModelReplyInvalid, "the reply is empty")
        if reason and usage:
            raise self.failed(ModelReplyInvalid, f"the reply is not complete: it ended with {reason!r}")
        if self.streamed:
            raise self.failed(ModelUnavailable, "the stream was cut before the reply was complete")
        raise self.failed(ModelReplyInvalid, "the reply has no choices, no finish reason or no usage")

    def failed(self, kind: type[ModelError], message: str) -> ModelError:
        text = "".join(self._text) or None
        return kind(shown(message), usage=self.spent(), request_id=self.request_id, text=text, allowance=self.allowance)

    @property
    def why_late(self) -> str:
        if asyncio.get_running_loop().time() < self.deadline or self.silence_s == self.whole_s:
            return f"nothing came for {self.silence_s:g} s (models.call_timeout_s)"
        return f"no complete reply in the {self.whole_s:g} s that were left (models.deadline_s, or the query's)"

    @property
    def reported(self) -> Usage | None:
        return read_usage(self._reported, self.bounds, self.estimated)

    def spent(self) -> Usage | None:
        reported = self.reported
        return self.estimated() if reported is None and self.sent else reported

    def estimated(self) -> Usage:
        # One token per four bytes of UTF-8, received or sent.
        return Usage(_estimated_tokens(self.prompt), _estimated_tokens("".join(self._text)), estimated=True)


def read_allowance(headers: Mapping[str, str]) -> Allowance | None:
    reported = Allowance(
        limit_tokens=_count(headers.get("x-ratelimit-limit-tokens")),
        remaining_tokens=_count(headers.get("x-ratelimit-remaining-tokens")),
        limit_requests=_count(headers.get("x-ratelimit-limit-requests")),
        remaining_requests=_count(headers.get("x-ratelimit-remaining-requests")),
    )
    return None if reported == Allowance() else reported


def _count(header: str | None) -> int | None:
    # Digits only, and few enough for a sane number.
    return int(header) if header and header.isascii() and header.isdigit() and len(header) < _DIGITS else None


def shown(message: str) -> str:
    return "".join(filter(str.isprintable, " ".join(message.split())))[:_MESSAGE_CHARS]


def _estimated_tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)
