"""Judges passages and answers by the question: how relevant each is, and whether the answer answers it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell_verify.judging.statement import UNREADABLE, Failure, named_text
from citewell_verify.prompting.batched_items import CHUNKS_CHARS, MOST_CHUNKS, Chunks, by_id, packed
from citewell_verify.prompting.judgements import RERANK_CHUNK, RERANK_CHUNKS, ItemRelevance
from citewell_verify.question.relevance import ModelJudgement, QuestionVerdict, judge_question
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from domain.query.outcomes import CHECK_ALIGNMENT, Scored
from services.core.context import StepContext


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

    def fit(group: Sequence[Shown]) -> bool:
        return len(group) <= MOST_CHUNKS and sum(len(passage.text) for passage in group) <= CHUNKS_CHARS

    groups = packed(shown, fit)
    scored = await asyncio.gather(*(_scored(models, question, group, log) for group in groups))
    return [score for group in scored for score in group]


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


def with_question_verdict(
    context: StepContext, answer: str, checks: Mapping[str, Any], *, is_shortened: bool = False
) -> dict[str, Any]:
    """Return `checks` with the verdict on `answer` added to the alignment check, which asks the model for it.

    `is_shortened` says that a repair has dropped a statement of the draft, which is what the model read. Unchanged
    where nothing was asked: there is no question (N2), or the request left that check out.
    """
    check = context.read(CHECK_ALIGNMENT)
    if check is None or check["status"] == "skipped":
        return dict(checks)
    verdict = _judged(context, answer, is_shortened=is_shortened)
    if verdict is None:
        return dict(checks)
    return {**checks, CHECK_ALIGNMENT: {**checks.get(CHECK_ALIGNMENT, {}), "question": verdict.as_json()}}


def is_question_answered(context: StepContext, answer: str, *, is_shortened: bool) -> bool:
    """Whether `answer`, of which each sentence is supported, answers the question at least in part; False where that
    was not checked."""
    check = context.read(CHECK_ALIGNMENT)
    if not answer or not check or check["status"] != "checked":
        return False
    verdict = _judged(context, answer, is_shortened=is_shortened)
    return verdict is None or verdict.relevant != "no"


def leaves_as_much_open(context: StepContext, part: str, whole: str) -> bool:
    """Whether `part` of an answer answers as much of the question as the `whole` one."""
    texts = _named_texts(context)
    left, before = (judge_question(context.question, text, texts) for text in (part, whole))
    return left is None or before is None or set(left.open_parts) <= set(before.open_parts)


def _judged(context: StepContext, answer: str, *, is_shortened: bool) -> QuestionVerdict | None:
    return judge_question(
        context.question,
        answer,
        _named_texts(context),
        model_judgement(context, is_shortened=is_shortened),
        context.query.options.refusal,
    )


def judges_by_model(context: StepContext) -> bool:
    return not context.tools.models.judges_offline


def model_judgement(context: StepContext, *, is_shortened: bool = False) -> ModelJudgement | None:
    """A model's verdict on the draft; None where none was asked or it gave none."""
    check = context.read(CHECK_ALIGNMENT)
    verdict = check["verdict"] if check else None
    # The offline provider applies the same rules as the verdict itself.
    if verdict is None or "answers" not in verdict or not judges_by_model(context):
        return None
    # The statement that is gone may be the one that answered the question.
    answers = "partly" if is_shortened and verdict["answers"] == "yes" else verdict["answers"]
    return ModelJudgement(answers, tuple(verdict.get("open_parts", ())))


def _named_texts(context: StepContext) -> list[str]:
    keys = context.selection["ranked"]
    passages = context.selected_passages() if context.query.is_external or not keys else context.passages(keys)
    return [named_text(passage) for passage in passages]
