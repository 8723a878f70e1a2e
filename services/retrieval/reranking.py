"""Reranking: scores by a model or a reranker, then selection of the best and the evidence gate (S3.1, S3.5)."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

from citewell_verify.evidence.conflicts.replacements import Excerpt as ComparedExcerpt
from citewell_verify.evidence.conflicts.replacements import known_documents, replaced_documents
from citewell_verify.evidence.passages import Passage
from citewell_verify.question.question_parts import is_greeting, whole_asked
from citewell_verify.text.windows import count_tokens, headings_of
from clients.llm.protocol import CallLog
from clients.reranking import Reranker, RerankFailed
from db.base import row_json
from db.queries.documents.chunks import find_passages, list_passages
from db.session import reading
from domain.query.options import GateDecision, QueryOptions, evidence_gate, parse_mode, rules_of
from domain.query.outcomes import Scored, Selected
from domain.question.nearest import NOT_A_QUESTION, why_refused
from domain.question.whole_documents import READ_AHEAD, shown_of, whole_request
from domain.retrieval.ranking import Scored as ScoredChunk
from domain.retrieval.ranking import rank, with_bridges, within_budget
from domain.retrieval.source_scoring import Excerpt, SourceRules, select_sources
from services.core.context import StepContext, StepResult, Tools, when_loaded
from services.judging.relevance import Shown, named_text, score_batch, score_each

NOTHING_LEFT = "No passage is left to answer from: all were deleted meanwhile, or are too short to be cited."


async def score_chunks(context: StepContext) -> StepResult:
    keys = [int(item) for item in context.items]
    passages = await when_loaded(context, partial(context.passages, keys), keys)
    known: dict[int, Scored] = {}
    for passage in passages:
        earlier = context.earlier("score_chunks", str(passage.key))
        if earlier and earlier["score"] is not None:
            known[passage.key] = Scored(**earlier)
    unknown = [passage for passage in passages if passage.key not in known]
    new = await _new_scores(context, unknown)
    values = {str(key): dict(score) for key, score in (known | new).items()}
    gone = Scored(status="unreadable", score=None, reason="the chunk was deleted meanwhile")
    return StepResult({item: values.get(item, dict(gone)) for item in context.items})


async def _new_scores(context: StepContext, passages: Sequence[Passage]) -> dict[int, Scored]:
    """Score each passage by itself, and passages found over a connection together with it as well (S5.1)."""
    tools, question = context.tools, context.question
    links = (context.outcome("retrieve") or {}).get("links", {})
    connections = {int(key): link["connection"] for key, link in links.items()}
    linked = [passage for passage in passages if passage.key in connections]
    shares = context.query.options.shares_calls
    alone, together = await asyncio.gather(
        score_passages(tools, question, passages, context.log, shares_calls=shares),
        score_passages(tools, question, linked, context.log, connections, shares_calls=shares),
    )
    scores = {passage.key: score for passage, score in zip(passages, alone, strict=True)}
    for passage, score in zip(linked, together, strict=True):
        scores[passage.key]["linked"] = score["score"]
    return scores


async def score_passages(
    tools: Tools,
    question: str,
    passages: Sequence[Passage],
    log: CallLog,
    connections: Mapping[int, str] | None = None,
    *,
    shares_calls: bool = False,
) -> list[Scored]:
    """Score how relevant each passage is to the question, in their order; a failure is an outcome.

    A passage found over a connection (S5.1) is scored together with that connection: a passage about the head of a firm
    matters to a question that does not name the firm only together with the passage that says which firm it is.
    """
    shown: list[str] = []
    for passage in passages:
        connection = (connections or {}).get(passage.key)
        known = f"Known from another passage: {connection}\n\n" if connection else ""
        shown.append(f"{known}{passage.indexed}")
    if tools.reranker is not None:
        return await _reranked(tools.reranker, question, shown) if shown else []
    asked = [Shown(str(passage.key), text) for text, passage in zip(shown, passages, strict=True)]
    return await (score_batch if shares_calls else score_each)(tools.models, question, asked, log)


async def _reranked(reranker: Reranker, question: str, texts: list[str]) -> list[Scored]:
    """S1.1: have a reranker score all of the passages at once."""
    name = reranker.name
    try:
        scores = await reranker.score(question, texts)
    except RerankFailed as error:
        return [Scored(status="unreadable", score=None, reason=error.reason, reranker=name) for _ in texts]
    why = f"{name} gave no score that can be read"
    return [
        Scored(status="unreadable", score=None, reason=why, reranker=name)
        if score is None
        else Scored(status="scored", score=score, reranker=name)
        for score in scores
    ]


def select(context: StepContext) -> StepResult:
    retrieved = context.retrieved
    if not retrieved["candidates"]:
        status = "failed" if retrieved["status"] == "failed" else "refused"
        reason = retrieved.get("reason", "Nothing was retrieved.")
        if status == "refused" and is_greeting(context.question):
            reason = NOT_A_QUESTION
        return StepResult.single(_nothing(status, reason, retrieved.get("issues", [])))
    bridges = bridges_that_count(context)
    ranked = rank(_scored(context, bridges))
    evidence = _scored(context, bridges_that_count(context, as_evidence=True))
    mode, threshold = parse_mode(context.query.mode), context.query.options.min_evidence_score
    # A chunk without a readable score keeps its place (S3.1); in a strict mode only known evidence counts.
    strict = rules_of(mode).gates
    count = sum(not strict if chunk.score is None else chunk.score >= threshold for chunk in evidence)
    # A short text that came with the question has few passages, and all of them are candidates.
    gate = evidence_gate(mode, count, len(retrieved["candidates"]) if context.query.has_given_sources else None)
    # If no passage and no document name mentions a thing, the documents do not have it (V8).
    passages = context.passages([key for key, _ in retrieved["candidates"]])
    why = why_refused(context.question, [named_text(passage) for passage in passages])
    replaced, whole = _compared(context, passages)
    if why:
        gate = GateDecision(refuse=True, reason=why)
    elif whole:
        gate = GateDecision(refuse=False, reason="")
    unreadable, searching = _unreadable_issues(context), retrieved.get("issues", [])
    if gate.refuse and all(chunk.score is None for chunk in ranked):
        return StepResult.single(_nothing("failed", unreadable[0]))
    issues = [*([gate.reason] if gate.reason else []), *unreadable, *searching]
    selected = _selected(context, ranked, bridges, issues, replaced, () if why else whole)
    outcomes = (context.outcome("score_chunks", str(key)) or {} for key, _ in retrieved["candidates"])
    if name := next((outcome["reranker"] for outcome in outcomes if "reranker" in outcome), None):
        selected["reranker"] = name
    if gate.refuse or not selected["selected"]:
        selected["status"], selected["reason"] = "refused", gate.reason or NOTHING_LEFT
    return StepResult.single(selected)


def _nothing(status: Literal["refused", "failed"], reason: str, issues: Sequence[str] = ()) -> Selected:
    return Selected(status=status, selected=[], ranked=[], sources=[], issues=[reason, *issues], reason=reason)


def _selected(
    context: StepContext,
    ranked: list[ScoredChunk[int]],
    bridges: Mapping[int, int],
    issues: list[str],
    replaced: Mapping[str, str],
    whole: Sequence[Passage],
) -> Selected:
    options = context.query.options
    # S3.1: keep more passages when the results of several searches were merged.
    merged = context.round or context.retrieved.get("merged", False)
    keep = options.merged_top_k if merged else options.top_k
    if options.source_scoring:
        kept = _candidates(ranked, bridges, keep, options.min_evidence_score)
    else:
        kept = with_bridges(ranked, bridges, keep) if bridges else ranked[:keep]
    passages = {passage.key: passage for passage in whole or context.passages([chunk.key for chunk in kept])}
    similarity = dict(context.retrieved["candidates"])
    if whole:
        scores = {chunk.key: chunk for chunk in ranked}
        present = [scores.get(key, ScoredChunk(key, len(ranked), None)) for key in passages]
    else:
        # Leave out chunks whose document was deleted meanwhile.
        present = [chunk for chunk in kept if chunk.key in passages]
        if options.source_scoring:
            present = _worth_citing(present, passages, bridges, options)
        # Documents in force go before replaced ones (issue 39), and are cut last.
        present.sort(key=lambda chunk: str(passages[chunk.key].document_id) in replaced)
    present = within_budget(present, lambda chunk: count_tokens(passages[chunk.key].text), options.context_tokens)
    return Selected(
        status="selected",
        selected=[chunk.key for chunk in present],
        ranked=[chunk.key for chunk in ranked],
        sources=[_source(passages[chunk.key], chunk, similarity.get(chunk.key), replaced) for chunk in present],
        issues=issues,
    )


def _compared(context: StepContext, candidates: Sequence[Passage]) -> tuple[dict[str, str], list[Passage]]:
    """Return, for each document of the candidates, the candidate document that replaces it according to its text; and
    the passages to show of whole documents, if the question asks for that.

    Documents state such replacements, and their own names, at their beginning, which the search need not have found.
    """
    documents = list(dict.fromkeys(passage.document_id for passage in candidates))
    if context.query.is_external or not (whole_asked(context.question) or len(documents) > 1):
        return {}, []
    given = context.given_passages() if context.query.has_given_sources else []
    documents = list(dict.fromkeys([*documents, *(passage.document_id for passage in given)]))
    with reading() as session:
        openings = find_passages(session, [(document_id, 0) for document_id in documents]).values()
        openings = [passage for passage in given if not passage.chunk_index] or openings
        passages = {passage.key: passage for passage in (*openings, *candidates)}
        excerpts = [ComparedExcerpt.of(passage) for passage in passages.values()]
        replaced = replaced_documents(context.question, excerpts)
        known = known_documents(sorted(excerpts, key=lambda excerpt: documents.index(uuid.UUID(excerpt.document))))
        wanted = whole_request(context.question, known, replaced, is_attached=bool(given))
        members = [
            [passage for passage in given if str(passage.document_id) == name]
            or list_passages(session, uuid.UUID(name), limit=READ_AHEAD, searched=True)
            for name in wanted
        ]
    return replaced, shown_of(
        members, lambda passage: len(headings_of(passage.context or "")), lambda passage: passage.text
    )


def _candidates(
    ranked: Sequence[ScoredChunk[int]], bridges: Mapping[int, int], keep: int, threshold: float
) -> list[ScoredChunk[int]]:
    """Return the pool of source scoring: the best `keep`, all other evidence, and the passages that lead to either,
    which come first."""
    evidence = [
        chunk for place, chunk in enumerate(ranked) if place < keep or chunk.score is None or chunk.score >= threshold
    ]
    needed = {chunk.key for chunk in evidence} | {bridges[chunk.key] for chunk in evidence if chunk.key in bridges}
    pool = [chunk for chunk in ranked if chunk.key in needed]
    return with_bridges(pool, bridges, len(pool)) if bridges else pool


def _worth_citing(
    chunks: Sequence[ScoredChunk[int]],
    passages: Mapping[int, Passage],
    bridges: Mapping[int, int],
    options: QueryOptions,
) -> list[ScoredChunk[int]]:
    """S5.2: return the chunks that its formula keeps, in the order of `chunks`.

    A chunk found over another one is kept only with that one (S5.1), which may be too short to be chosen itself.
    """
    in_order = [passages[chunk.key] for chunk in chunks]
    # If all passages are short, such as entries of a glossary, measure each by the longest of them.
    longest = max((len(" ".join(passage.text.split())) for passage in in_order), default=0)
    rules = SourceRules(
        min_relevance=options.min_relevance,
        max_sources=len(chunks),
        min_chars=options.min_excerpt_length,
        full_chars=min(SourceRules().full_chars, longest),
        places=options.max_sources,
    )
    scored = select_sources([Excerpt(passage.document_id, passage.page, passage.text) for passage in in_order], rules)
    best_first = [chunks[source.index] for source in scored]
    leading = {bridges[chunk.key] for chunk in best_first if chunk.key in bridges}
    best_first += [chunk for chunk in chunks if chunk.key in leading and chunk not in best_first]
    kept = with_bridges(best_first, bridges, options.max_sources) if bridges else best_first[: options.max_sources]
    keys = {chunk.key for chunk in kept}
    return [chunk for chunk in chunks if chunk.key in keys]


def bridges_that_count(context: StepContext, *, as_evidence: bool = False) -> dict[int, int]:
    """S5.1: return, by chunk key, the passage whose connection leads to a chunk that scores higher with it than alone.

    The pair must not score below the connection's own passage either: then the connection contains the question's
    words, and the chunk adds nothing. To count as evidence the pair must score higher.
    """
    bridges: dict[int, int] = {}
    for key, link in context.retrieved.get("links", {}).items():
        outcome, bridge = (context.outcome("score_chunks", item) or {} for item in (key, str(link["bridge"])))
        together, beside = outcome.get("linked") or 0.0, bridge.get("score") or 0.0
        if together > (outcome.get("score") or 0.0) and (together > beside if as_evidence else together >= beside):
            bridges[int(key)] = link["bridge"]
    return bridges


def _scored(context: StepContext, bridges: Mapping[int, int]) -> list[ScoredChunk[int]]:
    keys = [key for key, _ in context.retrieved["candidates"]]
    outcomes = [context.outcome("score_chunks", str(key)) or {} for key in keys]
    return [
        ScoredChunk(key, place, outcome.get("linked" if key in bridges else "score"))
        for place, (key, outcome) in enumerate(zip(keys, outcomes, strict=True))
    ]


def _unreadable_issues(context: StepContext) -> list[str]:
    reasons = [
        (context.outcome("score_chunks", str(key)) or {}).get("reason", "the score is missing")
        for key, _ in context.retrieved["candidates"]
        if (context.outcome("score_chunks", str(key)) or {}).get("score") is None
    ]
    if not reasons:
        return []
    return [f"{len(reasons)} of {len(context.retrieved['candidates'])} chunks could not be scored: {reasons[0]}"]


def _source(
    passage: Passage, ranked: ScoredChunk[int], similarity: float | None, replaced: Mapping[str, str]
) -> dict[str, Any]:
    newer = replaced.get(str(passage.document_id))
    return {
        **row_json(passage, "text context document_id filename source doc_id chunk_id chunk_index start_index"),
        **row_json(passage, "section metadata"),
        "document_name": passage.filename,
        "page_number": passage.page,
        "similarity": None if similarity is None else round(similarity, 4),
        "rerank_score": ranked.score,
        **({"replaced_by": newer} if newer else {}),
    }
