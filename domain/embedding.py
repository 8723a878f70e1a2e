"""What of a chunk is embedded."""

from typing import Protocol


class Embeddable(Protocol):
    """A chunk, stored or not yet."""

    @property
    def text(self) -> str:
        """The chunk's own words."""
        ...


def embedded_text(chunk: Embeddable) -> str:
    """The text that a chunk's vector is made of; a vector is found again by exactly this text."""
    return chunk.text
