"""Where a claim and its source state different numbers, dates or units, or deny each other (S4.4).

Deterministic, and made to stay silent when in doubt: on the development data six of seven flags are right.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from domain.dates import Date, find_dates
from domain.markers import cited_markers
from domain.negation import denied_by_one, opposites
from domain.numbers import Quantity, agrees, find_quantities, same_dimension, table_scale
from domain.sentences import split_sentences
from domain.words import content_stems, coverage, stem, words

Kind = Literal["number", "date", "unit", "negation"]

_SAME_MATTER = 0.5  # coverage of the claim by one sentence, for opposite words in them to be a contradiction


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`claim_value` stands in the claim; `source_value` is what the source says instead, None if it says nothing of it.

    `message` says both in one sentence for a user.
    """

    kind: Kind
    claim_value: str
    source_value: str | None
    message: str


def disagreements(claim: str, source: str) -> tuple[Disagreement, ...]:
    """Return what the `claim` states otherwise than the `source`, numbers first; () when they agree (S4.4).

    Numbers are compared by value, over scale words, units and rounding; a number of the claim that is nowhere in the
    source is a disagreement. Negations are looked for in the source's sentence that is most like the claim.
    """
    claim, source = without_markers(claim), without_markers(source)
    flip = _flip(claim, source)
    return (*_dates(claim, source), *_quantities(claim, source), *((flip,) if flip else ()))


def without_markers(text: str) -> str:
    """Blank out the citation markers of `text`, in place, so that their numbers are not read as figures."""
    pieces: list[str] = []
    position = 0
    for marker in cited_markers(text):
        pieces += (text[position : marker.start], " " * (marker.end - marker.start))
        position = marker.end
    return "".join((*pieces, text[position:]))


def _dates(claim: str, source: str) -> list[Disagreement]:
    stated = find_dates(claim)
    if not stated:
        return []
    known = find_dates(source)
    return [
        _disagreement("date", date.text, _other_date(date, known))
        for date in stated
        if not any(date.follows_from(other) for other in known) and not _is_bare_year_in(date, source)
    ]


def _is_bare_year_in(date: Date, source: str) -> bool:
    """A year in a form that is no date, as in `FY2019`, is nevertheless there."""
    return date.years is not None and date.month is None and _has_figure(source, str(date.years[0]))


def _other_date(date: Date, known: Sequence[Date]) -> str | None:
    """What the source says instead, where it states just one other time of this kind."""
    alike = [
        other.text
        for other in known
        if (other.day is None, other.month is None) == (date.day is None, date.month is None)
    ]
    return alike[0] if len(set(alike)) == 1 else None


def _quantities(claim: str, source: str) -> list[Disagreement]:
    stated = _outside(find_dates(claim), find_quantities(claim))
    if not stated:
        return []
    # A year may be meant as a number; the 5 of "5 May" may not.
    days = [date for date in find_dates(source) if date.month is not None]
    known, scale = _outside(days, find_quantities(source)), table_scale(source)
    return [found for quantity in stated if (found := _quantity(quantity, known, scale, source))]


def _outside(dates: Sequence[Date], quantities: Sequence[Quantity]) -> list[Quantity]:
    return [each for each in quantities if not any(date.start <= each.start < date.end for date in dates)]


def _quantity(stated: Quantity, known: Sequence[Quantity], scale: float, source: str) -> Disagreement | None:
    if stated.weak and (stated.value == 1 and not stated.unit):
        return None  # "one of them", "the first": rarely a figure
    equal = [other for other in known if agrees(stated, other, scale)]
    if any(same_dimension(stated, other) for other in equal):
        return None
    if equal:
        return _disagreement("unit", stated.text, equal[0].text)
    same_figure = [other for other in known if other.value == stated.value and other.unit and stated.unit]
    if same_figure:
        return _disagreement("unit", stated.text, same_figure[0].text)
    rivals = _rivals(stated, known)
    if stated.weak and not rivals:
        return None  # "the two brothers" may have been counted
    if not stated.scaled and not stated.unit and _has_figure(source, stated.text):
        return None
    return _disagreement("number", stated.text, rivals[0].text if len({r.value for r in rivals}) == 1 else None)


def _rivals(stated: Quantity, known: Sequence[Quantity]) -> list[Quantity]:
    """Return what may stand for the same thing in the source: the same words behind it, else the same kind of unit."""
    alike = [other for other in known if not stated.unit or other.dimension == stated.dimension]
    same_words = [other for other in alike if stated.nouns & other.nouns]
    return same_words or (alike if stated.unit else [])


def _has_figure(source: str, figure: str) -> bool:
    return re.search(rf"(?<!\d){re.escape(figure)}(?!\d)", source) is not None


def _flip(claim: str, source: str) -> Disagreement | None:
    wanted = content_stems(claim)
    sentence = _most_alike(wanted, source)
    found = set(content_stems(sentence))
    if denied := denied_by_one(claim, sentence, found):
        word = _surface(claim, denied)
        return Disagreement("negation", word, word, f"the statement denies “{word}”, the source does not")
    if denied := denied_by_one(sentence, claim, set(wanted)):
        word = _surface(claim, denied)
        return Disagreement("negation", word, None, f"the source denies “{word}”, the statement does not")
    pair = opposites(set(wanted), found) if coverage(wanted, found) >= _SAME_MATTER else None
    return _disagreement("negation", _surface(claim, pair[0]), _surface(sentence, pair[1])) if pair else None


def _most_alike(wanted: Sequence[str], source: str) -> str:
    def likeness(sentence: str) -> tuple[float, float]:
        stems = content_stems(sentence)
        return coverage(wanted, set(stems)), coverage(stems, set(wanted))

    return max((sentence.text for sentence in split_sentences(source)), key=likeness, default="")


def _surface(text: str, key: str) -> str:
    return next((word for word in words(text) if stem(word) == key), key)


def _disagreement(kind: Kind, claim_value: str, source_value: str | None) -> Disagreement:
    if source_value is None:
        return Disagreement(kind, claim_value, None, f"“{claim_value}” is not in the source")
    message = f"the statement says “{claim_value}”, the source says “{source_value}”"
    return Disagreement(kind, claim_value, source_value, message)
