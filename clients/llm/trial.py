"""Tries a model: one short question whose answer is known, as the model is asked in use."""

import asyncio
import time
from dataclasses import dataclass

from clients.llm.calling.request import read_judgement
from clients.llm.factory import make_model
from clients.llm.protocol import ChatModel, ModelError, ModelReplyInvalid, ModelRequest
from config.settings import Settings
from domain.prompting.judgements import GENERATE_ANSWER, RERANK_CHUNK
from domain.prompting.numbered_sources import Sources

_QUESTION, _PASSAGE = "How long may a product be returned?", "Products may be returned within 30 days of delivery."
_EXPECTED = "30"
_RELEVANT = 0.5
"""The passage answers the question: a model that scores it lower cannot judge."""


@dataclass(frozen=True, slots=True)
class Trial:
    """`problem` says what is wrong, or None; `fits` whether the reply had the requested form."""

    model: str
    seconds: float
    problem: str | None
    fits: bool = True


def try_model(settings: Settings, name: str, *, timeout_s: float) -> Trial:
    """Ask for a judgement in its schema, or for an answer where the model only writes. Raises ConfigurationInvalid."""
    started = time.perf_counter()
    try:
        problem = asyncio.run(_asked(settings, name, timeout_s))
    except ModelError as error:
        fits = not isinstance(error, ModelReplyInvalid)
        return Trial(name, time.perf_counter() - started, str(error), fits)
    return Trial(name, time.perf_counter() - started, problem)


async def _asked(settings: Settings, name: str, timeout_s: float) -> str | None:
    model = make_model(settings)
    try:
        return await (_writes if settings.judges_offline else _judges)(model, name, timeout_s)
    finally:
        await model.aclose()


async def _judges(model: ChatModel, name: str, timeout_s: float) -> str | None:
    fields = {"question": _QUESTION, "chunk": _PASSAGE}
    request = ModelRequest(
        RERANK_CHUNK.name, fields, name, RERANK_CHUNK.max_tokens, timeout_s=timeout_s, reply=RERANK_CHUNK.reply
    )
    score = read_judgement(RERANK_CHUNK.reply, await model.complete(request)).score
    return None if score >= _RELEVANT else f"it scores a passage that answers the question {score:g}; take another"


async def _writes(model: ChatModel, name: str, timeout_s: float) -> str | None:
    fields = {
        "sources": Sources.numbered([("terms.md", _PASSAGE)]),
        "question": _QUESTION,
        "idk": "I don't know.",
        "style": "",
    }
    request = ModelRequest(GENERATE_ANSWER.name, fields, name, GENERATE_ANSWER.max_tokens, timeout_s=timeout_s)
    text = (await model.complete(request)).text
    return None if _EXPECTED in text else f"it does not answer from a passage: {text[:80]!r}; take another"
