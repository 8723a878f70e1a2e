"""A cross-encoder on this machine: a model that reads question and passage together and puts out one number."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from clients.llm.neural import PairClassifier, open_classifier
from clients.llm.neural.purpose import PairFormat, Purpose
from clients.llm.protocol import ModelError
from clients.reranking.protocol import RerankFailed

# Question, then passage, cut like in training; for the loader the passage is a source and the question a statement.
_RERANKING = Purpose(
    model="rerank.model",
    label='"label" in its citewell.json',
    download="rerank.download",
    page="docs/reranking.md",
    form=PairFormat(order="statement_first", truncation="longest"),
)


def open_cross_encoder(model: str, *, download: bool, timeout_s: float) -> "CrossEncoder":
    """Return the cross-encoder of a folder or hub id; its weights are loaded when needed. Raises ConfigurationInvalid
    with what to do: a missing folder, file or extra."""
    return CrossEncoder(open_classifier(model, download=download, purpose=_RERANKING), timeout_s)


class CrossEncoder:
    """A Reranker. One run already uses every core, so calls wait in a queue of its own, and one that nobody waits for
    any longer is dropped. A call fails when it has no answer after `timeout_s`, waiting included."""

    def __init__(self, classifier: PairClassifier, timeout_s: float) -> None:
        self._classifier = classifier
        self._timeout_s = timeout_s
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rerank")

    @property
    def name(self) -> str:
        """`cross_encoder/` and the folder's name or the hub id."""
        return f"cross_encoder/{self._classifier.name}"

    def version(self) -> str:
        """Return `name@hash of the weights`; the name alone when they cannot be read, as every call then tells."""
        try:
            return f"{self.name}@{self._classifier.version}"
        except ModelError:
            return self.name

    async def score(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Return the relevance 0..1 of each text, all in one call of the model's. Raises RerankFailed."""
        pairs = [(text, question) for text in texts]
        work = asyncio.get_running_loop().run_in_executor(self._queue, self._classifier.score, pairs)
        try:
            return list(await asyncio.wait_for(work, self._timeout_s))
        except TimeoutError:
            raise RerankFailed(f"{self.name} gave no scores in {self._timeout_s:g} s (rerank.timeout_s)") from None
        except ModelError as error:
            raise RerankFailed(str(error)) from error

    async def aclose(self) -> None:
        """Drop what waits."""
        self._queue.shutdown(wait=False, cancel_futures=True)
