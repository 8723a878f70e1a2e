"""A question's retrieval, tried without an answer: what each part finds, and what the model would be shown and why.

The steps of a question do the work, up to the choice of its passages; here they are only observed, so that the
result shows what happens. Only the calls of models are stored.
"""

import time
import uuid
from dataclasses import dataclass
from typing import Any

from clients.llm.protocol import CallLog, Terms
from config.settings import Settings
from db.queries.documents.chunk_edits import has_excluded
from db.session import reading
from domain.query.modes import parse_mode
from domain.query.workspaces import WorkspaceSettings
from services.core.context import Outcome, QuerySnapshot, StepContext, Tools
from services.graph.planning import plan_graph
from services.queries.question_rewriting import rewrite_question
from services.queries.submission import NewQuery, check, open_workspaces, options_over, with_defaults
from services.queries.trial_found import Found
from services.queries.trial_result import trial_json
from services.queries.trial_steps import Asking, Run, TrialSteps
from services.retrieval.agentic_state import next_turn
from services.retrieval.agentic_steps import decide_search
from services.retrieval.agentic_steps import search as search_turn
from services.retrieval.candidates import Search, retrieve, search
from services.retrieval.reranking import select
from services.retrieval.tracing import SearchTrace, traced_search

_LONGEST_S, _LONGEST_RESEARCH_S = 30.0, 60.0
"""What models have not answered by then is reported as not done, because a person waits."""
_EXCLUDED = 10

_PREPARING: dict[str, tuple[Asking, Outcome]] = {
    "rewrite_question": (rewrite_question, {"status": "fallback", "queries": []}),
    "plan_graph": (plan_graph, {"status": "fallback", "low_level": [], "high_level": []}),
}
_UNDECIDED: Outcome = {"status": "fallback", "action": "answer", "queries": []}


@dataclass(frozen=True, slots=True)
class RetrievalTrial:
    """`asked` as for a question. Without `reranks` it is not known what would be shown; at most `limit` passages are
    listed."""

    asked: NewQuery
    reranks: bool = True
    limit: int = 30


def try_retrieval(trial: RetrievalTrial, settings: Settings, tools: Tools, run: Run) -> dict[str, Any]:
    """Retrieve for a question as its steps would, and describe every passage, as JSON. `run` awaits a step.

    Raises what submitting the question would, EmbeddingMismatch, EmbeddingUnavailable.
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
    """What these searches would have found of what people took out of the search."""
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
