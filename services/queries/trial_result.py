"""The result of a retrieval trial as JSON: its searches, its candidates, and the ranks and scores of each passage in
every part."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from db.base import row_json
from db.queries.documents.chunks import get_passages
from db.queries.documents.documents import workspace_names_of
from db.session import reading
from domain.query.outcomes import Selected
from domain.retrieval.lexemes import matched_spans, without_instructions
from domain.retrieval.ranking import fusion_points
from services.core.context import StepContext
from services.queries.passage_search import find_marks_of, passage_json
from services.retrieval.agentic_state import decision, made_searches
from services.retrieval.candidates import MERGED, copies_json, share_places
from services.retrieval.tracing import Part, SearchTrace


class Place(NamedTuple):
    rank: int
    score: float | None
    reason: str | None = None


class Made(NamedTuple):
    """A search; in an agentic run with its turn and its reason. `own` is its fusion, if its results were fused
    alone."""

    query: str
    turn: int | None
    why: str | None
    own: Mapping[int, tuple[int, float]]


def _by_rank(points: Mapping[int, float]) -> dict[int, tuple[int, float]]:
    return {key: (rank, score) for rank, (key, score) in enumerate(points.items(), start=1)}


@dataclass(frozen=True)
class Found:
    """The outcomes of a trial's steps, the results of its searches, and the results that they would have had among
    excluded passages."""

    context: StepContext
    trace: SearchTrace
    left_out: SearchTrace
    spent_usd: float

    @cached_property
    def selected(self) -> Selected | None:
        return Selected(**outcome) if (outcome := self.context.outcome("select")) else None

    @cached_property
    def shown(self) -> list[int]:
        """Return the passages that the answer would be written from; of whole documents also passages that no search
        found."""
        selected = self.selected
        return selected["selected"] if selected and selected["status"] == "selected" else []

    @cached_property
    def candidates(self) -> list[int]:
        return [key for key, _ in self.context.retrieved["candidates"]]

    @cached_property
    def fused(self) -> dict[int, tuple[int, float]]:
        """Return the ranks of the candidates of all searches in an agentic run, else of all passages that were
        found."""
        if made := made_searches(self.context):
            # `merged_candidates` fuses them in the same way.
            return _by_rank(fusion_points([[key for key, _ in search["candidates"]] for search in made]))
        return _by_rank(self.trace.points)

    @cached_property
    def searches(self) -> list[Made]:
        if not made_searches(self.context):
            queries = [query for fusion in self.trace.fusions.values() for query in fusion.queries]
            own = self.fused if len(queries) == 1 else {}
            return [Made(query, None, None, own) for query in queries]
        turns = sorted(int(item) for step, item in self.context.outcomes if step == "search")
        searches: list[Made] = []
        for turn in turns:
            outcome = self.context.outcome("search", str(turn)) or {}
            for search in outcome["searches"]:
                alone = self.trace.fusions.get((search["query"],))
                own = _by_rank(alone.points) if alone else {}
                searches.append(Made(search["query"], turn, outcome.get("why"), own))
        return searches

    @cached_property
    def reranked(self) -> dict[int, Place]:
        if self.selected is None:
            return {}
        ranked = self.selected["ranked"] or self.candidates
        outcomes = {key: self.context.outcome("score_chunks", str(key)) or {} for key in ranked}
        return {
            key: Place(rank, outcomes[key].get("score"), outcomes[key].get("reason"))
            for rank, key in enumerate(ranked, start=1)
        }

    @cached_property
    def is_merged(self) -> bool:
        return self.context.retrieved.get("merged", False)

    @property
    def kept(self) -> int:
        """Return the most passages that an answer is written from."""
        options = self.context.query.options
        return options.merged_top_k if self.is_merged else options.top_k


def trial_json(trial: Found, limit: int, most_excluded: int) -> dict[str, Any]:
    everything = (key for fusion in trial.trace.fusions.values() for key in fusion.points)
    keys = list(dict.fromkeys([*trial.reranked, *trial.shown, *trial.candidates, *trial.fused, *everything]))[:limit]
    excluded = list(trial.left_out.points)[:most_excluded]
    query = trial.context.query
    kept, also_in = share_places(
        keys, query.options.workspaces or (query.workspace_id,), is_filtered=query.options.filter is not None
    )
    copies = {*keys}.difference(kept, trial.candidates, trial.shown)
    with reading() as session:
        passages = get_passages(session, [*keys, *excluded])
        names = workspace_names_of(session, {passage.document_id for passage in passages})
        marks = find_marks_of(session, passages)
    # The search by words ignores instructions on how to answer, so such words find no passage.
    searched = [trial.context.question, *(search.query for search in trial.searches)]
    words = " ".join(dict.fromkeys(map(without_instructions, searched)))
    selected, retrieved = trial.selected, trial.context.retrieved
    reason = (selected or retrieved).get("reason")
    issues = selected["issues"] if selected else retrieved.get("issues", [])
    return {
        "question": trial.context.question,
        "status": selected["status"] if selected else None,
        "reason": reason,
        "issues": [issue for issue in issues if issue != reason],
        "settings": _settings_json(trial),
        "searches": [{"query": search.query, "turn": search.turn, "why": search.why} for search in trial.searches],
        "ended_because": _ended(trial.context),
        "passages": [
            {
                **passage_json(passage, marks),
                "workspace": names[passage.document_id],
                "matches": [{"start": start, "end": end} for start, end in matched_spans(words, passage.readable)],
                **(_left_out_json(passage.key, trial) if passage.key in excluded else _found_json(passage.key, trial)),
                **({"why_not": "copy"} if passage.key in copies else {}),
                "also_in": copies_json(also_in.get(passage.key, ())),
            }
            for passage in passages
            if passage.document_id in names
        ],
        "usage": _usage_json(trial),
    }


def _ended(context: StepContext) -> str | None:
    """Return why an agentic run made no further search."""
    turns = sorted(int(item) for step, item in context.outcomes if step == "decide_search")
    last = decision(context, turns[-1]) if turns else None
    if last is None:
        return None
    return last["reason"] if last["action"] == "answer" else "no search is left"


def _found_json(key: int, trial: Found) -> dict[str, Any]:
    reranked = trial.reranked.get(key)
    return {
        "lexical": _place_json(trial.trace.places("lexical").get(key)),
        "vector": _place_json(trial.trace.places("vector").get(key)),
        "fused": _place_json(trial.fused.get(key)),
        "reranked": reranked._asdict() if reranked else None,
        "found_by": [search for number in range(len(trial.searches)) if (search := _found_by(key, number, trial))],
        "from_graph": key in trial.candidates and key not in trial.fused,
        "excluded": False,
        **_decided(key, trial),
    }


def _found_by(key: int, number: int, trial: Found) -> dict[str, Any] | None:
    """Return the ranks and scores that one of the searches gave the passage; None if it did not find it."""
    search = trial.searches[number]
    parts: tuple[Part, Part] = ("lexical", "vector")
    places = {part: _place_json(trial.trace.places(part, search.query).get(key)) for part in parts}
    if not any(places.values()):
        return None
    return {"search": number, **places, "fused": _place_json(search.own.get(key))}


def _left_out_json(key: int, trial: Found) -> dict[str, Any]:
    lexical, vector = trial.left_out.places("lexical"), trial.left_out.places("vector")
    return {
        # Ranks among excluded passages would not be ranks of the search.
        "lexical": _score_json(lexical.get(key)),
        "vector": _score_json(vector.get(key)),
        "fused": None,
        "reranked": None,
        "found_by": [],
        "from_graph": False,
        "excluded": True,
        "shown": False,
        "why_not": "excluded",
    }


def _decided(key: int, trial: Found) -> dict[str, Any]:
    """Return whether the model that writes would get the passage, and if not, why."""
    selected, options = trial.selected, trial.context.query.options
    if key in trial.shown:
        return {"shown": True, "why_not": None}
    if key not in trial.candidates:
        return {"shown": False, "why_not": "beyond_candidates"}
    if selected is None:
        return {"shown": None, "why_not": None}
    place, chosen = trial.reranked[key], selected["status"] == "selected"
    weak = place.score is not None and place.score < options.min_evidence_score
    beyond = place.rank > trial.kept
    if not chosen:
        return {"shown": False, "why_not": "below_threshold" if weak else "refused"}
    if options.source_scoring:
        return {"shown": False, "why_not": "below_threshold" if weak and beyond else "not_worth_citing"}
    return {"shown": False, "why_not": "beyond_top_k" if beyond else "over_context_budget"}


def _place_json(place: tuple[int, float] | None) -> dict[str, Any] | None:
    return Place(*place)._asdict() if place else None


def _score_json(place: tuple[int, float] | None) -> dict[str, Any] | None:
    return {"rank": None, "score": place[1], "reason": None} if place else None


def _settings_json(trial: Found) -> dict[str, Any]:
    options = trial.context.query.options
    reranked_by = None
    if trial.reranked:
        scoring = (call.model for call in trial.context.log.records if call.model and "rerank" in call.prompt)
        reranked_by = (trial.selected or {}).get("reranker") or next(scoring, trial.context.query.provider)
    return {
        **row_json(options, "run multi_query min_evidence_score source_scoring context_tokens"),
        "method": options.retrieval_method,
        "mode": trial.context.query.mode,
        "graph": options.graph_mode,
        "k": MERGED * options.k if trial.is_merged else options.k,
        "top_k": trial.kept,
        "reranked_by": reranked_by,
    }


def _usage_json(trial: Found) -> dict[str, Any]:
    calls = [call for call in trial.context.log.records if not call.kept]
    return {
        "llm_calls": len(calls),
        "prompt_tokens": sum(call.usage.prompt_tokens for call in calls),
        "completion_tokens": sum(call.usage.completion_tokens for call in calls),
        "cost_usd": trial.spent_usd,
    }
