"""Finds the one place where a statement differs from a sentence that it otherwise copies (V2, V3).

Such a sentence with another number, name, negation or limit is the error that readers try first, and the only one that
a rule decides for every judge. What may be a rewording is no substitution: any other word that differs ends the search,
but for a part of the sentence that the statement leaves out.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import groupby, permutations, zip_longest
from operator import attrgetter

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from citewell_verify.entities.names import KOREAN_PERSON, same_country
from citewell_verify.entities.units import UNITS
from citewell_verify.evidence.closed_classes import ChangedMarks, makes_condition, read
from citewell_verify.evidence.contradictions import readable, without_markers
from citewell_verify.evidence.exchanges import exchange, left_out_clauses, role_of
from citewell_verify.evidence.verbatim import stands_verbatim
from citewell_verify.facts.differences.opposites import are_opposites
from citewell_verify.facts.kinds import Difference, Disagreement, Kind
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.token_alignment import Alignment, Gap, align
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.values import same_number_other_unit, values_agree
from citewell_verify.facts.reading.vocabulary import OPPOSITES
from citewell_verify.facts.structure.headings import heading_lines, heading_path, split_off_headings
from citewell_verify.text.cache import text_cache
from citewell_verify.text.languages import unread_language
from citewell_verify.text.lengths import is_too_long
from citewell_verify.text.sentences import split_sentences

__all__ = ["plain_substitution", "stands_verbatim"]

_LEAST_SHARED = 0.6  # share of the statement's words that a sentence must have to be aligned with it
_CANDIDATES = 3
_FEWEST = 3  # words of a statement that may be a part of a sentence
_WORD = re.compile(r"\d[\d.,]*|[^\W\d_]+")
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter"
    r"|noon|midnight|mornings?|afternoons?|evenings?|nights?"
    r"|(?:[월화수목금토일]요일|봄|여름|가을|겨울|오전|오후|정오|자정|아침|저녁|밤|낮|새벽)(?:에|에는|의)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_NOUNS = ("word", "name")
_BEFORE_NOUNS = frozenset(("a", "an", "the", "and", "or"))
_WITHIN_NOUNS = frozenset(("a", "an", "the", "of"))
_LONGEST_NOUN, _LONGEST_NAME = 4, 8  # words
_VARIANTS = 80  # percentage of common letters from which two names may be spellings of one
_LIGHT = re.compile("[하되있한된할될했됐]")
_ENDING = re.compile("[을를은는지며고게야]$|니다$|다$")
_LONGEST_ENDING = 3  # letters
_ATTRIBUTIVE = re.compile("[라하되주있없에서지]는$")
_VERB = re.compile("[다고며면지게서는은할한된될하해]$")
_QUOTED = re.compile("[다라][고는]$")
_PERSON_WITH_PARTICLE = re.compile(rf"{KOREAN_PERSON.pattern}(?:은|는|이|가|을|를|의|도|와|과|에게|께서)")
_DECIDING = frozenset(("number", "date", "unit", "name", "negation", "order"))
_WITHIN = r"\W{1,3}(?:\w{1,3}\W{1,3}){0,2}"  # what may stand between the words of a name
_EQUATES = r"(?:is|was|are|or|the|an?|also|now|formerly|called|known|as|named|renamed|nicknamed|또는|일명|옛)"
_VALUES: tuple[Kind, ...] = ("number", "date", "unit")
_SAME = Difference("wording", "", None)


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


def plain_substitution(statement: str, source: str, context: str = "") -> Disagreement | None:
    """Return the one place where the `statement` differs from a sentence of the `source` that it copies.

    None if it differs in no place or in several, where the words may mean the same, and in other languages than English
    and Korean. Words of the `context`, which are the headings above the source, may stand in the statement, too.
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
    """Say whether a substitution in a sentence of the `source` is plain enough to decide for every judge.

    Values, names, negations and exchanges are, unless the source uses two names for one. A limit, a permission or a
    quantity may be said in many ways.
    """
    return disagreement.kind in _DECIDING and not (disagreement.kind == "name" and _are_equated(disagreement, source))


def _are_equated(disagreement: Disagreement, source: str) -> bool:
    """Say whether the two names stand side by side somewhere: "Bank of England (BoE)", "Kiev, now called Kyiv"."""
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
        # Words of closed classes are compared by their class, so that their own letters are not known.
        return "the statement and the same sentence of the source differ in what they deny, limit or allow"
    if known is None:
        return f"the statement says “{stated}”, the same sentence of the source does not"
    if stated == _words(read(sentence)):
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
    """Return the beginnings of the words of a text: particles and endings follow."""
    return frozenset(word[:2] if word >= "가" else word[:5] for word in _WORD.findall(text.casefold()))


def _near(sentence: str, source: _Source) -> list[_Place]:
    wanted = _keys(sentence)
    shared = ((len(wanted & place.keys), -at) for at, place in enumerate(source.places))
    near = nlargest(_CANDIDATES, (rated for rated in shared if rated[0] >= _LEAST_SHARED * len(wanted)))
    return [source.places[-at] for _, at in near]


def _difference(sentence: str, places: Sequence[_Place], source: _Source, context: frozenset[str]) -> Difference | None:
    """Return the difference from the first of the places that has one only, rather one that decides; None if another
    place has none."""
    single: list[Difference] = []
    compared = [(tokens, place) for place in places for tokens in _clauses_of(place.text)]
    for tokens, place in compared:
        differences = _Comparison(align(read(sentence), tokens), source, context | place.headings).differences()
        if differences == []:
            return None
        # A clause may lack what the sentence says before it, so only its values count.
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
        # Two sentences that are alike are mixed: what the source says of one thing is said of the other.
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
        """Return all places that differ; None if one of them may be a rewording."""
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
        """Say whether the gaps are the two sides of a sentence turned round: "the CFO is Mary", "Mary is the CEO"."""
        if len(gaps) != 2 or all(first.source or last.statement for first, last in permutations(gaps)):
            return False
        sides = [_content(side) for side in (self._alignment.statement, self._alignment.source)]
        ends = [(side[0], side[-1]) for side in sides if side]
        first, last = ((*gap.statement, *gap.source) for gap in gaps)
        return any(first[0] is opening for opening, _ in ends) and any(last[-1] is closing for _, closing in ends)

    def _in_gap(self, gap: Gap, marks: ChangedMarks, dropped: list[Token]) -> list[Difference] | None:
        """Return what differs in a gap, None for a rewording; add its marks, and what is left out within the
        sentence."""
        gap = Gap(tuple(token for token in gap.statement if not self._is_above(token)), gap.source)
        said = _content(gap.statement)
        stated, known, beside = _paired(said, _content(gap.source))
        left_out = beside if stated else known
        is_condition = bool(left_out) and makes_condition(gap.source)
        if left_out and not is_condition and not self._is_part(left_out):
            dropped += left_out
        if stated:
            marks.add(gap.statement, gap.source)
            difference = self._replaced(stated, known)
            return None if difference is None else [] if difference is _SAME else [difference]
        if known and any(token.cue for token in gap.statement):
            return None
        if is_condition:
            return [Difference("quantifier", self._whole, _words(gap.source))]
        if not known or self._is_frame(known):
            marks.add(gap.statement, gap.source)
        elif len(_content(self._alignment.statement)) < _FEWEST:
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
        return _words(self._alignment.statement)

    def _is_part(self, tokens: Sequence[Token]) -> bool:
        """Say whether the tokens are whole clauses of the source, or its beginning or end."""
        if self._first is None or self._last is None or all(token.clause in self._left_out for token in tokens):
            return True
        # The first word of the statement may also stand in what precedes it.
        opens = tokens[-1].start < self._first.start or tokens[-1].key == self._first.key
        return opens or tokens[0].start > self._last.start

    def _is_frame(self, tokens: Sequence[Token]) -> bool:
        """Say whether the tokens say how true the rest is: "it is a myth that …", …다는 소문이 있다."""
        if self._first is None or self._last is None:
            return False
        between = [token for token in self._alignment.source if tokens[-1].start < token.start < self._first.start]
        if any(token.key in ("that", "whether") for token in between):
            return True
        return tokens[0].start > self._last.start and _QUOTED.search(self._last.text) is not None

    def _replaced(self, stated: Sequence[Token], known: Sequence[Token]) -> Difference | None:
        """Return the difference of words in one place; `_SAME` if there is none, None if they may be a rewording."""
        said, sourced = map(_words, (stated, known))
        if not known:
            return None
        if len(stated) == len(known) == 1:
            if _are_forms_of_one(stated[0], known[0]):
                return _SAME
            if kind := _kind(stated[0], known[0]):
                return Difference(kind, said, sourced)
            if stated[0].value or known[0].value:
                return None
        kind = self._kind_of_names(stated, known, said, sourced)
        return Difference(kind, said, sourced) if kind else None

    def _kind_of_names(self, stated: Sequence[Token], known: Sequence[Token], said: str, sourced: str) -> Kind | None:
        if _DIGITS.sub("0", said) == _DIGITS.sub("0", sourced):
            return "name"  # `Room 12` and `Room 14`
        if may_be_one(_nouns(stated), _nouns(known)):
            return None
        if self._are_names(stated, known):
            return "name"
        if self._are_alternatives(stated, known):
            return "subject"
        return "subject" if _are_korean_nouns(stated, known) else None

    def _are_alternatives(self, stated: Sequence[Token], known: Sequence[Token]) -> bool:
        """Say whether two English nouns are two things, because the source elsewhere has that of the statement."""
        if any(token.kind not in _NOUNS or token.text >= "가" for token in (*stated, *known)):
            return False
        if len(stated) == len(known) == 1 and stated[0].kind != known[0].kind:
            return False
        noun = _noun(stated, self._alignment.statement)
        if not noun or not _noun(known, self._alignment.source):
            return False
        elsewhere = rf"(?:^|\n|[.:] |\b(?:an?|the|and|or) ){re.escape(noun)}\b"
        return re.search(elsewhere, self._source.text, re.IGNORECASE) is not None

    def _are_names(self, stated: Sequence[Token], known: Sequence[Token]) -> bool:
        if all(map(self._is_name, (*stated, *known))) or (_has_title(stated) and _has_title(known)):
            return True
        is_named = all(
            any(token.kind == "name" or _PERSON_WITH_PARTICLE.fullmatch(token.text) for token in side)
            for side in (stated, known)
        )
        return is_named and _are_korean_nouns(stated, known)

    def _is_name(self, token: Token) -> bool:
        if token.kind == "name":
            return token.names != "loanword" or bool(token.case) or not _VERB.search(token.text)
        # A capital that opens the statement shows a name if the source has it within a sentence.
        within = rf"[a-z,;] {re.escape(token.text)}\b"
        return token.text[:1].isupper() and re.search(within, self._source.text) is not None


def _are_korean_nouns(stated: Sequence[Token], known: Sequence[Token]) -> bool:
    """Say whether two Korean nouns have the same role; their form does not show whether they are names."""
    ends = stated[-1], known[-1]
    if any(end.text[-1] < "가" or not role_of(end) or _ATTRIBUTIVE.search(end.text) for end in ends):
        return False
    if role_of(ends[0]) != role_of(ends[1]) or any(token.case for token in (*stated[:-1], *known[:-1])):
        return False
    is_named = all(any(token.kind == "name" for token in side) for side in (stated, known))
    return is_named or max(len(stated), len(known)) == 1


def _words(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)


def _nouns(tokens: Sequence[Token]) -> str:
    """Return the words, Korean ones without their particles."""
    return " ".join(token.key if token.case else token.text for token in tokens)


def _has_title(tokens: Sequence[Token]) -> bool:
    """Return whether a name has a title before it that opens a sentence: "Mayor Ada Lund"."""
    return tokens[-1].kind == "name" and all(token.text[:1].isupper() for token in tokens)


def _content(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.is_content]


def _paired(stated: list[Token], known: list[Token]) -> tuple[list[Token], list[Token], list[Token]]:
    """Return the words that replace each other, and those of the source that are left out beside them: all but the
    opposite of the only word, or the only value of its kind."""
    opposites = [token for token in known if len(stated) == 1 and are_opposites(stated[0], token)]
    if opposites:
        return stated, opposites[:1], [token for token in known if token is not opposites[0]]
    values = [token for token in known if token.value]
    if len(stated) == len(values) == 1 and _are_of_one_kind(stated[0], values[0]):
        return stated, values, [token for token in known if not token.value]
    return stated, known, []


def _are_of_one_kind(stated: Token, known: Token) -> bool:
    if not stated.value or not known.value:
        return False
    left, right = stated.value.quantity, known.value.quantity
    return left.dimension == right.dimension if left and right else not left and not right


def _kind(stated: Token, known: Token) -> Kind | None:
    """Return the kind of the difference between two words that exclude each other: opposites, values, units."""
    if are_opposites(stated, known) or frozenset((stated.key, known.key)) in OPPOSITES:
        return "negation"
    if stated.value and known.value:
        if values_agree(known.value, stated.value):
            return None
        left, right = stated.value.quantity, known.value.quantity
        if left and right and left.weak != right.weak and left.dimension != right.dimension:
            return None  # a fifth and 20 %
        is_unit = left is not None and right is not None and same_number_other_unit(left, right)
        return "unit" if is_unit else "date" if stated.value.date and known.value.date else "number"
    units = UNITS.get(stated.text.casefold()), UNITS.get(known.text.casefold())
    if all(units):
        return "unit" if units[0] != units[1] else None
    return "date" if _CALENDAR.fullmatch(stated.text) and _CALENDAR.fullmatch(known.text) else None


def _are_forms_of_one(stated: Token, known: Token) -> bool:
    """Say whether two Korean words are forms of one verb: 낳으며 and 낳지, 쉽지 and 쉬웠습니다."""
    both = stated, known
    if any(token.key[0] < "가" or token.kind not in _NOUNS or token.names not in ("", "loanword") for token in both):
        return False
    if all(_LIGHT.match(token.text) for token in both):
        return True
    is_noun = {stated.case, known.case} & {"subject", "object", "owner", "source", "than"}
    if is_noun and not all(_ENDING.search(token.text) for token in both):
        return False
    letters = [unicodedata.normalize("NFD", token.text) for token in both]
    return Prefix.similarity(*letters) >= max(2, min(map(len, letters)) - _LONGEST_ENDING)


def _noun(words: Sequence[Token], tokens: Sequence[Token]) -> str:
    """Return the words with what stands between them if they are one noun with an article; else nothing."""
    first, last = (next(at for at, token in enumerate(tokens) if token is word) for word in (words[0], words[-1]))
    run = tokens[first : last + 1]
    opens = len(run) == 1 if first == 0 else tokens[first - 1].key in _BEFORE_NOUNS
    is_noun = (
        opens and len(run) <= _LONGEST_NOUN and all(token.is_content or token.key in _WITHIN_NOUNS for token in run)
    )
    return _words(run) if is_noun else ""


def may_be_one(stated: str, known: str) -> bool:
    """Say whether two names may be spellings, short forms or initials of one: 서울시 and 서울특별시."""
    stated_words, known_words = stated.casefold().split(), known.casefold().split()
    short, long = sorted(("".join(stated_words), "".join(known_words)), key=len)
    rest = iter(long)
    if len(short) > 1 and all(letter in rest for letter in short):
        return True
    if max(len(stated_words), len(known_words)) > _LONGEST_NAME or same_country(stated_words, known_words):
        return True
    if fuzz.ratio(stated.casefold(), known.casefold()) >= _VARIANTS:
        return True
    pairs = zip_longest(
        ("".join(word[0] for word in parts) for parts in (stated_words, known_words)),
        ("".join(known_words), "".join(stated_words)),
    )
    return any(initials == name for initials, name in pairs) or (
        len(stated_words) != len(known_words) and not set(stated_words).isdisjoint(known_words)
    )
