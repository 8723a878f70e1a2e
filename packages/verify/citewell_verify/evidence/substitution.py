"""Finds the one place where a statement differs from a sentence that it otherwise copies (V2, V3).

Such a sentence with another number, name, negation or limit is the error that readers try first, and the only one that
a rule decides for every judge. Words that may be a rewording are no substitution: any other word that differs ends the
search, except a part of the sentence that the statement leaves out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import groupby, permutations
from operator import attrgetter

from citewell_verify.evidence.closed_classes import ChangedMarks, makes_condition, read
from citewell_verify.evidence.contradictions import readable, without_markers
from citewell_verify.evidence.equivalence import stands_verbatim
from citewell_verify.evidence.replaced_words import SAME, exchange, left_out_clauses, paired, replacement, text_of
from citewell_verify.facts.kinds import Difference, Disagreement, Kind
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.token_alignment import Alignment, Gap, align, content_tokens
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.structure.headings import heading_lines, heading_path, split_off_headings
from citewell_verify.text.cache import text_cache
from citewell_verify.text.languages import unread_language
from citewell_verify.text.sentences import split_sentences
from citewell_verify.text.windows import is_too_long

_LEAST_SHARED = 0.6  # share of the statement's words that a sentence must have to be aligned with it
_CANDIDATES = 3
_FEWEST = 3  # the fewest words of a statement that may be a part of a sentence
_WORD = re.compile(r"\d[\d.,]*|[^\W\d_]+")
_QUOTED = re.compile("[다라][고는]$")
_DECIDING = frozenset(("number", "date", "unit", "name", "negation", "order"))
_WITHIN = r"\W{1,3}(?:\w{1,3}\W{1,3}){0,2}"  # text that may stand between the words of a name
_EQUATES = r"(?:is|was|are|or|the|an?|also|now|formerly|called|known|as|named|renamed|nicknamed|또는|일명|옛)"
_VALUES: tuple[Kind, ...] = ("number", "date", "unit")


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    places: tuple["_Place", ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """A sentence with the keys of its words and of the headings above it."""

    text: str
    keys: frozenset[str]
    headings: frozenset[str]


@text_cache()
def plain_substitution(statement: str, source: str, context: str = "") -> Disagreement | None:
    """Return the one place where the `statement` differs from a sentence of the `source` that it copies.

    None if it differs in no place or in several, if the words may mean the same, and in other languages than English
    and Korean. The statement may also have words of the `context`, which are the headings above the source.
    """
    if is_too_long(statement):
        return None
    parsed = _parsed(source)
    sentences = [sentence.text for sentence in split_sentences(without_markers(readable(statement)))]
    near = [(sentence, _near(sentence, parsed)) for sentence in sentences]
    if not any(places for _, places in near) or unread_language(statement, [source]):
        return None
    if stands_verbatim(statement, source):
        return None
    known = _keys(context)
    for sentence, places in near:
        parts = clauses(sentence)
        if len(parts) > 1 and all(stands_verbatim(part, source) for part in parts):
            continue
        if difference := _difference(sentence, places, parsed, known):
            return Disagreement(
                difference.kind, difference.statement_text, difference.source_text, _message(difference, sentence)
            )
    return None


def decides(disagreement: Disagreement, source: str) -> bool:
    """Return whether a substitution in a sentence of the `source` is plain enough to decide for every judge.

    Values, names, negations and exchanges are plain enough, unless the source uses two names for one thing. A limit, a
    permission or a quantity may be worded in many ways.
    """
    return disagreement.kind in _DECIDING and not (disagreement.kind == "name" and _are_equated(disagreement, source))


def _are_equated(disagreement: Disagreement, source: str) -> bool:
    """Return whether the source has the two names side by side: "Bank of England (BoE)", "Kiev, now called Kyiv"."""
    names = [
        _WITHIN.join(map(re.escape, name.split()))
        for name in (disagreement.claim_value, disagreement.source_value)
        if name
    ]
    return any(
        re.search(rf"(?<!\w){first}(?:\W{{1,4}}{_EQUATES}){{0,4}}\W{{1,4}}{second}(?!\w)", source, re.IGNORECASE)
        for first, second in permutations(names, 2)
    )


def _message(difference: Difference, sentence: str) -> str:
    stated, known = difference.statement_text, difference.source_text
    if known and difference.kind in ("negation", "modality") and stated.casefold() not in sentence.casefold():
        # Words of closed classes are compared by their class, so the differing words themselves are not known.
        return "the statement and the same sentence of the source differ in what they deny, limit or allow"
    if known is None:
        return f"the statement says “{stated}”, the same sentence of the source does not"
    if stated == text_of(read(sentence)):
        return f"the statement leaves out “{known}”, which the same sentence of the source says"
    if stated == known:
        return f"the statement has “{stated}” and what it relates to the other way round than the source"
    return f"the statement says “{stated}”, the same sentence of the source says “{known}”"


@text_cache()
def _parsed(source: str) -> _Source:
    plain = without_markers(readable(source))
    headings = heading_lines(plain)
    places = [
        _Place(text, _keys(text), _keys(" ".join(heading_path(plain, sentence.end - 1))))
        for sentence in split_sentences(plain, cites=False)
        for text in split_off_headings(sentence.text, headings)
    ]
    return _Source(plain, tuple(places))


def _keys(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, without their particles and endings."""
    return frozenset(word[:2] if word >= "가" else word[:5] for word in _WORD.findall(text.casefold()))


def _near(sentence: str, source: _Source) -> list[_Place]:
    wanted = _keys(sentence)
    shared = ((len(wanted & place.keys), -at) for at, place in enumerate(source.places))
    near = nlargest(_CANDIDATES, (rated for rated in shared if rated[0] >= _LEAST_SHARED * len(wanted)))
    return [source.places[-at] for _, at in near]


def _difference(sentence: str, places: Sequence[_Place], source: _Source, context: frozenset[str]) -> Difference | None:
    """Return the only difference from one of the places, preferably one that decides; None if a place does not
    differ.
    """
    single: list[Difference] = []
    compared = [(tokens, place) for place in places for tokens in _clauses_of(place.text)]
    for tokens, place in compared:
        differences = _Comparison(align(read(sentence), tokens), source, context | place.headings).differences()
        if differences == []:
            return None
        # A clause may lack words that the sentence has before it, so only its values count.
        if all(difference.kind in _VALUES for difference in differences or ()):
            single += (differences or ())[:1]
        elif differences and tokens is read(place.text):
            is_single = len(differences) == 1
            if is_single or all(difference.kind in (*_VALUES, "name") for difference in differences):
                single.append(differences[0] if is_single else replace(differences[0], kind="subject"))
    decided = min(single, key=lambda difference: difference.kind not in _DECIDING, default=None)
    if (
        decided
        and decided.kind == "subject"
        and any(difference.statement_text != decided.statement_text for difference in single)
    ):
        # Two similar sentences are mixed up: the statement says about one thing what the source says about the other.
        return replace(decided, kind="order")
    return decided


def _clauses_of(sentence: str) -> Iterator[tuple[Token, ...]]:
    """Yield the tokens of the sentence, and those of each of its clauses if it has several."""
    tokens = read(sentence)
    yield tokens
    if tokens and tokens[-1].clause:
        yield from (tuple(clause) for _, clause in groupby(tokens, attrgetter("clause")))


class _Comparison:
    """A statement and one sentence of its source, aligned."""

    def __init__(self, alignment: Alignment, source: _Source, context: frozenset[str]) -> None:
        self._alignment, self._source, self._context = alignment, source, context
        kept = sorted(at for at in alignment.matched_source if alignment.source[at].is_content)
        self._first, self._last = (alignment.source[kept[0]], alignment.source[kept[-1]]) if kept else (None, None)
        self._left_out = left_out_clauses(alignment)

    def differences(self) -> list[Difference] | None:
        """Return the differences in all places; None if one of them may be a rewording."""
        if exchanged := exchange(self._alignment):
            return [exchanged]
        moved = self._alignment.moved
        if any(self._alignment.statement[index].is_content for index, _ in moved):
            return None
        marks, dropped = ChangedMarks(), list[Token]()
        differing: list[Difference] = []
        for gap in self._without(moved):
            differences = self._in_gap(gap, marks, dropped)
            if differences is None:
                return None
            differing += differences
        is_value = bool(differing) and all(difference.kind in _VALUES for difference in differing)
        if not (marks.leave_values if is_value else marks.are_signs):
            change = marks.change(denied=self._is_denied)
            if change is None or dropped:
                return None
            kind, here, there = change
            return [*differing, Difference(kind, here or self._whole, there)]
        return None if dropped and differing and not is_value else differing

    def _without(self, moved: Sequence[tuple[int, int]]) -> Iterator[Gap]:
        lost = {id(self._alignment.statement[index]) for index, _ in moved}
        lost |= {id(self._alignment.source[index]) for _, index in moved}
        gaps = [
            Gap(*(tuple(token for token in side if id(token) not in lost) for side in (gap.statement, gap.source)))
            for gap in self._alignment.gaps
        ]
        gaps = [gap for gap in gaps if gap.statement or gap.source]
        if self._are_turned(gaps):
            yield Gap(gaps[0].statement + gaps[1].statement, gaps[0].source + gaps[1].source)
        else:
            yield from gaps

    def _are_turned(self, gaps: Sequence[Gap]) -> bool:
        """Return whether the gaps are the two sides of a reversed sentence: "the CFO is Mary", "Mary is the CEO"."""
        if len(gaps) != 2 or all(first.source or last.statement for first, last in permutations(gaps)):
            return False
        if not self._alignment.moved and len(self._alignment.pairs) > 1:
            return False  # Several words stayed in their order, so that each gap is an addition.
        sides = [content_tokens(side) for side in (self._alignment.statement, self._alignment.source)]
        ends = [(side[0], side[-1]) for side in sides if side]
        first, last = ((*gap.statement, *gap.source) for gap in gaps)
        return any(first[0] is opening for opening, _ in ends) and any(last[-1] is closing for _, closing in ends)

    def _in_gap(self, gap: Gap, marks: ChangedMarks, dropped: list[Token]) -> list[Difference] | None:
        """Return the differences in a gap, None for a rewording; add the gap's marks to `marks`, and the words that it
        leaves out to `dropped`.
        """
        gap = Gap(tuple(token for token in gap.statement if not self._is_above(token)), gap.source)
        said = content_tokens(gap.statement)
        stated, known, beside = paired(said, content_tokens(gap.source))
        left_out = beside if stated else known
        is_condition = bool(left_out) and makes_condition(gap.source)
        if left_out and not is_condition and not self._is_part(left_out):
            dropped += left_out
        if stated:
            marks.add(gap.statement, gap.source)
            difference = replacement(stated, known, self._source.text)
            return None if difference is None else [] if difference is SAME else [difference]
        if known and any(token.cue for token in gap.statement):
            return None
        if is_condition:
            return [Difference("quantifier", self._whole, text_of(gap.source))]
        if not known or self._is_frame(known):
            marks.add(gap.statement, gap.source)
        elif len(content_tokens(self._alignment.statement)) < _FEWEST:
            return None
        return []

    def _is_above(self, token: Token) -> bool:
        if not (token.is_content or token.cue):
            return False
        return any(_keys(written) <= self._context for written in (token.text, token.key))

    @property
    def _is_denied(self) -> bool:
        sides = self._alignment.statement, self._alignment.source
        return all(any(token.cue == "denied" for token in side) for side in sides)

    @property
    def _whole(self) -> str:
        return text_of(self._alignment.statement)

    def _is_part(self, tokens: Sequence[Token]) -> bool:
        """Say whether the tokens are whole clauses of the source, or its beginning or end."""
        if self._first is None or self._last is None or all(token.clause in self._left_out for token in tokens):
            return True
        # The first word of the statement may also occur among the words before it.
        opens = tokens[-1].start < self._first.start or tokens[-1].key == self._first.key
        return opens or tokens[0].start > self._last.start

    def _is_frame(self, tokens: Sequence[Token]) -> bool:
        """Return whether the tokens state how true the rest is: "it is a myth that …", …다는 소문이 있다."""
        if self._first is None or self._last is None:
            return False
        between = [token for token in self._alignment.source if tokens[-1].start < token.start < self._first.start]
        if any(token.key in ("that", "whether") for token in between):
            return True
        return tokens[0].start > self._last.start and _QUOTED.search(self._last.text) is not None
