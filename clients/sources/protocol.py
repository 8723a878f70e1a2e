"""What a place that documents come from has to be."""

from collections.abc import Iterator
from typing import Protocol

from domain.documents.sources import Fetched, Listed, Wanted


class Reader(Protocol):
    """An open place. Every method raises CitewellError with the reason."""

    @property
    def lists_all(self) -> bool:
        """A feed lists only its newest entries: what it does not list need not be gone."""
        ...

    def listed(self) -> Iterator[Listed]:
        """All items; those that cannot become documents have a reason."""
        ...

    def fetch(self, wanted: Wanted) -> Fetched: ...

    def close(self) -> None: ...
