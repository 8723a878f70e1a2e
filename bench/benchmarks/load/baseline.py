"""The same judgements in plain asyncio with every possible overlap: no queue, no process boundary, nothing stored.

All passages are scored at once; citations are extracted while the answer is written; a sentence is checked as soon as
the next one begins; the checks of the whole answer run together when it is complete.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from citewell_verify.answers.refusals import IDK
from citewell_verify.answers.statements import plan_checks, statements
from citewell_verify.prompting.judgements import (
    CHECK_ALIGNMENT,
    CHECK_ANSWERABILITY,
    CHECK_STATEMENT,
    EXTRACT_CITATIONS,
    GENERATE_ANSWER,
    RERANK_CHUNK,
    Composition,
    Judgement,
    Relevance,
    Reply,
    StatementCheck,
)
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.completions.providers import GroqModel
from clients.llm.gateway import ComposedText, ModelGateway
from clients.llm.protocol import CallLog
from config.models import ModelSettings
from domain.query.workspace_rules import PLAIN

_R = TypeVar("_R", bound=Reply)


class Models(Protocol):
    """The models that are asked."""

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object]) -> _R | None: ...

    async def write(
        self, composition: Composition, fields: Mapping[str, object], on_text: Callable[[str], None]
    ) -> str:
        """Stream prose; `on_text` gets all of it so far. Raises RuntimeError when the call fails."""
        ...

    async def aclose(self) -> None: ...


class GatewayModels:
    """Models asked as Citewell asks them: with retries, checks and records."""

    def __init__(self, base_url: str, key: str, settings: ModelSettings) -> None:
        self._model = GroqModel(key, base_url, catalogue=settings.catalogue)
        self._gateway = ModelGateway(self._model, settings)

    async def ask(self, judgement: Judgement[_R], fields: Mapping[str, object]) -> _R | None:
        """Return the judgement, or None for a failure."""
        reply = await self._gateway.ask(judgement, fields, log=CallLog())
        return reply if isinstance(reply, judgement.reply) else None

    async def write(
        self, composition: Composition, fields: Mapping[str, object], on_text: Callable[[str], None]
    ) -> str:
        """Stream the text. Raises RuntimeError for a failure."""
        draft = await self._gateway.compose(composition, fields, log=CallLog(), on_text=on_text)
        if not isinstance(draft, ComposedText):
            raise RuntimeError(draft.reason)
        return draft.text

    async def aclose(self) -> None:
        await self._model.aclose()


@dataclass(slots=True)
class Verdicts:
    """The sentences that their source does not support, and when the first one had its verdict (monotonic)."""

    flagged: list[str] = field(default_factory=list[str])
    first_at: float | None = None


class Baseline:
    """Reranks, writes, extracts and checks, starting every call as soon as its input is there."""

    def __init__(self, models: Models, chunks: list[str], kept: int = 3) -> None:
        self._models, self._chunks, self._kept = models, chunks, kept

    async def aclose(self) -> None:
        await self._models.aclose()

    async def answer(self, question: str) -> Verdicts:
        """Make all calls that Citewell makes for one question. Raises RuntimeError when no answer was written."""
        ask = self._models.ask
        scores = await asyncio.gather(
            *(ask(RERANK_CHUNK, {"question": question, "chunk": chunk}) for chunk in self._chunks)
        )
        best = sorted(zip(scores, self._chunks, strict=True), key=_relevance, reverse=True)[: self._kept]
        sources = Sources.numbered(("guide", chunk) for _, chunk in best)
        extraction = {"sources": sources, "question": question, "min_chars": 50, "max_chars": 200}
        async with asyncio.TaskGroup() as work:
            work.create_task(ask(EXTRACT_CITATIONS, extraction))
            checking = _Checking(self._models, sources, work)
            fields = {"sources": sources, "question": question, "idk": IDK, "style": PLAIN}
            answer = await self._models.write(GENERATE_ANSWER, fields, checking.on_text)
            checking.finish(answer)
            for judgement, whole in _of_the_whole(sources, question, answer):
                work.create_task(ask(judgement, whole))
        return checking.verdicts


def _of_the_whole(sources: Sources, question: str, answer: str) -> list[tuple[Judgement[Reply], Mapping[str, object]]]:
    """Return the checks of a complete answer, other than those of its statements."""
    whole = {"sources": sources, "question": question, "answer": answer}
    return [(CHECK_ALIGNMENT, whole), (CHECK_ANSWERABILITY, whole)]


class _Checking:
    """Starts the check of each sentence once."""

    def __init__(self, models: Models, sources: Sources, work: asyncio.TaskGroup) -> None:
        self.verdicts = Verdicts()
        self._models, self._sources, self._work = models, sources, work
        self._started: set[str] = set()
        self._ends = 0

    def on_text(self, text: str) -> None:
        """Check the complete sentences: all but the last one, to which words or markers may still be added."""
        ends = text.count(". ")
        if ends > self._ends:
            self._ends = ends
            self._check(text, len(statements(text)) - 1)

    def finish(self, answer: str) -> None:
        self._check(answer, len(statements(answer)))

    def _check(self, text: str, complete: int) -> None:
        said = {statement.index: statement.text for statement in statements(text)}
        for check in plan_checks(text, len(self._sources)):
            if check.statement < complete and check.item not in self._started:
                self._started.add(check.item)
                self._work.create_task(self._one(said[check.statement], check.number))

    async def _one(self, statement: str, number: int | None) -> None:
        shown = Sources(source for source in self._sources if number in (None, source.number))
        verdict = await self._models.ask(CHECK_STATEMENT, {"sources": shown, "statement": statement})
        if isinstance(verdict, StatementCheck):
            self.verdicts.first_at = self.verdicts.first_at or time.monotonic()
            self.verdicts.flagged += [] if verdict.is_accurate else [statement]


def _relevance(scored: tuple[Relevance | None, str]) -> float:
    return scored[0].score if scored[0] else 0.0
