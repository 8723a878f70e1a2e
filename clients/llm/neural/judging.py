"""A classifier's veto on "supported": a second look at the pair by a model trained for nothing else (S5.4).

Entailment models see swapped roles, negations and directions that neither words nor a language model reliably see, and
score few faithful statements far below their threshold. As one vote among several they would be outvoted, so they have
a veto. They cannot raise a verdict: they confuse similarity with support.
"""

import re
from collections.abc import Callable, Collection, Iterator
from itertools import pairwise

from citewell_verify.evidence.contradictions import without_markers
from citewell_verify.prompting.judgements import StatementCheck
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.text.languages import language_of
from citewell_verify.text.sentences import split_sentences
from clients.llm.neural.classifier import PairClassifier
from clients.llm.protocol import ModelRefused

# Splits a long source into windows that fit a model together with the statement, leaving nothing out.

Span = tuple[int, int]
"""(start, end) in code points of the source."""

_WORD = re.compile(r"\S+\s*")
_LEAST_ROOM = 8  # a window gets at least this fraction (1/n) of the model's tokens
_OVERLAP = 4  # a window repeats at most this fraction (1/n) of the one before it


class StatementTooLong(Exception):
    """The statement leaves no room for a source."""


def windows(text: str, size: Callable[[str], int], limit: int) -> list[Span]:
    """Windows of whole sentences that together cover `text`, each of at most `limit` tokens as counted by `size`.

    Neighbours share their boundary sentences if these are short. A sentence too long for a window is split into words,
    a word into halves. `size("")` is the size of the statement. Raises StatementTooLong.
    """
    taken = size("")
    room = limit - taken
    if room < max(1, limit // _LEAST_ROOM):
        raise StatementTooLong

    def fits(span: Span) -> bool:
        return size(text[slice(*span)]) <= limit

    sentences = [(sentence.start, sentence.end) for sentence in split_sentences(text)]
    units = [unit for sentence in sentences for unit in _fitting(text, sentence, fits)]
    costs = [size(text[slice(*unit)]) - taken for unit in units]
    spans: list[Span] = []
    first = 0
    while first < len(units):
        last = _last_affordable(costs, first, room)
        # The whole can have more tokens than its parts, e.g. for the line breaks between them.
        while last > first and not fits((units[first][0], units[last][1])):
            last -= 1
        spans.append((units[first][0], units[last][1]))
        first = len(units) if last + 1 == len(units) else _next(costs, first, last, room // _OVERLAP)
    return spans


def _last_affordable(costs: list[int], first: int, room: int) -> int:
    last, spent = first, costs[first]
    while last + 1 < len(costs) and spent + costs[last + 1] <= room:
        last += 1
        spent += costs[last]
    return last


def _next(costs: list[int], first: int, last: int, shared: int) -> int:
    # The next window begins as far back as `shared` tokens reach, but after `first`.
    following, spent = last + 1, costs[last]
    while following - 1 > first and spent <= shared:
        following -= 1
        spent += costs[following - 1]
    return following


def _fitting(text: str, span: Span, fits: Callable[[Span], bool]) -> Iterator[Span]:
    start, end = span
    if fits(span) or end - start <= 1:
        yield span
        return
    words = [match.start() for match in _WORD.finditer(text, start, end)]
    cuts = [*words, end] if len(words) > 1 else [start, (start + end) // 2, end]
    for part in pairwise(cuts):
        yield from _fitting(text, part, fits)


VETO_BELOW = 0.3
"""A lower probability of support lowers a verdict; at 0.3 the veto removes no additional faithful statements."""

VETOED_CONFIDENCE = 0.5
"""The most confidence of a vetoed "supported": it is uncertain, so the statement is not removed because of it."""


def vetoed(
    check: StatementCheck, statement: str, sources: Sources, classifier: PairClassifier, languages: Collection[str]
) -> StatementCheck:
    """The `check`, lowered to partly supported if the classifier gives every source less than 0.3.

    Only a verdict of "supported" can be vetoed, and only in the classifier's own `languages`. Raises ModelError.
    """
    plain = " ".join(without_markers(statement).split())
    texts = [source.text for source in sources if language_of(source.text) in languages]
    if not (check.is_accurate and any(map(str.isalpha, plain)) and texts) or language_of(plain) not in languages:
        return check
    parts = [text[start:end] for text in texts for start, end in _windows(text, plain, classifier)]
    best = max(classifier.score([(part, plain) for part in parts]), default=0.0)
    if best >= VETO_BELOW:
        return check
    why = f"{classifier.name} gives {best:.2f} that a source says so"
    return check.model_copy(
        update={
            "differences": [*check.differences, why],
            "explanation": f"{check.explanation} (but {why})".strip(),
            "relation": "partially_supports",
            "is_accurate": False,
            "confidence": min(check.confidence, VETOED_CONFIDENCE),
        }
    )


def _windows(text: str, statement: str, classifier: PairClassifier) -> list[tuple[int, int]]:
    try:
        return windows(text, lambda part: classifier.size(part, statement), classifier.max_tokens)
    except StatementTooLong:
        raise ModelRefused(
            f"the statement has {classifier.size('', statement)} tokens and leaves no room for its source: "
            f"{classifier.name} reads {classifier.max_tokens} at once"
        ) from None
