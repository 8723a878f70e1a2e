"""The one way to ask a model: retries, fallback models, a checked reply, and a record of every attempt.

A failure is a value that says what a user should know; only programming errors are exceptions.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from pydantic import ValidationError

from clients.llm.protocol import (
    CallLog,
    CallRecord,
    ChatModel,
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelUnavailable,
    Usage,
)
from clients.llm.retry import RetryBudget
from config.models import ModelSettings
from domain.judgements import Composition, Judgement, Reply
from domain.prompts import prompt_version

FailureKind = Literal["unavailable", "rate_limited", "invalid_reply", "gone", "refused", "deadline"]

_R = TypeVar("_R", bound=Reply)
_T = TypeVar("_T")

# A dead id is not called again for so long; a 404 by mistake of the provider must not last until the next restart.
GONE_FOR_S = 300.0

_KINDS: dict[type[ModelError], FailureKind] = {
    ModelUnavailable: "unavailable",
    ModelRateLimited: "rate_limited",
    ModelReplyInvalid: "invalid_reply",
    ModelGone: "gone",
    ModelRefused: "refused",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """No usable reply. `reason` is for users: what failed, with which model, after how many tries; no secrets."""

    reason: str
    kind: FailureKind


@dataclass(frozen=True, slots=True)
class ComposedText:
    """A complete piece of prose and the model that wrote it."""

    text: str
    model: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class _Gone:
    """Why a model id is not called, and until when on this process's monotonic clock."""

    reason: str
    until: float


@dataclass(frozen=True, slots=True)
class _Question(Generic[_T]):
    """One question to the models; `send` makes one try at it and returns the value together with the raw reply."""

    task: Judgement[Any] | Composition
    fields: Mapping[str, object]
    reply: type[Reply] | None
    send: Callable[[ModelRequest], Awaitable[tuple[_T, ModelReply]]]
    log: CallLog
    item: str


class ModelGateway:
    """Asks `model`. One per process: it remembers which model ids are gone and never calls those again.

    Between tries it waits at random: up to `backoff_s` seconds after the first, twice as long after each further one.
    """

    def __init__(self, model: ChatModel, settings: ModelSettings, *, backoff_s: float = 0.25) -> None:
        self._model = model
        self._settings = settings
        self._backoff_s = backoff_s
        self._gone: dict[str, _Gone] = {}

    @property
    def provider(self) -> str:
        """The name of the provider in force, as every result carries it."""
        return self._model.provider

    async def ask(
        self,
        judgement: Judgement[_R],
        fields: Mapping[str, object],
        *,
        log: CallLog,
        item: str = "",
        model: str | None = None,
    ) -> _R | Failure:
        """Return the judgement, checked against its schema. Every attempt is appended to `log` under `item`.

        `model` overrides the one of the judgement's role. Raises PromptFieldMismatch.
        """

        async def send(request: ModelRequest) -> tuple[_R, ModelReply]:
            reply = await self._model.complete(request)
            return _read(judgement.reply, reply), reply

        return await self._answer(_Question(judgement, fields, judgement.reply, send, log, item), model)

    async def compose(
        self,
        composition: Composition,
        fields: Mapping[str, object],
        *,
        log: CallLog,
        model: str | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> ComposedText | Failure:
        """Stream a piece of prose and return it when it is complete. Raises PromptFieldMismatch.

        `on_text` gets the whole text so far, each time that it grows; after a broken stream it starts again from less.
        """

        async def send(request: ModelRequest) -> tuple[ComposedText, ModelReply]:
            reply = await _drained(self._model, request, on_text)
            return ComposedText(reply.text, reply.model, reply.finish_reason), reply

        return await self._answer(_Question(composition, fields, None, send, log, ""), model)

    async def _answer(self, question: _Question[_T], model: str | None) -> _T | Failure:
        wanted = model or (self._settings.main if question.task.role == "main" else self._settings.fast)
        budget = RetryBudget(self._settings.attempts, self._settings.deadline_s, self._backoff_s)
        chain = (wanted, *self._settings.fallbacks.get(wanted, ()))
        for candidate in chain:
            if candidate in self._gone and time.monotonic() < self._gone[candidate].until:
                continue
            try:
                return await budget.run(lambda model=candidate: self._attempt(question, model, budget))
            except ModelGone as error:
                self._gone[candidate] = _Gone(str(error), time.monotonic() + GONE_FOR_S)
            except ModelError as error:
                return _failure(error, candidate, budget)
        reasons = "; ".join(f"{candidate}: {self._gone[candidate].reason}" for candidate in chain)
        return Failure(f"no model is left to ask ({reasons})", "gone")

    async def _attempt(self, question: _Question[_T], model: str, budget: RetryBudget) -> _T:
        task = question.task
        request = ModelRequest(
            prompt=task.name,
            fields=question.fields,
            model=model,
            # A reply can be invalid because reasoning ate its tokens: the next one gets more.
            max_tokens=task.max_tokens * (1 + budget.invalid),
            timeout_s=min(self._settings.call_timeout_s, budget.seconds_left),
            temperature=task.temperature,
            reply=question.reply,
        )
        started = time.perf_counter()
        try:
            value, reply = await question.send(request)
        except ModelError as error:
            question.log.records.append(self._record(question, request, budget, started, error))
            raise
        except asyncio.CancelledError:
            # What it would have cost is not known; that it was made is.
            stopped = ModelUnavailable("stopped before its end", usage=Usage(estimated=True))
            question.log.records.append(self._record(question, request, budget, started, stopped))
            raise
        question.log.records.append(self._record(question, request, budget, started, reply))
        return value

    def _record(
        self,
        question: _Question[_T],
        request: ModelRequest,
        budget: RetryBudget,
        started: float,
        outcome: ModelReply | ModelError,
    ) -> CallRecord:
        failed = isinstance(outcome, ModelError)
        return CallRecord(
            provider=self._model.provider,
            model=request.model if failed else outcome.model,
            prompt=request.prompt,
            prompt_version=prompt_version(request.prompt),
            attempt=budget.tries,
            duration_ms=(time.perf_counter() - started) * 1000,
            usage=outcome.usage or Usage(),
            finish_reason=None if failed else outcome.finish_reason,
            request_id=outcome.request_id,
            reply_text=outcome.text,
            error=str(outcome) if failed else None,
            status=outcome.status if failed else None,
            item=question.item,
        )


def _read(schema: type[_R], reply: ModelReply) -> _R:
    try:
        if "\\u0000" in reply.text:
            raise ValueError("a NUL character")
        return schema.model_validate_json(reply.text, strict=True)
    except ValueError as error:
        message = f"the reply does not fit: {_faults(error)}"
        raise ModelReplyInvalid(message, usage=reply.usage, request_id=reply.request_id, text=reply.text) from None


def _faults(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first, *others = error.errors(include_input=False, include_url=False)
    where = ".".join(map(str, first["loc"])) or "reply"
    return f"{where}: {first['msg']}" + (f", and {len(others)} more" if others else "")


async def _drained(model: ChatModel, request: ModelRequest, on_text: Callable[[str], None] | None) -> ModelReply:
    text, reply = "", None
    async for part in model.stream(request):
        reply = part.reply
        text += part.text
        if on_text and part.text:
            on_text(text)
    if reply is None:
        raise ModelUnavailable("the stream ended without its last part")
    return reply


def _failure(error: ModelError, model: str, budget: RetryBudget) -> Failure:
    tries = "1 try" if budget.tries == 1 else f"{budget.tries} tries"
    reason = f"{model} gave no usable reply in {tries}: {error}"
    if budget.out_of_time and not isinstance(error, ModelRateLimited):
        return Failure(f"{reason} (no time left for another)", "deadline")
    return Failure(reason, _KINDS[type(error)])
