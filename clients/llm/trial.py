"""Tries a model: one short question whose answer is known, with the schema that all questions have."""

import asyncio
import time
from dataclasses import dataclass

from clients.llm.calling.request import read_judgement
from clients.llm.factory import make_model
from clients.llm.protocol import ModelError, ModelReplyInvalid, ModelRequest
from config.settings import Settings
from domain.prompting.judgements import RERANK_CHUNK

_FIELDS = {
    "question": "How long may a product be returned?",
    "chunk": "Products may be returned within 30 days of delivery.",
}
_RELEVANT = 0.5
"""The passage answers the question: a model that scores it lower cannot judge."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`problem` says what is wrong, or None; `fits` whether the reply had the requested form."""

    model: str
    seconds: float
    problem: str | None
    fits: bool


def try_model(settings: Settings, name: str, *, timeout_s: float) -> Trial:
    """Ask once. Raises ConfigurationInvalid."""
    started = time.perf_counter()
    try:
        score = asyncio.run(_score(settings, name, timeout_s))
    except ModelError as error:
        fits = not isinstance(error, ModelReplyInvalid)
        return Trial(name, time.perf_counter() - started, str(error), fits=fits)
    problem = None if score >= _RELEVANT else f"it scores a passage that answers the question {score:g}; take another"
    return Trial(name, time.perf_counter() - started, problem, fits=True)


async def _score(settings: Settings, name: str, timeout_s: float) -> float:
    model = make_model(settings)
    request = ModelRequest(
        RERANK_CHUNK.name, _FIELDS, name, RERANK_CHUNK.max_tokens, timeout_s=timeout_s, reply=RERANK_CHUNK.reply
    )
    try:
        return read_judgement(RERANK_CHUNK.reply, await model.complete(request)).score
    finally:
        await model.aclose()
