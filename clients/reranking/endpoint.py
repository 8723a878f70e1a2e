"""A reranker over HTTP: any endpoint compatible with Cohere's, Jina's, vLLM's or TEI's `/rerank`."""

import asyncio
import json
import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import httpx

from clients.http_responses import UNPACKED, NotRead, posted_soon, retry_after_s
from clients.llm.calling.attempt import RetryBudget
from clients.llm.protocol import ModelError, ModelRateLimited, ModelRefused, ModelReplyInvalid, ModelUnavailable
from clients.reranking.protocol import RerankFailed

# Request and response formats of rerank endpoints.
#
# Cohere, Jina and vLLM take `documents` and return `{"results": [{"index", "relevance_score"}]}`; Text Embeddings
# Inference takes `texts` and returns `[{"index", "score"}]`.

Scale = Literal["auto", "probabilities", "logits"]
"""The kind of an endpoint's numbers. `auto` means probabilities until one lies outside 0..1."""

_ROUNDING = 1e-3  # half precision gives 1.0005 for 1


def documents_body(model: str | None, question: str, texts: Sequence[str]) -> dict[str, Any]:
    body = {"query": question, "documents": list(texts), "top_n": len(texts), "return_documents": False}
    return {"model": model, **body} if model else body


def texts_body(question: str, texts: Sequence[str]) -> dict[str, Any]:
    return {"query": question, "texts": list(texts), "truncate": True}


def read_scores(content: bytes, count: int) -> list[float | None]:
    """The number for each of `count` texts; None if the reply has none, several, or a non-number.

    Raises ModelReplyInvalid when the reply is no list of results.
    """
    try:
        reply: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise ModelReplyInvalid("the reply is no JSON") from None
    results = cast("dict[str, Any]", reply).get("results") if isinstance(reply, dict) else reply
    if not isinstance(results, list):
        raise ModelReplyInvalid("the reply has no list of results")
    scores: dict[int, list[float | None]] = {}
    for result in cast("list[Any]", results):
        if isinstance(result, dict):
            entry = cast("dict[str, Any]", result)
            index = entry.get("index")
            # True is an int, and would count as the index of the second text.
            if type(index) is int:
                scores.setdefault(index, []).append(_number(entry.get("relevance_score", entry.get("score"))))
    # With two numbers for one text, neither can be trusted.
    return [scores[index][0] if len(scores.get(index, ())) == 1 else None for index in range(count)]


def are_logits(scores: Iterable[float | None]) -> bool:
    """True if any of them is too far outside 0..1 to be a probability."""
    return any(score is not None and not -_ROUNDING <= score <= 1 + _ROUNDING for score in scores)


def relevance(score: float | None, *, logits: bool) -> float | None:
    """The score as 0..1, logits through the logistic function; None if a probability is out of range."""
    if score is None or (not logits and are_logits([score])):
        return None
    if not logits:
        return min(1.0, max(0.0, score))
    # Of the two forms of the logistic function, this takes the one whose power cannot overflow.
    return 1 / (1 + math.exp(-score)) if score >= 0 else math.exp(score) / (1 + math.exp(score))


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


_ATTEMPTS = 3
_CONNECT_TIMEOUT_S = 5.0
_TOO_MANY = 429
_PASSING = {408, 425}
_SHOWN = 200
_RESULT_BYTES, _ENVELOPE_BYTES = 1_000, 200_000
"""Generous limits in bytes for the JSON around one result, and around all of them."""
_ESCAPED = 6
"""The bytes that a byte of text may take in escaped JSON: some endpoints return every passage."""
_WANTS_TEXTS = re.compile(r"missing field\W+texts\b")


class RerankEndpoint:
    """A Reranker. All texts of a call are one request; `timeout_s` covers all attempts and waits.

    A 429 or a server error is retried, after the wait that the answer names, if any.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        scale: Scale = "auto",
        timeout_s: float = 30.0,
        backoff_s: float = 0.5,
    ) -> None:
        self._url = f"{base_url.rstrip('/').removesuffix('/rerank')}/rerank"
        self._model = model
        self._api_key = api_key
        self._scale: Scale = scale
        self._timeout_s = timeout_s
        self._backoff_s = backoff_s
        self._wants_texts = False
        headers = {**UNPACKED, **({"Authorization": f"Bearer {api_key}"} if api_key else {})}
        # Only connecting has a timeout of its own; each call has a deadline for everything.
        self._client = httpx.AsyncClient(headers=headers, timeout=httpx.Timeout(None, connect=_CONNECT_TIMEOUT_S))

    @property
    def name(self) -> str:
        return f"endpoint/{self._model or httpx.URL(self._url).host}"

    def version(self) -> str:
        return self.name

    async def score(self, question: str, texts: Sequence[str]) -> list[float | None]:
        if not texts:
            return []
        budget = RetryBudget(_ATTEMPTS, self._timeout_s, self._backoff_s, keeps_waits=True)
        try:
            async with asyncio.timeout(self._timeout_s):
                content = await budget.run(lambda: self._content(question, texts))
            scores = read_scores(content, len(texts))
        except TimeoutError:
            raise RerankFailed(f"{self.name} gave no answer in {self._timeout_s:g} s (rerank.timeout_s)") from None
        except ModelError as error:
            raise RerankFailed(f"{self.name}: {error}") from error
        if self._scale == "auto" and are_logits(scores):
            # The scale holds from now on: a later reply may by chance have no number outside 0..1.
            self._scale = "logits"
        return [relevance(score, logits=self._scale == "logits") for score in scores]

    async def aclose(self) -> None:
        await self._client.aclose()

    async def _content(self, question: str, texts: Sequence[str]) -> bytes:
        response, content = await self._post(question, texts)
        if not self._wants_texts and response.is_client_error and _WANTS_TEXTS.search(_text(content)):
            self._wants_texts = True
            response, content = await self._post(question, texts)
        if response.is_success:
            return content
        raise self._failure(response, content)

    async def _post(self, question: str, texts: Sequence[str]) -> tuple[httpx.Response, bytes]:
        body: dict[str, Any]
        body = texts_body(question, texts) if self._wants_texts else documents_body(self._model, question, texts)
        most_bytes = _ENVELOPE_BYTES + sum(_RESULT_BYTES + _ESCAPED * len(text.encode()) for text in texts)
        try:
            return await posted_soon(self._client, self._url, body, most_bytes=most_bytes)
        except NotRead as error:
            raise ModelRefused(f"it {error}, {len(texts)} passages") from error
        except httpx.RequestError as error:
            what = str(error) or "no words about it"
            raise ModelUnavailable(f"cannot be reached: {type(error).__name__}: {what}"[:_SHOWN]) from error

    def _failure(self, response: httpx.Response, content: bytes) -> ModelError:
        status = response.status_code
        text = " ".join(_text(content).split())[:_SHOWN]
        # An endpoint may echo the key that it was sent.
        masked = text.replace(self._api_key, "…") if self._api_key else text
        message = f"HTTP {status}: {masked}" if masked else f"HTTP {status}"
        wait = retry_after_s(response.headers.get("Retry-After", ""), time.time())
        if status == _TOO_MANY or (response.is_server_error and wait is not None):
            return ModelRateLimited(message, retry_after_s=wait, status=status)
        kind = ModelUnavailable if response.is_server_error or status in _PASSING else ModelRefused
        return kind(message, status=status)


def _text(content: bytes) -> str:
    return content.decode(errors="replace")
