"""The steps of a trial, one after the other: paid for and counted like those of a question.

A trial has no row of its own, so its calls are in the ledger of the tenant without a query, and without their
replies, which nothing would delete. They are booked when their step ends; a process that dies loses them.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clients.llm.calling.recording import cost_usd
from config.models import ModelInfo
from db.queries.runs.model_calls import add_model_calls
from db.session import transaction
from domain.query.batching import batches
from domain.query.budget import NO_CALL, Budget
from services.core.call_ledger import model_call_rows
from services.core.call_telemetry import report_calls
from services.core.context import Outcome, StepContext, StepResult
from services.retrieval.reranking import score_chunks

_AT_ONCE = 8
"""Passages, roughly, that are scored side by side between two looks at the cost ceiling."""

Run = Callable[[Coroutine[Any, Any, StepResult]], StepResult]
Asking = Callable[[StepContext], Coroutine[Any, Any, StepResult]]


class TrialSteps:
    """`context` has the outcomes so far, `spent_usd` is what their calls have cost. `run` awaits a step."""

    def __init__(self, context: StepContext, prices: Mapping[str, ModelInfo], run: Run) -> None:
        self.context = context
        self._prices, self._run, self._booked = prices, run, 0

    @property
    def spent_usd(self) -> float:
        return float(sum(cost_usd(call.model, call.usage, self._prices) for call in self.context.log.records))

    def compute(self, name: str, body: Callable[[StepContext], StepResult], item: str = "") -> None:
        self._keep(name, body(replace(self.context, items=(item,))))

    def ask(self, name: str, body: Asking, failed: Outcome, items: Sequence[str] = ("",)) -> None:
        """A step that asks a model; its value is `failed`, with the reason, when the cost ceiling is reached."""
        budget = Budget(spent_usd=self.spent_usd, max_cost_usd=self.context.query.options.max_cost_usd)
        if budget.has_used(NO_CALL):
            self._keep(name, StepResult({item: {**failed, "reason": budget.reason} for item in items}))
            return
        try:
            self._keep(name, self._run(_settled(body, replace(self.context, items=tuple(items)))))
        finally:
            self._book(name)

    def score(self, keys: Sequence[str]) -> None:
        """Score passages in messages of the same size as for a question; with a cost ceiling a few at a time."""
        options = self.context.query.options
        messages = batches(keys, options.rerank_batch)
        at_once = max(1, _AT_ONCE // options.rerank_batch) if options.max_cost_usd else len(messages)
        for first in range(0, len(messages), at_once):
            group = messages[first : first + at_once]

            async def scored(context: StepContext, group: Sequence[Sequence[str]] = group) -> StepResult:
                parts = await asyncio.gather(
                    *(score_chunks(replace(context, items=tuple(message))) for message in group)
                )
                return StepResult({item: value for part in parts for item, value in part.values.items()})

            unread: Outcome = {"status": "unreadable", "score": None}
            self.ask("score_chunks", scored, unread, [key for message in group for key in message])

    def _keep(self, name: str, result: StepResult) -> None:
        self.context = self.context.with_outcomes(name, result.values)

    def _book(self, name: str) -> None:
        calls = self.context.log.records[self._booked :]
        self._booked += len(calls)
        if not calls:
            return
        rows = model_call_rows(calls, self.context, name, self._prices, uuid.uuid4())
        with transaction() as session:
            add_model_calls(session, [{**row, "query_id": None, "reply_text": None} for row in rows])
        report_calls(calls, self._prices)


async def _settled(body: Asking, context: StepContext) -> StepResult:
    try:
        return await body(context)
    except Exception:
        # The calls beside the one that broke are paid for as well.
        context.log.terms = replace(context.log.terms, ends_at=time.monotonic())
        await context.log.settled()
        raise
