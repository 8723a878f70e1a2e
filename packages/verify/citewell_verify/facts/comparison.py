"""Compares a statement with a whole source: one place must state all of it, of the same subject, in the same way
(V1-V4).

The source is prepared once: its sentences and clauses, their tokens, and the context of each. The statement is aligned
with the sentences that share most with it, each in its context. One clause or sentence must match without a difference,
or each clause of the statement must have such a match.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import accumulate

from citewell_verify.facts.differences.sentence import SentenceContext, differences
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.questions import ReadSentence, read_with_answers
from citewell_verify.facts.reading.token_alignment import Alignment, TokenIndex, align
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.cells import compare_with_tables
from citewell_verify.facts.structure.headings import heading_lines, split_off_headings
from citewell_verify.facts.structure.sections import (
    NamedSection,
    competing_subject,
    is_in_name,
    named_section,
    stated_classes,
    subject_classes,
)
from citewell_verify.facts.structure.tables import parse_tables
from citewell_verify.facts.structure.terms import ARTEFACTS, CLASSES
from citewell_verify.text.cache import text_cache
from citewell_verify.text.quotes import parse_sentences

_CANDIDATES = 5
_BEFORE = 2  # clauses before a clause that belong to its context
_MOST_CHARS = 600_000  # characters of cached sources: their analysis takes far more memory than the sources
_LIST_SIGN = re.compile(
    r"^\W*(?:\(?\d{1,3}[.)]|[-*+•‣▪◦·●○■□▶►>#]+|[①-⑳]|\(?[a-zA-Z][.)]|(?:step|단계)\s?\d{1,2}\s?[:.)])\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(r"[ _‐‑-]")  # no tab or line end: no cell and no line ends within an identifier
_IDENTIFIER = re.compile(
    r"(?<![a-z0-9])(?:[a-z]{1,20}[ _‐‑-]?\d|\d{1,20}(?: (?![a-z]{1,20}\d)|[_‐‑-])?[a-z])[a-z0-9]{0,40}"
)
_EDGES = " \t\n\"'“”‘’.。!?…*_`|"


_SIMILAR = 0.75  # least similarity of a statement to the sentence it was taken from
_CONTAINED = 0.85  # least coverage of a statement by a longer sentence
_ONE_PLACE = 3  # words that may differ in one place of a short statement
_FEWEST = 2
_ABOUT_OTHERS = ("order", "negation")  # differences that a missing name does not explain


@dataclass(frozen=True)
class ParsedSource:
    """A source prepared for comparison. Every analysis is made once, on first use."""

    text: str

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        headings = heading_lines(self.text)
        return tuple(
            part
            for sentence in parse_sentences(self.text).sentences
            for part in split_off_headings(sentence.text, headings)
        )

    @cached_property
    def read_sentences(self) -> tuple[ReadSentence, ...]:
        return tuple(read_with_answers(self.sentences, heading_lines(self.text)))

    @cached_property
    def clauses(self) -> tuple[str, ...]:
        return tuple(clause.text for sentence in self.read_sentences for clause in sentence.clauses)

    @cached_property
    def asserts(self) -> tuple[bool, ...]:
        return tuple(clause.asserts for sentence in self.read_sentences for clause in sentence.clauses)

    @cached_property
    def clause_tokens(self) -> tuple[tuple[Token, ...], ...]:
        return tuple(map(tokenize, self.clauses))

    @cached_property
    def verbatim_keys(self) -> frozenset[str]:
        return frozenset(map(verbatim_key, self.sentences))

    @cached_property
    def clause_keys(self) -> tuple[frozenset[str], ...]:
        return tuple(
            frozenset(key for token in tokens if token.is_content for key in (token.key, *token.key.split()))
            for tokens in self.clause_tokens
        )

    @cached_property
    def sentence_keys(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(token.key for token in tokenize(sentence.text)) for sentence in self.read_sentences)

    @cached_property
    def clauses_by_key(self) -> Mapping[str, Sequence[int]]:
        return _by_key(
            [keys if asserts else frozenset() for keys, asserts in zip(self.clause_keys, self.asserts, strict=True)]
        )

    @cached_property
    def sentences_by_key(self) -> Mapping[str, Sequence[int]]:
        return _by_key(self.sentence_keys)

    @cached_property
    def all_keys(self) -> frozenset[str]:
        return frozenset[str]().union(*self.clause_keys)

    @cached_property
    def acronyms(self) -> frozenset[str]:
        runs = re.findall(r"(?:[A-Z][\w'’]*+[ -](?:of |and |for |the |& )?+){1,7}+[A-Z][\w'’]*+", self.text)
        return frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in runs)

    @cached_property
    def token_index(self) -> "TokenIndex":
        return TokenIndex(token for tokens in self.clause_tokens for token in tokens)

    @cached_property
    def casefolded(self) -> str:
        return self.text.casefold()

    @cached_property
    def identifiers(self) -> frozenset[str]:
        return frozenset(identifiers_in(self.text))

    @cached_property
    def first_clauses(self) -> tuple[int, ...]:
        return tuple(accumulate((len(sentence.clauses) for sentence in self.read_sentences[:-1]), initial=0))

    @cached_property
    def is_heading(self) -> tuple[bool, ...]:
        headings = heading_lines(self.text)
        return tuple(clause.strip() in headings for clause in self.clauses)

    @cached_property
    def opens_section(self) -> tuple[bool, ...]:
        below = (clause.under_heading for sentence in self.read_sentences for clause in sentence.clauses)
        return tuple(is_heading or is_below for is_heading, is_below in zip(self.is_heading, below, strict=True))

    def context_keys(self, at: int) -> frozenset[str]:
        # Nothing before the last heading belongs to the context of a clause.
        first = max(0, at - _BEFORE)
        start = next((place for place in range(at, first, -1) if self.opens_section[place]), first)
        return frozenset[str]().union(*self.clause_keys[start:at])


def _by_key(keys_of_each: Sequence[frozenset[str]]) -> Mapping[str, Sequence[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for at, keys in enumerate(keys_of_each):
        for key in keys:
            places[key].append(at)
    return places


def most_shared(wanted: Collection[str], places: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the indexes of at most five places that have most of the keys `wanted`, best first.

    The time is in proportion to the number of places that have one of the keys.
    """
    shared = Counter(at for key in wanted for at in places.get(key, ()))
    return nsmallest(_CANDIDATES, shared, key=lambda at: (-shared[at], at))


@text_cache(_MOST_CHARS)
def parse_source(text: str) -> ParsedSource:
    return ParsedSource(text)


def identifiers_in(text: str) -> Iterator[str]:
    """Yield the identifiers of Latin letters and digits in one spelling: "X-200", "X 200" and "Ｘ２００" are the same.

    "CO₂" and "CO2" are the same, too. A number before an identifier is not part of it: "3.1 X200".
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return (_JOINT.sub("", match[0]) for match in _IDENTIFIER.finditer(plain))


def verbatim_key(sentence: str) -> str:
    """Return a sentence without list mark, case, spacing and final stop: equal keys mean a verbatim match."""
    return "".join(_LIST_SIGN.sub("", sentence).casefold().strip(_EDGES).split())


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """The best place of a source for a statement, with the differences there.

    `is_close`: the place states nearly the same. `coverage` and `similarity` (0..1) are those of the alignment.
    `section` is the heading that the statement names, if that decided; `in_table`: the names of a row and a column
    decided. `in_cell`: one cell states all of the statement, and `place` is its row. `refuted`: the cell that the whole
    statement is about has another value.
    """

    is_close: bool
    verbatim: bool
    coverage: float
    similarity: float
    differences: tuple[Difference, ...]
    place: str
    section: str = ""
    in_table: bool = False
    in_cell: bool = False
    refuted: bool = False

    @property
    def is_full_match(self) -> bool:
        return self.is_close and not self.differences


def best_place(tokens: Sequence[Token], source: ParsedSource, *, by_sentence: bool) -> SourceMatch:
    nothing = SourceMatch(is_close=False, verbatim=False, coverage=0.0, similarity=0.0, differences=(), place="")
    wanted = {token.key for token in tokens if token.is_content}
    if by_sentence and len(source.read_sentences) != len(source.clauses):
        sentences = [(at, source.read_sentences[at].text) for at in most_shared(wanted, source.sentences_by_key)]
        compared = [
            _compare_with(align(tokens, tokenize(text)), source, source.first_clauses[at], text)
            for at, text in sentences
        ]
        best = max(compared, key=_rank, default=nothing)
        if best.is_close:
            return best
    compared = [
        _compare_with(align(tokens, source.clause_tokens[at]), source, at, source.clauses[at])
        for at in most_shared(wanted, source.clauses_by_key)
    ]
    return max(compared, key=_rank, default=nothing)


def _rank(compared: SourceMatch) -> tuple[bool, bool, float]:
    sure = sum(difference.sure for difference in compared.differences)
    names = sum(difference.kind in ("name", "subject") for difference in compared.differences)
    return (
        compared.is_close,
        compared.is_full_match,
        compared.coverage - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences),
    )


def _compare_with(alignment: Alignment, source: ParsedSource, at: int, place: str) -> SourceMatch:
    around = SentenceContext(
        context_keys=source.context_keys(at),
        source_keys=source.all_keys,
        acronyms=source.acronyms,
    )
    is_close = _is_close(alignment)
    return SourceMatch(
        is_close,
        verbatim=False,
        coverage=alignment.coverage,
        similarity=alignment.similarity,
        differences=tuple(differences(alignment, around)) if is_close else (),
        place=place,
    )


def _is_close(alignment: Alignment) -> bool:
    """Return whether nearly all of a statement matches, or all but one place."""
    matched = sum(alignment.statement[index].is_content for index in alignment.matched_statement)
    if matched >= _FEWEST and (
        alignment.coverage >= _CONTAINED or min(alignment.local_similarity, alignment.coverage) >= _SIMILAR
    ):
        return True
    lost, left = alignment.unmatched
    one_place = alignment.substitutions <= 1 and (left > 0 or not lost) and not alignment.moved
    return matched >= 1 and one_place and lost <= min(_ONE_PLACE, matched) and left <= lost + 1


def compare_with_section(tokens: Sequence[Token], source: str) -> SourceMatch | None:
    section = named_section(tokens, source)
    if section is None:
        return None
    own = parse_source(section.text)
    whole = best_place(tokens, own, by_sentence=False)
    if section.is_partial and _matches_by_name(best_place(tokens, parse_source(source), by_sentence=False), section):
        return None
    if _matches_by_name(whole, section) or (
        whole.is_close and any(difference.kind in _ABOUT_OTHERS for difference in whole.differences)
    ):
        return replace(whole, section=section.heading)
    match = (
        whole
        if whole.is_full_match and not section.is_partial
        else best_place(section.remainder, own, by_sentence=False)
    )
    if not match.is_full_match:
        if match.is_close and any(difference.sure for difference in match.differences):
            return replace(match, section=section.heading)
        return _compare_with_others(section) if section.is_exclusive else None
    subject = _competing_subject(tokens, section, match.place, own)
    if subject and subject.kind == "name":
        return _compare_with_others(section) if section.is_exclusive else None
    doubt = (
        section.heading if section.is_partial else subject.text if subject else _other_subheading(section, match.place)
    )
    # Another thing may be meant, so the statement is neither proven nor contradicted.
    doubted = (Difference("wording", section.mention, doubt),) if doubt else ()
    return replace(match, section=section.heading, differences=doubted)


def _matches_by_name(match: SourceMatch, section: NamedSection) -> bool:
    return match.is_full_match and any(is_in_name(token, section.name_terms) for token in tokenize(match.place))


def _competing_subject(tokens: Sequence[Token], section: NamedSection, place: str, own: ParsedSource) -> Token | None:
    sentence, present = tokenize(place), subject_classes(own.clause_tokens)
    said = {term.key for term in section.name_terms} | stated_classes(own.clause_tokens, section.name_terms)
    # If the section is about several classes, not every class refers to what the heading names.
    if not said.isdisjoint(CLASSES) and len(present) > 1:
        classes = said if said.isdisjoint(ARTEFACTS) else said | ARTEFACTS
    else:
        classes = said | ({present[0]} if len(present) > 1 else CLASSES)
    return competing_subject(
        tokens, sentence, align(section.remainder, sentence).matched_source, section.name_terms, classes
    )


def _other_subheading(section: NamedSection, place: str) -> str | None:
    """Return the heading between the section's heading and the place, if it names a thing that the statement does
    not.
    """
    paths = [subsection.path for subsection in section.subsections if place in parse_source(subsection.text).clauses]
    return None if not paths or () in paths else paths[0][-1]


def _compare_with_others(section: NamedSection) -> SourceMatch | None:
    for elsewhere in section.other_sections:
        match = best_place(section.remainder, parse_source(elsewhere.text), by_sentence=False)
        if match.is_full_match and not (section.is_partial and _matches_by_name(match, section)):
            difference = Difference("subject", section.heading, elsewhere.path[-1])
            return replace(match, differences=(difference,), section=section.heading)
    return None


@lru_cache(maxsize=2048)
def compare(statement: str, source: str) -> SourceMatch:
    """Compare one sentence with `source`, in linear time. The result is cached, because several checks need it."""
    parsed = parse_source(source)
    if (plain := verbatim_key(statement)) and plain in parsed.verbatim_keys:
        return SourceMatch(is_close=True, verbatim=True, coverage=1.0, similarity=1.0, differences=(), place=statement)
    tokens = tokenize(statement)
    if match := _compare_with_tables(tokens, source, statement) or compare_with_section(tokens, source):
        return match
    parts = clauses(statement)
    best = best_place(tokens, parsed, by_sentence=len(parts) > 1)
    if not best.is_full_match and len(parts) > 1:
        best = _compare_by_clause(parts, parsed, is_close=best.is_close) or best
    return best


def _compare_with_tables(tokens: Sequence[Token], source: str, statement: str) -> SourceMatch | None:
    """Compare with the tables of a source, unless the prose beside them states all of the statement (V2)."""
    cell = compare_with_tables(tokens, source, statement)
    if cell is None:
        return None
    if (
        cell.differences
        and (prose := best_place(tokens, parse_source(parse_tables(source).prose), by_sentence=False)).is_full_match
    ):
        return prose
    return SourceMatch(
        True,
        False,
        cell.share,
        cell.share,
        cell.differences,
        cell.place,
        in_table=True,
        in_cell=cell.decides and not cell.differences,
        refuted=cell.decides and bool(cell.differences),
    )


def _compare_by_clause(parts: Sequence[str], source: ParsedSource, *, is_close: bool) -> SourceMatch | None:
    """Compare each clause separately. None unless the source states all clauses, in a place that `is_close` to the
    whole statement or in the sections that they name, or the section that a clause names has other facts.
    """
    matches = [
        compare_with_section(tokens, source.text) or best_place(tokens, source, by_sentence=False)
        for tokens in map(tokenize, parts)
    ]
    for match in matches:
        if match.section and any(difference.sure for difference in match.differences):
            return match
    if not all(match.is_full_match and (is_close or match.section) for match in matches):
        return None
    share, likeness = min(match.coverage for match in matches), min(match.similarity for match in matches)
    return SourceMatch(
        is_close=True, verbatim=False, coverage=share, similarity=likeness, differences=(), place=matches[0].place
    )
