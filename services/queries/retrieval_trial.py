"""A question's retrieval, tried without an answer: what each part finds, and what the model would be shown and why.

The steps of a question do the work (`retrieve`, `score_chunks`, `select`); here they are only looked at, so that what
is told is what happens. Nothing is stored.
"""

import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from clients.llm.calling.recording import cost_usd
from clients.llm.protocol import CallLog, Terms
from config.settings import Settings
from db.queries.documents.chunk_edits import has_excluded
from db.queries.documents.chunks import Passage, get_passages
from db.queries.documents.documents import workspace_names_of
from db.session import reading
from domain.query.modes import parse_mode
from domain.query.options import QueryOptions
from domain.query.outcomes import Selected
from domain.query.workspaces import WorkspaceSettings
from domain.retrieval.matches import matched_spans
from services.core.context import QuerySnapshot, StepContext, StepResult, Tools
from services.queries.passage_search import find_marks_of, passage_json
from services.queries.submission import NewQuery, check, open_workspaces, options_over, with_defaults
from services.retrieval.candidates import Search, retrieve, search
from services.retrieval.reranking import score_chunks, select
from services.retrieval.tracing import SearchTrace, traced_search

_RERANKING_S = 30.0
"""Reranking that takes longer is told as not done: somebody waits for it."""
_EXCLUDED = 10

Run = Callable[[Coroutine[Any, Any, StepResult]], StepResult]


@dataclass(frozen=True, slots=True)
class RetrievalTrial:
    """`asked` as for a question. Without `reranks` nothing is known of what would be shown; `limit` are told."""

    asked: NewQuery
    reranks: bool = True
    limit: int = 30


class _Place(NamedTuple):
    rank: int
    score: float | None
    reason: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {"rank": self.rank, "score": self.score, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the parts of a retrieval found, by chunk key; `left_out` is what people took out of the search."""

    lexical: Mapping[int, tuple[int, float]]
    vector: Mapping[int, tuple[int, float]]
    fused: Mapping[int, tuple[int, float]]
    candidates: Sequence[int]
    reranked: Mapping[int, _Place]
    selected: Selected | None
    left_out: SearchTrace


def try_retrieval(trial: RetrievalTrial, settings: Settings, tools: Tools, run: Run) -> dict[str, Any]:
    """Retrieve for a question as its steps would, and tell about every passage, as JSON. `run` awaits a step.

    Raises what submitting the question would, EmbeddingMismatch, EmbeddingUnavailable.
    """
    context = _context(check(trial.asked, settings), settings, tools)
    with traced_search() as trace:
        context = _after(context, "retrieve", retrieve(context))
    if trial.reranks and context.retrieved["candidates"]:
        keys = tuple(str(key) for key, _ in context.retrieved["candidates"])
        scores = run(score_chunks(replace(context, items=keys)))
        context = _after(context, "score_chunks", scores)
    if trial.reranks:
        context = _after(context, "select", select(context))
    return _as_json(trial, context, _parts(context, trace), settings)


def _context(asked: NewQuery, settings: Settings, tools: Tools) -> StepContext:
    with reading() as session:
        first, *others = open_workspaces(session, asked.workspaces or (asked.workspace,))
        asked = with_defaults(asked, WorkspaceSettings.stored(first.settings))
        options = options_over([first.id, *(each.id for each in others)], asked, settings)
    query = QuerySnapshot(
        uuid.uuid4(), first.id, asked.question, parse_mode(asked.mode).value, settings.provider, options
    )
    terms = Terms(
        scope=str(query.id), since=time.time(), ends_at=time.monotonic() + _RERANKING_S, fast=options.judge_model
    )
    return StepContext(query, 0, (), {}, tools, log=CallLog(terms=terms))


def _after(context: StepContext, step: str, result: StepResult) -> StepContext:
    return context.with_outcomes(step, result.values)


def _parts(context: StepContext, trace: SearchTrace) -> _Parts:
    fused = {key: (rank, points) for rank, (key, points) in enumerate(trace.points.items(), start=1)}
    selected = Selected(**found) if (found := context.outcome("select")) else None
    return _Parts(
        trace.places("lexical"),
        trace.places("vector"),
        fused,
        [key for key, _ in context.retrieved["candidates"]],
        _reranked(context, selected),
        selected,
        _left_out(context),
    )


def _reranked(context: StepContext, selected: Selected | None) -> dict[int, _Place]:
    if selected is None:
        return {}
    ranked = selected["ranked"] or [key for key, _ in context.retrieved["candidates"]]
    outcomes = {key: context.outcome("score_chunks", str(key)) or {} for key in ranked}
    return {
        key: _Place(rank, outcomes[key].get("score"), outcomes[key].get("reason"))
        for rank, key in enumerate(ranked, start=1)
    }


def _left_out(context: StepContext) -> SearchTrace:
    options = context.query.options
    places = options.workspaces or (context.query.workspace_id,)
    with reading() as session:
        if not has_excluded(session, places):
            return SearchTrace()
    where = Search(
        places[0], options.retrieval_method, _EXCLUDED, options.filter, options.dense_weight, places, excluded=True
    )
    with traced_search() as trace:
        search([context.question], where, context.tools.embedder)
    return trace


def _as_json(trial: RetrievalTrial, context: StepContext, parts: _Parts, settings: Settings) -> dict[str, Any]:
    shown = [*parts.reranked, *(key for key in parts.candidates if key not in parts.reranked)]
    keys = [*shown, *(key for key in parts.fused if key not in set(shown))][: trial.limit]
    excluded = list(parts.left_out.points)[:_EXCLUDED]
    with reading() as session:
        passages = get_passages(session, [*keys, *excluded])
        names = workspace_names_of(session, {each.document_id for each in passages})
        marks = find_marks_of(session, passages)
    issues = parts.selected["issues"] if parts.selected else context.retrieved.get("issues", [])
    reason = parts.selected.get("reason") if parts.selected else context.retrieved.get("reason")
    return {
        "question": context.question,
        "status": parts.selected["status"] if parts.selected else None,
        "reason": reason,
        "issues": [each for each in issues if each != reason],
        "settings": _settings_json(context, parts),
        "passages": [
            {
                **passage_json(each, marks),
                "workspace": names[each.document_id],
                "matches": [
                    {"start": start, "end": end} for start, end in matched_spans(context.question, each.readable)
                ],
                **(_left_out_json(each, parts) if each.key in excluded else _found_json(each, parts, context)),
            }
            for each in passages
            if each.document_id in names
        ],
        "usage": _usage_json(context, settings),
    }


def _found_json(passage: Passage, parts: _Parts, context: StepContext) -> dict[str, Any]:
    key, reranked = passage.key, parts.reranked.get(passage.key)
    return {
        "lexical": _place_json(parts.lexical.get(key)),
        "vector": _place_json(parts.vector.get(key)),
        "fused": _place_json(parts.fused.get(key)),
        "reranked": reranked.as_json() if reranked else None,
        "from_graph": key in parts.candidates and key not in parts.fused,
        "excluded": False,
        **_decided(key, parts, context.query.options),
    }


def _left_out_json(passage: Passage, parts: _Parts) -> dict[str, Any]:
    lexical, vector = parts.left_out.places("lexical"), parts.left_out.places("vector")
    return {
        # Ranks among what is left out would be no ranks of the search.
        "lexical": _score_json(lexical.get(passage.key)),
        "vector": _score_json(vector.get(passage.key)),
        "fused": None,
        "reranked": None,
        "from_graph": False,
        "excluded": True,
        "shown": False,
        "why_not": "excluded",
    }


def _decided(key: int, parts: _Parts, options: QueryOptions) -> dict[str, Any]:
    """Whether the model that writes would be shown the passage, and if not, why."""
    selected = parts.selected
    if key not in parts.candidates:
        return {"shown": False, "why_not": "beyond_candidates"}
    if selected is None:
        return {"shown": None, "why_not": None}
    if selected["status"] == "selected" and key in selected["selected"]:
        return {"shown": True, "why_not": None}
    place, chosen = parts.reranked[key], selected["status"] == "selected"
    weak = place.score is not None and place.score < options.min_evidence_score
    beyond = place.rank > options.top_k
    if not chosen:
        return {"shown": False, "why_not": "below_threshold" if weak else "refused"}
    if options.source_scoring:
        return {"shown": False, "why_not": "below_threshold" if weak and beyond else "not_worth_citing"}
    return {"shown": False, "why_not": "beyond_top_k" if beyond else "over_context_budget"}


def _place_json(found: tuple[int, float] | None) -> dict[str, Any] | None:
    return _Place(*found).as_json() if found else None


def _score_json(found: tuple[int, float] | None) -> dict[str, Any] | None:
    return {"rank": None, "score": found[1], "reason": None} if found else None


def _settings_json(context: StepContext, parts: _Parts) -> dict[str, Any]:
    options = context.query.options
    return {
        "method": options.retrieval_method,
        "mode": context.query.mode,
        "graph": options.graph_mode,
        "k": options.k,
        "top_k": options.top_k,
        "min_evidence_score": options.min_evidence_score,
        "source_scoring": options.source_scoring,
        "context_tokens": options.context_tokens,
        "reranked_by": _reranked_by(context, parts),
    }


def _reranked_by(context: StepContext, parts: _Parts) -> str | None:
    if not parts.reranked:
        return None
    return (parts.selected or {}).get("reranker") or next(
        (call.model for call in context.log.records if call.model), context.query.provider
    )


def _usage_json(context: StepContext, settings: Settings) -> dict[str, Any]:
    calls = [call for call in context.log.records if not call.kept]
    costs = (cost_usd(call.model, call.usage, settings.models.catalogue) for call in calls)
    return {
        "llm_calls": len(calls),
        "prompt_tokens": sum(call.usage.prompt_tokens for call in calls),
        "completion_tokens": sum(call.usage.completion_tokens for call in calls),
        "cost_usd": float(sum(costs)),
    }
