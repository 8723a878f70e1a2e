"""Decides which outcomes of a failed query its retry can keep.

In the order of the pipeline, all outcomes before the first failed step are kept, and the items of that step that did
not fail. Later outcomes are not kept, because they were made from outcomes that will change. Free steps are repeated.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

Key = tuple[int, str, str]
"""The key of an outcome: (round, step, item)."""

_Outcomes = Mapping[int, Mapping[tuple[str, str], Mapping[str, Any]]]

_RESEARCH = ("decide_search", "search")
# Steps of one rank do not need each other. Steps without a rank follow from the others and ask no model.
_RANKS = {
    "restate_question": -1,
    **dict.fromkeys(("rewrite_question", "plan_graph", "plan_queries"), 0),
    **dict.fromkeys(_RESEARCH, 1),
    "retrieve": 2,
    "score_chunks": 3,
    "select": 4,
    "research_notes": 5,
    "generate": 6,
    "extract_citations": 7,
    **dict.fromkeys((f"check_{aspect}" for aspect in ("alignment", "coverage", "answerability")), 7),
    "sentences": 7,
    "check_early": 7,
    "check_statements": 7,
    "search_evidence": 8,
    "repair_statements": 9,
    "recheck_answerability": 10,
    "fill_object": 11,
}
_WRITING = _RANKS["generate"]


def kept_outcomes(outcomes: _Outcomes, parked: Collection[Key]) -> list[Key]:
    """The keys of the outcomes to keep; `parked` are the keys of items that crashed their workers, whether they have an
    outcome or not.
    """
    failed = {key for key, value in _each(outcomes) if _failed(key, value, outcomes)} | set(parked)
    first = min((_place(key) for key in failed if key[1] in _RANKS), default=None)
    kept = (key for key, _ in _each(outcomes) if key[1] in _RANKS and key not in failed)
    return [key for key in kept if first is None or _place(key) <= first]


def _each(outcomes: _Outcomes) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    for round_, of_round in outcomes.items():
        for (step, item), value in of_round.items():
            yield (round_, step, item), value


def _place(key: Key) -> tuple[int, ...]:
    round_, step, item = key
    # The turns of a research run one after the other.
    turn = (int(item), _RESEARCH.index(step)) if step in _RESEARCH else ()
    return (round_, _RANKS[step], *turn)


def _failed(key: Key, value: Mapping[str, Any], outcomes: _Outcomes) -> bool:
    round_, step, _ = key
    if "degraded" in value:
        return True
    status, rank = value.get("status"), _RANKS.get(step, _WRITING)
    if step == "restate_question":
        # All other outcomes were for another question than the one that was meant.
        return status == "fallback"
    if rank >= _WRITING:
        return status in ("failed", "not_checked")
    # If an answer was written, missing parts did not prevent it, so their steps did not fail.
    draft = outcomes[round_].get(("generate", ""), {})
    written = draft.get("status") in ("complete", "abstained")
    return not written and status in ("failed", "unreadable")
