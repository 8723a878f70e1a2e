"""Classifies words of a statement that stand in the place of other words of its source: two things were exchanged, it
is another value, name or thing, or the meaning is the same (V2).
"""

import re
import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from citewell_verify.entities.names import KOREAN_PERSON, same_country
from citewell_verify.entities.quantities import UNITS
from citewell_verify.facts.differences.parties import is_other_korean_voice
from citewell_verify.facts.differences.sentence import are_opposites
from citewell_verify.facts.kinds import Difference, Kind
from citewell_verify.facts.reading.token_alignment import Alignment
from citewell_verify.facts.reading.tokens import Token
from citewell_verify.facts.reading.values import same_number_other_unit, values_agree
from citewell_verify.facts.reading.vocabulary import RELATIONS
from citewell_verify.text.opposites import OPPOSITES

_ARTICLES = frozenset(("a", "an", "the"))
_WITHIN_NAMES = _ARTICLES | {"of"}
_COPULA = re.compile("(?:이다|입니다|이며|이고|였다|이었다)$")
_TOGETHER = re.compile("(?:[와과]|랑|하고)$")
_LONGEST = 4  # words of one of two exchanged things


def exchange(alignment: Alignment) -> Difference | None:
    """Return two things that changed places, with or without their Korean particles, while all other words stayed."""
    stated, known = alignment.statement, alignment.source
    source_at = dict((*alignment.pairs, *alignment.moved))
    places = [at for at, token in enumerate(stated) if _is_placed(token)]
    if any(at not in source_at for at in places) or is_other_korean_voice(
        (stated[at], known[source_at[at]]) for at in places
    ):
        return None
    cut = left_out_clauses(alignment)
    # The statement may also leave out words of the source before its first word and after its last one.
    span = range(min(source_at.values(), default=0), max(source_at.values(), default=-1) + 1)
    known_places = [at for at in span if _is_placed(known[at]) and known[at].clause not in cut]
    if sorted(source_at[at] for at in places) != known_places:
        return None
    rank = {at: number for number, at in enumerate(known_places)}
    order = [rank[source_at[at]] for at in places]
    # A word that occurs twice may be either of the two.
    keys = [known[at].key for at in known_places]
    relabelled = [at if keys[number] == keys[at] else number for at, number in enumerate(order)]
    pair = _turned(order) or _turned(relabelled)
    if pair and _are_exchanged(pair, places, alignment):
        is_mutual = any(_preposition(stated, places[run[0]]) == "with" for run in pair)
        return Difference(
            "wording" if is_mutual else "order", _words_at(pair[0], places, stated), _words_at(pair[1], places, stated)
        )
    roles = {
        (role_of(stated[at]), role_of(known[source_at[at]])): (number, at)
        for number, at in zip(order, places, strict=True)
        if stated[at].is_content and stated[at].clause == stated[places[-1]].clause
    }
    for (here, there), (number, at) in roles.items():
        other_number, other_at = roles.get((there, here), (number, at))
        if here == there or other_at == at:
            continue
        # A noun without a particle has a role only by its place; a noun in a list has none.
        is_listed = any(stated[noun_at].value or _TOGETHER.search(stated[noun_at].text) for noun_at in (at, other_at))
        if (here and there) or ((number < other_number) is not (at < other_at) and not is_listed):
            return Difference("order", stated[at].text, known[source_at[at]].text)
    return None


def _is_placed(token: Token) -> bool:
    return token.kind not in ("filler", "pronoun") or token.key in RELATIONS


def _turned(order: Sequence[int]) -> tuple[range, range] | None:
    """Return the places of two runs that changed places around others that stayed; `order` has the numbers from 0."""
    wrong = [at for at, number in enumerate(order) if at != number]
    if not wrong:
        return None
    first, last = wrong[0], wrong[-1]
    starts = [first, *(at for at in range(first + 1, last + 1) if order[at] != order[at - 1] + 1), last + 1]
    if len(starts) < 4 or order[first] + starts[1] - first != last + 1 or order[starts[-2]] != first:
        return None
    return range(first, starts[1]), range(starts[-2], last + 1)


def _are_exchanged(pair: tuple[range, range], places: Sequence[int], alignment: Alignment) -> bool:
    source_at = dict((*alignment.pairs, *alignment.moved))
    first, second = ([alignment.statement[places[at]] for at in run] for run in pair)
    if not all(_is_phrase([places[at] for at in run], alignment.statement) for run in pair):
        return False
    if bool(first[-1].value) != bool(second[-1].value) or _is_list(pair, places, alignment.statement):
        return False
    ends = [(alignment.statement[at], alignment.source[source_at[at]]) for at in (places[run[-1]] for run in pair)]
    kept = any(here.case and role_of(here) == role_of(there) for here, there in ends)
    if kept and role_of(ends[0][0]) != role_of(ends[1][0]):
        return False  # the particles moved with their words
    fronts = [_preposition(alignment.statement, places[run[0]]) for run in pair]
    before = [_preposition(alignment.source, source_at[places[run[0]]]) for run in pair]
    return fronts == before[::-1]


def _is_phrase(places: Sequence[int], tokens: Sequence[Token]) -> bool:
    """Return whether the tokens are one noun with the words that belong to it."""
    run = tokens[places[0] : places[-1] + 1]
    joined = all(token.is_content or token.key in _WITHIN_NAMES for token in run)
    return joined and len(run) <= _LONGEST and not any(token.case not in ("", "owner") for token in run[:-1])


def _is_list(pair: tuple[range, range], places: Sequence[int], tokens: Sequence[Token]) -> bool:
    ends = {tokens[places[at]].clause for run in pair for at in run}
    between = [tokens[places[at]] for at in range(pair[0][-1] + 1, pair[1][0])]
    return len(ends) > 1 and ends.isdisjoint(token.clause for token in between)


def _preposition(tokens: Sequence[Token], at: int) -> str:
    before = next((token for token in reversed(tokens[:at]) if token.key not in _ARTICLES), None)
    return before.key if before and before.kind == "filler" else ""


def _words_at(run: range, places: Sequence[int], tokens: Sequence[Token]) -> str:
    return " ".join(tokens[places[at]].text for at in run)


def role_of(token: Token) -> str:
    """Return the role that a Korean particle or copula gives to a noun; empty without one."""
    if not token.case and _COPULA.search(token.text):
        return "predicate"
    return "subject" if token.case == "topic" else token.case


def left_out_clauses(alignment: Alignment) -> frozenset[int]:
    """Return the clauses of the source that have no word in common with the statement."""
    kept = {alignment.source[at].clause for at in alignment.matched_source if alignment.source[at].is_content}
    return frozenset(token.clause for token in alignment.source if token.clause not in kept)


SAME = Difference("wording", "", None)
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter"
    r"|noon|midnight|mornings?|afternoons?|evenings?|nights?"
    r"|(?:[월화수목금토일]요일|봄|여름|가을|겨울|오전|오후|정오|자정|아침|저녁|밤|낮|새벽)(?:에|에는|의)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_NOUNS = ("word", "name")
_LONGEST_NAME = 8  # words
_VARIANTS = 80  # percentage of common letters from which two names may be spellings of one
_LIGHT = re.compile("[하되있한된할될했됐]")
_ENDING = re.compile("[을를은는지며고게야]$|니다$|다$")
_LONGEST_ENDING = 3  # letters
_ATTRIBUTIVE = re.compile("[라하되주있없에서지]는$")
_VERB = re.compile("[다고며면지게서는은할한된될하해]$")
_PERSON_WITH_PARTICLE = re.compile(rf"{KOREAN_PERSON.pattern}(?:은|는|이|가|을|를|의|도|와|과|에게|께서)")


def replacement(stated: Sequence[Token], known: Sequence[Token], source: str) -> Difference | None:
    """Return the difference of words in one place; `SAME` if there is none, None if they may be a rewording.

    The whole `source` shows which words are names.
    """
    said, sourced = map(text_of, (stated, known))
    if not known:
        return None
    if len(stated) == len(known) == 1:
        if _are_forms_of_one(stated[0], known[0]):
            return SAME
        if kind := _kind(stated[0], known[0]):
            return Difference(kind, said, sourced)
        if stated[0].value or known[0].value:
            return None
    kind = _kind_of_names(stated, known, source)
    return Difference(kind, said, sourced) if kind else None


def _kind_of_names(stated: Sequence[Token], known: Sequence[Token], source: str) -> Kind | None:
    said, sourced = (_DIGITS.sub("0", text_of(side)) for side in (stated, known))
    if said == sourced:
        return "name"  # `Room 12` and `Room 14`
    if may_be_one(_nouns(stated), _nouns(known)):
        return None
    if _are_names(stated, known, source):
        return "name"
    return "subject" if _are_korean_nouns(stated, known) else None


def _are_names(stated: Sequence[Token], known: Sequence[Token], source: str) -> bool:
    if all(_is_name(token, source) for token in (*stated, *known)) or (_has_title(stated) and _has_title(known)):
        return True
    is_named = all(
        any(token.kind == "name" or _PERSON_WITH_PARTICLE.fullmatch(token.text) for token in side)
        for side in (stated, known)
    )
    return is_named and _are_korean_nouns(stated, known)


def _is_name(token: Token, source: str) -> bool:
    if token.kind == "name":
        return token.names != "loanword" or bool(token.case) or not _VERB.search(token.text)
    # A capital that opens the statement shows a name if the source has it within a sentence.
    within = rf"[a-z,;] {re.escape(token.text)}\b"
    return token.text[:1].isupper() and re.search(within, source) is not None


def _are_korean_nouns(stated: Sequence[Token], known: Sequence[Token]) -> bool:
    """Say whether two Korean nouns have the same role; their form does not show whether they are names."""
    ends = stated[-1], known[-1]
    if any(end.text[-1] < "가" or not role_of(end) or _ATTRIBUTIVE.search(end.text) for end in ends):
        return False
    if role_of(ends[0]) != role_of(ends[1]) or any(token.case for token in (*stated[:-1], *known[:-1])):
        return False
    is_named = all(any(token.kind == "name" for token in side) for side in (stated, known))
    return is_named or max(len(stated), len(known)) == 1


def text_of(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)


def _nouns(tokens: Sequence[Token]) -> str:
    """Return the words, Korean ones without their particles."""
    return " ".join(token.key if token.case else token.text for token in tokens)


def _has_title(tokens: Sequence[Token]) -> bool:
    """Return whether a name has a title before it that opens a sentence: "Mayor Ada Lund"."""
    return tokens[-1].kind == "name" and all(token.text[:1].isupper() for token in tokens)


def paired(stated: list[Token], known: list[Token]) -> tuple[list[Token], list[Token], list[Token]]:
    """Return the words that replace each other, and the words of the source that are left out beside them. A single
    word replaces only its opposite, and a single value the only value of the same kind; the others are then left out.
    Otherwise all words replace each other.
    """
    opposites = [token for token in known if len(stated) == 1 and are_opposites(stated[0], token)]
    if opposites:
        return stated, opposites[:1], [token for token in known if token is not opposites[0]]
    values = [token for token in known if token.value]
    if len(stated) == len(values) == 1 and stated[0].value and values[0].value:
        left, right = stated[0].value.quantity, values[0].value.quantity
        if left.dimension == right.dimension if left and right else not left and not right:
            return stated, values, [token for token in known if not token.value]
    return stated, known, []


def _kind(stated: Token, known: Token) -> Kind | None:
    """Return the kind of difference between two words that exclude each other: opposites, values, units."""
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
