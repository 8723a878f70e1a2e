"""Several questions in one call: each under an id that its verdict has to come back with.

What does not come back exactly once under its own id has no verdict: a reply is never read by its order.
"""

import hashlib
from base64 import b32encode
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from domain.sources import Source, Sources, fenced

MOST_CHUNKS = 20
MOST_STATEMENTS = 8
"""Items of one call: the more a model judges at once, the less it looks at each."""

CHUNKS_CHARS = 24_000
"""What one call shows of chunks together, about 6,000 tokens."""

_ID_CHARS = 4


@dataclass(frozen=True, slots=True)
class Item:
    """`sources` are the numbers of what it is held against, where it is held against anything."""

    id: str
    text: str
    sources: tuple[int, ...] = ()


class Items(tuple[Item, ...]):
    """Items in order; `str()` is the form that prompts use."""

    __slots__ = ()
    tag: ClassVar[str]

    def __str__(self) -> str:
        return "\n\n".join(self._shown(item) for item in self)

    def _shown(self, item: Item) -> str:
        sources = f' sources="{", ".join(map(str, item.sources))}"' if item.sources else ""
        return f'<{self.tag} id="{item.id}"{sources}>\n{fenced(item.text)}\n</{self.tag}>'


class Chunks(Items):
    """Chunks whose relevance is asked for."""

    __slots__ = ()
    tag = "chunk"

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Chunks":
        """Give each text an id."""
        return cls(map(Item, short_ids(texts), texts))


class Statements(Items):
    """Statements, each to be held against its own sources."""

    __slots__ = ()
    tag = "statement"

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, Sources]]) -> "tuple[Statements, Sources]":
        """Give each statement an id, and number the sources of all of them anew, each once."""
        numbers: dict[tuple[str, str, str], int] = {}
        for _, sources in pairs:
            for source in sources:
                numbers.setdefault(_identity(source), len(numbers) + 1)
        cited = [tuple(numbers[_identity(source)] for source in sources) for _, sources in pairs]
        ids = short_ids([f"{text}\n{numbers_}" for (text, _), numbers_ in zip(pairs, cited, strict=True)])
        shown = Sources(Source(number, *identity) for identity, number in numbers.items())
        return cls(Item(id_, text, n) for id_, (text, _), n in zip(ids, pairs, cited, strict=True)), shown


def _identity(source: Source) -> tuple[str, str, str]:
    return source.label, source.text, source.context


def short_ids(texts: Sequence[str]) -> list[str]:
    """Return an id for each text, made of it: no two are equal, and none follows from another.

    A reply that counts from another number, or goes on counting, so names nobody; the same items have the same ids.
    """
    found: dict[str, None] = {}
    # The same text goes on where it ended the last time: all before that are taken.
    digests: dict[str, Any] = {}
    for text in texts:
        digest = digests.setdefault(text, hashlib.sha256(text.encode()))
        while (id_ := b32encode(digest.digest()).decode().lower()[:_ID_CHARS]) in found:
            digest.update(b"again")
        found[id_] = None
    return list(found)


class Identified(Protocol):
    """A part of a reply about one item."""

    @property
    def id(self) -> str:
        """As the item's tag says."""
        ...


P = TypeVar("P", bound=Identified)


def by_id(items: Iterable[Item], replied: Iterable[P]) -> dict[str, P]:
    """Return what was replied of each item by its id; without those of which nothing, or more than one thing, was."""
    parts = list(replied)
    counts, known = Counter(part.id for part in parts), {item.id for item in items}
    return {part.id: part for part in parts if part.id in known and counts[part.id] == 1}
