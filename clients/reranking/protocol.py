"""The Protocol of rerankers, local or remote."""

from collections.abc import Sequence
from typing import Protocol


class RerankFailed(Exception):
    """None of the texts could be scored; `reason` explains why, in words for users."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reranker(Protocol):
    """Scores the relevance of texts to a question. One per process, made after fork: it may belong to an event loop."""

    @property
    def name(self) -> str:
        """The name in records: `cross_encoder/<model>` or `endpoint/<model>`."""
        ...

    def version(self) -> str:
        """`name`, and a hash of the weights where they can be read, which is slow."""
        ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """The relevance 0..1 of each text, in order; None for a text whose relevance could not be read.

        Raises RerankFailed when no relevance could be read at all.
        """
        ...

    async def aclose(self) -> None: ...
