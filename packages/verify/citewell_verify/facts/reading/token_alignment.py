"""Aligns two sentences: which tokens match, and which were substituted, inserted, deleted or moved."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq

from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.values import ValueIndex, values_agree
from citewell_verify.facts.reading.vocabulary import RELATIONS

_DIGITS = re.compile(r"\d+")
_LEAST_SHARED_PREFIX = 0.75  # share of two stems' letters that words of one lexeme have in common
_HEAD = 4
_ABLE = re.compile("[ai]bl$")  # "refundable" and "refunded"
_AGENT = re.compile(r"(.+)[eo]r")
_ONE_SYLLABLE, _SURE_PARTICLES = re.compile("[가-힣][은는이가을를의에]?"), "은는을를"
_MOST_PER_PREFIX = 1000  # tokens of a source with the same beginning
_CLOSE = 0.85  # local similarity
_ONE_PLACE = 3  # words that may differ in one place of a short statement
_MOST_SUBSTITUTED = 2  # words in one place, with all others equal


@dataclass(frozen=True, slots=True)
class Gap:
    """The tokens between two matching ones, in the statement and in the source."""

    statement: tuple[Token, ...]
    source: tuple[Token, ...]


@dataclass(frozen=True)
class Alignment:
    """`pairs` are the matching tokens as (index in the statement, index in the source), in the statement's order."""

    statement: Sequence[Token]
    source: Sequence[Token]
    pairs: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    gaps: tuple[Gap, ...]

    @cached_property
    def matched_statement(self) -> frozenset[int]:
        return frozenset(mine for mine, _ in (*self.pairs, *self.moved))

    @cached_property
    def matched_source(self) -> frozenset[int]:
        return frozenset(theirs for _, theirs in (*self.pairs, *self.moved))

    @cached_property
    def coverage(self) -> float:
        """Share of the statement's content tokens that match, 0..1."""
        wanted = [index for index, token in enumerate(self.statement) if token.is_content]
        return sum(index in self.matched_statement for index in wanted) / len(wanted) if wanted else 0.0

    @cached_property
    def local_similarity(self) -> float:
        if not self.matched_source:
            return 0.0
        span = self.source[min(self.matched_source) : max(self.matched_source) + 1]
        here, there = (sum(token.is_content for token in tokens) for tokens in (self.statement, span))
        both = sum(self.statement[index].is_content for index in self.matched_statement)
        return 2 * both / (here + there) if here + there else 0.0

    @cached_property
    def substitutions(self) -> int:
        lost = {id(self.statement[mine]) for mine, _ in self.moved}
        return sum(any(each.is_content and id(each) not in lost for each in gap.statement) for gap in self.gaps)

    @cached_property
    def unmatched(self) -> tuple[int, int]:
        lost = sum(each.is_content for at, each in enumerate(self.statement) if at not in self.matched_statement)
        return lost, sum(each.is_content for at, each in enumerate(self.source) if at not in self.matched_source)

    @cached_property
    def is_close(self) -> bool:
        """Whether the sentences are so similar that different words in one place have different meanings."""
        lost, left = self.unmatched
        one_place = self.substitutions <= 1 and lost < _ONE_PLACE and left <= _ONE_PLACE
        return one_place or min(self.local_similarity, self.coverage) >= _CLOSE

    @cached_property
    def is_single_substitution(self) -> bool:
        if self.moved or self.substitutions != 1:
            return False
        lost, left = self.unmatched
        return 1 <= lost <= _MOST_SUBSTITUTED and 1 <= left <= _MOST_SUBSTITUTED and len(self.pairs) >= lost

    @cached_property
    def similarity(self) -> float:
        here = sum(token.is_content for token in self.statement)
        there = sum(token.is_content for token in self.source)
        both = sum(self.statement[index].is_content for index in self.matched_statement)
        return 2 * both / (here + there) if here + there else 0.0


def align(statement: Sequence[Token], source: Sequence[Token]) -> Alignment:
    """Align `statement` with one sentence of a source. Both have at most 400 tokens, which bounds the time."""
    mine = [each for each in enumerate(statement) if _is_compared(each[1])]
    theirs = [each for each in enumerate(source) if _is_compared(each[1])]
    labelled = _LabelledTokens([token for _, token in theirs])
    known = labelled.labels
    stated = [labelled.label(token, -1 - at) for at, (_, token) in enumerate(mine)]
    equal = _in_order(stated, known)
    gaps = _gaps([token for _, token in mine], [token for _, token in theirs], equal)
    placed = {one for one, _ in equal}, {other for _, other in equal}
    moved = _moved(stated, known, *placed)
    return Alignment(
        statement=statement,
        source=source,
        pairs=tuple((mine[one][0], theirs[other][0]) for one, other in equal),
        moved=tuple((mine[one][0], theirs[other][0]) for one, other in moved),
        gaps=tuple(gaps),
    )


def tokens_match(one: Token, other: Token) -> bool:
    if one.value and other.value:
        return values_agree(one.value, other.value)
    if one.value or other.value:
        return one.key == other.key
    if one.cue or other.cue:
        return one.cue == other.cue
    return _words_match(one, other)


def _words_match(one: Token, other: Token) -> bool:
    mine, theirs = one.key, other.key
    if mine == theirs or (("#" in mine or "#" in theirs) and mine.replace(" #", "") == theirs.replace(" #", "")):
        return True  # "X 200" and "X200"
    if " " in mine or " " in theirs:
        return _same_name(mine.split(), theirs.split())
    if mine[:1] != theirs[:1] and one.text[:1] != other.text[:1]:
        return False
    if are_other_kinds(one, other):
        return False
    if same_syllable(one, other):
        return True
    return same_lexeme(mine, theirs)


def same_syllable(one: Token, other: Token) -> bool:
    """Say whether two Korean words are one syllable with particles: 강은 and 강의, 강 and 강이.

    의 and 이 also end nouns, as in 회의 and 나이, so one of the two must be sure.
    """
    if one.text[:1] != other.text[:1] or not (
        _ONE_SYLLABLE.fullmatch(one.text) and _ONE_SYLLABLE.fullmatch(other.text)
    ):
        return False
    return any(len(each.text) == 1 or each.text[1] in _SURE_PARTICLES for each in (one, other))


def are_other_kinds(one: Token, other: Token) -> bool:
    # A place and an organisation there: 부산 and 부산은행.
    return bool(one.names and other.names) and {one.names, other.names} == {"place", "organisation"}


class TokenIndex:
    """Content tokens indexed by the beginnings of their words. Immutable."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._by_head: dict[str, list[Token]] = defaultdict(list)
        distinct = {(token.key, token.kind == "value"): token for token in tokens if token.is_content}
        for each in distinct.values():
            for begins in _beginnings(each):
                if len(self._by_head[begins]) < _MOST_PER_PREFIX:
                    self._by_head[begins].append(each)

    def candidates(self, token: Token) -> Iterator[Token]:
        """Yield all tokens that may match `token`, which has no value, and some others.

        Takes time in proportion to the tokens with the same beginning.
        """
        for begins in _beginnings(token):
            yield from self._by_head.get(begins, ())


def _beginnings(token: Token) -> Iterable[str]:
    found = dict.fromkeys(prefix_key(part) for part in (token.key, *token.key.split()))
    return [*found, token.text[0]] if _ONE_SYLLABLE.fullmatch(token.text) else found


def prefix_key(part: str) -> str:
    return part[:2] if part[:1] >= "가" else part[:_HEAD]


def _same_name(one: Sequence[str], other: Sequence[str]) -> bool:
    # `Yale University`, `Lars Bekken`; but not `Room 12` and `Room`.
    shorter, longer = sorted((one, other), key=len)
    if any(part.startswith("#") and part not in shorter for part in longer):
        return False
    return all(any(part == each or same_lexeme(part, each) for each in longer) for part in shorter)


def same_lexeme(one: str, other: str) -> bool:
    # `manufactur` and `manufacturer`, 고양 and 고양이.
    if not (one.isalpha() and other.isalpha()) and _DIGITS.findall(one) != _DIGITS.findall(other):
        # X100 and X1000 are two models.
        return False
    korean = one[:1] >= "가" and other[:1] >= "가"
    if korean:
        shorter, longer = sorted((one, other), key=len)
        return len(shorter) >= 2 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    if _ABLE.sub("", one) == _ABLE.sub("", other) and len(one) >= _HEAD <= len(other):
        return True
    if one[:_HEAD] != other[:_HEAD] or min(len(one), len(other)) < _HEAD or are_counterparts(one, other):
        return False
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared / max(len(one), len(other)) >= _LEAST_SHARED_PREFIX


def are_counterparts(one: str, other: str) -> bool:
    # `employer` and `employee`, `lessor` and the stem `lesse`.
    for acts, done in ((one, other), (other, one)):
        doer = _AGENT.fullmatch(acts)
        if doer and done in (f"{doer[1]}e", f"{doer[1]}ee"):
            return True
    return False


def _is_compared(token: Token) -> bool:
    return token.kind != "filler" or token.key in RELATIONS


def _labels(tokens: Sequence[Token]) -> list[int]:
    numbers: dict[str, int] = {}
    found: list[int] = []
    for at, token in enumerate(tokens):
        key = f"cue {token.key}" if token.cue else token.key
        found.append(numbers.setdefault(key, at))
    return found


class _LabelledTokens:
    """The tokens of a source's sentence with their `labels`; values are looked up in an index."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens, self.labels = tokens, _labels(tokens)
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for at, each in enumerate(tokens):
            self._by_key[each.key].append(at)

    @cached_property
    def _values(self) -> ValueIndex:
        return ValueIndex([token.value for token in self._tokens])

    def label(self, token: Token, unknown: int) -> int:
        alike = self._by_key.get(token.key, ())
        found = next((at for at in alike if _equal(token, self._tokens[at])), None)
        if found is None:
            places = (
                sorted({*alike, *self._values.candidates(token.value)}) if token.value else range(len(self._tokens))
            )
            found = next((at for at in places if tokens_match(token, self._tokens[at])), None)
        return unknown if found is None else self.labels[found]


def _equal(one: Token, other: Token) -> bool:
    return one.key == other.key and one.cue == other.cue and (not one.value or tokens_match(one, other))


def _in_order(stated: Sequence[int], known: Sequence[int]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for block in LCSseq.opcodes(stated, known):
        if block.tag == "equal":
            found += zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)
    return found


def _gaps(mine: Sequence[Token], theirs: Sequence[Token], equal: Sequence[tuple[int, int]]) -> list[Gap]:
    ends = [*equal, (len(mine), len(theirs))]
    starts = [(-1, -1), *equal]
    found = (
        Gap(tuple(mine[one + 1 : next_one]), tuple(theirs[other + 1 : next_other]))
        for (one, other), (next_one, next_other) in zip(starts, ends, strict=True)
    )
    return [gap for gap in found if gap.statement or gap.source]


def _moved(stated: Sequence[int], known: Sequence[int], placed: set[int], filled: set[int]) -> list[tuple[int, int]]:
    free: dict[int, list[int]] = defaultdict(list)
    for index, label in enumerate(known):
        if index not in filled:
            free[label].append(index)
    return [
        (index, free[label].pop(0)) for index, label in enumerate(stated) if index not in placed and free.get(label)
    ]
