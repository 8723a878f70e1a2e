"""A statement against a whole source: some place has to say all of it, of the same subject and in the same way (V1-V4).

The statement is laid beside the sentences of the source that share most with it, each with its context. One of them,
or two neighbours, has to say it without a difference; or each clause of the statement has such a place of its own.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from heapq import nsmallest
from itertools import takewhile

from domain.facts.aligning import Alignment, Names, align
from domain.facts.antecedents import ARTEFACTS, CLASSES, Rival, classes_in, has_class, rival
from domain.facts.cells import against_tables
from domain.facts.clauses import clauses
from domain.facts.differing import Surroundings, differences, is_denied
from domain.facts.headings import lines_apart, read_headings, told_below
from domain.facts.kinds import Difference
from domain.facts.restricting import left_out
from domain.facts.roles import Pair, exchanged, pairs
from domain.facts.sections import NamedSection, is_of, named_section
from domain.facts.tables import read_tables
from domain.facts.titles import other_titles
from domain.facts.tokens import Token, Value, read_tokens
from domain.remembering import remembered
from domain.word_index import read_sentences

_ALIKE = 0.75  # likeness of a statement to a sentence, for it to be taken from there word by word
_CONTAINED = 0.85  # the same of the share of the statement that a longer sentence has
_ONE_PLACE = 3  # words that may stand in the one place in which a short statement differs
_CANDIDATES = 5
_BEFORE = 2  # sentences in front of one that belong to its context
_FEWEST = 2
_MOST_CHARS = 600_000  # of sources that are remembered: what was read in them takes far more room than they do
_LIST_SIGN = re.compile(
    r"^\W*(?:\(?\d{1,3}[.)]|[-*+•‣▪◦·●○■□▶►>#]+|[①-⑳]|\(?[a-zA-Z][.)]|(?:step|단계)\s?\d{1,2}\s?[:.)])\s+",
    re.IGNORECASE,
)
_JOINT = re.compile(r"[\s_‐‑-]")
_IDENTIFIER = re.compile(
    r"(?<![a-z0-9])(?:[a-z]{1,20}[\s_‐‑-]?\d|\d{1,20}(?:\s(?![a-z]{1,20}\d)|[_‐‑-])?[a-z])[a-z0-9]{0,40}"
)
_ABOUT_OTHERS = ("order", "negation")  # differences that are none of the name
_EDGES = " \t\n\"'“”‘’.。!?…*_`|"


@dataclass(frozen=True)
class ReadSource:
    """A source as it is compared: its sentences, what they tell, and what belongs to each. Read once and remembered."""

    text: str

    @cached_property
    def whole(self) -> tuple[str, ...]:
        """Its sentences in order."""
        headings = read_headings(self.text)
        return tuple(part for each in read_sentences(self.text).sentences for part in lines_apart(each.text, headings))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Its clauses in order: the parts of a sentence that each assert something, else the sentence."""
        return tuple(clause for each in self.whole for clause in clauses(each))

    @cached_property
    def tokens(self) -> tuple[tuple[Token, ...], ...]:
        """The tokens of each sentence."""
        return tuple(map(read_tokens, self.sentences))

    @cached_property
    def folded(self) -> frozenset[str]:
        """Its sentences as they are recognised word for word."""
        return frozenset(map(folded, self.whole))

    @cached_property
    def keys(self) -> tuple[frozenset[str], ...]:
        """The keys of what each sentence tells."""
        return tuple(
            frozenset(key for each in tokens if each.matters for key in (each.key, *each.key.split()))
            for tokens in self.tokens
        )

    @cached_property
    def whole_keys(self) -> tuple[frozenset[str], ...]:
        """The keys of each of its sentences."""
        return tuple(frozenset(token.key for token in read_tokens(each)) for each in self.whole)

    @cached_property
    def clauses_by_key(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the clauses that tell a key."""
        return _by_key(self.keys)

    @cached_property
    def whole_by_key(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the sentences that have a key."""
        return _by_key(self.whole_keys)

    @cached_property
    def everything(self) -> frozenset[str]:
        """The keys of what the source tells."""
        return frozenset[str]().union(*self.keys)

    @cached_property
    def initials(self) -> frozenset[str]:
        """Acronyms of its runs of capitalised words."""
        runs = re.findall(r"(?:[A-Z][\w'’]*+[ -](?:of |and |for |the |& )?+){1,7}+[A-Z][\w'’]*+", self.text)
        return frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in runs)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """Who it says to be what."""
        return pairs(self.text)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The index of each clause, the first one of equals."""
        return {clause: at for at, clause in reversed(tuple(enumerate(self.sentences)))}

    @cached_property
    def names(self) -> "Names":
        """What it tells, found by the beginnings of its words."""
        return Names(token for tokens in self.tokens for token in tokens)

    @cached_property
    def casefolded(self) -> str:
        """Its text without capitals."""
        return self.text.casefold()

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """What it has of letters and digits, `identifiers_in`."""
        return frozenset(identifiers_in(self.text))

    def place_of(self, sentence: str) -> int:
        """The index among the clauses of the first one of a whole sentence."""
        return self.places[clauses(sentence)[0]]

    @cached_property
    def is_heading(self) -> tuple[bool, ...]:
        """Whether each of its clauses is a heading."""
        headings = read_headings(self.text)
        return tuple(each.strip() in headings for each in self.sentences)

    def values(self, at: int, stated: Collection[str]) -> tuple[Value, ...]:
        """The values of the sentences around sentence `at`, for a statement with the keys `stated`."""
        behind = range(at + 1, min(at + 1 + _BEFORE, len(self.tokens)))
        own = takewhile(lambda each: not self.is_heading[each], behind)
        told = [
            told_below(self.tokens[each], stated) if self.is_heading[each] else self.tokens[each]
            for each in (*self._before(at), *own)
        ]
        return tuple(each.value for tokens in told for each in tokens if each.value)

    def context(self, at: int) -> frozenset[str]:
        """Keys of the two sentences before sentence `at`."""
        return frozenset[str]().union(*(self.keys[each] for each in self._before(at)))

    def _before(self, at: int) -> range:
        """The two sentences before sentence `at`, from the last heading on."""
        first = max(0, at - _BEFORE)
        return range(next((each for each in range(at - 1, first, -1) if self.is_heading[each]), first), at)


def _by_key(told: Sequence[frozenset[str]]) -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for at, keys in enumerate(told):
        for key in keys:
            found[key].append(at)
    return found


def _most_shared(wanted: Collection[str], places: Mapping[str, Sequence[int]]) -> list[int]:
    """The indexes of those that have most of the keys `wanted`, at most five, the best and first ones first.

    It takes as long as there are places with one of the keys.
    """
    shared = Counter(at for key in wanted for at in places.get(key, ()))
    return nsmallest(_CANDIDATES, shared, key=lambda at: (-shared[at], at))


@remembered(_MOST_CHARS)
def read_source(text: str) -> ReadSource:
    """Return `text` read for comparing."""
    return ReadSource(text)


def identifiers_in(text: str) -> Iterator[str]:
    """Yield what is made of Latin letters and digits, as X200, in one form: "X-200", "X 200" and "Ｘ２００" are the
    same, and so are "CO₂" and "CO2". A number in front of one is none of it: "3.1 X200"."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return (_JOINT.sub("", found[0]) for found in _IDENTIFIER.finditer(plain))


def folded(sentence: str) -> str:
    """Return a sentence as it counts as the same word for word: without list sign, case, spacing and final stop."""
    return "".join(_LIST_SIGN.sub("", sentence).casefold().strip(_EDGES).split())


@dataclass(frozen=True, slots=True)
class Compared:
    """The best place of a source for a statement: `near` if it says nearly the same, and what differs there.

    `section` is the heading that the statement names, if that led there; `in_table` says that the names of a cell did.
    """

    near: bool
    verbatim: bool
    share: float
    likeness: float
    differences: tuple[Difference, ...]
    place: str
    section: str = ""
    in_table: bool = False

    @property
    def clean(self) -> bool:
        """Whether the place says all of the statement."""
        return self.near and not self.differences


@lru_cache(maxsize=2048)
def compare(statement: str, source: str) -> Compared:
    """Lay one sentence beside `source`. Linear in the source's length; remembered, as several checks ask the same."""
    known = read_source(source)
    if (plain := folded(statement)) and plain in known.folded:
        return Compared(near=True, verbatim=True, share=1.0, likeness=1.0, differences=(), place=statement)
    tokens = read_tokens(statement)
    if found := _in_tables(tokens, source) or _in_section(tokens, source):
        return found
    parts = clauses(statement)
    best = _best(tokens, known, whole=len(parts) > 1)
    if not best.clean and best.near and len(parts) > 1:
        best = _by_clauses(parts, known) or best
    if found := exchanged(statement, source, known.pairs):
        return replace(best, near=True, differences=(found,))
    if any(each.is_same(other) for each in pairs(statement) for other in known.pairs):
        best = replace(best, differences=tuple(each for each in best.differences if each.kind != "order"))
    return _with_restrictions(statement, best)


def _with_restrictions(statement: str, best: Compared) -> Compared:
    """A place that says all of the statement under a condition does not say it (V3)."""
    if not best.near or any(each.sure for each in best.differences):
        return best
    found = (*other_titles(statement, best.place), *left_out(statement, best.place))
    return replace(best, differences=(*best.differences, *found))


def _in_tables(tokens: Sequence[Token], source: str) -> Compared | None:
    """What the tables say of the statement, unless the prose beside them says all of it (V2)."""
    cell = against_tables(tokens, source)
    if cell is None:
        return None
    if cell.differences and (told := _best(tokens, read_source(read_tables(source).prose), whole=False)).clean:
        return told
    return Compared(True, False, cell.share, cell.share, cell.differences, cell.place, in_table=True)


def _in_section(tokens: Sequence[Token], source: str) -> Compared | None:
    """What the section says whose heading the statement names; another section's words are about another one (V2)."""
    section = named_section(tokens, source)
    if section is None:
        return None
    own = read_source(section.own)
    whole = _best(tokens, own, whole=False)
    if section.in_part and _names_it(_best(tokens, read_source(source), whole=False), section):
        return None
    if _names_it(whole, section) or (whole.near and any(each.kind in _ABOUT_OTHERS for each in whole.differences)):
        return replace(whole, section=section.heading)
    found = whole if whole.clean and not section.in_part else _best(section.rest, own, whole=False)
    if not found.clean:
        if found.near and any(each.sure for each in found.differences):
            return replace(found, section=section.heading)
        return _in_others(section) if section.is_name and not section.in_part else None
    other = _rival(tokens, section, found.place, own)
    if other and other.token.kind == "name":
        return _in_others(section) if section.is_name else None
    doubt = section.heading if section.in_part else other.token.text if other else _below_another(section, found.place)
    # In doubt, as another thing may be meant: neither proven nor contradicted.
    doubted = (Difference("wording", section.named, doubt),) if doubt else ()
    return replace(found, section=section.heading, differences=doubted)


def _names_it(found: Compared, section: NamedSection) -> bool:
    """Say whether a place says all of the statement and has the name itself."""
    return found.clean and any(is_of(each, section.names) for each in read_tokens(found.place))


def _rival(tokens: Sequence[Token], section: NamedSection, place: str, own: ReadSource) -> Rival | None:
    """What the place is about instead of what the heading names."""
    sentence = read_tokens(place)
    named = frozenset(each.key for each in section.names)
    said = named.union(*(keys for keys in own.keys if keys & named))
    # Where it has a class of its own, or the section tells of things of several, not any class stands for it.
    is_told = has_class(section.heading) or len(classes_in(own.tokens)) > 1
    classes = said | (ARTEFACTS if is_told else CLASSES)
    return rival(tokens, sentence, align(section.rest, sentence).met, section.names, classes)


def _below_another(section: NamedSection, place: str) -> str | None:
    """The heading between that of the section and the place, where it names a thing that the statement does not."""
    found = [each.path for each in section.below if place in read_source(each.text).sentences]
    return None if not found or () in found else found[0][-1]


def _in_others(section: NamedSection) -> Compared | None:
    for other in section.others:
        found = _best(section.rest, read_source(other.text), whole=False)
        if found.clean:
            difference = Difference("subject", section.heading, other.path[-1])
            return replace(found, differences=(difference,), section=section.heading)
    return None


def _by_clauses(parts: Sequence[str], known: ReadSource) -> Compared | None:
    """Each clause by itself; None unless the source says all of them."""
    found = [_best(read_tokens(part), known, whole=False) for part in parts]
    if not all(each.clean for each in found):
        return None
    share, likeness = min(each.share for each in found), min(each.likeness for each in found)
    return Compared(near=True, verbatim=False, share=share, likeness=likeness, differences=(), place=found[0].place)


def _best(tokens: Sequence[Token], known: ReadSource, *, whole: bool) -> Compared:
    """The best place among the clauses of the source; among its sentences for a statement of several clauses."""
    nothing = Compared(near=False, verbatim=False, share=0.0, likeness=0.0, differences=(), place="")
    if whole and known.whole != known.sentences:
        wanted = {each.key for each in tokens if each.matters}
        sentences = [known.whole[at] for at in _most_shared(wanted, known.whole_by_key)]
        compared = [_against(align(tokens, read_tokens(each)), known, known.place_of(each), each) for each in sentences]
        best = max(compared, key=_goodness, default=nothing)
        if best.near:
            return best
    compared = [_against(alignment, known, at, known.sentences[at]) for alignment, at in _candidates(tokens, known)]
    return max(compared, key=_goodness, default=nothing)


def _goodness(compared: Compared) -> tuple[bool, bool, float]:
    sure = sum(each.sure for each in compared.differences)
    names = sum(each.kind in ("name", "subject") for each in compared.differences)
    return compared.near, compared.clean, compared.share - 0.2 * sure - 0.2 * names - 0.05 * len(compared.differences)


def _against(alignment: Alignment, known: ReadSource, at: int, place: str) -> Compared:
    around = Surroundings(
        context=known.context(at),
        values=known.values(at, {each.key for each in alignment.statement}),
        elsewhere=known.everything,
        initials=known.initials,
    )
    near = _is_near(alignment)
    found = tuple(differences(alignment, around)) if near else ()
    return Compared(
        near, verbatim=False, share=alignment.share, likeness=alignment.likeness, differences=found, place=place
    )


def _is_near(alignment: Alignment) -> bool:
    """Say whether the statement was taken from this sentence: it has all of it but for little, or but for one place."""
    matched = sum(alignment.statement[index].matters for index in alignment.matched)
    if matched >= _FEWEST and (alignment.share >= _CONTAINED or min(alignment.local, alignment.share) >= _ALIKE):
        return True
    lost, left = alignment.unmatched
    one_place = alignment.exchanges <= 1 and (left > 0 or not lost) and not alignment.moved
    return matched >= 1 and (
        (one_place and lost <= min(_ONE_PLACE, matched) and left <= lost + 1) or is_denied(alignment)
    )


def _candidates(tokens: Sequence[Token], known: ReadSource) -> Iterator[tuple[Alignment, int]]:
    """The sentences that share most with the statement, and each with its follower."""
    wanted = {each.key for each in tokens if each.matters}
    for at in _most_shared(wanted, known.clauses_by_key):
        yield align(tokens, known.tokens[at]), at
