"""Finds numbers and units of a claim that differ from its source.

Each figure is first looked up in the whole source. Then, if one sentence of the source says nearly everything that the
claim says, each figure must be in that sentence: a figure of something else is wrong there.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from citewell_verify.entities.derived_figures import derivation, is_in_words
from citewell_verify.entities.quantities import Quantity, agrees, same_dimension, states
from citewell_verify.entities.source_figures import SourceFigures, source_figures
from citewell_verify.facts.reading.korean import CLOCK, minutes
from citewell_verify.text.sentence_alignment import AlignedSentence

FigureKind = Literal["number", "unit", "wording"]
Differing = tuple[FigureKind, str, str | None]
"""The kind, the claim's figure, and the source's figure if known.

The kind `wording` is for figures that the source does not state but that may follow from two that it does.
"""

_SAME_STATEMENT = 0.9  # share of a claim's words from which a sentence counts as its origin
_SAME_MATTER = 0.4  # the same, from which it tells which of several figures is meant
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_MOST_FIGURES = 50  # of a claim, so that one of nothing but numbers stays cheap


@dataclass(frozen=True)
class _Figures:
    """The figures of a source, those of its sentence most like the claim, and those of the claim."""

    figures: SourceFigures
    nearby: Sequence[Quantity]
    stated: Sequence[Quantity]
    same_statement: bool
    same_matter: bool
    _agreeing: dict[tuple[int, int], bool] = field(default_factory=dict[tuple[int, int], bool])

    def agree(self, stated: Quantity, known: Quantity) -> bool:
        asked = stated.start, known.start
        if asked not in self._agreeing:
            self._agreeing[asked] = agrees(stated, known, self.figures.scale) and same_dimension(stated, known)
        return self._agreeing[asked]

    def words(self, stated: Quantity) -> bool:
        return is_in_words(stated, self.figures.source)

    def others(self, stated: Quantity, known: Sequence[Quantity]) -> list[Quantity]:
        rest = [figure for figure in self.stated if figure is not stated]
        return [figure for figure in known if not any(self.agree(own, figure) for own in rest)]

    def is_nearby(self, known: Quantity) -> bool:
        return known in self.nearby


def differing_figures(stated: Sequence[Quantity], source: str, aligned: AlignedSentence) -> list[Differing]:
    figures = source_figures(source)
    known = _Figures(
        figures=figures,
        nearby=figures.quantities_in(aligned.start, aligned.end),
        stated=stated[:_MOST_FIGURES],
        same_statement=aligned.coverage >= _SAME_STATEMENT,
        same_matter=aligned.coverage >= _SAME_MATTER,
    )
    differing = {id(figure): difference for figure in known.stated if (difference := _anywhere(figure, known))}
    if known.same_statement:
        rest = [figure for figure in known.stated if id(figure) not in differing]
        differing |= {id(figure): ("number", figure.text, instead.text) for figure, instead in _misplaced(rest, known)}
    return [differing[id(figure)] for figure in known.stated if id(figure) in differing]


def _anywhere(stated: Quantity, known: _Figures) -> Differing | None:
    if stated.weak and stated.value == 1 and not stated.unit:
        return None  # "one of them", "the first": rarely a figure
    clock = _CLOCK.fullmatch(stated.text)
    source = known.figures.source
    if clock and any(minutes(match) == int(clock[1]) * 60 + int(clock[2]) for match in CLOCK.finditer(source)):
        return None  # `14:00` is `오후 2시`
    alike = known.figures.candidates(stated)
    equal = [sourced for sourced in alike if states(stated, sourced, known.figures.scale)]
    if any(same_dimension(stated, sourced) for sourced in equal) or known.words(stated):
        return None
    in_other_unit = equal[0] if equal else None
    if not equal and stated.unit:
        in_other_unit = next((figure for figure in known.figures.of_value(stated.value) if figure.unit), None)
    if in_other_unit:
        return "unit", stated.text, in_other_unit.text
    # "More than 5" may describe any 7, but not if the sentence that it was taken from is known.
    if any(known.agree(stated, sourced) for sourced in (known.nearby if known.same_statement else alike)):
        return None
    alternatives = _alternatives(stated, known)
    if (stated.weak and not alternatives) or _is_written(stated, source):
        return None  # "the two brothers" may have been counted
    if operands := derivation(stated, source, known.figures.everywhere):
        return "wording", stated.text, ", ".join(operands)
    return (
        "number",
        stated.text,
        alternatives[0].text if len({alternative.value for alternative in alternatives}) == 1 else None,
    )


def _is_written(stated: Quantity, source: str) -> bool:
    """Return whether the digits of a bare number stand in the source, as in `B2B` or `FY19`."""
    if stated.scaled or stated.unit:
        return False
    if stated.text not in source:
        return False
    return re.search(rf"(?<!\d){re.escape(stated.text)}(?!\d)", source) is not None


def _alternatives(stated: Quantity, known: _Figures) -> list[Quantity]:
    """Return the source's figures for the same thing: with the same words after them, else with the same kind of unit.

    If several remain, those in the sentence most like the claim.
    """
    nearby = [figure for figure in known.nearby if not stated.unit or figure.dimension == stated.dimension]
    same_words = [
        *(figure for figure in nearby if stated.nouns & figure.nouns),
        *(figure for figure in known.figures.with_nouns(stated) if not known.is_nearby(figure)),
    ]
    if stated.unit and not same_words:
        same_words = [
            *nearby,
            *(figure for figure in known.figures.of_dimension(stated) if not known.is_nearby(figure)),
        ]
    alternatives = known.others(stated, same_words)
    if len({alternative.value for alternative in alternatives}) < 2 or not known.same_matter:
        return alternatives
    return [alternative for alternative in alternatives if known.is_nearby(alternative)] or alternatives


def _misplaced(stated: Sequence[Quantity], known: _Figures) -> Iterator[tuple[Quantity, Quantity]]:
    for dimension in sorted({figure.dimension for figure in stated} - {""}):
        own = [figure for figure in stated if figure.dimension == dimension]
        nearby = [figure for figure in known.nearby if figure.dimension == dimension]
        left = list(nearby)
        unmatched: list[Quantity] = []
        for figure in own:
            match = next((sourced for sourced in left if known.agree(figure, sourced)), None)
            if match:
                left.remove(match)
            else:
                unmatched.append(figure)
        for figure in unmatched:
            repeated = any(known.agree(figure, sourced) for sourced in nearby)
            if len(left) == 1 and (not repeated or len(own) == len(nearby)):
                yield figure, left[0]
