"""The state of an agentic run (S3.6), read from outcomes: the searches so far, and the next action.

Because everything is in the outcomes, a run continues after a crash where its turns ended.
"""

from itertools import count
from typing import Literal

from domain.query.outcomes import Decided, FoundBy, Searched
from domain.retrieval.ranking import fuse
from services.core.context import StepContext

Next = tuple[Literal["decide", "search", "gather"], int]
"""The next action and the number of its turn; turns count from 1."""

Found = list[tuple[int, float | None]]


def next_turn(context: StepContext) -> Next:
    """Return the first action that is not done yet. Every turn but the last makes a search, so the run ends."""
    for turn in count(1):
        if (decided := decision(context, turn)) is None:
            return "decide", turn
        if decided["action"] == "answer":
            break
        if (searched := _searched(context, turn)) is None:
            return "search", turn
        if decided["status"] == "fallback" or searched["status"] == "failed" or not searches_left(context):
            break
    return "gather", 0


def decision(context: StepContext, turn: int) -> Decided | None:
    outcome = context.outcome("decide_search", str(turn))
    return Decided(**outcome) if outcome else None


def made_searches(context: StepContext) -> list[FoundBy]:
    turns = (_searched(context, turn) for turn in _turns(context))
    return [search for turn in turns if turn for search in turn["searches"]]


def searches_left(context: StepContext) -> int:
    return context.query.options.max_searches - len(made_searches(context))


def merged_candidates(searches: list[FoundBy]) -> Found:
    """Return the results of several searches, each chunk once with its highest similarity, best first."""
    similarity: dict[int, float | None] = {}
    for key, value in (candidate for search in searches for candidate in search["candidates"]):
        known = similarity.get(key)
        similarity[key] = value if known is None else max(known, value or known)
    rankings = [[key for key, _ in search["candidates"]] for search in searches]
    return [(key, similarity[key]) for key in fuse(rankings)]


def search_issues(context: StepContext) -> list[str]:
    issues: list[str] = []
    if why := _not_restated(context):
        issues.append(f"The question was taken as it stands, without the conversation before it: {why}.")
    reworded = context.outcome("rewrite_question")
    if reworded and reworded["status"] == "fallback":
        issues.append(f"The question was searched for in its own words only: {reworded['reason']}.")
    for turn in _turns(context):
        decided, searched = decision(context, turn), _searched(context, turn)
        if decided and decided["status"] == "fallback":
            issues.append(f"The model could not decide what to search for: {decided['reason']}.")
        if searched and searched["status"] == "failed":
            issues.append(f"A search could not be made: {searched.get('reason', 'the reason is not known')}.")
    return issues


def _not_restated(context: StepContext) -> str | None:
    if not context.query.options.conversation:
        return None
    restated = context.outcome("restate_question") or context.earlier("restate_question")
    return restated["reason"] if restated and restated["status"] == "fallback" else None


def _turns(context: StepContext) -> range:
    return range(1, 1 + sum(step == "decide_search" for step, _ in context.outcomes))


def _searched(context: StepContext, turn: int) -> Searched | None:
    outcome = context.outcome("search", str(turn))
    return Searched(**outcome) if outcome else None
