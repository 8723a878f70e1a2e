"""What a place that documents come from has to be."""

from collections.abc import Iterator
from typing import Protocol

from domain.documents.sources import Fetched, Listed, Wanted


class Reader(Protocol):
    """An open place. Every method raises CitewellError with the reason."""

    @property
    def lists_all(self) -> bool:
        """Whether what is not listed is gone; a feed lists only its newest entries."""
        ...

    def listed(self) -> Iterator[Listed]:
        """All items; those that cannot become documents have a reason."""
        ...

    def fetch(self, wanted: Wanted) -> Fetched:
        """What an item is now."""
        ...

    def close(self) -> None: ...
