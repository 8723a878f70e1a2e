"""Asks a model for the relevance of passages to a question (S3.1), with one call for each or one for many."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from citewell_verify.judging.model import UNREADABLE, Failure
from citewell_verify.prompting.batched_items import CHUNKS_CHARS, MOST_CHUNKS, Chunks, by_id, packed
from citewell_verify.prompting.judgements import RERANK_CHUNK, RERANK_CHUNKS, ItemRelevance
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from domain.query.outcomes import Scored


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage as the model sees it; calls about it are recorded under `item`."""

    item: str
    text: str


async def score_each(models: ModelGateway, question: str, shown: Sequence[Shown], log: CallLog) -> list[Scored]:
    """Score the passages concurrently, each in its own call; a failure is an outcome."""
    return await asyncio.gather(*(_score_single(models, question, passage, log) for passage in shown))


async def score_batch(models: ModelGateway, question: str, shown: Sequence[Shown], log: CallLog) -> list[Scored]:
    """The same with as few calls as the passages' length allows. A passage without a readable score is asked alone."""
    groups = packed(shown, _fit)
    scored = await asyncio.gather(*(_scored(models, question, group, log) for group in groups))
    return [score for group in scored for score in group]


def _fit(shown: Sequence[Shown]) -> bool:
    return len(shown) <= MOST_CHUNKS and sum(len(passage.text) for passage in shown) <= CHUNKS_CHARS


async def _scored(models: ModelGateway, question: str, shown: Sequence[Shown], log: CallLog) -> Sequence[Scored]:
    if len(shown) == 1:
        return [await _score_single(models, question, shown[0], log)]
    chunks = Chunks.of([passage.text for passage in shown])
    reply = await models.ask(
        RERANK_CHUNKS.for_items(len(shown)),
        {"chunks": chunks, "question": question},
        log=log,
        item=",".join(passage.item for passage in shown),
    )
    if isinstance(reply, Failure) and reply.kind not in UNREADABLE:
        return [_unreadable(reply) for _ in shown]
    scores = {} if isinstance(reply, Failure) else by_id(chunks, reply.scores)
    read = (
        _read(models, question, passage, scores.get(chunk.id), log)
        for passage, chunk in zip(shown, chunks, strict=True)
    )
    return await asyncio.gather(*read)


async def _read(
    models: ModelGateway, question: str, shown: Shown, replied: ItemRelevance | None, log: CallLog
) -> Scored:
    if replied is None:
        return await _score_single(models, question, shown, log)
    return Scored(status="scored", score=replied.score)


async def _score_single(models: ModelGateway, question: str, shown: Shown, log: CallLog) -> Scored:
    reply = await models.ask(RERANK_CHUNK, {"question": question, "chunk": shown.text}, log=log, item=shown.item)
    return _unreadable(reply) if isinstance(reply, Failure) else Scored(status="scored", score=reply.score)


def _unreadable(failure: Failure) -> Scored:
    return Scored(status="unreadable", score=None, reason=failure.reason)
