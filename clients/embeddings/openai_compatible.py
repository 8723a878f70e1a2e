"""Embeddings from any server with OpenAI's `POST …/embeddings`: OpenAI, vLLM, TEI, Ollama, LM Studio and others."""

import base64
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import repeat
from typing import Any

import httpx
import numpy as np
import structlog
from pydantic import BaseModel, ValidationError
from tenacity import RetryCallState, Retrying, retry_if_exception, wait_random_exponential

from citewell_verify.embeddings.protocol import Vectors
from clients.addresses import endpoint, key_headers
from clients.http_responses import UNPACKED, NotRead, Slow, posted, retry_after_s
from config.models import EmbeddingModel
from domain.errors.service import EmbeddingRejected, EmbeddingUnavailable

log = structlog.get_logger()

ATTEMPTS = 4
_LONGEST_WAIT_S = 20.0
_EXCERPT = 200
_PROBE = "dimension"
_MOST_COMPONENTS = 16_384
"""The limit of a vector's length for a model whose dimension is not known yet."""
_NUMBER_BYTES, _VECTOR_BYTES, _ENVELOPE_BYTES = 64, 1_000, 64_000
"""Generous limits in bytes for a component with blanks, for the JSON around a vector, and around all vectors."""


_EXCERPT_OF_TEXT = 80
_REFUSING = {400, 413, 422}
"""Statuses with which servers refuse the contents of a request, and not its sender or its address."""


class _Row(BaseModel):
    index: int | None = None
    embedding: Any


class _Reply(BaseModel):
    data: list[_Row]


class _Failed(Exception):
    """These texts got no vectors. `passes`: a later try may help, after `after_s` seconds if the server names a wait;
    `of_texts`: the number of texts, or one of them, may be the reason."""

    def __init__(self, what: str, *, passes: bool, of_texts: bool, after_s: float | None = None) -> None:
        super().__init__(what)
        self.passes, self.of_texts, self.after_s = passes, of_texts, after_s


class EndpointEmbedder:
    """Embeds over HTTP, `batch` texts per request and up to `concurrency` requests at a time. Thread-safe.

    The prefix of documents is part of the name: another prefix gives other vectors.
    """

    def __init__(self, model: EmbeddingModel, *, backoff_s: float = 0.5) -> None:
        self._model = model
        self._backoff = wait_random_exponential(multiplier=backoff_s, max=_LONGEST_WAIT_S)
        self._batch = model.batch
        self.name = f"{model.model} with {model.document_prefix!r}" if model.document_prefix else model.model

    @property
    def dimension(self) -> int:
        """The configured dimension, or else the length of the model's vectors. Raises EmbeddingUnavailable,
        EmbeddingRejected.
        """
        return self._model.dimension or self._probed

    @cached_property
    def _probed(self) -> int:
        return self._requested([_PROBE], _MOST_COMPONENTS).shape[1]

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encoded([self._model.query_prefix + text for text in texts])

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        return self._encoded([self._model.document_prefix + text for text in texts])

    def _encoded(self, texts: list[str]) -> Vectors:
        dimension = self.dimension
        batches = self._batches(texts)
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

    def _batches(self, texts: Sequence[str]) -> list[Sequence[str]]:
        return [texts[first : first + self._batch] for first in range(0, len(texts), self._batch)]

    def _requested(self, texts: Sequence[str], dimension: int, attempts: int = ATTEMPTS) -> Vectors:
        """The vectors of one request, or of several smaller requests if it fails although the endpoint serves another
        text.

        This tells an endpoint that is away from a batch that is too large, and from a text that cannot be embedded.
        """
        try:
            return self._tried(texts, dimension, attempts)
        except _Failed as error:
            failure = error
        if not failure.of_texts or (attempts > 1 and self._fails_for_others(failure, texts, dimension)):
            raise self._error(failure) from failure
        try:
            # Try once more: the endpoint may have come back just before it was asked for the other text.
            if attempts > 1 and failure.passes:
                return self._tried(texts, dimension, 1)
        except _Failed as error:
            if not error.of_texts:
                raise self._error(error) from error
        if len(texts) == 1:
            raise EmbeddingRejected(self._message(f"{failure}, for {_begun(texts[0])}")) from failure
        return self._halved(texts, dimension)

    def _fails_for_others(self, failure: _Failed, texts: Sequence[str], dimension: int) -> bool:
        if texts == [_PROBE]:
            return True
        if len(texts) == 1 and not failure.passes:
            return False
        try:
            self._tried([_PROBE], dimension, 1)
        except _Failed:
            return True
        return False

    def _halved(self, texts: Sequence[str], dimension: int) -> Vectors:
        half = (len(texts) + 1) // 2
        attempts = 1 if half > 1 else ATTEMPTS
        parts = [self._requested(texts[:half], dimension, attempts)]
        for some in self._batches(texts[half:]):
            parts.append(self._requested(some, dimension, 1 if len(some) > 1 else ATTEMPTS))
        if half < self._batch:
            # No text was at fault.
            self._batch = half
            log.warning("embedding_batch_too_large", model=self._model.model, setting="embeddings.batch", works=half)
        return np.concatenate(parts)

    def _tried(self, texts: Sequence[str], dimension: int, attempts: int) -> Vectors:
        """The vectors of one request, with retries. Raises _Failed, and EmbeddingRejected for faults that have nothing
        to do with the texts.
        """

        def is_last(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            return state.attempt_number >= (attempts if isinstance(error, _Failed) and error.of_texts else ATTEMPTS)

        passing = retry_if_exception(lambda error: isinstance(error, _Failed) and error.passes)
        vectors: Vectors = Retrying(retry=passing, wait=self._pause, stop=is_last, reraise=True)(
            self._once, texts, dimension
        )
        return vectors

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, _Failed) and error.after_s is not None:
            return min(error.after_s, _LONGEST_WAIT_S)
        return self._backoff(state)

    def _error(self, failure: _Failed) -> EmbeddingUnavailable | EmbeddingRejected:
        return (EmbeddingUnavailable if failure.passes else EmbeddingRejected)(self._message(str(failure)))

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
            # A server that fails because of a text has been reached.
            reached = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            raise _Failed(f"does not answer ({type(error).__name__})", passes=True, of_texts=reached) from error
        except Slow as error:
            raise _Failed(str(error), passes=True, of_texts=True) from error
        except NotRead as error:
            asked = f"{len(texts)} texts of at most {dimension:,} components (embeddings.dimension)"
            raise EmbeddingRejected(self._message(f"{error}, {asked}")) from error
        status = response.status_code
        if response.is_success:
            return self._read(content, texts)
        said = f"answered {status}: " + (" ".join(content.decode(errors="replace").split())[:_EXCERPT] or "(nothing)")
        if status == 429 or status >= 500:
            after = retry_after_s(response.headers.get("retry-after", ""), time.time())
            raise _Failed(said, passes=True, of_texts=status != 429, after_s=after)
        raise _Failed(said, passes=False, of_texts=status in _REFUSING)

    def _read(self, content: bytes, texts: Sequence[str]) -> Vectors:
        try:
            rows = _Reply.model_validate_json(content).data
            read = [_vector(row.embedding) for row in rows]
        except (ValidationError, ValueError, TypeError):
            raise EmbeddingRejected(self._message("gave a reply that is none of OpenAI's embeddings")) from None
        if len(rows) != len(texts) or len({vector.shape for vector in read}) != 1:
            sizes = "" if len(rows) != len(texts) else " that differ in length"
            raise EmbeddingRejected(self._message(f"gave {len(rows)} vectors for {len(texts)} texts{sizes}"))
        if (places := _places(rows)) is None:
            said = f"gave {len(rows)} vectors for {len(texts)} texts with numbers that do not say whose they are"
            raise EmbeddingRejected(self._message(said))
        vectors = np.empty((len(rows), len(read[0])), dtype=np.float32)
        vectors[places] = read
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (usable := np.isfinite(norms) & (norms > 0)).all():
            text = _begun(texts[int(np.argmin(usable))])
            raise EmbeddingRejected(self._message(f"gave a vector that has no direction, for {text}"))
        return vectors / norms

    def _message(self, what: str) -> str:
        # A server may repeat the key, and an address may carry one, so both are removed.
        address = self._model.base_url.partition("?")[0]
        if key := self._model.api_key.get_secret_value() if self._model.api_key else "":
            what = what.replace(key, "***")
        return f"The embedding model {self._model.model} at {address} {what}."

    @cached_property
    def _client(self) -> httpx.Client:
        key = self._model.api_key.get_secret_value() if self._model.api_key else ""
        headers = {**UNPACKED, **key_headers(self._model.base_url, key)}
        return httpx.Client(headers=headers, timeout=self._model.timeout_s)


def _begun(text: str) -> str:
    return f"the text that begins with {text[:_EXCERPT_OF_TEXT]!r}"


def _vector(embedding: object) -> Vectors:
    """A vector from numbers, or from base64 of little-endian floats. Raises ValueError, TypeError."""
    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4").astype(np.float32)
    vector = np.array(embedding, dtype=np.float32)
    if vector.ndim != 1 or not vector.size:
        raise ValueError
    return vector


def _places(rows: Sequence[_Row]) -> list[int] | None:
    """The index of the text that each row belongs to; None if the numbers of the rows are contradictory.

    Some servers leave out the number 0, as Protocol Buffers do; some leave out all numbers, and some send 0 always.
    Then the order of the rows counts.
    """
    order = list(range(len(rows)))
    without_zero = [row.index or 0 for row in rows]
    without_some = [at if row.index is None else row.index for at, row in enumerate(rows)]
    if not any(without_zero):
        return order
    return next((places for places in (without_zero, without_some) if sorted(places) == order), None)
