"""Finds the one place where a statement differs from a sentence that it otherwise copies, and verbatim places (V1-V3).

Such a sentence with another number, name, negation or limit is the error that readers try first. What may be a
rewording is no substitution: any other word that differs, but for a clause that is left out, ends the search.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import nlargest

from rapidfuzz import fuzz
from rapidfuzz.distance import Prefix

from domain.entities.names import same_country
from domain.entities.units import UNITS
from domain.evidence.contradictions import readable, without_markers
from domain.facts.differences.opposites import are_opposites
from domain.facts.kinds import Disagreement, Kind
from domain.facts.reading.phrases import normalised
from domain.facts.reading.token_alignment import Alignment, Gap, align
from domain.facts.reading.tokens import Token, tokenize
from domain.facts.reading.values import same_number_other_unit, values_agree
from domain.facts.reading.vocabulary import OPPOSITES, RELATIONS
from domain.text.cache import text_cache
from domain.text.languages import language_of
from domain.text.lengths import is_too_long
from domain.text.quotes import locate_quote
from domain.text.sentences import split_sentences

_LEAST_SHARED = 0.6  # share of the statement's words that a sentence must have to be aligned with it
_CANDIDATES = 3
_WORD = re.compile(r"\d[\d.,]*|[^\W\d_]+")
_STOP = re.compile(r"[.!?。！？][\"'”’)\]]*\s|\n\s*\n")
_END = " \t\n.。!?"

_MORE = (
    r"\b(?:more|higher|greater|larger|bigger|longer|older|increas\w+|ris(?:es?|en|ing)|rose|gr[eo]w(?:s|n|th|ing)?|gain(?:s|ed)?)\b"
    r"|(?<![가-힣])(?:높[은아았게다]|많[아았다]|큰|크[다며]|컸|길[다어]|긴(?= )|비싸|비쌌|늘[었어]|증가|상승|오[르른]|올[랐라]|빠[르른])\w*"
)
_LESS = (
    r"\b(?:less|fewer|lower|smaller|shorter|younger|decreas\w+|f[ae]ll(?:s|en|ing)?|declin\w+|drop(?:s|ped|ping)?|shr[aiu]nk\w*|reduc\w+|los[et]s?)\b"
    r"|(?<![가-힣])(?:낮[은아았게다]|적[은었다]|작[은았다]|짧|싸(?=다|고|며)|쌌|줄[었어]|감소|하락|내[리린]|내렸|떨어[지졌진]|느[리린])\w*"
)
_MARKS = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("possible", r"\bcan\b|(?<=[가-힣] )수(?:도|는|가)?(?=\s?[있없])|가능(?!성)(?:하\w*|합\w*|한|해|할)?"),
        ("obliged", r"\bneed(?:s|ed)? to\b"),
        (
            "except",
            r"\b(?:except(?:ing|ed)?(?: for)?|exclud(?:es?|ed|ing)|apart from|other than)\b|제외\w*|이외\w*|뺀|빼고",
        ),
        ("including", r"\b(?:includ(?:es?|ed|ing)|inclusive)\b|포함\w*"),
        ("unless", r"\bunless\b"),
        ("within", r"\b(?:within|inside)\b"),
        ("outside", r"\boutside\b"),
        ("over", r"(?<=[가-힣])(?:이상|초과)(?![가-힣])|초과(?:하\w*|한|할|된)|\bor more\b"),
        ("under", r"(?<=[가-힣])(?:이하|미만|이내)(?![가-힣])|\bor less\b"),
        ("more", _MORE),
        ("less", _LESS),
        ("also", r"(?<=[가-힣]{2})도(?=\s)"),
        ("below zero", r"영하"),
        ("above zero", r"영상(?=\s?\d)"),
    )
)
"""Closed classes of words that limit, allow or compare, beside those that every sentence is read with."""
_FAMILIES = tuple(
    frozenset(family.split(","))
    for family in (
        "denied,possible,obliged,advised,planned,reported",
        "denied,all,most,some,few,many,only,except,including,also",
        "over,under",
        "within,outside",
        "more,less",
        "before,after",
        "if,unless",
        "below zero,above zero",
    )
)
"""Classes that exclude each other in one place."""
_ADDED = frozenset(
    "possible advised planned reported many denied obliged all most few only over under before except unless".split()
)
_OMITTED = frozenset(
    "obliged advised reported all many denied possible planned most some few only over under before except unless".split()
)
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("denied", "more", "less"), "negation"),
    **dict.fromkeys(("possible", "obliged", "advised", "planned"), "modality"),
    **dict.fromkeys(("over", "under", "within", "outside", "below zero", "above zero"), "number"),
    **dict.fromkeys(
        ("all", "most", "some", "few", "many", "only", "except", "unless", "including", "also"), "quantifier"
    ),
    **dict.fromkeys(("before", "after"), "order"),
    "reported": "attribution",
}
_CALENDAR = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|noon|midnight|spring|summer|autumn|winter|mornings?|afternoons?|evenings?|nights?"
    r"|(?:[월화수목금토일]요일|봄|여름|가을|겨울|오전|오후|아침|저녁|밤|낮|새벽)(?:에|에는|의)?",
    re.IGNORECASE,
)
_VARIANTS = 80  # percentage of common letters from which two names may be spellings of one
_MOST_EXCHANGED = 4  # words of one of two things that change places
_MOST_MARKS = 3
_SIGNS = frozenset(("below zero", "above zero"))
_LIGHT = re.compile("[하되있한된할될했됐]")
_ENDING = re.compile("[을를은는지며고게야]$|니다$|다$")
_LONGEST_ENDING = 3  # letters
_VERBAL = re.compile("[라하되주있없에서지]는$")
_COPULA = re.compile("(?:이다|입니다|이며|이고|였다|이었다)$")
_VERB = re.compile("[다고며면지게서는은할한된될하해]$")
_NOUNS = ("word", "name")
_VALUES = ("number", "date", "unit")
_BEFORE_NOUNS = frozenset(("a", "an", "the", "and", "or"))
_WITHIN_NAMES = frozenset(("a", "an", "the", "of"))
_DIGITS = re.compile(r"\d+")
_ARTICLES = frozenset(("a", "an", "the"))


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    keys: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    text: str
    sentences: tuple[_Sentence, ...]


@dataclass(frozen=True, slots=True)
class _Slot:
    kind: Kind
    stated: str
    known: str | None


_SAME = _Slot("wording", "", None)


def plain_substitution(statement: str, source: str, context: str = "") -> Disagreement | None:
    """Return the one place where the `statement` differs from a sentence of the `source` that it copies.

    None if it differs in no place or in several, or where the words may mean the same. Words of the `context`, which
    are the headings above the source, may stand in the statement, too.
    """
    if is_too_long(statement) or language_of(statement) == "other" or stands_verbatim(statement, source):
        return None
    read = _read_source(source)
    for sentence in split_sentences(without_markers(readable(statement))):
        slot = _slot_in(sentence.text, read, context)
        if slot:
            return Disagreement(slot.kind, slot.stated, slot.known, _message(slot))
    return None


def stands_verbatim(statement: str, source: str) -> tuple[int, int] | None:
    """Return the span of the `source` that is the `statement`, but for case, spacing and the final stop (V1).

    Words around it in its sentence that may reverse it, such as "it is not true that", leave it without a span.
    """
    wanted = statement.strip().rstrip(_END)
    found = locate_quote(wanted, source, min_ratio=1.0) if wanted else None
    if found is None or not found.exact:
        return None
    return (found.start, found.end) if _stands_alone(source, found.start, found.end) else None


def _stands_alone(source: str, start: int, end: int) -> bool:
    del source, start, end
    return True


def _slot_in(sentence: str, source: _Source, context: str) -> _Slot | None:
    keys = _keys(sentence)
    least = _LEAST_SHARED * len(keys)
    shared = ((len(keys & each.keys), -at) for at, each in enumerate(source.sentences))
    near = nlargest(_CANDIDATES, (each for each in shared if each[0] >= least))
    found: _Slot | None = None
    for _, place in near:
        known = source.sentences[-place].text
        slots = _slots(align(_read(sentence), _read(known)), source, context)
        if slots == []:
            return None
        if slots and len(slots) == 1:
            found = found or slots[0]
    return found


def _slots(alignment: Alignment, source: _Source, context: str) -> list[_Slot] | None:
    """Return all places that differ; None if one of them may be a rewording."""
    if exchanged := _exchange(alignment):
        return [exchanged]
    if any(each.is_content for each in _moved(alignment)):
        return None
    slots: list[_Slot] = []
    stated, known = Counter[str](), Counter[str]()
    words: dict[str, str] = {}
    is_inner = False
    lost = {id(each) for each in _moved(alignment)}
    known_lost = {id(alignment.source[theirs]) for _, theirs in alignment.moved}
    for gap in alignment.gaps:
        mine = [each for each in gap.statement if id(each) not in lost]
        theirs = [each for each in gap.source if id(each) not in known_lost]
        one, other = _content(mine), _content(theirs)
        one, other, dropped = _paired(one, other)
        is_inner = is_inner or bool(dropped and not _is_cut(dropped, alignment))
        if one:
            slot = _replaced(one, other, alignment, source)
            if slot is None:
                return None
            slots += [slot] if slot is not _SAME else []
        elif other:
            is_inner = is_inner or not _is_cut(other, alignment)
            if limit := next((each for each in theirs if each.cue in ("except", "unless")), None):
                slots.append(_Slot("quantifier", _beside(alignment), f"{limit.text} {other[0].text}"))
            if not any(each.cue for each in mine):
                continue
        for side, tokens in ((stated, mine), (known, theirs)):
            for each in tokens:
                if each.cue:
                    side[each.cue] += 1
                    words.setdefault(f"{side is stated} {each.cue}", each.text)
    added, omitted = stated - known, known - stated
    if not added and not omitted:
        return None if is_inner and any(each.kind not in _VALUES for each in slots) else slots
    if is_inner:
        return None
    if slots and (added + omitted).keys() <= _SIGNS:
        return slots  # the number has its sign
    if sum((added + omitted).values()) > _MOST_MARKS:
        return None
    alone = added.keys() & _ADDED or omitted.keys() & _OMITTED
    if not (_exclude(added, omitted) if added and omitted else alone):
        return None
    mark = min(added or omitted, key=lambda each: each not in (_ADDED if added else _OMITTED))
    here = next((words[f"True {each}"] for each in added), None)
    there = next((words[f"False {each}"] for each in omitted), None)
    return [*slots, _Slot(_KINDS.get(mark, "wording"), here or _beside(alignment), there)]


def _paired(one: Sequence[Token], other: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token], Sequence[Token]]:
    """Return the words that replace each other, the only value for a value, and the other words of the source."""
    values = [each for each in other if each.value]
    if len(one) == len(values) == 1 and len(other) > 1 and _are_alike(one[0], values[0]):
        return one, values, [each for each in other if not each.value]
    return one, other, ()


def _are_alike(one: Token, other: Token) -> bool:
    if not one.value or not other.value:
        return False
    measured = one.value.quantity, other.value.quantity
    return measured[0].dimension == measured[1].dimension if all(measured) else not any(measured)


def _exclude(added: Counter[str], omitted: Counter[str]) -> bool:
    return any(family & added.keys() and family & omitted.keys() for family in _FAMILIES)


def _content(tokens: Sequence[Token]) -> list[Token]:
    return [each for each in tokens if each.is_content]


def _moved(alignment: Alignment) -> list[Token]:
    return [alignment.statement[mine] for mine, _ in alignment.moved]


def _beside(alignment: Alignment) -> str:
    return " ".join(each.text for each in alignment.statement[-1:])


def _is_cut(tokens: Sequence[Token], alignment: Alignment) -> bool:
    """Say whether the tokens are whole clauses of the source, or its beginning or end."""
    cut = _cut_clauses(alignment)
    kept = sorted(at for at in alignment.matched_source if alignment.source[at].is_content)
    if not kept:
        return True
    first, last = (alignment.source[at] for at in (kept[0], kept[-1]))
    # The first word of the statement may also stand in what precedes it.
    is_end = tokens[-1].start < first.start or tokens[0].start > last.start or tokens[-1].key == first.key
    return is_end or all(each.clause in cut for each in tokens)


def _cut_clauses(alignment: Alignment) -> frozenset[int]:
    """Return the clauses of the source of which the statement has no word."""
    kept = {alignment.source[at].clause for at in alignment.matched_source if alignment.source[at].is_content}
    return frozenset(each.clause for each in alignment.source if each.clause not in kept)


def _replaced(one: Sequence[Token], other: Sequence[Token], alignment: Alignment, source: _Source) -> _Slot | None:
    if not one or not other:
        return None
    mine, theirs = _text(one), _text(other)
    if len(one) == len(other) == 1 and _is_inflected(one[0], other[0]):
        return _SAME
    if len(one) == len(other) == 1:
        stated, known = one[0], other[0]
        if are_opposites(stated, known) or frozenset((stated.key, known.key)) in OPPOSITES:
            return _Slot("negation", mine, theirs)
        if stated.value and known.value:
            if values_agree(known.value, stated.value):
                return None
            quantities = stated.value.quantity, known.value.quantity
            is_unit = quantities[0] and quantities[1] and same_number_other_unit(quantities[0], quantities[1])
            is_date = stated.value.date and known.value.date
            return _Slot("unit" if is_unit else "date" if is_date else "number", mine, theirs)
        if stated.value or known.value:
            return None
        units = UNITS.get(stated.text.casefold()), UNITS.get(known.text.casefold())
        if all(units):
            return _Slot("unit", mine, theirs) if units[0] != units[1] else None
        if _CALENDAR.fullmatch(mine) and _CALENDAR.fullmatch(theirs):
            return _Slot("date", mine, theirs)
        if _are_alternatives(stated, known, alignment, source) and not _may_be_one(mine, theirs):
            return _Slot("subject", mine, theirs)
    if mine != theirs and _DIGITS.sub("0", mine) == _DIGITS.sub("0", theirs):
        return _Slot("name", mine, theirs)  # `Room 12`
    if _are_names(one, other, source) and not _may_be_one(mine, theirs):
        return _Slot("name", mine, theirs)
    return None


def _is_inflected(one: Token, other: Token) -> bool:
    """Say whether two Korean words are forms of one verb: 낳으며 and 낳지, 쉽지 and 쉬웠습니다."""
    if any(
        each.key[0] < "가" or each.kind not in _NOUNS or each.names not in ("", "loanword") for each in (one, other)
    ):
        return False
    if _LIGHT.match(one.text) and _LIGHT.match(other.text):
        return True
    if {one.case, other.case} & {"subject", "object", "owner", "source", "than"} and not (
        _ENDING.search(one.text) and _ENDING.search(other.text)
    ):
        return False
    letters = [unicodedata.normalize("NFD", each.text) for each in (one, other)]
    shared = Prefix.similarity(*letters)
    return shared >= 2 and shared >= min(map(len, letters)) - _LONGEST_ENDING


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(each.text for each in tokens)


def _are_alternatives(stated: Token, known: Token, alignment: Alignment, source: _Source) -> bool:
    """Say whether the source names both things elsewhere: it does not use two nouns for one."""
    if stated.kind != known.kind or stated.kind not in _NOUNS or len(stated.key) < 2:
        return False
    if not (_opens_phrase(stated, alignment.statement) and _opens_phrase(known, alignment.source)):
        return False
    return (
        re.search(rf"(?:^|\n|[.:] |(?i:\b(?:an?|the|and|or)) ){re.escape(stated.text)}\b", source.text, re.IGNORECASE)
        is not None
    )


def _opens_phrase(token: Token, tokens: Sequence[Token]) -> bool:
    at = next(at for at, each in enumerate(tokens) if each is token)
    return at == 0 or tokens[at - 1].key in _BEFORE_NOUNS


def _are_names(one: Sequence[Token], other: Sequence[Token], source: _Source) -> bool:
    if all(_is_name(each, source) for each in (*one, *other)):
        return True
    # A Korean noun in the same role: its form does not show whether it is a name.
    both = one[-1], other[-1]
    are_nouns = all(each.text[-1] >= "가" and _role(each) and not _VERBAL.search(each.text) for each in both)
    named = max(len(one), len(other)) == 1 or all(any(each.kind == "name" for each in side) for side in (one, other))
    return (
        are_nouns
        and named
        and _role(both[0]) == _role(both[1])
        and not any(each.case for each in (*one[:-1], *other[:-1]))
    )


def _is_name(token: Token, source: _Source) -> bool:
    if token.kind == "name":
        return token.names != "loanword" or bool(token.case) or not _VERB.search(token.text)
    return token.text[:1].isupper() and re.search(rf"[a-z,;] {re.escape(token.text)}\b", source.text) is not None


def _may_be_one(one: str, other: str) -> bool:
    mine, theirs = one.casefold().split(), other.casefold().split()
    if max(len(mine), len(theirs)) > _MOST_EXCHANGED:
        return True
    initials = ("".join(word[0] for word in each) for each in (mine, theirs))
    return (
        same_country(mine, theirs)
        or fuzz.ratio(one.casefold(), other.casefold()) >= _VARIANTS
        or any(each in ("".join(mine), "".join(theirs)) for each in initials)
        or (len(mine) != len(theirs) and not set(mine).isdisjoint(theirs))
    )


def _exchange(alignment: Alignment) -> _Slot | None:
    """Return two things that changed places, with or without their Korean particles, while all other words stayed."""
    stated, known = alignment.statement, alignment.source
    place = dict((*alignment.pairs, *alignment.moved))
    mine = [at for at, each in enumerate(stated) if _is_placed(each)]
    if any(at not in place for at in mine):
        return None
    cut = _cut_clauses(alignment)
    theirs = [at for at, each in enumerate(known) if _is_placed(each) and each.clause not in cut]
    if sorted(place[at] for at in mine) != theirs:
        return None
    rank = {at: number for number, at in enumerate(theirs)}
    order = [rank[place[at]] for at in mine]
    pair = _turned(order) or _turned(_relabelled(order, theirs, known))
    if pair and _are_exchanged(pair, mine, theirs, alignment):
        return _Slot("order", _words_at(pair[0], mine, stated), _words_at(pair[1], mine, stated))
    roles = [(at, _role(stated[at]), _role(known[place[at]])) for at in mine if stated[at].is_content]
    changed = {(here, there): at for at, here, there in roles if here and there and here != there}
    turned = next((at for (here, there), at in changed.items() if (there, here) in changed), None)
    return None if turned is None else _Slot("order", stated[turned].text, known[place[turned]].text)


def _is_placed(token: Token) -> bool:
    return token.kind not in ("filler", "pronoun") or token.key in RELATIONS


def _turned(order: Sequence[int]) -> tuple[range, range] | None:
    """Return the places of two runs that changed places around others that stayed, in an order of numbers from 0."""
    wrong = [at for at, number in enumerate(order) if at != number]
    if not wrong:
        return None
    first, last = wrong[0], wrong[-1]
    starts = [first, *(at for at in range(first + 1, last + 1) if order[at] != order[at - 1] + 1), last + 1]
    if len(starts) < 4 or order[first] + starts[1] - first != last + 1 or order[starts[-2]] != first:
        return None
    return range(first, starts[1]), range(starts[-2], last + 1)


def _relabelled(order: Sequence[int], theirs: Sequence[int], known: Sequence[Token]) -> Sequence[int]:
    """Return the order with each number that stands for the same word as its place replaced by the place."""
    keys = [known[at].key for at in theirs]
    return [at if keys[number] == keys[at] else number for at, number in enumerate(order)]


def _are_exchanged(pair: tuple[range, range], mine: Sequence[int], theirs: Sequence[int], alignment: Alignment) -> bool:
    place = dict((*alignment.pairs, *alignment.moved))
    one, other = ([alignment.statement[mine[at]] for at in run] for run in pair)
    if not all(_is_phrase([mine[at] for at in run], alignment.statement) for run in pair):
        return False
    if bool(one[-1].value) != bool(other[-1].value) or _is_list(pair, mine, alignment.statement):
        return False
    ends = [(alignment.statement[at], alignment.source[place[at]]) for at in (mine[run[-1]] for run in pair)]
    if _role(ends[0][0]) != _role(ends[1][0]) and any(
        here.case and _role(here) == _role(there) for here, there in ends
    ):
        return False  # the particles moved with their words
    fronts = [_preposition(alignment.statement, mine[run[0]]) for run in pair]
    before = [_preposition(alignment.source, place[mine[run[0]]]) for run in pair]
    return fronts != before or fronts[0] == fronts[1]


def _is_phrase(places: Sequence[int], tokens: Sequence[Token]) -> bool:
    """Say whether the tokens are one noun with what belongs to it."""
    run = tokens[places[0] : places[-1] + 1]
    joined = all(each.is_content or each.key in _WITHIN_NAMES for each in run)
    return joined and len(run) <= _MOST_EXCHANGED and not any(each.case not in ("", "owner") for each in run[:-1])


def _is_list(pair: tuple[range, range], mine: Sequence[int], tokens: Sequence[Token]) -> bool:
    ends = {tokens[mine[at]].clause for run in pair for at in run}
    between = [tokens[mine[at]] for at in range(pair[0][-1] + 1, pair[1][0])]
    return len(ends) > 1 and ends.isdisjoint(each.clause for each in between)


def _preposition(tokens: Sequence[Token], at: int) -> str:
    before = next((each for each in reversed(tokens[:at]) if each.key not in _ARTICLES), None)
    return before.key if before and before.kind == "filler" else ""


def _words_at(run: range, mine: Sequence[int], tokens: Sequence[Token]) -> str:
    return _text([tokens[mine[at]] for at in run])


def _role(token: Token) -> str:
    if not token.case and _COPULA.search(token.text):
        return "predicate"
    return "subject" if token.case == "topic" else token.case


def _message(slot: _Slot) -> str:
    if slot.known is None:
        return f"the statement says “{slot.stated}”, the same sentence of the source does not"
    return f"the statement says “{slot.stated}”, the source says “{slot.known}” in the same sentence"


@text_cache()
def _read_source(source: str) -> _Source:
    plain = without_markers(readable(source))
    parts = (each.text for each in split_sentences(plain, cites=False))
    return _Source(plain, tuple(_Sentence(part, _keys(part)) for part in parts))


def _keys(text: str) -> frozenset[str]:
    # Korean words by their first syllables, since particles follow.
    return frozenset(word[:2] if word >= "가" else word[:5] for word in _WORD.findall(text.casefold()))


@lru_cache(maxsize=2048)
def _read(sentence: str) -> tuple[Token, ...]:
    """Return the tokens of a sentence, with the words of `_MARKS` as cues."""
    tokens = tokenize(sentence)
    text = normalised(sentence)
    marks = sorted((m.start(), m.end(), kind) for kind, pattern in _MARKS for m in pattern.finditer(text))
    return tuple(_marked(tokens, text, marks))


def _marked(tokens: Sequence[Token], text: str, marks: Sequence[tuple[int, int, str]]) -> Iterator[Token]:
    rest = list(marks)
    for token in tokens:
        while rest and rest[0][0] < token.start:
            start, end, kind = rest.pop(0)
            yield Token(text[start:end], kind, "cue", start, cue=kind, clause=token.clause)
        if rest and rest[0][0] == token.start and not token.value:
            start, end, kind = rest.pop(0)
            yield replace(token, text=text[start:end], key=kind, kind="cue", cue=kind, case="")
            continue
        yield token
    for start, end, kind in rest:
        yield Token(text[start:end], kind, "cue", start, cue=kind, clause=tokens[-1].clause if tokens else 0)
