"""Recognises one fact told from its other side: "A sold X to B" and "B bought X from A", "A is faster than B" and "B is
slower than A".

The verbs and comparatives are exchanged for their converses, and so are the two parties: what else looks like an
exchange of roles and an antonym is neither.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from domain.facts.reading.korean import is_korean
from domain.facts.reading.tokens import Token, tokenize
from domain.text.words import content_stems

_MOST_VERBS, _REACH = 8, 150  # verbs of a sentence that are looked at, and characters before and behind each
_GIVING = {
    "trade": r"sells?|sold|selling",
    "sending": r"sends?|sent|sending|deliver(?:s|ed)?|forward(?:s|ed)?",
    "loan": r"lends?|lent|lending|loan(?:s|ed)?",
    "gift": r"gives?|gave|given|hand(?:s|ed)?|transfer(?:s|red)?|pass(?:es|ed)?|donat(?:es?|ed)|award(?:s|ed)?"
    r"|pays?|paid",
    "lesson": r"teach(?:es)?|taught",
    "lease": r"leas(?:es?|ed|ing)|rent(?:s|ed|ing)?|lets?",
}
_GETTING = {
    "trade": r"buys?|bought|buying|purchas(?:es?|ed|ing)|acquir(?:es?|ed|ing)",
    "sending": r"receiv(?:es?|ed|ing)|gets?|got|getting",
    "loan": r"borrow(?:s|ed|ing)?",
    "gift": r"receiv(?:es?|ed|ing)|gets?|got|tak(?:es?|en) over|took over|inherit(?:s|ed)?",
    "lesson": r"learn(?:s|ed|t)?",
    "lease": r"leas(?:es?|ed|ing)|rent(?:s|ed|ing)?",
}
_KOREAN_GIVING = {
    "trade": "팔|매각|판매|매도",
    "sending": "보내|보낸|보냈|송부|전달|발송",
    "loan": "빌려주|빌려준|빌려줬|대여|대출해",
    "gift": "주|준|줬|건네|넘겨주|넘겨준|넘긴|넘겼|증여|기부|지급|물려주",
    "lesson": "가르",
    "lease": "임대|세를 주",
}
_KOREAN_GETTING = {
    "trade": "샀|사들|산다|사는|구입|구매|매입|매수|인수",
    "sending": "받",
    "loan": "빌렸|빌린|빌리|빌려 |대여받|대출받",
    "gift": "받|넘겨받|건네받|물려받|증여받",
    "lesson": "배우|배웠|배운",
    "lease": "임차|세를 내",
}
_PARTY = (
    r"(?:the |an? |its |his |her |their )?(?P<who>[^,;.]{1,60}?)"
    r"(?=\s(?:in|on|at|by|for|from|to|until|since|with|during|who|which|and)\b|[,;.]|$)"
)
_TO, _FROM, _BY = (re.compile(rf"\b{word} {_PARTY}") for word in ("to", "from", "by"))
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|get|got) (?:\w+ )?$")
_ENDED = re.compile(r"[;.]|, (?:and|but|which|who)\b|\bwho\b")
_SIGNS = """
    fast,quick/slow high/low large,big,great/small long/short old/young,new heavy/light cheap/expensive,dear
    strong/weak early/late more/fewer,less wide/narrow warm,hot/cold,cool good,bett/bad,worse thick/thin deep/shallow
    hard,difficult/easy rich/poor near/far bright/dark loud/quiet safe/dangerous common/rare tall/short
"""
_COMPARED = re.compile(
    r"^(?P<left>.{1,200}?)\b(?P<sign>(?:more|less) [a-z]+|more|less|fewer|[a-z]{2,30}er|worse)\b(?P<middle>.{0,60}?)"
    r" than (?P<right>[^,;.]{1,200})",
    re.IGNORECASE,
)
_PLACEHOLDERS = frozenset({"1", "other"})


@dataclass(frozen=True, slots=True)
class Transfer:
    """What passes from one party to another, told from the side of the giver if `given`; `kinds` are those that its
    verb may tell of."""

    kinds: frozenset[str]
    giver: frozenset[str]
    taker: frozenset[str]
    given: bool


def is_told_from_other_side(statement: str, place: str) -> bool:
    """Say whether a statement tells what `place` tells with the converse verb or comparative, and the parties to
    match."""
    return _is_same_transfer(statement, place) or _is_same_comparison(statement, place)


def is_turned_round(statement: str, place: str) -> bool:
    """Say whether a statement uses the converse verb of `place`, but leaves the parties as they are: "A bought X from
    B" for "A sold X to B"."""
    return any(_are_crossed(one, other) for one in transfers(statement) for other in transfers(place))


def _are_crossed(one: Transfer, other: Transfer) -> bool:
    if one.given == other.given or one.kinds.isdisjoint(other.kinds):
        return False
    crossed = bool(one.giver & other.taker), bool(one.taker & other.giver)
    return all(crossed) and not (one.giver & other.giver or one.taker & other.taker)


def _is_same_transfer(statement: str, place: str) -> bool:
    mine, theirs = transfers(statement), transfers(place)
    return any(_are_same(one, other) for one in mine for other in theirs)


def _are_same(one: Transfer, other: Transfer) -> bool:
    if one.given == other.given or one.kinds.isdisjoint(other.kinds):
        return False
    crossed = (one.giver & other.taker) - other.giver or (one.taker & other.giver) - other.taker
    agreed = [bool(one.giver & other.giver), bool(one.taker & other.taker)]
    return (
        not crossed
        and any(agreed)
        and all(same or not stated for same, stated in zip(agreed, (one.giver, one.taker), strict=True))
    )


@lru_cache(maxsize=1024)
def transfers(sentence: str) -> Sequence[Transfer]:
    return _korean_transfers(tokenize(sentence)) if is_korean(sentence) else _english_transfers(sentence)


def _english_transfers(sentence: str) -> Sequence[Transfer]:
    found: list[Transfer] = []
    for verb in islice(_VERB.finditer(sentence), _MOST_VERBS):
        before, behind = sentence[: verb.start()][-_REACH:], sentence[verb.end() : verb.end() + _REACH]
        behind = behind[: ended.start()] if (ended := _ENDED.search(behind)) else behind
        to, source, by = (_stems(form.search(behind)) for form in (_TO, _FROM, _BY))
        by = by if _PASSIVE.search(before) else frozenset[str]()
        subject = frozenset(content_stems(before))
        gives = {kind for kind, form in _GIVING_FORMS.items() if form.fullmatch(verb[0])}
        gets = {kind for kind, form in _GETTING_FORMS.items() if form.fullmatch(verb[0])}
        if gives and not source:
            found.append(Transfer(frozenset(gives), by or subject, to, given=True))
        if gets and not to:
            found.append(Transfer(frozenset(gets), source, by or subject, given=False))
    return found


def _stems(match: re.Match[str] | None) -> frozenset[str]:
    return frozenset(content_stems(match["who"])) if match else frozenset()


def _korean_transfers(tokens: Sequence[Token]) -> Sequence[Transfer]:
    by_case = {case: _named(tokens, cases) for case, cases in _PARTIES.items()}
    found: list[Transfer] = []
    for token in tokens:
        if token.case or not token.is_content:
            continue
        gives = {kind for kind, form in _KOREAN_GIVING_FORMS.items() if form.match(token.text)}
        gets = {kind for kind, form in _KOREAN_GETTING_FORMS.items() if form.match(token.text)}
        if gives and not gets:
            found.append(Transfer(frozenset(gives), by_case["subject"], by_case["goal"], given=True))
        if gets:
            found.append(Transfer(frozenset(gets), by_case["source"], by_case["subject"], given=False))
    return found


def _named(tokens: Sequence[Token], cases: Sequence[str]) -> frozenset[str]:
    # Each with the name before its title: 최 과장에게서.
    found: set[str] = set()
    for at, token in enumerate(tokens):
        if token.case not in cases or token.value:
            continue
        title = at and len(tokens[at - 1].text) == 1 and tokens[at - 1].is_content
        found.add(f"{tokens[at - 1].text} {token.key}" if title else token.key)
    return frozenset(found)


def _is_same_comparison(statement: str, place: str) -> bool:
    mine, theirs = _COMPARED.search(statement), _COMPARED.search(place)
    if mine is None or theirs is None or not _are_opposite_signs(mine["sign"], theirs["sign"]):
        return False
    (left, right), (known_left, known_right) = _sides(mine), _sides(theirs)
    verbs = left & known_left
    left, known_left = left - verbs, known_left - verbs
    return bool(left and right) and left <= known_right and right <= known_left


def is_compared_otherwise(statement: str, place: str) -> bool:
    """Say whether a statement compares the two things that `place` compares, with the other outcome."""
    mine, theirs = _COMPARED.search(statement), _COMPARED.search(place)
    if mine is None or theirs is None:
        return False
    (left, right), (known_left, known_right) = _whole_sides(mine), _whole_sides(theirs)
    crossed = bool(left & known_right) and bool(right & known_left)
    if _are_opposite_signs(mine["sign"], theirs["sign"]):
        return not crossed and bool(left & known_left) and bool(right & known_right)
    return crossed and mine["sign"].casefold() == theirs["sign"].casefold()


def _whole_sides(compared: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    # "More patients like the salad than the soup" compares the salad.
    left = frozenset(content_stems(f"{compared['left']} {compared['middle']}"))
    right = frozenset(content_stems(compared["right"])) - _PLACEHOLDERS
    return left - right, right - left


def _sides(compared: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    left, right = (frozenset(content_stems(compared[name])) for name in ("left", "right"))
    return left - right, right - left


def _are_opposite_signs(one: str, other: str) -> bool:
    return any(
        (one_in and other_out) or (one_out and other_in)
        for up, down in _SIGN_PAIRS
        for (one_in, one_out), (other_in, other_out) in [[(_has(each, up), _has(each, down)) for each in (one, other)]]
    )


def _has(sign: str, words: Sequence[str]) -> bool:
    first, *rest = sign.casefold().split()
    if not rest:
        return first.startswith(tuple(words))
    # "More slowly" has the sign of "slow", "more water" that of "more".
    is_degree = any(rest[-1].startswith(each) for pair in _SIGN_PAIRS for side in pair for each in side)
    return rest[-1].startswith(tuple(words)) and first != "less" if is_degree else first in words


_SIGN_PAIRS = tuple(
    (tuple(up.split(",")), tuple(down.split(","))) for up, _, down in (each.partition("/") for each in _SIGNS.split())
)
_GIVING_FORMS, _GETTING_FORMS, _KOREAN_GIVING_FORMS, _KOREAN_GETTING_FORMS = (
    {kind: re.compile(form) for kind, form in forms.items()}
    for forms in (_GIVING, _GETTING, _KOREAN_GIVING, _KOREAN_GETTING)
)
_VERB = re.compile(rf"\b(?:{'|'.join((*_GETTING.values(), *_GIVING.values()))})\b")
_PARTIES = {"subject": ("subject", "topic"), "goal": ("goal",), "source": ("source",)}
