"""A ChatModel whose statement checks are made by a classifier; everything else is the inner model's."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor

from clients.llm.neural.classifier import PairClassifier
from clients.llm.neural.judging import check_statement
from clients.llm.offline.meaning import Meaning
from clients.llm.protocol import ChatModel, ModelReply, ModelRequest, ModelUnavailable, StreamPart, Usage
from domain.judgements import CHECK_STATEMENT
from domain.prompts import render
from domain.sources import Sources


class NeuralJudge:
    """Answers `check_statement` itself and hands every other prompt to `inner`, whose provider's name it keeps.

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

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the judgement as JSON; `model` is `name@version` of the classifier. Raises ModelError."""
        if request.prompt != CHECK_STATEMENT.name:
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
        sources = request.fields["sources"]
        if not isinstance(sources, Sources):
            raise TypeError("the judge reads its sources from a Sources object")
        statement = str(request.fields["statement"])
        check = check_statement(statement, sources, self._classifier, self._meaning, self._weight)
        name = f"{self._classifier.name}@{self._classifier.version}"
        return ModelReply(text=check.model_dump_json(), model=name, usage=Usage(), finish_reason="stop")
