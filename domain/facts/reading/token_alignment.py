"""Two sentences side by side: which tokens are the same, which were exchanged for others, added, left out or moved."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq

from domain.facts.reading.tokens import Token
from domain.facts.reading.values import ValueIndex, values_agree
from domain.facts.reading.vocabulary import RELATIONS

_DIGITS = re.compile(r"\d+")
_LEAST_SHARED_PREFIX = 0.75  # of two stems' letters from the first on, for a word to be a form of the other
_HEAD = 4
_MOST_PER_PREFIX = 1000  # tokens that begin alike, of a source that are kept
_CLOSE = 0.85  # likeness of a statement and a stretch of its source
_ONE_PLACE = 3  # words that may differ in the one place in which a short statement differs
_MOST_SUBSTITUTED = 2  # words of one place that were exchanged, with all others the same


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two tokens that are the same: `stated` in the statement, `known` in the source."""

    statement: tuple[Token, ...]
    source: tuple[Token, ...]


@dataclass(frozen=True)
class Alignment:
    """`pairs` are (index of the statement's token, of the source's), in the statement's order."""

    statement: Sequence[Token]
    source: Sequence[Token]
    pairs: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    gaps: tuple[Gap, ...]

    @cached_property
    def matched_statement(self) -> frozenset[int]:
        """Indexes of the statement's tokens that the source has, in place or moved."""
        return frozenset(mine for mine, _ in (*self.pairs, *self.moved))

    @cached_property
    def matched_source(self) -> frozenset[int]:
        """Indexes of the source's tokens that the statement has."""
        return frozenset(theirs for _, theirs in (*self.pairs, *self.moved))

    @cached_property
    def coverage(self) -> float:
        """Share of the statement's values, names and words that the source's sentence has, 0..1."""
        wanted = [index for index, token in enumerate(self.statement) if token.is_content]
        return sum(index in self.matched_statement for index in wanted) / len(wanted) if wanted else 0.0

    @cached_property
    def local_similarity(self) -> float:
        """The same as `likeness` with that stretch of the source's sentence in which the statement's tokens stand."""
        if not self.matched_source:
            return 0.0
        span = self.source[min(self.matched_source) : max(self.matched_source) + 1]
        here, there = (sum(token.is_content for token in tokens) for tokens in (self.statement, span))
        both = sum(self.statement[index].is_content for index in self.matched_statement)
        return 2 * both / (here + there) if here + there else 0.0

    @cached_property
    def substitutions(self) -> int:
        """Count the gaps in which the statement tells something else."""
        lost = {id(self.statement[mine]) for mine, _ in self.moved}
        return sum(any(each.is_content and id(each) not in lost for each in gap.statement) for gap in self.gaps)

    @cached_property
    def unmatched(self) -> tuple[int, int]:
        """How many values, names and words of the statement, and of the source, the other one does not have."""
        lost = sum(each.is_content for at, each in enumerate(self.statement) if at not in self.matched_statement)
        return lost, sum(each.is_content for at, each in enumerate(self.source) if at not in self.matched_source)

    @cached_property
    def is_close(self) -> bool:
        """Whether the statement is so much like the stretch of the source that other words there mean other things."""
        lost, left = self.unmatched
        one_place = self.substitutions <= 1 and lost < _ONE_PLACE and left <= _ONE_PLACE
        return one_place or min(self.local_similarity, self.coverage) >= _CLOSE

    @cached_property
    def is_single_substitution(self) -> bool:
        """Whether both sentences are the same but for one or two words in one place."""
        if self.moved or self.substitutions != 1:
            return False
        lost, left = self.unmatched
        return 1 <= lost <= _MOST_SUBSTITUTED and 1 <= left <= _MOST_SUBSTITUTED and len(self.pairs) >= lost

    @cached_property
    def similarity(self) -> float:
        """How much both have in common of all that both tell, 0..1."""
        here = sum(token.is_content for token in self.statement)
        there = sum(token.is_content for token in self.source)
        both = sum(self.statement[index].is_content for index in self.matched_statement)
        return 2 * both / (here + there) if here + there else 0.0


def align(statement: Sequence[Token], source: Sequence[Token]) -> Alignment:
    """Lay `statement` beside one sentence of a source. Bounded: both have at most 400 tokens."""
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
    """Say whether two tokens tell the same."""
    if one.value and other.value:
        return values_agree(one.value, other.value)
    if one.value or other.value:
        return one.key == other.key
    if one.cue or other.cue:
        return one.cue == other.cue
    if one.key.replace(" #", "") == other.key.replace(" #", ""):
        return True  # "X 200" and "X200"
    if " " in one.key or " " in other.key:
        return _same_name(one.key.split(), other.key.split())
    return one.key == other.key or same_lexeme(one.key, other.key)


class TokenIndex:
    """Tokens that are found by the beginnings of their words: those that may be the same as a name or word.

    It takes as long as there are tokens that begin alike. Never changes.
    """

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._by_head: dict[str, list[Token]] = defaultdict(list)
        distinct = {(each.key, each.kind == "value"): each for each in tokens if each.is_content}
        for (key, _), each in distinct.items():
            for begins in {prefix_key(part) for part in (key, *key.split())}:
                if len(self._by_head[begins]) < _MOST_PER_PREFIX:
                    self._by_head[begins].append(each)

    def candidates(self, token: Token) -> Iterator[Token]:
        """Yield all tokens that may be the same as `token`, which has no value, and some others."""
        for begins in dict.fromkeys(prefix_key(part) for part in (token.key, *token.key.split())):
            yield from self._by_head.get(begins, ())


def prefix_key(part: str) -> str:
    """Return what two words must begin with to be akin."""
    return part[:2] if part[:1] >= "가" else part[:_HEAD]


def _same_name(one: Sequence[str], other: Sequence[str]) -> bool:
    """A full name and a part of it are the same: `Yale University`, `Lars Bekken`; `Room 12` and `Room` are not."""
    shorter, longer = sorted((one, other), key=len)
    if any(part.startswith("#") and part not in shorter for part in longer):
        return False
    return all(any(part == each or same_lexeme(part, each) for each in longer) for part in shorter)


def same_lexeme(one: str, other: str) -> bool:
    """Say whether two stems are forms of one word: `manufactur` and `manufacturer`, 고양 and 고양이."""
    if not (one.isalpha() and other.isalpha()) and _DIGITS.findall(one) != _DIGITS.findall(other):
        # X100 and X1000 begin alike and are two models.
        return False
    korean = one[:1] >= "가" and other[:1] >= "가"
    if korean:
        shorter, longer = sorted((one, other), key=len)
        return len(shorter) >= 2 and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
    if one[:_HEAD] != other[:_HEAD] or min(len(one), len(other)) < _HEAD:
        return False
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared / max(len(one), len(other)) >= _LEAST_SHARED_PREFIX


def _is_compared(token: Token) -> bool:
    return token.kind != "filler" or token.key in RELATIONS


def _labels(tokens: Sequence[Token]) -> list[int]:
    """Number the tokens so that the same ones have one number."""
    numbers: dict[str, int] = {}
    found: list[int] = []
    for at, token in enumerate(tokens):
        key = f"cue {token.key}" if token.cue else token.key
        found.append(numbers.setdefault(key, at))
    return found


class _LabelledTokens:
    """The tokens of a source's sentence, with their `labels`; values are found by what they are, not one by one."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens, self.labels = tokens, _labels(tokens)
        self._values = ValueIndex([each.value for each in tokens])
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for at, each in enumerate(tokens):
            self._by_key[each.key].append(at)

    def label(self, token: Token, unknown: int) -> int:
        """The label of the first token that is equal to `token`, else of the first that is the same, else `unknown`."""
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
    """The longest run of tokens that both have in this order."""
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
