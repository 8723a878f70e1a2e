"""Aligns two sentences: which tokens match, and which were substituted, inserted, deleted or moved."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

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
        return frozenset(index for index, _ in (*self.pairs, *self.moved))

    @cached_property
    def matched_source(self) -> frozenset[int]:
        return frozenset(index for _, index in (*self.pairs, *self.moved))

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
        lost = {id(self.statement[index]) for index, _ in self.moved}
        return sum(any(token.is_content and id(token) not in lost for token in gap.statement) for gap in self.gaps)

    @cached_property
    def unmatched(self) -> tuple[int, int]:
        lost = sum(token.is_content for at, token in enumerate(self.statement) if at not in self.matched_statement)
        return lost, sum(token.is_content for at, token in enumerate(self.source) if at not in self.matched_source)

    @cached_property
    def is_close(self) -> bool:
        """True if the sentences are so similar that different words in one place have different meanings."""
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
    stated_tokens = [(at, token) for at, token in enumerate(statement) if _is_compared(token)]
    source_tokens = [(at, token) for at, token in enumerate(source) if _is_compared(token)]
    labelled = _LabelledTokens([token for _, token in source_tokens])
    known = labelled.labels
    stated = [labelled.label(token, -1 - at) for at, (_, token) in enumerate(stated_tokens)]
    blocks = LCSseq.opcodes(stated, known).as_matching_blocks()
    equal = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    gaps = _gaps([token for _, token in stated_tokens], [token for _, token in source_tokens], equal)
    placed = {index for index, _ in equal}, {index for _, index in equal}
    moved = _moved(stated, known, *placed)
    return Alignment(
        statement=statement,
        source=source,
        pairs=tuple((stated_tokens[index][0], source_tokens[place][0]) for index, place in equal),
        moved=tuple((stated_tokens[index][0], source_tokens[place][0]) for index, place in moved),
        gaps=tuple(gaps),
    )


def tokens_match(left: Token, right: Token) -> bool:
    if left.value and right.value:
        return values_agree(left.value, right.value)
    if left.value or right.value:
        return left.key == right.key
    if left.cue or right.cue:
        return left.cue == right.cue
    return _words_match(left, right)


def has_token(tokens: Iterable[Token], wanted: Token) -> bool:
    return any(tokens_match(wanted, token) for token in tokens)


def content_tokens(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if token.is_content]


def _words_match(left: Token, right: Token) -> bool:
    if left.key == right.key:
        return True
    if "#" in left.key + right.key and left.key.replace(" #", "") == right.key.replace(" #", ""):
        return True  # "X 200" and "X200"
    if " " in left.key or " " in right.key:
        return _same_name(left.key.split(), right.key.split())
    if left.key[:1] != right.key[:1] and left.text[:1] != right.text[:1]:
        return False
    if are_other_kinds(left, right):
        return False
    return same_syllable(left, right) or same_lexeme(left.key, right.key)


def same_syllable(left: Token, right: Token) -> bool:
    """Return whether two Korean words are the same syllable with particles: 강은 and 강의, 강 and 강이.

    의 and 이 may also be the end of a noun, as in 회의 and 나이, so one of the two words must be certain.
    """
    if left.text[:1] != right.text[:1] or not (
        _ONE_SYLLABLE.fullmatch(left.text) and _ONE_SYLLABLE.fullmatch(right.text)
    ):
        return False
    return any(len(token.text) == 1 or token.text[1] in _SURE_PARTICLES for token in (left, right))


def are_other_kinds(left: Token, right: Token) -> bool:
    """Return whether one word names a place and the other an organisation in it: 부산 and 부산은행."""
    return bool(left.names and right.names) and {left.names, right.names} == {"place", "organisation"}


class TokenIndex:
    """An immutable index of content tokens by the beginnings of their words."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._by_head: dict[str, list[Token]] = defaultdict(list)
        distinct = {(token.key, token.kind == "value"): token for token in tokens if token.is_content}
        for token in distinct.values():
            for begins in _beginnings(token):
                if len(self._by_head[begins]) < _MOST_PER_PREFIX:
                    self._by_head[begins].append(token)

    def candidates(self, token: Token) -> Iterator[Token]:
        """Yield all tokens that may match `token`, which has no value, and some others.

        The time is in proportion to the number of tokens with the same beginning.
        """
        for begins in _beginnings(token):
            yield from self._by_head.get(begins, ())


def _beginnings(token: Token) -> Iterable[str]:
    beginnings = dict.fromkeys(prefix_key(part) for part in (token.key, *token.key.split()))
    return [*beginnings, token.text[0]] if _ONE_SYLLABLE.fullmatch(token.text) else beginnings


def prefix_key(part: str) -> str:
    return part[:2] if part[:1] >= "가" else part[:_HEAD]


def _same_name(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether one name is a part of the other: `Yale University`, `Lars Bekken`; not `Room 12` and `Room`."""
    shorter, longer = sorted((left, right), key=len)
    if any(part.startswith("#") and part not in shorter for part in longer):
        return False
    return all(any(part == whole or same_lexeme(part, whole) for whole in longer) for part in shorter)


def same_lexeme(left: str, right: str) -> bool:
    """Return whether two stems may belong to one word: `manufactur` and `manufacturer`, 고양 and 고양이."""
    if not (left.isalpha() and right.isalpha()) and _DIGITS.findall(left) != _DIGITS.findall(right):
        # X100 and X1000 are two models.
        return False
    korean = left[:1] >= "가" and right[:1] >= "가"
    if korean:
        shorter, longer = sorted((left, right), key=len)
        return len(shorter) >= 2 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    if _ABLE.sub("", left) == _ABLE.sub("", right) and len(left) >= _HEAD <= len(right):
        return True
    if left[:_HEAD] != right[:_HEAD] or min(len(left), len(right)) < _HEAD or are_counterparts(left, right):
        return False
    shared = next(
        (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    return shared / max(len(left), len(right)) >= _LEAST_SHARED_PREFIX


def are_counterparts(left: str, right: str) -> bool:
    """Return whether the words are counterparts, one acting upon the other: `employer` and `employee`, `lessor` and the
    stem `lesse`.
    """
    for acts, done in ((left, right), (right, left)):
        doer = _AGENT.fullmatch(acts)
        if doer and done in (f"{doer[1]}e", f"{doer[1]}ee"):
            return True
    return False


def _has_parts(token: Token) -> bool:
    return " " in token.key or "#" in token.key


def _is_compared(token: Token) -> bool:
    return token.kind != "filler" or token.key in RELATIONS


class _LabelledTokens:
    """The tokens of a source's sentence with their `labels`; values are looked up in an index."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        first: dict[str, int] = {}
        keys = (f"cue {token.key}" if token.cue else token.key for token in tokens)
        self.labels = [first.setdefault(key, at) for at, key in enumerate(keys)]
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(tokens):
            self._by_key[token.key].append(at)

    @cached_property
    def _values(self) -> ValueIndex:
        return ValueIndex([token.value for token in self._tokens])

    def label(self, token: Token, unknown: int) -> int:
        alike = self._by_key.get(token.key, ())
        same = (at for at in alike if token.cue == self._tokens[at].cue)
        place = next((at for at in same if not token.value or tokens_match(token, self._tokens[at])), None)
        if place is None:
            near = self._values.candidates(token.value) if token.value else self._alike(token)
            place = next((at for at in sorted({*alike, *near}) if tokens_match(token, self._tokens[at])), None)
        return unknown if place is None else self.labels[place]

    @cached_property
    def _by_beginning(self) -> Mapping[str, Sequence[int]]:
        """The places of tokens: cues under their class, names that are compared by their parts under "", and other
        words under their first letters.
        """
        places: dict[str, list[int]] = defaultdict(list)
        for at, token in enumerate(self._tokens):
            if not token.value:
                for begins in {token.cue} if token.cue or _has_parts(token) else {token.key[:1], token.text[:1]}:
                    places[begins].append(at)
        return places

    def _alike(self, token: Token) -> Iterable[int]:
        """Return all tokens without a value that may match `token` although their keys differ, and some others."""
        if token.cue:
            return self._by_beginning.get(token.cue, ())
        if _has_parts(token):
            return range(len(self._tokens))
        known = self._by_beginning
        return chain.from_iterable(known.get(begins, ()) for begins in ("", token.key[:1], token.text[:1]))


def _gaps(stated: Sequence[Token], known: Sequence[Token], equal: Sequence[tuple[int, int]]) -> list[Gap]:
    ends = [*equal, (len(stated), len(known))]
    starts = [(-1, -1), *equal]
    gaps = (
        Gap(tuple(stated[index + 1 : next_index]), tuple(known[place + 1 : next_place]))
        for (index, place), (next_index, next_place) in zip(starts, ends, strict=True)
    )
    return [gap for gap in gaps if gap.statement or gap.source]


def _moved(stated: Sequence[int], known: Sequence[int], placed: set[int], filled: set[int]) -> list[tuple[int, int]]:
    free: dict[int, list[int]] = defaultdict(list)
    for index, label in enumerate(known):
        if index not in filled:
            free[label].append(index)
    return [
        (index, free[label].pop(0)) for index, label in enumerate(stated) if index not in placed and free.get(label)
    ]
