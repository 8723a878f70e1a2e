"""The same judgements in plain asyncio: no queue, no process boundary, nothing stored."""

import asyncio

from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.groq import GroqModel
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from domain.citations import plan_checks, statements
from domain.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_FACTS,
    CHECK_STATEMENT,
    EXTRACT_CITATIONS,
    GENERATE_ANSWER,
    RERANK_CHUNK,
    Relevance,
)
from domain.modes import IDK
from domain.sources import Sources


class Baseline:
    """Reranks, writes, extracts and checks with every call of a stage in flight at once."""

    def __init__(self, base_url: str, key: str, chunks: list[str]) -> None:
        settings = ModelSettings(concurrency=512)
        self._model = GroqModel(key, base_url, catalogue=settings.catalogue, concurrency=settings.concurrency)
        self._models = ModelGateway(self._model, settings)
        self._chunks = chunks

    async def aclose(self) -> None:
        """Close the connections."""
        await self._model.aclose()

    async def answer(self, question: str) -> None:
        """Ask all that Citewell asks for one question. Raises RuntimeError when no answer was written."""
        log = CallLog()
        ask = self._models.ask
        scores = await asyncio.gather(
            *(ask(RERANK_CHUNK, {"question": question, "chunk": chunk}, log=log) for chunk in self._chunks)
        )
        best = sorted(
            zip(scores, self._chunks, strict=True),
            key=lambda pair: -pair[0].score if isinstance(pair[0], Relevance) else 0.0,
        )[:3]
        sources = Sources.numbered(("guide", chunk) for _, chunk in best)
        extraction = {"sources": sources, "question": question, "min_chars": 50, "max_chars": 200}
        draft, _ = await asyncio.gather(
            self._models.compose(GENERATE_ANSWER, {"sources": sources, "question": question, "idk": IDK}, log=log),
            ask(EXTRACT_CITATIONS, extraction, log=log),
        )
        if not isinstance(draft, ComposedText):
            raise RuntimeError(draft.reason)
        await self._check(question, draft.text, sources, log)

    async def _check(self, question: str, answer: str, sources: Sources, log: CallLog) -> None:
        ask = self._models.ask
        whole = {"sources": sources, "question": question, "answer": answer}
        texts = {statement.index: statement.text for statement in statements(answer)}
        await asyncio.gather(
            ask(CHECK_ALIGNMENT, whole, log=log),
            ask(CHECK_ANSWERABILITY, whole, log=log),
            ask(CHECK_FACTS, {"sources": sources, "answer": answer}, log=log),
            *(
                ask(CHECK_STATEMENT, {"sources": sources, "statement": texts[check.statement]}, log=log)
                for check in plan_checks(answer, len(sources))
            ),
        )
