"""A source as statements are compared with it: its sentences, what they tell, and what belongs to each (V1, V2)."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import takewhile

from domain.facts.differences.roles import RolePair, role_pairs
from domain.facts.reading.clauses import clauses
from domain.facts.reading.token_alignment import TokenIndex
from domain.facts.reading.tokens import Token, Value, tokenize
from domain.facts.structure.headings import heading_lines, inherited_tokens, split_off_headings
from domain.text.memory import remembered
from domain.text.word_index import parse_sentences

_CANDIDATES = 5
_BEFORE = 2  # sentences in front of one that belong to its context
_MOST_CHARS = 600_000  # of sources that are remembered: what was read in them takes far more room than they do
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
    """A source as it is compared: its sentences, what they tell, and what belongs to each. Read once and remembered."""

    text: str

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its sentences in order."""
        headings = heading_lines(self.text)
        return tuple(
            part for each in parse_sentences(self.text).sentences for part in split_off_headings(each.text, headings)
        )

    @cached_property
    def clauses(self) -> tuple[str, ...]:
        """Its clauses in order: the parts of a sentence that each assert something, else the sentence."""
        return tuple(clause for each in self.sentences for clause in clauses(each))

    @cached_property
    def clause_tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each sentence."""
        return tuple(map(tokenize, self.clauses))

    @cached_property
    def verbatim_keys(self) -> frozenset[str]:
        """Its sentences as they are recognised word for word."""
        return frozenset(map(verbatim_key, self.sentences))

    @cached_property
    def clause_keys(self) -> tuple[frozenset[str], ...]:
        """The keys of what each sentence tells."""
        return tuple(
            frozenset(key for each in tokens if each.is_content for key in (each.key, *each.key.split()))
            for tokens in self.clause_tokens
        )

    @cached_property
    def sentence_keys(self) -> tuple[frozenset[str], ...]:
        """The keys of each of its sentences."""
        return tuple(frozenset(token.key for token in tokenize(each)) for each in self.sentences)

    @cached_property
    def clauses_by_key(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the clauses that tell a key."""
        return _by_key(self.clause_keys)

    @cached_property
    def sentences_by_key(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the sentences that have a key."""
        return _by_key(self.sentence_keys)

    @cached_property
    def all_keys(self) -> frozenset[str]:
        """The keys of what the source tells."""
        return frozenset[str]().union(*self.clause_keys)

    @cached_property
    def acronyms(self) -> frozenset[str]:
        """Acronyms of its runs of capitalised words."""
        runs = re.findall(r"(?:[A-Z][\w'’]*+[ -](?:of |and |for |the |& )?+){1,7}+[A-Z][\w'’]*+", self.text)
        return frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in runs)

    @cached_property
    def role_pairs(self) -> tuple[RolePair, ...]:
        """Who it says to be what."""
        return role_pairs(self.text)

    @cached_property
    def clause_positions(self) -> Mapping[str, int]:
        """The index of each clause, the first one of equals."""
        return {clause: at for at, clause in reversed(tuple(enumerate(self.clauses)))}

    @cached_property
    def token_index(self) -> "TokenIndex":
        """What it tells, found by the beginnings of its words."""
        return TokenIndex(token for tokens in self.clause_tokens for token in tokens)

    @cached_property
    def casefolded(self) -> str:
        """Its text without capitals."""
        return self.text.casefold()

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """What it has of letters and digits, `identifiers_in`."""
        return frozenset(identifiers_in(self.text))

    def clause_position(self, sentence: str) -> int:
        """The index among the clauses of the first one of a whole sentence."""
        return self.clause_positions[clauses(sentence)[0]]

    @cached_property
    def is_heading(self) -> tuple[bool, ...]:
        """Whether each of its clauses is a heading."""
        headings = heading_lines(self.text)
        return tuple(each.strip() in headings for each in self.clauses)

    def nearby_values(self, at: int, stated: Collection[str]) -> tuple[Value, ...]:
        """The values of the sentences around sentence `at`, for a statement with the keys `stated`."""
        behind = range(at + 1, min(at + 1 + _BEFORE, len(self.clause_tokens)))
        own = takewhile(lambda each: not self.is_heading[each], behind)
        around = [
            inherited_tokens(self.clause_tokens[each], stated) if self.is_heading[each] else self.clause_tokens[each]
            for each in (*self._preceding(at), *own)
        ]
        return tuple(each.value for tokens in around for each in tokens if each.value)

    def context_keys(self, at: int) -> frozenset[str]:
        """Keys of the two sentences before sentence `at`."""
        return frozenset[str]().union(*(self.clause_keys[each] for each in self._preceding(at)))

    def _preceding(self, at: int) -> range:
        """The two sentences before sentence `at`, from the last heading on."""
        first = max(0, at - _BEFORE)
        return range(next((each for each in range(at - 1, first, -1) if self.is_heading[each]), first), at)


def _by_key(keys_of_each: Sequence[frozenset[str]]) -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for at, keys in enumerate(keys_of_each):
        for key in keys:
            found[key].append(at)
    return found


def most_shared(wanted: Collection[str], places: Mapping[str, Sequence[int]]) -> list[int]:
    """The indexes of those that have most of the keys `wanted`, at most five, the best and first ones first.

    It takes as long as there are places with one of the keys.
    """
    shared = Counter(at for key in wanted for at in places.get(key, ()))
    return nsmallest(_CANDIDATES, shared, key=lambda at: (-shared[at], at))


@remembered(_MOST_CHARS)
def parse_source(text: str) -> ParsedSource:
    """Return `text` read for comparing."""
    return ParsedSource(text)


def identifiers_in(text: str) -> Iterator[str]:
    """Yield what is made of Latin letters and digits, as X200, in one form: "X-200", "X 200" and "Ｘ２００" are the
    same, and so are "CO₂" and "CO2". A number in front of one is none of it: "3.1 X200"."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return (_JOINT.sub("", found[0]) for found in _IDENTIFIER.finditer(plain))


def verbatim_key(sentence: str) -> str:
    """Return a sentence as it counts as the same word for word: without list sign, case, spacing and final stop."""
    return "".join(_LIST_SIGN.sub("", sentence).casefold().strip(_EDGES).split())
