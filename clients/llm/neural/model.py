"""A ChatModel whose statement checks are made by a classifier; everything else is the inner model's."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.judging import check_statement
from clients.llm.offline.meaning import Meaning
from clients.llm.protocol import ChatModel, ModelReply, ModelRequest, ModelUnavailable, StreamPart, Usage
from clients.llm.together import check_each
from domain.judgements import CHECK_STATEMENT, CHECK_STATEMENTS, Reply, StatementCheck
from domain.prompts import render
from domain.sources import Sources

_OWN = frozenset({CHECK_STATEMENT.name, CHECK_STATEMENTS.name})


class NeuralJudge:
    """Answers `check_statement` and `check_statements` itself; every other prompt is for `inner`, whose provider's name
    it keeps.

    Checks wait in a queue of its own: the classifier uses every core for each, and one that nobody waits for any
    longer is dropped instead of being worked out. Safe from several threads and event loops.
    """

    def __init__(self, inner: ChatModel, classifier: PairClassifier, meaning: Meaning, *, weight: float) -> None:
        self._inner = inner
        self._classifier = classifier
        self._meaning = meaning
        self._weight = weight
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="judge")

    @property
    def provider(self) -> str:
        """The inner model's: it answers, this one only judges."""
        return self._inner.provider

    def reserves(self, request: ModelRequest) -> int:
        """Nothing for what it judges itself."""
        return 0 if request.prompt in _OWN else self._inner.reserves(request)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the judgement as JSON; `model` is `name@version` of the classifier. Raises ModelError."""
        if request.prompt not in _OWN:
            return await self._inner.complete(request)
        work = asyncio.get_running_loop().run_in_executor(self._queue, self._judged, request)
        try:
            return await asyncio.wait_for(work, request.timeout_s)
        except TimeoutError:
            raise ModelUnavailable(f"{self._classifier.name} gave no answer in {request.timeout_s:.1f} s") from None

    def stream(self, request: ModelRequest) -> AsyncIterator[StreamPart]:
        """The inner model's stream: no judgement is prose."""
        return self._inner.stream(request)

    async def aclose(self) -> None:
        """Drop what waits, and close the inner model."""
        self._queue.shutdown(wait=False, cancel_futures=True)
        await self._inner.aclose()

    def _judged(self, request: ModelRequest) -> ModelReply:
        # Rendered only to hold the fields to the same contract as with a model that reads the prompt.
        render(request.prompt, request.fields)
        judgement = self._judgement(request)
        name = f"{self._classifier.name}@{self._classifier.version}"
        return ModelReply(text=judgement.model_dump_json(), model=name, usage=Usage(), finish_reason="stop")

    def _judgement(self, request: ModelRequest) -> Reply:
        if request.prompt == CHECK_STATEMENTS.name:
            return check_each(request.fields, self._check)
        sources = request.fields["sources"]
        if not isinstance(sources, Sources):
            raise TypeError("the judge reads its sources from a Sources object")
        return self._check(str(request.fields["statement"]), sources)

    def _check(self, statement: str, sources: Sources) -> StatementCheck:
        return check_statement(statement, sources, self._classifier, self._meaning, self._weight)
