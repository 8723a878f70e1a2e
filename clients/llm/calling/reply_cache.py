"""Caches paid replies for identical later questions, and repeats recorded ones in replays."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from citewell_verify.prompting.judgements import Composition, Judgement, Reply
from clients.llm.protocol import (
    CallLog,
    CallRecord,
    ModelRefused,
    ModelReply,
    ModelRequest,
    PromptText,
    StreamPart,
    Usage,
)
from config.models import ModelSettings

Task = Judgement[Any] | Composition
Begun = Mapping[str, object] | None
"""The row that is stored about a call before it is made (CallLog.begun_as)."""


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A complete, valid reply and the model that gave it. `ended` is the part of the call's record that is stored with
    the reply (CallLog.ended_as).
    """

    text: str
    model: str
    ended: Mapping[str, object] | None = field(default=None, compare=False)


class ReplyStore(Protocol):
    """Stores replies for the current tenant. It never raises: a failing store acts like an empty one."""

    async def get(self, keys: Sequence[bytes], begun: Begun = None) -> Mapping[bytes, CachedReply]:
        """The stored replies among `keys`. For each other key a call begins, and `begun` is stored, if given."""
        ...

    async def put(self, key: bytes, reply: CachedReply) -> None:
        """Store a reply; an existing one under the key stays."""
        ...


def reply_key(scope: str, task: Task, model: str, text: PromptText) -> bytes:
    """The SHA-256 of everything that a reply depends on: equal keys mean equal questions.

    `model` is the requested one, even if a fallback answers. Raises PromptFieldMismatch.
    """
    prompt = text.rendered
    schema = _schema(task.reply) if isinstance(task, Judgement) else ""
    parts = (scope, task.name, prompt.version, model, task.temperature, task.max_tokens, schema, text.sha256)
    return hashlib.sha256(json.dumps(parts).encode()).digest()


@cache
def _schema(reply: type[Reply]) -> str:
    return json.dumps(reply.model_json_schema(), sort_keys=True)


class ReplyCache:
    """Decides which replies the gateway caches, and for whom."""

    def __init__(self, store: ReplyStore | None, settings: ModelSettings) -> None:
        self._store = store
        self._share_replies = settings.share_replies
        self._share_answers = settings.share_answers
        self._storing: set[asyncio.Task[None]] = set()

    def key(self, task: Task, model: str, text: PromptText, scope: str) -> bytes | None:
        """The key of a question, or None when its reply must not be cached. Raises PromptFieldMismatch."""
        is_shared = self._share_replies if isinstance(task, Judgement) else self._share_answers
        if self._store is None or not (is_shared or scope):
            return None
        return reply_key("" if is_shared else scope, task, model, text)

    async def get(self, key: bytes, begun: Begun) -> CachedReply | None:
        return (await self._store.get([key], begun)).get(key) if self._store else None

    def put(self, key: bytes, reply: ModelReply, call: CallRecord, log: CallLog) -> None:
        """Start storing the reply of a `call`; `log.settled` waits for it, the answer does not."""
        if self._store is None:
            return
        ended = log.ended_as(call) if log.ended_as and log.has_begun else None
        storing = asyncio.ensure_future(self._store.put(key, CachedReply(reply.text, reply.model, ended)))
        # The event loop holds only a weak reference to a task.
        self._storing.add(storing)
        storing.add_done_callback(self._storing.discard)
        log.wait_for(storing)


class RecordedModel:
    """A ChatModel. `replies` are keyed by the SHA-256 of the prompt (PromptText); other prompts are refused, and
    counted in `unanswered`.
    """

    def __init__(self, provider: str, replies: Mapping[str, CachedReply]) -> None:
        self._provider = provider
        self._replies = replies
        self.unanswered = 0

    @property
    def provider(self) -> str:
        return self._provider

    def reserves(self, request: ModelRequest) -> int:
        # A replay makes no call.
        del request
        return 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply to this prompt. Raises ModelRefused when there is none."""
        kept = self._replies.get(request.text.sha256)
        if kept is None:
            self.unanswered += 1
            raise ModelRefused(f"no reply to this question of {request.prompt} was recorded")
        return ModelReply(kept.text, kept.model, Usage(), "stop")

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """The recorded reply as one part. Raises ModelRefused."""
        reply = await self.complete(request)
        yield StreamPart(text=reply.text)
        yield StreamPart(reply=reply)

    async def aclose(self) -> None: ...
