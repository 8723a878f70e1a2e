"""Finds differences of a claim and its source in numbers, dates, units or names, and denials (S4.4).

It is deterministic, and silent when in doubt: a figure, a date or a name must be absent from the source, or from the
one sentence that otherwise says the same. `python -m benchmarks.verdicts.planted` measures how much this finds.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.entities.numbers import find_quantities
from citewell_verify.entities.quantities import Quantity, agrees, same_dimension, states
from citewell_verify.entities.source_figures import SourceFigures, derivation, is_in_words, outside, source_figures
from citewell_verify.facts.comparison import SourceMatch, compare
from citewell_verify.facts.kinds import Difference, Disagreement, Kind
from citewell_verify.facts.quotation import Quotation
from citewell_verify.facts.reading.korean import CLOCK, minutes
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.markers.parser import cited_markers
from citewell_verify.markers.places import spliced
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import AlignedSentence, claim_stems, most_similar
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.windows import LONGEST_STATEMENT, is_too_long

FigureKind = Literal["number", "unit", "wording"]
Differing = tuple[FigureKind, str, str | None]
"""The kind, the claim's figure, and the source's figure if known.

The kind `wording` is for figures that the source does not state, but that may follow from two figures in it.
"""

_SAME_STATEMENT = 0.9  # share of a claim's words from which a sentence counts as its origin
_SAME_MATTER = 0.4  # share of a claim's words from which a sentence shows which of several figures is meant
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")
_MOST_FIGURES = 50  # figures of a claim, so that a claim of nothing but numbers stays cheap


@dataclass(frozen=True)
class _Figures:
    """The figures of a source, the figures of its sentence that is most like the claim, and the figures of the
    claim.
    """

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

    def others(self, stated: Quantity, known: Sequence[Quantity]) -> list[Quantity]:
        rest = [figure for figure in self.stated if figure is not stated]
        return [figure for figure in known if not any(self.agree(own, figure) for own in rest)]


def differing_figures(stated: Sequence[Quantity], source: str, aligned: AlignedSentence) -> list[Differing]:
    figures = source_figures(source)
    known = _Figures(
        figures=figures,
        nearby=figures.quantities_in(aligned.start, aligned.end),
        stated=stated[:_MOST_FIGURES],
        same_statement=aligned.coverage >= _SAME_STATEMENT,
        same_matter=aligned.coverage >= _SAME_MATTER,
    )
    return list(filter(None, (_anywhere(figure, known) for figure in known.stated)))


def _anywhere(stated: Quantity, known: _Figures) -> Differing | None:
    if stated.weak and stated.value == 1 and not stated.unit:
        return None  # "one of them", "the first": rarely a figure
    clock = _CLOCK.fullmatch(stated.text)
    source = known.figures.source
    if clock and any(minutes(match) == int(clock[1]) * 60 + int(clock[2]) for match in CLOCK.finditer(source)):
        return None  # `14:00` is `오후 2시`
    alike = known.figures.candidates(stated)
    equal = [sourced for sourced in alike if states(stated, sourced, known.figures.scale)]
    if any(same_dimension(stated, sourced) for sourced in equal) or is_in_words(stated, source):
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
    if stated.scaled or stated.unit or stated.text not in source:
        return False
    return re.search(rf"(?<!\d){re.escape(stated.text)}(?!\d)", source) is not None


def _alternatives(stated: Quantity, known: _Figures) -> list[Quantity]:
    """Return the source's figures for the same thing: figures with the same words after them, or else with the same
    kind of unit.

    If several remain, only those in the sentence that is most like the claim are returned.
    """
    nearby = [figure for figure in known.nearby if not stated.unit or figure.dimension == stated.dimension]
    same_words = [
        *(figure for figure in nearby if stated.nouns & figure.nouns),
        *(figure for figure in known.figures.with_nouns(stated) if figure not in known.nearby),
    ]
    if stated.unit and not same_words:
        same_words = [
            *nearby,
            *(figure for figure in known.figures.of_dimension(stated) if figure not in known.nearby),
        ]
    alternatives = known.others(stated, same_words)
    if len({alternative.value for alternative in alternatives}) < 2 or not known.same_matter:
        return alternatives
    return [alternative for alternative in alternatives if alternative in known.nearby] or alternatives


_MOST_DATES = 50
_SHOWN = 100  # characters of an uncompared claim
_REFERENCE = re.compile(r"\b(?:contexts?|passages?|sources?) \d{1,3}(?:(?:, | and | & | or )\d{1,3})*+", re.IGNORECASE)
_PARTICLE = re.compile("[가-힣]{1,3}")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def disagreements(claim: str, source: str) -> tuple[Disagreement, ...]:
    """Return the differences of the `claim` from the `source`, dates first; () when they agree (S4.4).

    Numbers are compared by value, across scale words, units and rounding; a number of the claim that is nowhere in the
    source is a disagreement. Names and negations are compared with the source's sentence that is most like the claim.
    Values are given as in `readable(claim)` and `readable(source)`. Of an overlong claim
    (`citewell_verify.text.windows`) only the first sentences are read, and an additional disagreement of the kind
    `wording` says so.
    """
    plain = _plain_source(source)
    by_sentence = tuple(
        disagreement for sentence in _sentences(claim) for disagreement in _sentence_disagreements(sentence, plain)
    )
    if not is_too_long(claim):
        return by_sentence
    message = f"the statement has more than {LONGEST_STATEMENT:,} characters, too many to be compared with a source"
    return (*by_sentence, Disagreement("wording", claim[:_SHOWN], None, message))


def best_places(claim: str, source: str) -> tuple[SourceMatch, ...]:
    """Return the best match in the `source` for each sentence of the `claim`, with the differences.

    Empty for a claim of more than 2,000 characters, which `disagreements` reports as unproven.
    """
    if is_too_long(claim):
        return ()
    plain = _plain_source(source)
    return tuple(compare(sentence, plain) for sentence in _sentences(claim))


def cited_disagreements(claim: str, quoted: str, source: str, context: str = "") -> tuple[Disagreement, ...]:
    """Return the disagreements of the `claim` with words `quoted` from the `source` (V2, V4, S4.4).

    The words are read with their headings and columns, in the source and in its `context`: a row belongs to the heads
    of its table, and a sentence is about the thing that its headings name. Other statements of a section do not count
    against words that name the section's subject themselves.
    """
    cited = Quotation(_plain_source(quoted), _plain_source(source), _plain_source(context))
    in_words = [
        disagreement
        for disagreement in disagreements(claim, cited.readable)
        if not cited.is_stated_by_heading(claim, disagreement.claim_value, disagreement.source_value)
    ]
    if is_too_long(claim) or any(disagreement.kind in ("name", "subject") for disagreement in in_words):
        return tuple(in_words)
    elsewhere = [
        difference
        for place in best_places(claim, cited.whole)
        if place.in_table or (place.section and not cited.mentions(place.section))
        for difference in place.differences
        if difference.sure
    ]
    if not any(difference.kind == "subject" for difference in elsewhere):
        elsewhere += islice(cited.other_subjects(claim), 1)
    return (*in_words, *map(_from_difference, elsewhere))


@text_cache()
def _plain_source(source: str) -> str:
    return without_markers(readable(source))


def _sentences(claim: str) -> Sequence[str]:
    plain = _REFERENCE.sub("", without_markers(readable(claim[: LONGEST_STATEMENT + 1])))
    sentences = [sentence.text for sentence in split_sentences(plain)]
    return sentences[:-1] if is_too_long(claim) else sentences


def _sentence_disagreements(claim: str, source: str) -> Sequence[Disagreement]:
    """Return the differences of one sentence from the place that has it almost verbatim, or else from the whole
    source.
    """
    compared = compare(claim, source)
    if compared.is_full_match and not compared.in_table:
        return ()
    if compared.is_full_match:  # the names of a cell do not say for which year it holds
        known = source_figures(source).different_dates
        unknown = (date for date in find_dates(claim)[:_MOST_DATES] if not any(map(date.follows_from, known)))
        return [_disagreement("date", date.text, None) for date in unknown if not _is_bare_year_in(date, source)]
    # A missing scale is reported, too, although it does not contradict the source. On labelled pairs an unsure
    # negation or opposite is nearly always right, an unsure difference of another kind hardly more often than not.
    told = [
        difference
        for difference in compared.differences
        if difference.sure or difference.kind == "negation" or (compared.in_table and difference.kind == "unit")
    ]
    if told:
        return [_from_difference(difference) for difference in told]
    aligned = most_similar(claim_stems(claim), source, claim_stems(_undated(claim)))
    stated = outside(find_dates(claim), find_quantities(claim))
    figures = differing_figures(stated, source, aligned) if stated else []
    return [*_dates(claim, source, aligned), *(_disagreement(*figure) for figure in figures)]


def readable(text: str) -> str:
    return unicodedata.normalize("NFC", text).translate(_FULL_WIDTH)


@text_cache()
def without_markers(text: str) -> str:
    """Return a text with blanks in place of its markers, so that their numbers are not read as figures."""
    return spliced(
        text, ((marker.start, marker.end, " " * (marker.end - marker.start)) for marker in cited_markers(text))
    )


def _undated(claim: str) -> str:
    pieces: list[str] = []
    position = 0
    for date in find_dates(claim):
        pieces.append(claim[position : date.start])
        # A particle that is left alone would count as a word: `4월 1일부터`.
        ending = _PARTICLE.match(claim, date.end)
        position = ending.end() if ending else date.end
    return " ".join((*pieces, claim[position:]))


def _dates(claim: str, source: str, aligned: AlignedSentence) -> list[Disagreement]:
    stated = find_dates(claim)[:_MOST_DATES]
    if not stated:
        return []
    figures = source_figures(source)
    # "1354" in a cell may be a count, which is not another year.
    counts = {cell.content for row in parse_tables(source).rows for cell in row.cells}
    known, nearby = figures.different_dates, figures.dates_in(aligned.start, aligned.end)
    years = [date for date in known if date.text not in counts]
    differing: list[Disagreement] = []
    for date in stated:
        others = [
            near for near in nearby if near.text not in counts and not any(own.follows_from(near) for own in stated)
        ]
        if not any(date.follows_from(known_date) for known_date in known):
            if not _is_bare_year_in(date, source):
                differing.append(
                    _disagreement("date", date.text, _other_date(date, others) or _other_date(date, years))
                )
        elif aligned.coverage >= _SAME_STATEMENT and not any(date.follows_from(near) for near in nearby):
            instead = _other_date(date, others)
            differing += [_disagreement("date", date.text, instead)] if instead else []
    return differing


def _is_bare_year_in(date: Date, source: str) -> bool:
    """Return whether a source has the year in other words, such as `FY2019`, or as the plain number 1,150."""
    if date.years is None or date.month is not None:
        return False
    year = date.years[0]
    is_there = str(year) in source or f"{year:,}" in source  # looked for first, because that is fast
    return is_there and re.search(rf"(?<!\d)(?:{year}|{year:,})(?!\d)", source) is not None


def _other_date(date: Date, known: Sequence[Date]) -> str | None:
    alike = [
        known_date.text
        for known_date in known
        if (known_date.day is None, known_date.month is None) == (date.day is None, date.month is None)
    ]
    return alike[0] if len(set(alike)) == 1 else None


def _from_difference(difference: Difference) -> Disagreement:
    return Disagreement(difference.kind, difference.statement_text, difference.source_text, _message(difference))


def _message(difference: Difference) -> str:
    if template := _MESSAGES.get(difference.kind):
        source = (
            f" (the source: “{difference.source_text}”)"
            if difference.source_text and difference.source_text != difference.statement_text
            else ""
        )
        return template.format(stated=difference.statement_text) + source
    if difference.kind == "negation" and difference.source_text in (None, difference.statement_text):
        return f"only one of the statement and the source denies “{difference.statement_text}”"
    return _disagreement(difference.kind, difference.statement_text, difference.source_text).message


_MESSAGES: Mapping[Kind, str] = {
    "order": "the statement has “{stated}” and what it relates to the other way round than the source",
    "modality": "the statement and the source differ in how certain “{stated}” is",
    "attribution": "the statement and the source differ in who asserts “{stated}”",
    "quantifier": "the statement and the source differ in how many are meant at “{stated}”",
}


def _disagreement(kind: Kind, claim_value: str, source_value: str | None) -> Disagreement:
    if source_value is None:
        return Disagreement(kind, claim_value, None, f"“{claim_value}” is not in the source")
    message = f"the statement says “{claim_value}”, the source says “{source_value}”"
    return Disagreement(kind, claim_value, source_value, message)
