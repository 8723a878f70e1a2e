"""Finds negated words of a sentence, and words that negate each other, in English and Korean."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from citewell_verify.text.words import meaningful, stem, vocabulary, words

_CUES = vocabulary("not no never none neither nor cannot without hardly nobody")
_KOREAN_CUE = re.compile(r"(?:않|못하|못했|못한|없|아니|아닌|아닙)")
_CONTRACTED = re.compile(r"n ?['’] ?t\b|\b(?:cannot|(?:fail(?:ed|s)?|unable) to)\b")
_NO_DENIAL = re.compile(
    r"\b(?:not only|not just|not all|not necessarily|or not|no (?:later|longer|more|less|fewer) than|no doubt|no\.)"
    r"|\bnot (?:sure|certain|know|think|believe|really)\b|^no,"
)
_QUOTED = re.compile(r'["“][^"“”]{1,80}["”]')
_CLAUSE_END = re.compile(r"[,;:()]|\b(?:but|and|because|although|though|while|until|unless|since|if)\b")
_MOST_CUES, _REACH = 20, 20  # cues of one clause; words between a cue and what it denies


@dataclass(frozen=True, slots=True)
class Negation:
    """One negation: the stems that it negates, and all stems of its clause, each in order."""

    denied: tuple[str, ...]
    clause: tuple[str, ...]


def negations(sentence: str) -> list[Negation]:
    """Return the negations of `sentence`, except those without effect, such as "not only"."""
    text = _CONTRACTED.sub(" not ", _QUOTED.sub(" ", sentence.lower()))
    return [
        denial for clause in _CLAUSE_END.split(_NO_DENIAL.sub(" ", text)) for denial in _find_negations(words(clause))
    ]


def _find_negations(tokens: list[str]) -> Iterator[Negation]:
    cues = [place for place, token in enumerate(tokens) if token in _CUES or _KOREAN_CUE.match(token)][:_MOST_CUES]
    if not cues:
        return
    clause = tuple(meaningful(token for token in tokens if token not in _CUES and not _KOREAN_CUE.match(token)))
    for place in cues:
        if tokens[place] in _CUES:
            denied = meaningful(tokens[place + 1 : place + 1 + _REACH])[:2]
        else:
            denied = meaningful(tokens[max(0, place - _REACH) : place])[-1:]
        if denied:
            yield Negation(tuple(denied), clause)


def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(stem, listed.split()))


_OPPOSITES = tuple(
    (_stems(left), _stems(right))
    for left, right in (
        ("increase increasing rise rises rose risen rising grow grew growth", "decrease decline fall fell drop shrank"),
        ("higher", "lower"),
        ("highest", "lowest"),
        ("larger bigger greater", "smaller"),
        ("largest biggest greatest", "smallest"),
        ("best", "worst"),
        ("better", "worse"),
        ("older", "younger newer"),
        ("oldest", "youngest newest"),
        ("above", "below"),
        ("before", "after"),
        ("earlier", "later"),
        ("first", "last"),
        ("maximum", "minimum"),
        ("allow permit", "forbid forbidden prohibit ban"),
        ("accept", "reject refuse"),
        ("approve", "deny reject"),
        ("include", "exclude"),
        ("win won", "lose lost"),
        ("success successful succeed", "failure fail unsuccessful"),
        ("support", "oppose"),
        ("always", "never"),
        ("major", "minor"),
        ("male man men", "female woman women"),
        ("north northern", "south southern"),
        ("east eastern", "west western"),
        ("open", "closed"),
        ("begin began begun start", "end ended stop"),
        ("gain", "loss"),
        ("profit", "loss"),
        ("true", "false"),
        ("positive", "negative"),
        ("mandatory required compulsory", "optional voluntary"),
        ("possible", "impossible"),
        ("legal", "illegal"),
        ("common", "rare uncommon"),
        ("many", "few"),
        ("rich", "poor"),
        ("husband", "wife"),
        ("father", "mother"),
        ("son", "daughter"),
        ("brother", "sister"),
        ("증가 상승", "감소 하락"),
        ("이상", "이하 미만"),
        ("이전", "이후"),
        ("최대", "최소"),
        ("최고", "최저"),
        ("허용 허가", "금지"),
        ("승인", "거부 거절"),
        ("포함", "제외"),
        ("가능", "불가능 불가"),
        ("찬성", "반대"),
        ("성공", "실패"),
        ("의무 필수", "선택 자율"),
        ("남성 남자", "여성 여자"),
        ("승리", "패배"),
        ("시작", "종료"),
    )
)


_AFFIXES = {"un": 4, "il": 5, "ir": 5, "in": 6, "im": 6, "dis": 6}
"""Prefixes that negate a word with at least that many letters: `form` and `inform` are not opposites."""


def opposites(claim: Set[str], source: Set[str]) -> tuple[str, str] | None:
    """Return opposite stems (of the claim, of the source) where neither text has both; else None."""
    for left, right in (*_OPPOSITES, *((right, left) for left, right in _OPPOSITES)):
        if claim & left and source & right and not claim & right and not source & left:
            return min(claim & left), min(source & right)
    only_claim, only_source = claim - source, source - claim
    return next(_affixed(only_claim, only_source), None) or next(
        ((claimed, stated) for stated, claimed in _affixed(only_source, only_claim)), None
    )


def _affixed(plain: Set[str], others: Set[str]) -> Iterator[tuple[str, str]]:
    """Words with their opposites by an affix: `valid` and `invalid`."""
    for word in sorted(plain):
        for affix, fewest in _AFFIXES.items():
            if len(word) >= fewest and affix + word in others:
                yield word, affix + word
