"""The Protocols of embedding models."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One vector per text, shape (texts, dimension), each of length 1."""


class Embedder(Protocol):
    """An embedding model; vectors of different `name` or `dimension` cannot be compared.

    Questions and documents are distinguished because some models need a different prefix for each. `dimension` and both
    methods raise EmbeddingUnavailable (try again later) and EmbeddingRejected.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int:
        """The number of components of a vector. If it is not configured, the model is asked: never read it inside a
        transaction.
        """
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """One L2-normalised vector per question, shape (len(texts), dimension)."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """One L2-normalised vector per searchable text, shape (len(texts), dimension)."""
        ...


class Encoder(Protocol):
    """A model that treats questions and documents alike."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The L2-normalised vectors of the texts."""
        ...
