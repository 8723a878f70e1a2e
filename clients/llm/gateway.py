"""The one way to ask a model: cached replies, retries, fallback models, validated replies, and a record of each
attempt.

A failure is a value with a reason for users. Exceptions are programming errors, and CallDeferred for callers whose
terms set their patience.
"""

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from citewell_verify.judging.statement import Failure, FailureKind
from citewell_verify.prompting.judgements import Composition, Judgement, Reply
from clients.limiter import Limiter
from clients.limiter.protocol import RetryAfter
from clients.llm.calling.attempt import Attempt, Caller, RetryBudget
from clients.llm.calling.outages import CircuitOpen, Outage, Outages
from clients.llm.calling.reply_cache import ReplyCache, ReplyStore
from clients.llm.calling.request import Question, begun_record, cached_record, read_judgement, read_stream
from clients.llm.protocol import (
    CallDeferred,
    CallLog,
    ChatModel,
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReply,
    ModelReplyInvalid,
    ModelRequest,
    ModelTimedOut,
    ModelUnavailable,
    NotJudged,
    PromptText,
    ServerUnreachable,
    Terms,
    Usage,
)
from config.models import ModelSettings

_R = TypeVar("_R", bound=Reply)
_T = TypeVar("_T")

# A missing model is not called for this long; a provider's mistaken 404 must not last until the next restart.
GONE_FOR_S = 300.0
_ROOM_OF_LAST_TRY = 4
_OK = 200


@dataclass(frozen=True, slots=True)
class ComposedText:
    """A complete piece of prose and the model that wrote it."""

    text: str
    model: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class _Gone:
    """The reason why a model id is not called, and the end of that time on this process's monotonic clock."""

    reason: str
    until: float


class ModelGateway:
    """Asks `model`. One per process: it remembers missing and failing models, and how long calls take.

    `limiter` decides when a call may be made; without one only the server's refusals are obeyed. `replies` stores paid
    replies. Retries wait for a random time of at most `backoff_s` seconds after the first try; the limit doubles after
    each further try.
    """

    def __init__(
        self,
        model: ChatModel,
        settings: ModelSettings,
        *,
        limiter: Limiter | None = None,
        replies: ReplyStore | None = None,
        backoff_s: float = 0.25,
    ) -> None:
        self._model = model
        self._settings = settings
        self._backoff_s = backoff_s
        self._cache = ReplyCache(replies, settings)
        self._caller = Caller(model, settings, limiter or RetryAfter(), self._cache)
        self._outages = Outages()
        self._gone: dict[str, _Gone] = {}
        self._asking = 0

    @property
    def provider(self) -> str:
        return self._model.provider

    @property
    def judges_offline(self) -> bool:
        """True if this program's rules judge, even when a provider's model writes."""
        return self.provider == "offline" or self._settings.judgements == "offline"

    def has_room(self, questions: int) -> bool:
        """True if this many more questions find free slots of this process, beside the questions that wait for one."""
        return self._asking + questions <= self._settings.concurrency

    async def ask(
        self,
        judgement: Judgement[_R],
        fields: Mapping[str, object],
        *,
        log: CallLog,
        item: str = "",
        model: str | None = None,
    ) -> _R | Failure:
        """Return the judgement, validated against its schema. Every attempt is appended to `log` under `item`.

        `model` overrides the model of the judgement's role. Raises PromptFieldMismatch, and CallDeferred according to
        `log.terms`.
        """

        def read(reply: ModelReply) -> _R:
            return read_judgement(judgement.reply, reply)

        return await self._answer(
            Question(judgement, PromptText(judgement.name, fields), self._complete, read, log, item), model
        )

    async def compose(
        self,
        composition: Composition,
        fields: Mapping[str, object],
        *,
        log: CallLog,
        model: str | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> ComposedText | Failure:
        """Stream a piece of prose and return it when complete. Raises PromptFieldMismatch, and CallDeferred according
        to `log.terms`.

        `on_text` receives the whole text so far each time it grows; after a broken stream it starts again with a
        shorter text. A cached text arrives at once.
        """

        async def fetch(request: ModelRequest) -> ModelReply:
            return await read_stream(self._model, request, on_text)

        def read(reply: ModelReply) -> ComposedText:
            return ComposedText(reply.text, reply.model, reply.finish_reason)

        return await self._answer(
            Question(composition, PromptText(composition.name, fields), fetch, read, log, on_text=on_text), model
        )

    async def _complete(self, request: ModelRequest) -> ModelReply:
        return await self._model.complete(request)

    async def _answer(self, question: Question[_T], model: str | None) -> _T | Failure:
        fast = question.log.terms.fast or self._settings.fast
        wanted = model or (self._settings.main if question.task.role == "main" else fast)
        # A reply that costs nothing is not worth a row in the store.
        if self._model.reserves(question.request(wanted, question.task.max_tokens, 0.0)):
            key = self._cache.key(question.task, wanted, question.text, question.log.terms.scope)
            question = replace(question, key=key)
        # A step with a single item has bound the item already and passes none.
        bound = structlog.contextvars.bound_contextvars(item=question.item) if question.item else nullcontext()
        with question.log.call_in_flight(), bound:
            cached = await self._cached(question, wanted)
            if cached is not None:
                return cached
            self._asking += 1
            try:
                return await self._ask_models(question, wanted)
            finally:
                self._asking -= 1

    async def _cached(self, question: Question[_T], wanted: str) -> _T | None:
        started = time.perf_counter()
        kept = await self._cache.get(question.key, self._begun(question, wanted)) if question.key else None
        if kept is None:
            return None
        try:
            value = question.read(ModelReply(kept.text, kept.model, Usage(), "stop"))
        except ModelReplyInvalid:
            return None
        if question.on_text:
            question.on_text(kept.text)
        seconds = time.perf_counter() - started
        question.log.records.append(
            cached_record(kept, question.task.name, question.text, self.provider, question.item, seconds),
        )
        return value

    def _begun(self, question: Question[_T], wanted: str) -> Mapping[str, object] | None:
        log, request = question.log, question.request(wanted, question.task.max_tokens, 0.0)
        if log.begun_as is None:
            return None
        log.has_begun = True
        return log.begun_as(begun_record(request, self.provider, question.item, self._model.reserves(request)))

    async def _ask_models(self, question: Question[_T], wanted: str) -> _T | Failure:
        terms = question.log.terms
        key = (terms.scope, question.task.name, question.text.sha256)
        has_waited = self._outages.has_waited(key)
        seconds = self._settings.deadline_s
        if terms.ends_at is not None:
            seconds = min(seconds, terms.ends_at - time.monotonic())
        budget = RetryBudget(self._settings.attempts, seconds, self._backoff_s, has_waited=has_waited)
        chain = (wanted, *self._settings.fallbacks.get(wanted, ()))
        while budget.seconds_left > 0:
            try:
                answer = await self._first_of(chain, question, budget)
            except Outage as outage:
                if budget.is_open and 0 < outage.least_s <= _patience_s(terms, budget):
                    await asyncio.sleep(outage.least_s)
                    continue
                models = self._present(chain)
                failing_s = min(map(self._caller.failing_s, models), default=0.0)
                answered_at = max(map(self._caller.answered_at, models), default=-math.inf)
                return self._outages.put_off(key, outage, terms, failing_s=failing_s, answered_at=answered_at)
            except CallDeferred as deferred:
                return without_call(deferred, terms)
            self._outages.end(key)
            return answer
        return Failure(f"there was no time left to ask {wanted}", "deadline")

    async def _first_of(self, chain: Sequence[str], question: Question[_T], budget: RetryBudget) -> _T | Failure:
        """Ask the first model of the chain, and the next one if a model is missing or unavailable. Raises Outage,
        CallDeferred.
        """
        outage: Outage | None = None
        for model in self._present(chain):
            try:
                answer = await self._ask_model(model, question, budget)
            except ModelGone as error:
                self._gone[model] = _Gone(str(error), time.monotonic() + GONE_FOR_S)
            except Outage as error:
                outage = error if outage is None else outage.beside(error)
                # Each fallback of an unavailable model gets one try: with few questions its breaker never opens. After
                # a rejection no fallback is tried: it has the limits of the same account.
                if error.failure.kind == "rate_limited" or not budget.spare_one():
                    break
            else:
                # The model that is away may later answer a question that a fallback refuses.
                if outage is None or not (isinstance(answer, Failure) and answer.kind == "refused"):
                    return answer
        if outage is not None:
            raise outage
        reasons = "; ".join(f"{model}: {self._gone[model].reason}" for model in chain)
        return Failure(f"no model is left to ask ({reasons})", "gone")

    async def _ask_model(self, model: str, question: Question[_T], budget: RetryBudget) -> _T | Failure:
        """Ask one model, with retries. Raises ModelGone, Outage, CallDeferred."""
        try:
            return await budget.run(lambda: self._attempt(question, model, budget))
        except CircuitOpen as error:
            kind = "rate_limited" if error.rejects else "unavailable"
            failure = Failure(f"{model} fails, last with: {error}", kind)
            raise Outage(failure, least_s=error.wait_s, unasked=True) from error
        except ModelUnavailable as error:
            raise Outage(
                after_error(error, model, budget),
                least_s=error.retry_after_s or 0.0,
                may_have_cost=error.usage is not None,
                too_slow=isinstance(error, ModelTimedOut),
                unreached=isinstance(error, ServerUnreachable) and not self._caller.has_reached_server,
                answered=error.status == _OK,
            ) from error
        except ModelRateLimited as error:
            if budget.out_of_time:
                return after_error(error, model, budget)
            raise Outage(after_error(error, model, budget), least_s=error.retry_after_s or 0.0) from error
        except ModelGone:
            raise
        except ModelError as error:
            return after_error(error, model, budget)

    def _present(self, chain: Sequence[str]) -> list[str]:
        now = time.monotonic()
        return [model for model in chain if model not in self._gone or now >= self._gone[model].until]

    async def _attempt(self, question: Question[_T], model: str, budget: RetryBudget) -> _T:
        # A reply can be invalid because reasoning used up its tokens: the next try, which is the last, gets more.
        max_tokens = question.task.max_tokens * (_ROOM_OF_LAST_TRY if budget.invalid else 1)
        return await self._caller.make(
            Attempt(
                question,
                question.request(model, max_tokens, self._settings.call_timeout_s, fault=budget.fault),
                number=budget.tries,
                ends_at=budget.ends_at,
                patience_s=_patience_s(question.log.terms, budget),
            )
        )


def _patience_s(terms: Terms, budget: RetryBudget) -> float:
    return budget.seconds_left if terms.patience_s is None else min(terms.patience_s, budget.seconds_left)


@dataclass(frozen=True, slots=True)
class RecordedJudge:
    """A `JudgeModel` whose attempts are appended to `log`; it raises CallDeferred according to the log's terms."""

    models: ModelGateway
    log: CallLog

    @property
    def judges_offline(self) -> bool:
        return self.models.judges_offline

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object], *, item: str = "") -> _R | Failure:
        return await self.models.ask(judgement, fields, log=self.log, item=item)


_KINDS: dict[type[ModelError], FailureKind] = {
    ModelUnavailable: "unavailable",
    ModelRateLimited: "rate_limited",
    ModelReplyInvalid: "invalid_reply",
    ModelGone: "gone",
    ModelRefused: "refused",
}


def after_error(error: ModelError, model: str, budget: RetryBudget) -> Failure:
    if isinstance(error, NotJudged):
        return Failure(str(error), "refused")
    tries = "1 try" if budget.tries == 1 else f"{budget.tries} tries"
    reason = f"{model} gave no usable reply in {tries}: {error}"
    if budget.out_of_time and not isinstance(error, ModelRateLimited):
        return Failure(f"{reason} (no time left for another)", "deadline")
    return Failure(reason, next(kind for error_type, kind in _KINDS.items() if isinstance(error, error_type)))


def without_call(deferred: CallDeferred, terms: Terms) -> Failure:
    """The failure of a question when the limits permit no call in time. Raises `deferred` instead if the caller wants
    to retry and can.
    """
    if terms.patience_s is None:
        return Failure(str(deferred), "rate_limited")
    if terms.ends_at is not None and time.monotonic() + deferred.wait_s >= terms.ends_at:
        return Failure(f"{deferred}, which is too late", "deadline")
    raise deferred
