"""Groups several questions into one call, each under an id with which its verdict must return.

If the reply does not have an item's id exactly once, the item has no verdict: a reply is never read by its order.
"""

import hashlib
from base64 import b32encode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self, TypeVar

from citewell_verify.prompting.numbered_sources import Source, Sources, fenced

MOST_CHUNKS = 20
MOST_STATEMENTS = 8
"""The limit of items in one call: the more items a model judges at once, the less closely it looks at each."""

CHUNKS_CHARS = 24_000
"""The characters of chunks per call, about 6,000 tokens."""

_ID_CHARS = 4


@dataclass(frozen=True, slots=True)
class Item:
    """An item: `sources` are the numbers of the sources that it is compared with, if any; `noticed` is a note on it."""

    id: str
    text: str
    sources: tuple[int, ...] = ()
    noticed: str = ""


class Items(tuple[Item, ...]):
    """Items in order; `str()` gives the form for prompts."""

    __slots__ = ()
    tag: ClassVar[str]

    def __str__(self) -> str:
        shown: list[str] = []
        for item in self:
            sources = f' sources="{", ".join(map(str, item.sources))}"' if item.sources else ""
            noticed = f'\n<noticed id="{item.id}">\n{fenced(item.noticed)}\n</noticed>' if item.noticed else ""
            shown.append(f'<{self.tag} id="{item.id}"{sources}>\n{fenced(item.text)}\n</{self.tag}>{noticed}')
        return "\n\n".join(shown)


class _Texts(Items):
    __slots__ = ()

    @classmethod
    def of(cls, texts: Sequence[str]) -> Self:
        return cls(map(Item, short_ids(texts), texts))


class Chunks(_Texts):
    """Chunks whose relevance a model is asked for."""

    __slots__ = ()
    tag = "chunk"


class Statements(Items):
    """Statements, each to be checked against its own sources."""

    __slots__ = ()
    tag = "statement"

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, Sources]], noticed: Sequence[str] = ()) -> "tuple[Statements, Sources]":
        """Give each statement an id and, if there is one, the note that was `noticed` about it; renumber the sources of
        all statements, each source once.
        """
        numbers: dict[tuple[str, str, str], int] = {}
        for _, sources in pairs:
            for source in sources:
                numbers.setdefault(_identity(source), len(numbers) + 1)
        cited = [tuple(numbers[_identity(source)] for source in sources) for _, sources in pairs]
        ids = short_ids([f"{text}\n{sources}" for (text, _), sources in zip(pairs, cited, strict=True)])
        shown = Sources(Source(number, *identity) for identity, number in numbers.items())
        notes = noticed or [""] * len(pairs)
        items = (
            Item(id_, text, sources, note)
            for id_, (text, _), sources, note in zip(ids, pairs, cited, notes, strict=True)
        )
        return cls(items), shown


class Entries(_Texts):
    """Values of an object, each to be checked against the sentences that it was taken from."""

    __slots__ = ()
    tag = "entry"


def _identity(source: Source) -> tuple[str, str, str]:
    return source.label, source.text, source.context


def short_ids(texts: Sequence[str]) -> list[str]:
    """Return an id for each text, derived from the text: no two are equal, and none can be computed from another.

    So a reply that counts from another number, or continues counting, matches no item; the same items have the same
    ids.
    """
    ids: dict[str, None] = {}
    # A repeated text continues from its last digest, because all ids before that are used.
    digests: dict[str, Any] = {}
    for text in texts:
        digest = digests.setdefault(text, hashlib.sha256(text.encode()))
        while (id_ := b32encode(digest.digest()).decode().lower()[:_ID_CHARS]) in ids:
            digest.update(b"again")
        ids[id_] = None
    return list(ids)


class Identified(Protocol):
    """A part of a reply about one item."""

    @property
    def id(self) -> str: ...


P = TypeVar("P", bound=Identified)


def by_id(items: Iterable[Item], replied: Iterable[P]) -> dict[str, P]:
    parts = list(replied)
    counts, known = Counter(part.id for part in parts), {item.id for item in items}
    return {part.id: part for part in parts if part.id in known and counts[part.id] == 1}


K = TypeVar("K", bound=Items)


def items_of(fields: Mapping[str, object], name: str, kind: type[K]) -> K:
    """The items in a field. Raises TypeError for anything else, such as a text."""
    items = fields[name]
    if not isinstance(items, kind):
        raise TypeError(f"{name} are read from {kind.__name__}, not from a text")
    return items


T = TypeVar("T")


def packed(items: Sequence[T], fits: Callable[[Sequence[T]], bool]) -> list[list[T]]:
    """Split `items` in order into lists that `fits` accepts, each as long as possible; a single item always passes."""
    result: list[list[T]] = []
    for item in items:
        if result and fits([*result[-1], item]):
            result[-1].append(item)
        else:
            result.append([item])
    return result
