"""What makes vectors of texts."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One vector per text, shape (texts, dimension), each of length 1."""


class Embedder(Protocol):
    """A model of embeddings; vectors of different `name` or `dimension` cannot be compared.

    Questions and documents are told apart because some models want a different prefix for each.
    All of it raises EmbeddingUnavailable (try again later) and EmbeddingRejected.
    """

    @property
    def name(self) -> str:
        """What is stored with the vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a vector. Where nobody told it, the model is asked: never read it inside a transaction."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised vector per question, shape (len(texts), dimension)."""
        ...

    def encode_documents(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised vector per text to be found, shape (len(texts), dimension)."""
        ...


class Encoder(Protocol):
    """A model that knows no difference between questions and documents."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one L2-normalised vector per text."""
        ...
