"""Recognises which documents a request for a summary or for what changed is about, and chooses what to show of them.

They are found by what they are called, in their file's name, their title or first line: no passage has the words of
"Summarise the minutes".
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from itertools import combinations, zip_longest
from typing import TypeVar

from citewell_verify.evidence.conflicts.replacements import Known
from citewell_verify.question.features import without_asking
from citewell_verify.question.question_parts import question_stems, whole_asked
from citewell_verify.text.words import content_stems, coverage, letters

T = TypeVar("T")

MOST_PASSAGES = 12
"""At most so many passages of a document are shown."""

READ_AHEAD = 500
"""Passages of a document among which those that open its sections are looked for."""

_SUFFIX = re.compile(r"\.\w{1,5}$")
_REQUEST = re.compile(
    r"\b(?:summar|overview|sum up|brief|chang|differ|compar|between|version|old|new|current|previous|earlier|former)\w*"
    r"|요약\w*|정리\w*|간추\w*|주요|내용\w*|바뀌\w*|바뀐|달라\w*|변경\w*|차이\w*|비교\w*",
    re.IGNORECASE,
)
"""What a request for a summary or for changes says beside the documents' names."""


_ATTACHED = frozenset(content_stems("attached document file text 첨부 문서 파일"))
"""What the only text beside a question is called."""


def whole_request(
    question: str, known: Mapping[str, Known], replaced: Collection[str] = (), *, is_attached: bool = False
) -> tuple[str, ...]:
    """Return which of the `known` documents the question is about as a whole: one to summarise, two to compare.

    It must say nothing else, and be plain: "Summarise the notice period in the contract" asks for a part, and of two
    documents that are called as it says neither is meant. Of versions those that are `replaced` are not meant by a
    summary, and come last in a comparison. The only one that `is_attached` to the question needs no name.
    """
    asked = whole_asked(question)
    if asked is None or not known:
        return ()
    wanted = without_asking(question_stems(_REQUEST.sub(" ", question), dated=True))
    names = {name: called_by(document) for name, document in known.items()}
    if is_attached and len(known) == 1:
        # "Summarise this" names nothing, and means it.
        wanted = [*wanted, *_ATTACHED]
        names = {name: called | _ATTACHED for name, called in names.items()}
    if asked == "summary":
        meant = [name for name in known if _says(wanted, names[name])]
        meant = [name for name in meant if name not in replaced] or meant
        return (meant[0],) if len(meant) == 1 else ()
    pairs = [
        (first, other)
        for first, other in combinations(known, 2)
        if _says(wanted, names[first] | names[other])
        and (_are_versions(known[first], known[other]) or _are_told_apart(wanted, names[first], names[other]))
    ]
    return tuple(sorted(pairs[0], key=lambda name: name in replaced)) if len(pairs) == 1 else ()


def _says(wanted: Sequence[str], name: Set[str]) -> bool:
    return bool(wanted) and coverage(wanted, name) == 1.0


def _are_versions(first: Known, other: Known) -> bool:
    return len(first.called) > 1 and first.called == other.called


def _are_told_apart(wanted: Sequence[str], first: Set[str], other: Set[str]) -> bool:
    """Whether the request has a word of each name that the other name lacks."""
    return any(coverage([stem], first) > coverage([stem], other) for stem in wanted) and any(
        coverage([stem], other) > coverage([stem], first) for stem in wanted
    )


def called_by(document: Known) -> frozenset[str]:
    """The stems of what a document is called: its file, its title or first line, its versions and its year."""
    file = _SUFFIX.sub("", document.name).replace("_", " ")
    year = [document.date[:4]] if document.date else []
    return frozenset([*content_stems(f"{file}\n{document.title}"), *document.called, *document.versions, *year])


def shown_of(documents: Sequence[Sequence[T]], above: Callable[[T], int], text: Callable[[T], str]) -> list[T]:
    """Return the passages to show of whole documents: the outline of one; of two what only one of them has, in turns,
    so that what is cut is cut from both.

    Of two, nothing if that is more than `MOST_PASSAGES` each: samples differ where documents do not.
    """
    if len(documents) != 2:
        return [passage for passages in documents for passage in outline(passages, above)]
    sides = [frozenset(letters(text(passage)) for passage in passages) for passages in documents]
    apart = [
        [passage for passage in passages if letters(text(passage)) not in others]
        for passages, others in zip(documents, reversed(sides), strict=True)
    ]
    if max(map(len, apart)) > MOST_PASSAGES:
        return []
    return [passage for pair in zip_longest(*apart) for passage in pair if passage is not None]


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
