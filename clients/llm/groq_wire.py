"""Groq's wire format: what a request says, and the few fields that are read back, each of them checked.

The SDK builds its objects without validation (a missing `choices` is None, an HTML page is a `str`), so nothing here
trusts them. A complete answer is read like a stream of one chunk.
"""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel

from clients.llm.protocol import ModelError, ModelReply, ModelReplyInvalid, ModelRequest, ModelUnavailable, Usage
from config.models import ModelInfo
from domain.judgements import Reply
from domain.prompts import render

_MESSAGE_CHARS = 300


class _CachedPart(BaseModel):
    cached_tokens: int = 0


class _ReasoningPart(BaseModel):
    reasoning_tokens: int = 0


class WireUsage(BaseModel):
    """The billed tokens of one call."""

    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: _CachedPart | None = None
    completion_tokens_details: _ReasoningPart | None = None

    def usage(self) -> Usage:
        """The same in our words."""
        return Usage(
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=self.prompt_tokens_details.cached_tokens if self.prompt_tokens_details else 0,
            reasoning_tokens=self.completion_tokens_details.reasoning_tokens if self.completion_tokens_details else 0,
        )


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message | None = None
    delta: _Message | None = None
    finish_reason: str | None = None


class _XGroq(BaseModel):
    id: str | None = None
    usage: WireUsage | None = None
    error: str | None = None


class WireChunk(BaseModel):
    """A whole completion (`choices[].message`) or a piece of a streamed one (`choices[].delta`)."""

    model: str | None = None
    choices: list[_Choice] | None = None
    usage: WireUsage | None = None
    x_groq: _XGroq | None = None


@dataclass(slots=True)
class Exchange:
    """One request on its way, and what is known of it when it ends or breaks.

    `deadline` is a time of the running event loop; `sent` turns True when the server may have begun to work.
    """

    model: str
    prompt: str
    streamed: bool
    deadline: float
    sent: bool = False
    request_id: str | None = None
    _text: list[str] = field(default_factory=list[str])
    _usage: Usage | None = None
    _finish_reason: str | None = None

    @classmethod
    def of(cls, request: ModelRequest, body: dict[str, Any], *, streamed: bool) -> "Exchange":
        """Start the clock of `request`."""
        prompt = "".join(message["content"] for message in body["messages"])
        return cls(request.model, prompt, streamed, asyncio.get_running_loop().time() + request.timeout_s)

    def take(self, chunk: WireChunk) -> str:
        """Add what `chunk` tells and return its text. Raises ModelUnavailable when the server gave up midway."""
        self.model = chunk.model or self.model
        groq = chunk.x_groq or _XGroq()
        self.request_id = groq.id or self.request_id
        if reported := groq.usage or chunk.usage:
            self._usage = reported.usage()
        text = ""
        for choice in (chunk.choices or [])[:1]:
            # No model means a NUL, and Postgres does not store one.
            text = ((choice.message or choice.delta or _Message()).content or "").replace("\0", "")
            self._finish_reason = choice.finish_reason or self._finish_reason
        self._text.append(text)
        if groq.error:
            raise self.failed(ModelUnavailable, f"the server stopped the reply: {groq.error}")
        return text

    def reply(self) -> ModelReply:
        """Return the reply if it is complete: a stop, some text and the usage.

        Raises ModelUnavailable for a stream that was cut, ModelReplyInvalid for anything else that is not whole.
        """
        text, reason, usage = "".join(self._text), self._finish_reason, self._usage
        if reason == "stop" and usage and text.strip():
            return ModelReply(text, self.model, usage, reason, self.request_id)
        if reason == "stop" and usage:
            raise self.failed(ModelReplyInvalid, "the reply is empty")
        if reason and usage:
            raise self.failed(ModelReplyInvalid, f"the reply is not complete: it ended with {reason!r}")
        if self.streamed:
            raise self.failed(ModelUnavailable, "the stream was cut before the reply was complete")
        raise self.failed(ModelReplyInvalid, "the reply has no choices, no finish reason or no usage")

    def failed(self, kind: type[ModelError], message: str) -> ModelError:
        """Return the error `kind` with the reply so far and what the call cost."""
        text = "".join(self._text) or None
        return kind(shown(message), usage=self.spent(), request_id=self.request_id, text=text)

    def spent(self) -> Usage | None:
        """What was billed, or an estimate when the server did not say; None when nothing was sent.

        The estimate counts a token per four bytes of UTF-8 in the prompt and in what arrived of the reply.
        """
        if self._usage or not self.sent:
            return self._usage
        return Usage(_estimated_tokens(self.prompt), _estimated_tokens("".join(self._text)), estimated=True)


def shown(message: str) -> str:
    """Make what a server or a library said fit for a user: one line of printable characters, not too long."""
    return "".join(filter(str.isprintable, " ".join(message.split())))[:_MESSAGE_CHARS]


def _estimated_tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


def request_body(request: ModelRequest, info: ModelInfo) -> dict[str, Any]:
    """Return the arguments of `chat.completions.create` for `request`.

    Raises PromptFieldMismatch when the fields do not fit the prompt.
    """
    prompt = render(request.prompt, request.fields)
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "temperature": request.temperature,
        "max_completion_tokens": request.max_tokens,
    }
    if info.reasoning_effort:
        body["reasoning_effort"] = info.reasoning_effort
    if request.reply:
        body["response_format"] = _strict_format(request.reply) if info.strict_schema else {"type": "json_object"}
    return body


@cache
def _strict_format(reply: type[Reply]) -> dict[str, Any]:
    schema = _without_notes(reply.model_json_schema())
    return {"type": "json_schema", "json_schema": {"name": reply.__name__, "strict": True, "schema": schema}}


def _without_notes(node: Any) -> Any:
    # Titles and docstrings cost prompt tokens and tell the model nothing; a *property* called title is not a str.
    if isinstance(node, dict):
        items: list[tuple[str, Any]] = list(node.items())  # pyright: ignore[reportUnknownArgumentType] JSON is untyped
        return {k: _without_notes(v) for k, v in items if not (k in {"title", "description"} and isinstance(v, str))}
    return node
