"""Classifiers of (source, statement) pairs: the Protocol, and the implementation for a model folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from clients.llm.protocol import ModelError, ModelRefused, ModelUnavailable

if TYPE_CHECKING:
    from clients.llm.neural.encoding import Encoded, PairEncoder
    from clients.llm.neural.folder import ModelFolder

_BATCH_TOKENS = 8192  # including padding: bounds the memory of one run whatever the model's limit is
_NO_MEMORY = ("bad_alloc", "out of memory", "failed to allocate", "not enough memory")

Arrays = Mapping[str, NDArray[np.int64]]
"""`input_ids`, `attention_mask` and `token_type_ids`, each of shape (pairs, tokens)."""


class PairClassifier(Protocol):
    """Estimates the probability that a source supports a statement. Deterministic and thread-safe."""

    @property
    def name(self) -> str:
        """The name in records: the folder's name or the hub id."""
        ...

    @property
    def version(self) -> str: ...

    @property
    def max_tokens(self) -> int:
        """The length of the longest pair that the model reads, in its own tokens, including special ones."""
        ...

    def size(self, source: str, statement: str) -> int:
        """The number of tokens in the pair, including special ones. Raises ModelError."""
        ...

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """P(supported), 0..1, of each (source, statement). Raises ModelError; a pair is never silently truncated."""
        ...


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded model; `forward` returns its logits, shape (pairs, labels)."""

    encoder: PairEncoder
    forward: Callable[[Arrays], NDArray[np.float32]]


class Load(Protocol):
    """A backend: loads the network of a folder. Raises whatever its runtime raises."""

    def __call__(self, folder: ModelFolder) -> Network: ...


class FolderClassifier:
    """A PairClassifier from a folder. The first use loads the weights, once; runs are serialised.

    A single run uses every core, so concurrent runs would only need more memory.
    """

    def __init__(self, folder: ModelFolder, load: Load) -> None:
        self.name = folder.name
        self.max_tokens = folder.max_tokens
        self._folder = folder
        self._load = load
        self._network: Network | None = None
        self._version: str | None = None
        self._loading = Lock()
        self._running = Lock()

    @property
    def version(self) -> str:
        """The first twelve hexadecimal digits of the weights' SHA-256. Raises ModelError."""
        with self._loading, self._as_model_error("could not be read"):
            if self._version is None:
                digest = hashlib.sha256()
                for file in self._folder.weights:
                    with file.open("rb") as opened:
                        digest.update(hashlib.file_digest(opened, "sha256").digest())
                self._version = digest.hexdigest()[:12]
            return self._version

    def size(self, source: str, statement: str) -> int:
        network = self._loaded()
        with self._as_model_error("could not read the pair"):
            return network.encoder.size(source, statement)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """P(supported) of each pair, computed in batches. Raises ModelError."""
        network = self._loaded()
        with self._as_model_error("could not score"):
            encoded = [network.encoder.encode(*pair) for pair in pairs]
            if longest := max((len(pair.ids) for pair in encoded if len(pair.ids) > self.max_tokens), default=0):
                raise ModelRefused(f"{self.name} reads {self.max_tokens} tokens at once and got {longest}")
            scores: list[float] = []
            with self._running:
                for batch in _batches(encoded):
                    logits = network.forward(_padded(batch, self._folder.pad_id))
                    of_batch = self._folder.head.probabilities(logits)
                    if len(of_batch) != len(batch):
                        raise ModelRefused(f"{self.name} gave {len(of_batch)} scores for {len(batch)} pairs")
                    scores += of_batch
            return scores

    def _loaded(self) -> Network:
        with self._loading, self._as_model_error("could not be loaded"):
            if self._network is None:
                self._network = self._load(self._folder)
            return self._network

    @contextmanager
    def _as_model_error(self, what: str) -> Generator[None]:
        # A judge that fails leaves statements unchecked.
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            # Native runtimes raise classes of their own.
            text = f"{self.name} {what}: {type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"
            if isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _NO_MEMORY):
                raise ModelUnavailable(text) from error
            raise ModelRefused(text) from error


def _batches(encoded: Sequence[Encoded]) -> Iterator[Sequence[Encoded]]:
    start = 0
    while start < len(encoded):
        end, longest = start, 0
        while end < len(encoded):
            longest = max(longest, len(encoded[end].ids))
            if end > start and longest * (end + 1 - start) > _BATCH_TOKENS:
                break
            end += 1
        yield encoded[start:end]
        start = end


def _padded(batch: Sequence[Encoded], pad_id: int) -> Arrays:
    shape = (len(batch), max(len(pair.ids) for pair in batch))
    ids, mask, types = np.full(shape, pad_id, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, pair in enumerate(batch):
        ids[row, : len(pair.ids)] = pair.ids
        mask[row, : len(pair.ids)] = 1
        types[row, : len(pair.ids)] = pair.types
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
