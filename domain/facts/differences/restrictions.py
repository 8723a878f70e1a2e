"""Finds restrictions of a source that a statement omits: conditions, exceptions, "formerly", "almost" (V3).

"Delivery is free if you spend 50 euros" does not say that delivery is free, and "every branch except Ghent is open"
does not say that every branch is. A statement that words the restriction differently omits nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from domain.facts.kinds import Difference, Kind
from domain.facts.reading.tokens import tokenize
from domain.text.words import content_stems, coverage, vocabulary

_MENTIONED = 0.5  # share of a restriction's words from which a statement has it in another form
_MOST_WORDS, _MOST_CHARS = 12, 200  # of a restriction that are compared
_NO_CONDITION = (
    r"(?<!as )(?<!even )(?<!what )(?<!ask )(?<!asked )(?<!asks )(?<!see )(?<!wonder )(?<!know )(?<!check )"
    r"(?<!decide )(?<!determine )(?<!unclear )"
    # Within a title: "Catch Me If You Can".
    r"(?!(?<=\w )(?-i:If\s[A-Z]))"
)
_KOREAN_NOUNS = vocabulary("""
    측면 국면 표면 수면 라면 정면 화면 도면 장면 지면 전면 후면 단면 양면 반면 냉면 가면 노면 서면 대면 직면 외면 내면
""")
# "According to", "compared with", "in order to", "looking at it": no conditions.
_NOT_IF = re.compile(r"(?:따르|의하|비하|말하|왜냐하|그러|아니|하자|려|보|들)면$")
_LONGEST_WORD, _IN_FRONT = 12, 60  # characters that are read before a Korean ending
_KOREAN_EXCEPTION = re.compile(
    r"(?P<what>[가-힣A-Za-z0-9]+)\s?(?:제외하고|제외하면|제외한|빼고|빼면|뺀|(?:이외|외)에는|(?:이외|외)의|말고는?)(?=[\s,]|는\s)"
)


@dataclass(frozen=True, slots=True)
class _Restriction:
    """A form of restriction: `found` matches it in the source, and `also` matches the ways in which a statement may
    keep it.

    Its content is the group `what` or, for Korean (`behind`), the words before it. What it `excepts` is otherwise than
    the rest: "everything except the battery is covered" denies that the battery is.
    """

    kind: Kind
    found: re.Pattern[str]
    also: re.Pattern[str]
    behind: bool = False
    excepts: bool = False


def _restriction(kind: Kind, found: str, also: str, *, behind: bool = False, excepts: bool = False) -> _Restriction:
    return _Restriction(kind, re.compile(found, re.IGNORECASE), re.compile(also, re.IGNORECASE), behind, excepts)


_RESTRICTIONS = (
    _restriction(
        "modality",
        rf"\b(?:unless|provided that|as long as|on condition that|{_NO_CONDITION}if(?! (?:any|not|so|ever|at all)\b))"
        r"\s(?P<what>[^,;.]++)",
        r"\b(?:unless|provided|as long as|condition|if|when|whenever|in case|only|may|can|could|might)\b",
    ),
    _restriction(
        "quantifier",
        r"\b(?:except(?:ing)?(?: for| in| on| when| that)?|excluding|other than|apart from|with the exception of)"
        r"\s(?P<what>(?:[^\s,;.]++\s?+){1,4})",
        r"\b(?:except\w*|exclud\w+|other|others|apart|without|but|only|most|many)\b",
        excepts=True,
    ),
    _restriction(
        "quantifier",
        r"\b(?:almost|nearly|virtually|practically)\s(?P<what>all|every|everyone|everything|always|no|none|never)\b",
        r"\b(?:almost|nearly|virtually|practically|most|mostly|majority|few|hardly|rarely)\b",
    ),
    _restriction(
        "modality",
        # "Is used to make" states a purpose, not the past.
        r"\b(?:(?:was|were)\s(?P<what>formerly|previously|once)"
        r"|(?<!is )(?<!are )(?<!be )(?<!been )(?<!being )(?<!was )(?<!were )used to)\b",
        r"\b(?:was|were|had|did|been|former|formerly|previously|once|used to|until|ago)\b|\w{2,}ed\b",
    ),
    _restriction(
        "modality",
        r"[하되으이라다시지오내]면(?=\s)",
        r"면(?:\s|$)|경우|때|수 있|조건|한해|려면|만\s",
        behind=True,
    ),
    _restriction(
        "quantifier",
        r"제외하고|제외하면|제외한|빼고|외에는|아닌 한|않는 한",
        r"제외|빼고|외에|아닌 한|않는 한|대부분|만\s",
        behind=True,
    ),
    _restriction(
        "modality",
        r"(?P<what>한때|예전에는?|과거에는?)\s",
        r"한때|예전|과거|전에|당시|[었았했였]",
    ),
    _restriction("quantifier", r"거의\s(?P<what>모든|모두|전부|전체|다|항상|언제나)", r"거의|대부분|대다수"),
)


def omitted_restrictions(statement: str, place: str) -> Iterator[Difference]:
    """Yield the restrictions of the `place` that the `statement` omits, at most one of each form.

    Linear in both lengths.
    """
    for each in _RESTRICTIONS:
        found = next((match for match in each.found.finditer(place) if _restricts(match, place)), None)
        if found is None or each.also.search(statement):
            continue
        what = place[max(0, found.start() - _IN_FRONT) : found.end()] if each.behind else found[0]
        what = re.split(r"[,.;]\s", what)[-1]
        mentioned = _is_mentioned(what if each.behind else found["what"], statement)
        if not mentioned or (each.excepts and _denies(statement) == _denies(place.replace(found[0], " "))):
            yield Difference(each.kind, statement.strip(" .。"), " ".join(what.split()))


def excepted(statement: str, place: str) -> Difference | None:
    """Return the difference if the `statement` says of the exception in a Korean `place` what it says of all others.

    "소형차를 제외한 모든 차량은 통행료를 낸다" does not say that 소형차는 통행료를 낸다, but the contrary.
    """
    found = _KOREAN_EXCEPTION.search(place)
    if found is None or _KOREAN_EXCEPTION.search(statement):
        return None
    noun, rest = content_stems(found["what"]), content_stems(place[: found.start()] + place[found.end() :])
    stated = content_stems(statement)
    if not noun or noun[-1] in rest or noun[-1] not in stated:
        return None
    return Difference("quantifier", statement.strip(" .。"), found[0])


def _restricts(match: re.Match[str], place: str) -> bool:
    # A Korean word that ends in 면 may be a noun.
    if not match[0].endswith("면"):
        return True
    word = place[max(0, match.start() - _LONGEST_WORD) : match.end()].rpartition(" ")[2]
    return word not in _KOREAN_NOUNS and _NOT_IF.search(word) is None


def _denies(text: str) -> bool:
    return sum(each.cue == "denied" for each in tokenize(text)) % 2 == 1


def _is_mentioned(what: str | None, statement: str) -> bool:
    wanted = content_stems((what or "")[:_MOST_CHARS])[:_MOST_WORDS]
    return bool(wanted) and coverage(wanted, set(content_stems(statement))) >= _MENTIONED
