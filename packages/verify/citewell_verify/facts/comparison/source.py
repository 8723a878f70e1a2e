"""Prepares a source for comparison: its sentences and clauses, their tokens, and the context of each (V1, V2)."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import accumulate

from citewell_verify.facts.reading.questions import ReadSentence, read_with_answers
from citewell_verify.facts.reading.token_alignment import TokenIndex
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.structure.headings import heading_lines, split_off_headings
from citewell_verify.text.cache import text_cache
from citewell_verify.text.sentence_alignment import parse_sentences

_CANDIDATES = 5
_BEFORE = 2  # clauses before one that belong to its context
_MOST_CHARS = 600_000  # of cached sources: their analysis takes far more memory than they do
_LIST_SIGN = re.compile(
    r"^\W*(?:\(?\d{1,3}[.)]|[-*+•‣▪◦·●○■□▶►>#]+|[①-⑳]|\(?[a-zA-Z][.)]|(?:step|단계)\s?\d{1,2}\s?[:.)])\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(r"[\s_‐‑-]")
_IDENTIFIER = re.compile(
    r"(?<![a-z0-9])(?:[a-z]{1,20}[\s_‐‑-]?\d|\d{1,20}(?:\s(?![a-z]{1,20}\d)|[_‐‑-])?[a-z])[a-z0-9]{0,40}"
)
_EDGES = " \t\n\"'“”‘’.。!?…*_`|"


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

    Takes time in proportion to the places that have one of the keys.
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
