"""Determines the text of a chunk that is embedded."""

from typing import Protocol

from domain.documents.documents import indexed_text


class Embeddable(Protocol):
    """A chunk, stored or not yet."""

    @property
    def text(self) -> str: ...

    @property
    def context(self) -> str | None: ...


def embedded_text(chunk: Embeddable) -> str:
    """The text that a chunk's vector is made of; a stored vector is looked up by exactly this text."""
    return indexed_text(chunk.text, chunk.context)
