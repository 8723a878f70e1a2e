"""A statement against a whole source: some place has to say all of it, of the same subject and in the same way (V1-V4).

The statement is laid beside the sentences of the source that share most with it, each with its context. One of them,
or two neighbours, has to say it without a difference; or each clause of the statement has such a place of its own.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from domain.facts.aligning import Alignment, align
from domain.facts.differing import Difference, Surroundings, differences
from domain.facts.tokens import Token, Value, read_tokens
from domain.sentences import split_sentences

_ALIKE = 0.8  # likeness of a statement to a sentence, for it to be taken from there word by word
_CONTAINED = 0.85  # the same of the share of the statement that a longer sentence has
_CANDIDATES = 4
_BEFORE = 2  # sentences in front of one that belong to its context
_FEWEST = 2
_LIST_SIGN = re.compile(r"^\W*(?:\(?\d{1,3}[.)]|[-*+•‣▪◦·●○■□▶►>#]+|[①-⑳]|\(?[a-zA-Z][.)]|(?:step|단계)\s?\d{1,2}\s?[:.)])\s+", re.I)
_CLAUSES = re.compile(r"\s*;\s*|,?\s+(?:and|while|whereas|but)\s+|,\s+(?:which|who)\s+|(?<=[고며]),?\s+|(?<=지만),?\s+")
_EDGES = " \t\n\"'“”‘’.。!?…*_`|"


@dataclass(frozen=True)
class ReadSource:
    """A source as it is compared: its sentences, what they tell, and what belongs to each. Read once and remembered."""

    text: str

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences in order."""
        return tuple(each.text for each in split_sentences(self.text))

    @cached_property
    def tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each sentence."""
        return tuple(map(read_tokens, self.sentences))

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its sentences as they are recognised word for word."""
        return frozenset(map(folded, self.sentences))

    @cached_property
    def keys(self) -> tuple[frozenset[str], ...]:
        """The keys of what each sentence tells."""
        return tuple(frozenset(each.key for each in tokens if each.matters) for tokens in self.tokens)

    @cached_property
    def everything(self) -> frozenset[str]:
        """The keys of what the source tells."""
        return frozenset[str]().union(*self.keys)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring keys of which one is a name."""
        return frozenset(
            (one.key, other.key)
            for tokens in self.tokens
            for one, other in zip(tokens, tokens[1:], strict=False)
            if one.kind == "name" or other.kind == "name"
        )

    @cached_property
    def initials(self) -> frozenset[str]:
        """Acronyms of its runs of capitalised words."""
        runs = re.findall(r"(?:[A-Z][\w'’]*+[ -](?:of |and |for |the |& )?+){1,7}+[A-Z][\w'’]*+", self.text)
        return frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in runs)

    def values(self, at: int) -> tuple[Value, ...]:
        """The values of the sentences around sentence `at`."""
        near = (*self.tokens[max(0, at - _BEFORE) : at], *self.tokens[at + 1 : at + 1 + _BEFORE])
        return tuple(each.value for tokens in near for each in tokens if each.value)

    def context(self, at: int) -> frozenset[str]:
        """Keys of the two sentences before sentence `at`."""
        return frozenset[str]().union(*self.keys[max(0, at - _BEFORE) : at])


@lru_cache(maxsize=256)
def read_source(text: str) -> ReadSource:
    """Return `text` read for comparing."""
    return ReadSource(text)


def folded(sentence: str) -> str:
    """Return a sentence as it counts as the same word for word: without list sign, case, spacing and final stop."""
    return "".join(_LIST_SIGN.sub("", sentence).casefold().strip(_EDGES).split())


@dataclass(frozen=True, slots=True)
class Compared:
    """The best place of a source for a statement: `near` if it says nearly the same, and what differs there."""

    near: bool
    verbatim: bool
    share: float
    likeness: float
    differences: tuple[Difference, ...]
    place: str

    @property
    def clean(self) -> bool:
        """Whether the place says all of the statement."""
        return self.near and not self.differences


def compare(statement: str, source: str) -> Compared:
    """Lay one sentence beside `source`. Linear in the source's length."""
    known = read_source(source)
    if (plain := folded(statement)) and plain in known.folded:
        return Compared(near=True, verbatim=True, share=1.0, likeness=1.0, differences=(), place=statement)
    best = _best(read_tokens(statement), known)
    if best.clean or not best.near:
        return best
    clauses = [each for each in _CLAUSES.split(statement) if each.strip()]
    if len(clauses) > 1 and (parts := _by_clauses(clauses, known)):
        return parts
    return best


def _by_clauses(clauses: Sequence[str], known: ReadSource) -> Compared | None:
    """Each clause by itself, one without a subject with that of the clause before it."""
    found: list[Compared] = []
    subject = ""
    for clause in clauses:
        tokens = read_tokens(clause)
        if sum(each.matters for each in tokens) < _FEWEST:
            return None
        whole = read_tokens(f"{subject} {clause}") if subject and not _has_subject(tokens) else tokens
        subject = subject if subject and not _has_subject(tokens) else _subject(clause, tokens)
        found.append(_best(whole, known))
        if not found[-1].clean:
            return None
    return Compared(near=True, verbatim=False, share=min(each.share for each in found), likeness=min(each.likeness for each in found), differences=(), place="")


def _has_subject(tokens: Sequence[Token]) -> bool:
    return any(each.kind == "name" or each.case in ("subject", "topic") for each in tokens[:3])


def _subject(clause: str, tokens: Sequence[Token]) -> str:
    named = [each.text for each in tokens[:4] if each.kind == "name" or each.case in ("subject", "topic")]
    return " ".join(named) or (tokens[0].text if tokens else "")


def _best(tokens: Sequence[Token], known: ReadSource) -> Compared:
    compared = [_against(alignment, known, at) for alignment, at in _candidates(tokens, known)]
    nothing = Compared(near=False, verbatim=False, share=0.0, likeness=0.0, differences=(), place="")
    return max(compared, key=_goodness, default=nothing)


def _goodness(compared: Compared) -> tuple[bool, bool, float]:
    sure = sum(each.sure for each in compared.differences)
    names = sum(each.kind in ("name", "subject") for each in compared.differences)
    return compared.near, compared.clean, compared.share - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences)


def _against(alignment: Alignment, known: ReadSource, at: int) -> Compared:
    around = Surroundings(
        context=known.context(at),
        values=known.values(at),
        pairs=known.pairs,
        elsewhere=known.everything,
        initials=known.initials,
    )
    near = _is_near(alignment)
    found = tuple(differences(alignment, around)) if near else ()
    return Compared(near, verbatim=False, share=alignment.share, likeness=alignment.likeness, differences=found, place=known.sentences[at])


def _is_near(alignment: Alignment) -> bool:
    """Say whether the statement is this sentence but for little: most of both, all of the statement, or all but one."""
    matched = sum(alignment.statement[index].matters for index in alignment.matched)
    here, there = (sum(each.matters for each in tokens) for tokens in (alignment.statement, alignment.source))
    if matched >= _FEWEST and (alignment.likeness >= _ALIKE or alignment.share >= _CONTAINED):
        return True
    return matched >= 1 and max(here, there) - matched <= 1


def _candidates(tokens: Sequence[Token], known: ReadSource) -> Iterator[tuple[Alignment, int]]:
    """The sentences that share most with the statement, and each with its follower."""
    wanted = {each.key for each in tokens if each.matters}
    shared = [len(wanted & keys) for keys in known.keys]
    ranked = sorted(range(len(shared)), key=lambda at: -shared[at])[:_CANDIDATES]
    for at in ranked:
        if not shared[at]:
            continue
        yield align(tokens, known.tokens[at]), at
