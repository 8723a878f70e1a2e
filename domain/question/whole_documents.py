"""Recognises which documents a request for a summary or for what changed is about, and chooses what to show of them.

They are found by what they are called, in their file's name, their title or the headings where they begin: no passage
has the words of "Summarise the minutes".
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from citewell_verify.evidence.conflicts.replacements import Known
from citewell_verify.question.features import without_asking
from citewell_verify.question.question_parts import question_stems, whole_asked
from citewell_verify.text.words import content_stems, coverage

T = TypeVar("T")

MOST_PASSAGES = 12
"""At most so many passages of a document are shown."""

READ_AHEAD = 500
"""Passages of a document among which those that open its sections are looked for."""

_NAMED = 0.5  # share of the request's words, by how rare they are in names, from which on a document is named
_NAME_CHARS = 200  # of a document's beginning, which says what it is
_SUFFIX = re.compile(r"\.\w{1,5}$")


def whole_request(question: str, known: Mapping[str, Known], replaced: Collection[str] = ()) -> tuple[str, ...]:
    """Return which of the `known` documents the question is about as a whole: one to summarise, two to compare; none
    if it asks for something in documents, or names none.

    They are given in the order of their relevance; those `replaced` come last where several are called the same.
    """
    asked = whole_asked(question)
    if asked is None or not known:
        return ()
    shares = _named_shares(question, known)
    first, *others = sorted(known, key=lambda name: (-shares[name], name in replaced))
    if asked == "summary":
        return (first,) if shares[first] >= _NAMED else ()
    versions = [name for name in others if len(known[name].called) > 1 and known[name].called == known[first].called]
    named = [name for name in others if shares[name] >= _NAMED]
    return next(((first, other) for other in (*versions, *named)), ())


def _named_shares(question: str, known: Mapping[str, Known]) -> Mapping[str, float]:
    """How far each document is called as the request says, 0..1: words that few documents are called by say most."""
    wanted = tuple(dict.fromkeys(without_asking(question_stems(question, dated=True))))
    names = {name: named_words(document) for name, document in known.items()}
    having = Counter(stem for stem in wanted for name in names.values() if coverage([stem], name))
    rarity = {stem: math.log(1 + len(known) / max(having[stem], 1)) for stem in wanted}
    total = sum(rarity.values()) or 1.0
    return {
        document: sum(weight * coverage([stem], name) for stem, weight in rarity.items()) / total
        for document, name in names.items()
    }


def named_words(document: Known) -> frozenset[str]:
    """The stems of what a document is called: its file, its title and the first words of it."""
    file = _SUFFIX.sub("", document.name).replace("_", " ")
    return frozenset(content_stems(f"{file}\n{document.title}\n{document.text[:_NAME_CHARS]}"))


def outline(passages: Sequence[T], above: Callable[[T], int], most: int = MOST_PASSAGES) -> list[T]:
    """Return at most `most` passages of a document, in its order: those with the fewest headings `above` them, which
    open its sections, evenly spread if there are more."""
    if len(passages) <= most:
        return list(passages)
    depths = [above(passage) for passage in passages]
    deepest = next(
        (depth for depth in sorted(set(depths)) if sum(other <= depth for other in depths) >= most), max(depths)
    )
    top = [passage for passage, depth in zip(passages, depths, strict=True) if depth <= deepest]
    return [top[place * len(top) // most] for place in range(most)]
