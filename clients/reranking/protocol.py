"""What every reranker is, whether it runs here or elsewhere."""

from collections.abc import Sequence
from typing import Protocol


class RerankFailed(Exception):
    """Not one of the texts could be scored; `reason` says why, in words a user can read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Reranker(Protocol):
    """Says how relevant texts are to a question. One instance per process, made after fork: it may belong to one event
    loop."""

    @property
    def name(self) -> str:
        """What the records call it: `cross_encoder/<model>` or `endpoint/<model>`."""
        ...

    def version(self) -> str:
        """Return `name`, and a hash of the weights where they can be read, which takes its time."""
        ...

    async def score(self, question: str, texts: Sequence[str]) -> list[float | None]:
        """Return the relevance 0..1 of each text, in their order; None where it could not be read.

        Raises RerankFailed when it got none at all.
        """
        ...

    async def aclose(self) -> None:
        """Release what it holds."""
        ...
