"""Numbers the passages that a model sees 1..k, and fences them as data."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, repeat

from citewell_verify.markers.attribution import without_attribution
from citewell_verify.markers.citable import UNNAMED, SourceNames
from citewell_verify.safety.prompt_injection import without_hidden, without_orders

# Tags of our prompts, also written `< / source` or with full-width signs, and role markers of chat formats.
_FENCE = re.compile(
    r"[<＜﹤](?=\s{0,4}[/／|]?\s{0,4}"
    r"(?:source|chunk|answer|before|question|conversation|sentences?|form|entry|statement|claims?|notes|searches|reason|verdict|system|assistant|user|instructions?|context|im_start|im_end"
    r"|start_header_id|end_header_id|endoftext|<sys)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """One passage: `[†number]` in an answer points to `number`, `label` is e.g. `policy.pdf, p.3`.

    `context` has the headings above it and the columns of its table. `names` are the names of the source. `replaced_by`
    is the name of a document that states that it replaces this passage's document.
    """

    number: int
    label: str
    text: str
    context: str = ""
    names: SourceNames = UNNAMED
    replaced_by: str = ""

    def __str__(self) -> str:
        part_of = f' part_of="{_named(self.context)}"' if self.context else ""
        replaced = f' replaced_by="{_named(self.replaced_by)}"' if self.replaced_by else ""
        opening = f'<source id="{self.number}" name="{_named(self.label)}"{part_of}{replaced}>'
        return f"{opening}\n{fenced(self.text)}\n</source>"


class Sources(tuple[Source, ...]):
    """Sources in the order of their numbers; `str()` gives the form for prompts."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n\n".join(str(source) for source in self)

    @classmethod
    def numbered(
        cls,
        passages: Iterable[tuple[str, str]],
        contexts: Iterable[str | None] = (),
        names: Iterable[SourceNames] = (),
        replaced_by: Iterable[str] = (),
    ) -> "Sources":
        """Number (label, text) pairs from 1; sentences that address a model are blanked out, in place."""
        return cls(
            Source(number, label, without_orders(text), context or "", called, newer)
            for number, ((label, text), context, called, newer) in enumerate(
                zip(
                    passages,
                    chain(contexts, repeat(None)),
                    chain(names, repeat(UNNAMED)),
                    chain(replaced_by, repeat("")),
                    strict=False,
                ),
                start=1,
            )
        )


def content_of(statement: str, sources: Sources) -> str:
    """Return the content of the statement, without phrases that only name the one of its `sources` that it is from.

    A plain name that is also in a source's text may be that of a person who is quoted there, so it stays.
    """
    content = without_attribution(statement, [source.names for source in sources])
    if content == statement:
        return statement
    return without_attribution(statement, [source.names.without_names_in(source.text) for source in sources])


def fenced(text: str) -> str:
    """Disarm untrusted text: tags that could close the fence around it, and invisible characters."""
    return _FENCE.sub("‹", without_hidden(text))


def _named(label: str) -> str:
    """A name on one line, without orders to a model and quotation marks, because file names are untrusted, too."""
    return fenced(" ".join(without_orders(label).split())).replace('"', "'")
