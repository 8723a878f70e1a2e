"""Reranking: one model call per chunk, then the best of them and the evidence gate (S3.1, S3.5)."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Literal

from clients.llm.gateway import Failure, ModelGateway
from clients.llm.protocol import CallLog
from db.queries.chunks import Passage
from domain.judgements import RERANK_CHUNK
from domain.modes import evidence_gate, parse_mode, rules_of
from domain.outcomes import Scored, Selected
from domain.ranking import Scored as ScoredChunk
from domain.ranking import rank, with_bridges
from domain.source_scoring import Excerpt, select_sources
from services.step import StepContext, StepResult

NOTHING_LEFT = "No passage is left to answer from: all were deleted meanwhile, or are too short to be cited."


async def score_chunks(context: StepContext) -> StepResult:
    """Score this task's chunks, all at once; an unreadable reply is an outcome, not an error."""
    passages = await asyncio.to_thread(context.passages, [int(item) for item in context.items])
    models, question = context.tools.models, context.query.question
    scores = await asyncio.gather(
        *(
            _known_score(context, passage)
            or score_passage(models, question, passage, context.log, _connection_to(context, passage))
            for passage in passages
        )
    )
    values = {str(passage.key): dict(score) for passage, score in zip(passages, scores, strict=True)}
    gone = Scored(status="unreadable", score=None, reason="the chunk was deleted meanwhile")
    return StepResult({item: values.get(item, dict(gone)) for item in context.items})


def _known_score(context: StepContext, passage: Passage) -> Awaitable[Scored] | None:
    """What an earlier round paid for is not bought again."""
    found = context.earlier("score_chunks", str(passage.key))
    return _ready(Scored(**found)) if found and found["score"] is not None else None


async def _ready(score: Scored) -> Scored:
    return score


def _connection_to(context: StepContext, passage: Passage) -> str:
    """S5.1: what leads to a passage that was found over the knowledge graph."""
    link = (context.outcome("retrieve") or {}).get("links", {}).get(str(passage.key))
    return link["connection"] if link else ""


async def score_passage(
    models: ModelGateway, question: str, passage: Passage, log: CallLog, connection: str = ""
) -> Scored:
    """S3.1: ask the model how relevant one passage is to the question.

    With a `connection` (S5.1) it is how relevant both together are: who leads a firm matters to a question that does
    not name the firm only together with what says which firm it is.
    """
    known = f"Known from another passage: {connection}\n\n" if connection else ""
    fields = {"question": question, "chunk": f"{known}{passage.readable}"}
    reply = await models.ask(RERANK_CHUNK, fields, log=log, item=str(passage.key))
    if isinstance(reply, Failure):
        return Scored(status="unreadable", score=None, reason=reply.reason)
    return Scored(status="scored", score=reply.score)


def select(context: StepContext) -> StepResult:
    """Keep the best `top_k`, and refuse when the mode wants more evidence than there is."""
    retrieved = context.retrieved
    if not retrieved["candidates"]:
        status = "failed" if retrieved["status"] == "failed" else "refused"
        return StepResult.single(_nothing(status, retrieved.get("reason", "Nothing was retrieved.")))
    ranked = rank([_scored(context, key, place) for place, (key, _) in enumerate(retrieved["candidates"])])
    mode, threshold = parse_mode(context.query.mode), context.query.options.min_evidence_score
    gate = evidence_gate(mode, _evidence_count(ranked, threshold, strict=rules_of(mode).gates))
    unreadable = _unreadable_issues(context)
    if gate.refuse and all(chunk.score is None for chunk in ranked):
        return StepResult.single(_nothing("failed", unreadable[0]))
    told = [*retrieved.get("issues", []), *([gate.reason] if gate.reason else []), *unreadable]
    selected = _selected(context, ranked, told)
    if gate.refuse or not selected["selected"]:
        selected["status"], selected["reason"] = "refused", gate.reason or NOTHING_LEFT
    return StepResult.single(selected)


def _nothing(status: Literal["refused", "failed"], reason: str) -> Selected:
    return Selected(status=status, selected=[], ranked=[], sources=[], issues=[reason], reason=reason)


def _selected(context: StepContext, ranked: list[ScoredChunk[int]], issues: list[str]) -> Selected:
    options = context.query.options
    # S3.1: more of them when the results of several searches were merged.
    keep = options.merged_top_k if context.round else options.top_k
    steps = {int(key): link["bridge"] for key, link in context.retrieved.get("links", {}).items()}
    kept = with_bridges(ranked, steps, keep) if steps else ranked[:keep]
    passages = {passage.key: passage for passage in context.passages([chunk.key for chunk in kept])}
    similarity = dict(context.retrieved["candidates"])
    # A chunk whose document was deleted meanwhile is left out.
    present = [chunk for chunk in kept if chunk.key in passages]
    if options.source_scoring:
        present = _worth_citing(present, passages)
    return Selected(
        status="selected",
        selected=[chunk.key for chunk in present],
        ranked=[chunk.key for chunk in ranked],
        sources=[_source(passages[chunk.key], chunk, similarity[chunk.key]) for chunk in present],
        issues=issues,
    )


def _worth_citing(chunks: Sequence[ScoredChunk[int]], passages: Mapping[int, Passage]) -> list[ScoredChunk[int]]:
    """S5.2: those that its formula keeps, in the reranker's order."""
    found = [passages[chunk.key] for chunk in chunks]
    chosen = select_sources([Excerpt(passage.filename, passage.page, passage.text) for passage in found])
    return [chunks[index] for index in sorted(source.index for source in chosen)]


def _evidence_count(ranked: list[ScoredChunk[int]], threshold: float, *, strict: bool) -> int:
    """How many chunks count as evidence. One without a readable score keeps its place (S3.1), except where the mode is
    strict: there, what is not known to be evidence is none."""
    return sum(not strict if chunk.score is None else chunk.score >= threshold for chunk in ranked)


def _scored(context: StepContext, key: int, place: int) -> ScoredChunk[int]:
    outcome = context.outcome("score_chunks", str(key)) or {}
    return ScoredChunk(key=key, retrieval_rank=place, score=outcome.get("score"))


def _unreadable_issues(context: StepContext) -> list[str]:
    reasons = [
        (context.outcome("score_chunks", str(key)) or {}).get("reason", "the score is missing")
        for key, _ in context.retrieved["candidates"]
        if (context.outcome("score_chunks", str(key)) or {}).get("score") is None
    ]
    if not reasons:
        return []
    return [f"{len(reasons)} of {len(context.retrieved['candidates'])} chunks could not be scored: {reasons[0]}"]


def _source(passage: Passage, ranked: ScoredChunk[int], similarity: float | None) -> dict[str, Any]:
    return {
        "text": passage.text,
        "document_id": str(passage.document_id),
        "document_name": passage.filename,
        "filename": passage.filename,
        "source": passage.source,
        "doc_id": passage.doc_id,
        "chunk_id": passage.chunk_id,
        "chunk_index": passage.chunk_index,
        "start_index": passage.start_index,
        "page_number": passage.page,
        "section": passage.section,
        "metadata": passage.metadata,
        "similarity": None if similarity is None else round(similarity, 4),
        "rerank_score": ranked.score,
    }
