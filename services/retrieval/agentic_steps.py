"""The research of agentic and multi-agent runs: choosing searches, searching, taking notes (S3.6)."""

import asyncio
from collections.abc import Sequence

from citewell_verify.evidence.passages import Passage
from citewell_verify.evidence.spans import best_text_span
from citewell_verify.judging.statement import Failure, numbered_sources
from citewell_verify.prompting.judgements import DECIDE_SEARCH, RESEARCH_NOTES, ResearchNote, SearchDecision
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.quotes import locate_quote
from domain.query.budget import new_queries
from domain.query.outcomes import Decided, FoundBy, Note, Noted, Searched
from services.core.context import StepContext, StepResult
from services.retrieval.agentic_state import decision, made_searches, merged_candidates, searches_left
from services.retrieval.candidates import search_for

_MOST_QUERIES = 3
"""The most searches of one turn."""
_MOST_SHOWN, _EXCERPT_CHARS = 10, 300
"""The number of passages, and the length of each, that the model sees for its decision."""
_MOST_NOTES, _LONGEST_FACT = 10, 300

REPEATED = "every search that the model wanted was made before"
NONE_MADE = "(none)"


async def decide_search(context: StepContext) -> StepResult:
    (turn,) = context.items
    made = made_searches(context)
    fields = {
        "question": context.question,
        "sources": await asyncio.to_thread(_excerpts, context, made),
        "searches": "\n".join(f"- {search['query']}" for search in made) or NONE_MADE,
        "left": searches_left(context),
    }
    reply = await context.tools.models.ask(DECIDE_SEARCH, fields, log=context.log, item=turn)
    return StepResult({turn: dict(_decided(context, made, reply))})


def _decided(context: StepContext, made: Sequence[FoundBy], reply: SearchDecision | Failure) -> Decided:
    first = [] if made else [context.question]
    if isinstance(reply, Failure):
        return Decided(status="fallback", action="search" if first else "answer", queries=first, reason=reply.reason)
    wanted = reply.queries if reply.action == "search" else []
    known = [search["query"] for search in made]
    # An answer needs at least one search, whatever the model says.
    queries = new_queries(wanted, known, min(_MOST_QUERIES, searches_left(context))) or first
    reason = " ".join(reply.reason.replace("\x00", "").split())[:_LONGEST_FACT]
    if wanted and not queries:
        reason = REPEATED
    return Decided(status="decided", action="search" if queries else "answer", queries=queries, reason=reason)


def _excerpts(context: StepContext, made: Sequence[FoundBy]) -> Sources:
    """Return the best passages so far, in the order in which they were found: passages that an earlier turn saw come
    first, for the provider's prefix cache."""
    found_by: dict[int, str] = {}
    for earlier in made:
        for key, _ in earlier["candidates"]:
            found_by.setdefault(key, earlier["query"])
    best = {key for key, _ in merged_candidates(list(made))[:_MOST_SHOWN]}
    keys = [key for key in found_by if key in best]

    def excerpt(passage: Passage) -> str:
        wanted = f"{context.question} {found_by[passage.key]}"
        start, end = best_text_span(passage.readable, wanted, max_chars=_EXCERPT_CHARS)
        return passage.readable[start:end]

    return Sources.numbered((passage.label, excerpt(passage)) for passage in context.passages(keys))


def search(context: StepContext) -> StepResult:
    """Make the searches of this turn. Raises EmbeddingMismatch when the workspace's vectors come from another model."""
    (turn,) = context.items
    decided = decision(context, int(turn))
    queries, why = (decided["queries"], decided["reason"]) if decided else ([], "")
    k = context.query.options.k
    searches: list[FoundBy] = []
    for query in queries:
        candidates = search_for(context, [query], k).candidates[:k]
        passages = context.passages([key for key, _ in candidates])
        chunk_ids = [passage.chunk_id for passage in passages]
        searches.append(FoundBy(query=query, candidates=candidates, chunk_ids=chunk_ids))
    events = [
        ("search", {"round": context.round, "query": made["query"], "why": why, "chunk_ids": made["chunk_ids"]})
        for made in searches
    ]
    return StepResult({turn: dict(Searched(status="searched", searches=searches, why=why))}, events=events)


async def research_notes(context: StepContext) -> StepResult:
    passages = await asyncio.to_thread(context.selected_passages)
    limit = context.query.options.span_max_chars
    fields = {
        "question": context.question,
        "sources": numbered_sources(passages, context.replaced_by),
        "max_chars": limit,
    }
    reply = await context.tools.models.ask(RESEARCH_NOTES, fields, log=context.log)
    if isinstance(reply, Failure):
        return StepResult.single(Noted(status="failed", notes=[], dropped=0, reason=reply.reason))
    proven = [note for stated in reply.notes if (note := _proven(stated, passages))]
    notes = list({(note["source"], note["start"], note["end"]): note for note in proven}.values())[:_MOST_NOTES]
    event = ("research_notes", {"round": context.round, "notes": notes})
    dropped = len(reply.notes) - len(proven)
    return StepResult.single(Noted(status="noted", notes=notes, dropped=dropped), events=[event])


def _proven(note: ResearchNote, passages: Sequence[Passage]) -> Note | None:
    if not 1 <= note.source <= len(passages):
        return None
    passage = passages[note.source - 1]
    place = locate_quote(note.quote, passage.readable)
    if place is None or not place.exact or not (words := passage.words(place.start, place.end)):
        return None
    return Note(
        fact=" ".join(without_orders(note.fact.replace("\x00", "")).split())[:_LONGEST_FACT],
        source=note.source,
        quote=words,
        chunk_id=passage.chunk_id,
        start=place.start,
        end=place.end,
    )
