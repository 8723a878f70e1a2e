"""Creates the configured Reranker."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import httpx

from clients.llm.neural import PairClassifier, open_classifier
from clients.llm.neural.purpose import PairFormat, Purpose
from clients.llm.protocol import ModelError
from clients.reranking.endpoint import RerankEndpoint
from clients.reranking.protocol import Reranker, RerankFailed
from config.models import RerankSettings
from config.settings import ConfigurationInvalid

# A local cross-encoder: a model that reads question and passage together and outputs one number.

# Question, then passage, truncated as in training; to the loader the passage is a source, the question a statement.
_RERANKING = Purpose(
    model="rerank.model",
    label='"label" in its citewell.json',
    download="rerank.download",
    page="docs/reranking.md",
    form=PairFormat(order="statement_first", truncation="longest"),
)


def open_cross_encoder(model: str, *, download: bool, timeout_s: float) -> "CrossEncoder":
    """The cross-encoder of a folder or hub id; its weights are loaded on first use. Raises ConfigurationInvalid, with
    advice, for a missing folder, file or extra.
    """
    return CrossEncoder(open_classifier(model, download=download, purpose=_RERANKING), timeout_s)


class CrossEncoder:
    """A Reranker. One run already uses every core, so calls have a queue of their own, and a call that no caller waits
    for any more is dropped. A call fails without an answer within `timeout_s`, including the wait.
    """

    def __init__(self, classifier: PairClassifier, timeout_s: float) -> None:
        self._classifier = classifier
        self._timeout_s = timeout_s
        self._queue = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rerank")

    @property
    def name(self) -> str:
        """`cross_encoder/` and the folder's name or the hub id."""
        return f"cross_encoder/{self._classifier.name}"

    def version(self) -> str:
        """`name@hash of the weights`; the name alone when they cannot be read, which every call then reports."""
        try:
            return f"{self.name}@{self._classifier.version}"
        except ModelError:
            return self.name

    async def score(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """The relevance 0..1 of each text, all in one run of the model. Raises RerankFailed."""
        pairs = [(text, question) for text in texts]
        work = asyncio.get_running_loop().run_in_executor(self._queue, self._classifier.score, pairs)
        try:
            return list(await asyncio.wait_for(work, self._timeout_s))
        except TimeoutError:
            raise RerankFailed(f"{self.name} gave no scores in {self._timeout_s:g} s (rerank.timeout_s)") from None
        except ModelError as error:
            raise RerankFailed(str(error)) from error

    async def aclose(self) -> None:
        self._queue.shutdown(wait=False, cancel_futures=True)


def make_reranker(settings: RerankSettings) -> Reranker | None:
    """The reranker of `rerank.provider`; None for the language model, which needs no client of its own.

    Call it after fork, once per process. Raises ConfigurationInvalid, with advice, when the reranker cannot be used.
    """
    match settings.provider:
        case "llm":
            return None
        case "cross_encoder":
            if not settings.model:
                raise ConfigurationInvalid(
                    "rerank.provider is 'cross_encoder' but rerank.model is not set: name a folder with the model, or "
                    "its id on the hub (see docs/reranking.md)"
                )
            return open_cross_encoder(settings.model, download=settings.download, timeout_s=settings.timeout_s)
        case "endpoint":
            return RerankEndpoint(
                _address(settings.base_url),
                model=settings.model,
                api_key=_key(settings),
                scale=settings.scores,
                timeout_s=settings.timeout_s,
            )


def _address(base_url: str | None) -> str:
    if not base_url:
        raise ConfigurationInvalid(
            "rerank.provider is 'endpoint' but rerank.base_url is not set: name the address before /rerank, like "
            "https://api.jina.ai/v1"
        )
    try:
        url = httpx.URL(base_url)
        usable = url.scheme in {"http", "https"} and bool(url.host) and not url.query
    except httpx.InvalidURL:
        usable = False
    if not usable:
        raise ConfigurationInvalid(f"rerank.base_url is {base_url!r}; it must be like https://api.jina.ai/v1")
    return base_url


def _key(settings: RerankSettings) -> str | None:
    key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
    if not key.isascii() or not key.isprintable():
        raise ConfigurationInvalid("rerank.api_key has characters that no key has")
    return key or None
