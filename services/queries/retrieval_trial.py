"""A trial of a question's retrieval, without an answer: its steps are paid for and counted like those of a question.

A trial has no row of its own, so its calls are in the ledger of the tenant without a query, and without their replies,
which nothing would delete. They are booked when their step ends; a process that dies loses them.

The steps of a question do the work, up to the choice of its passages; the trial only observes them, so that the result
shows what really happens. Only the model calls are stored.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clients.llm.calling.request import cost_usd
from clients.llm.protocol import CallLog, Terms
from config.models import ModelInfo
from config.settings import Settings
from db.queries.documents.chunk_edits import has_excluded
from db.queries.runs.model_calls import add_model_calls
from db.session import reading, transaction
from domain.query.budget import NO_CALL, Budget, batches
from domain.query.options import WorkspaceSettings, parse_mode
from services.core.call_ledger import model_call_rows, report_calls
from services.core.context import Outcome, QuerySnapshot, StepContext, StepResult, Tools
from services.graph.search import plan_graph
from services.queries.question_rewriting import rewrite_question
from services.queries.submission import NewQuery, check, open_workspaces, options_over, with_defaults
from services.queries.trial_result import Found, trial_json
from services.retrieval.agentic_state import next_turn
from services.retrieval.agentic_steps import decide_search
from services.retrieval.agentic_steps import search as search_turn
from services.retrieval.candidates import Search, retrieve, search
from services.retrieval.reranking import score_chunks, select
from services.retrieval.tracing import SearchTrace, traced_search

_AT_ONCE = 8
"""The approximate number of passages that are scored side by side between two looks at the cost ceiling."""

Run = Callable[[Coroutine[Any, Any, StepResult]], StepResult]
Asking = Callable[[StepContext], Coroutine[Any, Any, StepResult]]


class TrialSteps:
    """`context` has the outcomes so far, `spent_usd` is the cost of their calls. `run` awaits a step."""

    def __init__(self, context: StepContext, prices: Mapping[str, ModelInfo], run: Run) -> None:
        self.context = context
        self._prices, self._run, self._booked = prices, run, 0

    @property
    def spent_usd(self) -> float:
        return float(sum(cost_usd(call.model, call.usage, self._prices) for call in self.context.log.records))

    def compute(self, name: str, body: Callable[[StepContext], StepResult], item: str = "") -> None:
        self._keep(name, body(replace(self.context, items=(item,))))

    def ask(self, name: str, body: Asking, failed: Outcome, items: Sequence[str] = ("",)) -> None:
        """Run a step that asks a model; its value is `failed`, with the reason, when the cost ceiling is reached."""
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
        # The calls beside the one that failed are paid for as well.
        context.log.terms = replace(context.log.terms, ends_at=time.monotonic())
        await context.log.settled()
        raise


_LONGEST_S, _LONGEST_RESEARCH_S = 30.0, 60.0
"""Work that models have not finished by then is reported as not done, because a person waits."""
_EXCLUDED = 10

_PREPARING: dict[str, tuple[Asking, Outcome]] = {
    "rewrite_question": (rewrite_question, {"status": "fallback", "queries": []}),
    "plan_graph": (plan_graph, {"status": "fallback", "low_level": [], "high_level": []}),
}
_UNDECIDED: Outcome = {"status": "fallback", "action": "answer", "queries": []}


@dataclass(frozen=True, slots=True)
class RetrievalTrial:
    """A trial; `asked` is as for a question. Without `reranks` it is not known which passages would be shown; at most
    `limit` passages are listed."""

    asked: NewQuery
    reranks: bool = True
    limit: int = 30


def try_retrieval(trial: RetrievalTrial, settings: Settings, tools: Tools, run: Run) -> dict[str, Any]:
    """Retrieve for a question as its steps would, and describe every passage, as JSON. `run` awaits a step.

    Raises the errors of submitting the question, EmbeddingMismatch, EmbeddingUnavailable.
    """
    steps = TrialSteps(_context(check(trial.asked, settings), settings, tools), settings.models.catalogue, run)
    with traced_search() as trace:
        _search(steps)
    if trial.reranks:
        if keys := [str(key) for key, _ in steps.context.retrieved["candidates"]]:
            steps.score(keys)
        steps.compute("select", select)
    outcome = Found(steps.context, trace, _left_out(steps.context, trace), steps.spent_usd)
    return trial_json(outcome, trial.limit, _EXCLUDED)


def _search(steps: TrialSteps) -> None:
    for name in steps.context.query.options.preparations:
        steps.ask(name, *_PREPARING[name])
    is_research = steps.context.query.options.run != "structured"
    while is_research and (following := next_turn(steps.context))[0] != "gather":
        what, turn = following
        if what == "decide":
            steps.ask("decide_search", decide_search, _UNDECIDED, [str(turn)])
        else:
            steps.compute("search", search_turn, str(turn))
    steps.compute("retrieve", retrieve)


def _context(asked: NewQuery, settings: Settings, tools: Tools) -> StepContext:
    with reading() as session:
        first, *others = open_workspaces(session, asked.workspaces or (asked.workspace,))
        asked = with_defaults(asked, WorkspaceSettings.stored(first.settings))
        options = options_over([first.id, *(workspace.id for workspace in others)], asked, settings)
    query = QuerySnapshot(
        uuid.uuid4(), first.id, asked.question, parse_mode(asked.mode).value, settings.provider, options
    )
    longest_s = _LONGEST_S if options.run == "structured" else _LONGEST_RESEARCH_S
    terms = Terms(
        scope=str(query.id), since=time.time(), ends_at=time.monotonic() + longest_s, fast=options.judge_model
    )
    return StepContext(query, 0, (), {}, tools, log=CallLog(terms=terms))


def _left_out(context: StepContext, trace: SearchTrace) -> SearchTrace:
    """Return what these searches would have found among the passages that people excluded."""
    options = context.query.options
    places = options.workspaces or (context.query.workspace_id,)
    with reading() as session:
        if not has_excluded(session, places):
            return SearchTrace()
    where = Search(
        places[0], options.retrieval_method, _EXCLUDED, options.filter, options.dense_weight, places, excluded=True
    )
    queries = list(dict.fromkeys(query for fusion in trace.fusions.values() for query in fusion.queries))
    with traced_search() as excluded:
        search(queries or [context.question], where, context.tools.embedder)
    return excluded
