"""Two sentences side by side: which tokens are the same, which were exchanged for others, added, left out or moved."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz.distance import LCSseq

from domain.facts.reading.tokens import Token
from domain.facts.reading.values import Values, agree
from domain.facts.reading.vocabulary import RELATIONS

_DIGITS = re.compile(r"\d+")
_AKIN = 0.75  # of two stems' letters from the first on, for a word to be a form of the other
_HEAD = 4
_MOST_AKIN = 1000  # tokens that begin alike, of a source that are kept
_TIGHT = 0.85  # likeness of a statement and a stretch of its source
_ONE_PLACE = 3  # words that may differ in the one place in which a short statement differs
_EXCHANGED = 2  # words of one place that were exchanged, with all others the same


@dataclass(frozen=True, slots=True)
class Gap:
    """What stands between two tokens that are the same: `stated` in the statement, `known` in the source."""

    stated: tuple[Token, ...]
    known: tuple[Token, ...]


@dataclass(frozen=True)
class Alignment:
    """`pairs` are (index of the statement's token, of the source's), in the statement's order."""

    statement: Sequence[Token]
    source: Sequence[Token]
    pairs: tuple[tuple[int, int], ...]
    moved: tuple[tuple[int, int], ...]
    gaps: tuple[Gap, ...]

    @cached_property
    def matched(self) -> frozenset[int]:
        """Indexes of the statement's tokens that the source has, in place or moved."""
        return frozenset(mine for mine, _ in (*self.pairs, *self.moved))

    @cached_property
    def met(self) -> frozenset[int]:
        """Indexes of the source's tokens that the statement has."""
        return frozenset(theirs for _, theirs in (*self.pairs, *self.moved))

    @cached_property
    def share(self) -> float:
        """Share of the statement's values, names and words that the source's sentence has, 0..1."""
        wanted = [index for index, token in enumerate(self.statement) if token.matters]
        return sum(index in self.matched for index in wanted) / len(wanted) if wanted else 0.0

    @cached_property
    def local(self) -> float:
        """The same as `likeness` with that stretch of the source's sentence in which the statement's tokens stand."""
        if not self.met:
            return 0.0
        span = self.source[min(self.met) : max(self.met) + 1]
        here, there = (sum(token.matters for token in tokens) for tokens in (self.statement, span))
        both = sum(self.statement[index].matters for index in self.matched)
        return 2 * both / (here + there) if here + there else 0.0

    @cached_property
    def exchanges(self) -> int:
        """Count the gaps in which the statement tells something else."""
        lost = {id(self.statement[mine]) for mine, _ in self.moved}
        return sum(any(each.matters and id(each) not in lost for each in gap.stated) for gap in self.gaps)

    @cached_property
    def unmatched(self) -> tuple[int, int]:
        """How many values, names and words of the statement, and of the source, the other one does not have."""
        lost = sum(each.matters for at, each in enumerate(self.statement) if at not in self.matched)
        return lost, sum(each.matters for at, each in enumerate(self.source) if at not in self.met)

    @cached_property
    def is_tight(self) -> bool:
        """Whether the statement is so much like the stretch of the source that other words there mean other things."""
        lost, left = self.unmatched
        one_place = self.exchanges <= 1 and lost < _ONE_PLACE and left <= _ONE_PLACE
        return one_place or min(self.local, self.share) >= _TIGHT

    @cached_property
    def is_one_exchange(self) -> bool:
        """Whether both sentences are the same but for one or two words in one place."""
        if self.moved or self.exchanges != 1:
            return False
        lost, left = self.unmatched
        return 1 <= lost <= _EXCHANGED and 1 <= left <= _EXCHANGED and len(self.pairs) >= lost

    @cached_property
    def likeness(self) -> float:
        """How much both have in common of all that both tell, 0..1."""
        here = sum(token.matters for token in self.statement)
        there = sum(token.matters for token in self.source)
        both = sum(self.statement[index].matters for index in self.matched)
        return 2 * both / (here + there) if here + there else 0.0


def align(statement: Sequence[Token], source: Sequence[Token]) -> Alignment:
    """Lay `statement` beside one sentence of a source. Bounded: both have at most 400 tokens."""
    mine = [each for each in enumerate(statement) if _counts(each[1])]
    theirs = [each for each in enumerate(source) if _counts(each[1])]
    held = _Held([token for _, token in theirs])
    known = held.labels
    stated = [held.label(token, -1 - at) for at, (_, token) in enumerate(mine)]
    same = _in_order(stated, known)
    gaps = _gaps([token for _, token in mine], [token for _, token in theirs], same)
    placed = {one for one, _ in same}, {other for _, other in same}
    moved = _moved(stated, known, *placed)
    return Alignment(
        statement=statement,
        source=source,
        pairs=tuple((mine[one][0], theirs[other][0]) for one, other in same),
        moved=tuple((mine[one][0], theirs[other][0]) for one, other in moved),
        gaps=tuple(gaps),
    )


def same(one: Token, other: Token) -> bool:
    """Say whether two tokens tell the same."""
    if one.value and other.value:
        return agree(one.value, other.value)
    if one.value or other.value:
        return one.key == other.key
    if one.cue or other.cue:
        return one.cue == other.cue
    if one.key.replace(" #", "") == other.key.replace(" #", ""):
        return True  # "X 200" and "X200"
    if " " in one.key or " " in other.key:
        return _same_name(one.key.split(), other.key.split())
    return one.key == other.key or akin(one.key, other.key)


class Names:
    """Tokens that are found by the beginnings of their words: those that may be the same as a name or word.

    It takes as long as there are tokens that begin alike. Never changes.
    """

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._by_head: dict[str, list[Token]] = defaultdict(list)
        distinct = {(each.key, each.kind == "value"): each for each in tokens if each.matters}
        for (key, _), each in distinct.items():
            for begins in {head(part) for part in (key, *key.split())}:
                if len(self._by_head[begins]) < _MOST_AKIN:
                    self._by_head[begins].append(each)

    def like(self, token: Token) -> Iterator[Token]:
        """Yield all tokens that may be the same as `token`, which has no value, and some others."""
        for begins in dict.fromkeys(head(part) for part in (token.key, *token.key.split())):
            yield from self._by_head.get(begins, ())


def head(part: str) -> str:
    """Return what two words must begin with to be akin."""
    return part[:2] if part[:1] >= "가" else part[:_HEAD]


def _same_name(one: Sequence[str], other: Sequence[str]) -> bool:
    """A full name and a part of it are the same: `Yale University`, `Lars Bekken`; `Room 12` and `Room` are not."""
    shorter, longer = sorted((one, other), key=len)
    if any(part.startswith("#") and part not in shorter for part in longer):
        return False
    return all(any(part == each or akin(part, each) for each in longer) for part in shorter)


def akin(one: str, other: str) -> bool:
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
    return shared / max(len(one), len(other)) >= _AKIN


def _counts(token: Token) -> bool:
    return token.kind != "filler" or token.key in RELATIONS


def _labels(tokens: Sequence[Token]) -> list[int]:
    """Number the tokens so that the same ones have one number."""
    numbers: dict[str, int] = {}
    found: list[int] = []
    for at, token in enumerate(tokens):
        key = f"cue {token.key}" if token.cue else token.key
        found.append(numbers.setdefault(key, at))
    return found


class _Held:
    """The tokens of a source's sentence, with their `labels`; values are found by what they are, not one by one."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens, self.labels = tokens, _labels(tokens)
        self._values = Values([each.value for each in tokens])
        self._by_key: dict[str, list[int]] = defaultdict(list)
        for at, each in enumerate(tokens):
            self._by_key[each.key].append(at)

    def label(self, token: Token, unknown: int) -> int:
        """The label of the first token that is equal to `token`, else of the first that is the same, else `unknown`."""
        alike = self._by_key.get(token.key, ())
        found = next((at for at in alike if _equal(token, self._tokens[at])), None)
        if found is None:
            places = sorted({*alike, *self._values.like(token.value)}) if token.value else range(len(self._tokens))
            found = next((at for at in places if same(token, self._tokens[at])), None)
        return unknown if found is None else self.labels[found]


def _equal(one: Token, other: Token) -> bool:
    return one.key == other.key and one.cue == other.cue and (not one.value or same(one, other))


def _in_order(stated: Sequence[int], known: Sequence[int]) -> list[tuple[int, int]]:
    """The longest run of tokens that both have in this order."""
    found: list[tuple[int, int]] = []
    for block in LCSseq.opcodes(stated, known):
        if block.tag == "equal":
            found += zip(range(block.src_start, block.src_end), range(block.dest_start, block.dest_end), strict=True)
    return found


def _gaps(mine: Sequence[Token], theirs: Sequence[Token], same: Sequence[tuple[int, int]]) -> list[Gap]:
    ends = [*same, (len(mine), len(theirs))]
    starts = [(-1, -1), *same]
    found = (
        Gap(tuple(mine[one + 1 : next_one]), tuple(theirs[other + 1 : next_other]))
        for (one, other), (next_one, next_other) in zip(starts, ends, strict=True)
    )
    return [gap for gap in found if gap.stated or gap.known]


def _moved(stated: Sequence[int], known: Sequence[int], placed: set[int], filled: set[int]) -> list[tuple[int, int]]:
    free: dict[int, list[int]] = defaultdict(list)
    for index, label in enumerate(known):
        if index not in filled:
            free[label].append(index)
    return [
        (index, free[label].pop(0)) for index, label in enumerate(stated) if index not in placed and free.get(label)
    ]
