"""Embeddings from any server with OpenAI's `POST …/embeddings`: OpenAI, vLLM, TEI, Ollama, LM Studio and others."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain, repeat

import httpx
import numpy as np
from pydantic import BaseModel, ValidationError
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from clients.addresses import endpoint, key_headers
from clients.embeddings.protocol import Vectors
from clients.http_responses import UNPACKED, NotRead, Slow, posted, retry_after_s
from config.models import EmbeddingModel
from domain.errors import EmbeddingRejected, EmbeddingUnavailable

ATTEMPTS = 4
_LONGEST_WAIT_S = 20.0
_EXCERPT = 200
_PROBE = "dimension"
_MOST_COMPONENTS = 16_384
"""Limit for a vector of a model whose dimension is not known yet."""
_NUMBER_BYTES, _VECTOR_BYTES, _ENVELOPE_BYTES = 64, 1_000, 64_000
"""Generous limits in bytes for a component with blanks, for what surrounds a vector, and all vectors."""


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Reply(BaseModel):
    data: list[_Row]


class _Later(Exception):
    """Worth a retry, after `after_s` seconds if the server names them."""

    def __init__(self, what: str, after_s: float | None = None) -> None:
        super().__init__(what)
        self.after_s = after_s


class EndpointEmbedder:
    """Embeds over HTTP, `batch` texts per request and up to `concurrency` requests at a time. Thread-safe.

    The prefix of documents is part of the name: another prefix gives other vectors.
    """

    def __init__(self, model: EmbeddingModel, *, backoff_s: float = 0.5) -> None:
        self._model = model
        self._backoff = wait_random_exponential(multiplier=backoff_s, max=_LONGEST_WAIT_S)
        self.name = f"{model.model} with {model.document_prefix!r}" if model.document_prefix else model.model

    @property
    def dimension(self) -> int:
        """As configured, else the length of the model's vectors. Raises EmbeddingUnavailable, EmbeddingRejected."""
        return self._model.dimension or self._probed

    @cached_property
    def _probed(self) -> int:
        return self._requested([_PROBE], _MOST_COMPONENTS).shape[1]

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encoded([self._model.query_prefix + text for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return self._encoded([self._model.document_prefix + text for text in texts])

    def _encoded(self, texts: list[str]) -> Vectors:
        dimension, size = self.dimension, self._model.batch
        batches = [texts[first : first + size] for first in range(0, len(texts), size)]
        if not batches:
            return np.empty((0, dimension), dtype=np.float32)
        if len(batches) == 1:
            parts = [self._requested(batches[0], dimension)]
        else:
            with ThreadPoolExecutor(self._model.concurrency, thread_name_prefix="embed") as pool:
                parts = list(pool.map(self._requested, batches, repeat(dimension)))
        vectors = np.concatenate(parts)
        if vectors.shape[1] != dimension:
            raise EmbeddingRejected(
                f"The embedding model {self._model.model} gave vectors of {vectors.shape[1]} components instead of "
                f"{dimension}; correct embeddings.dimension, or leave it out."
            )
        return vectors

    def _requested(self, texts: Sequence[str], dimension: int) -> Vectors:
        retrying = Retrying(
            retry=retry_if_exception_type(_Later),
            wait=self._pause,
            stop=stop_after_attempt(ATTEMPTS),
            reraise=True,
        )
        try:
            vectors: Vectors = retrying(self._once, texts, dimension)
        except _Later as error:
            raise EmbeddingUnavailable(self._message(str(error))) from error
        return vectors

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, _Later) and error.after_s is not None:
            return min(error.after_s, _LONGEST_WAIT_S)
        return self._backoff(state)

    def _once(self, texts: Sequence[str], dimension: int) -> Vectors:
        body: dict[str, object] = {"model": self._model.model, "input": list(texts)}
        if self._model.dimension is not None:
            body["dimensions"] = self._model.dimension
        most_bytes = _ENVELOPE_BYTES + len(texts) * (_VECTOR_BYTES + dimension * _NUMBER_BYTES)
        try:
            response, content = posted(
                self._client,
                endpoint(self._model.base_url, "embeddings"),
                body,
                most_bytes=most_bytes,
                within_s=self._model.timeout_s,
            )
        except httpx.HTTPError as error:
            raise _Later(f"does not answer ({type(error).__name__})") from error
        except Slow as error:
            raise _Later(str(error)) from error
        except NotRead as error:
            asked = f"{len(texts)} texts of at most {dimension:,} components (embeddings.dimension)"
            raise EmbeddingRejected(self._message(f"{error}, {asked}")) from error
        if response.status_code == 429 or response.status_code >= 500:
            after = retry_after_s(response.headers.get("retry-after", ""), time.time())
            raise _Later(f"answered {response.status_code} {ATTEMPTS} times", after)
        if not response.is_success:
            said = " ".join(content.decode(errors="replace").split())[:_EXCERPT]
            raise EmbeddingRejected(self._message(f"answered {response.status_code}: {said}"))
        return self._read(content, len(texts))

    def _read(self, content: bytes, count: int) -> Vectors:
        try:
            rows = sorted(_Reply.model_validate_json(content).data, key=lambda row: row.index)
        except ValidationError:
            raise EmbeddingRejected(self._message("gave a reply that is none of OpenAI's embeddings")) from None
        lengths = {len(row.embedding) for row in rows}
        if [row.index for row in rows] != list(range(count)) or len(lengths) != 1:
            raise EmbeddingRejected(self._message(f"gave {len(rows)} vectors for {count} texts"))
        flat = np.fromiter(chain.from_iterable(row.embedding for row in rows), dtype=np.float32)
        vectors = flat.reshape(count, -1)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.all(np.isfinite(norms)) or not np.all(norms):
            raise EmbeddingRejected(self._message("gave a vector that has no direction"))
        return vectors / norms

    def _message(self, what: str) -> str:
        return f"The embedding model {self._model.model} at {self._model.base_url} {what}."

    @cached_property
    def _client(self) -> httpx.Client:
        key = self._model.api_key.get_secret_value() if self._model.api_key else ""
        headers = {**UNPACKED, **key_headers(self._model.base_url, key)}
        return httpx.Client(headers=headers, timeout=self._model.timeout_s)
