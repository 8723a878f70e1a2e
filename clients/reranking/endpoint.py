"""A reranker over HTTP: any endpoint compatible with Cohere's, Jina's, vLLM's or TEI's `/rerank`."""

import asyncio
import re
import time
from collections.abc import Sequence
from typing import Any

import httpx

from clients.http_responses import UNPACKED, NotRead, posted_soon, retry_after_s
from clients.llm.calling.attempt import RetryBudget
from clients.llm.protocol import ModelError, ModelRateLimited, ModelRefused, ModelUnavailable
from clients.reranking.protocol import RerankFailed
from clients.reranking.wire import Scale, are_logits, documents_body, read_scores, relevance, texts_body

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
