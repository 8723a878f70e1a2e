"""Similarity of meaning, with every text encoded once per process."""

from collections.abc import Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from citewell_verify.embeddings.protocol import Encoder

_LOCKS = 64


class Meaning:
    """Cosines between texts; without an embedder `known` is False and every cosine is 0. Thread-safe.

    Each text is encoded alone: in a batch the last digits of its vector would depend on its neighbours.
    """

    def __init__(self, embedder: Encoder | None, *, remembered: int = 4096) -> None:
        self.known = embedder is not None
        self._embedder = embedder
        self._remembered = lru_cache(maxsize=remembered)(self._encode)
        # Threads score the passages of one question together; each text is encoded once while the others wait for it.
        self._encoding = [Lock() for _ in range(_LOCKS)]

    def best_likeness(self, text: str, others: Sequence[str]) -> float:
        """A cosine, 0..1; 0 if there are none."""
        return max(self.likenesses(text, others), default=0.0)

    def likenesses(self, text: str, others: Sequence[str]) -> list[float]:
        if not self.known:
            return [0.0] * len(others)
        vector = self._vector(_plain(text))
        return [max(0.0, min(1.0, float(vector @ self._vector(_plain(candidate))))) for candidate in others]

    def _vector(self, text: str) -> NDArray[np.float32]:
        with self._encoding[hash(text) % _LOCKS]:
            return self._remembered(text)

    def _encode(self, text: str) -> NDArray[np.float32]:
        if self._embedder is None:
            raise RuntimeError("there is no embedder")
        return self._embedder.encode([text])[0]


def _plain(text: str) -> str:
    return " ".join(text.split())
