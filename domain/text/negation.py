"""Finds negated words of a sentence, and words that negate each other, in English and Korean."""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

from domain.text.sentences import split_sentences
from domain.text.words import coverage, meaningful, stem, vocabulary, words

_CUES = vocabulary("not no never none neither nor cannot without hardly nobody")
_KOREAN_CUE = re.compile(r"(?:않|못하|못했|못한|없|아니|아닌|아닙)")
_CONTRACTED = re.compile(r"n ?['’] ?t\b|\b(?:cannot|(?:fail(?:ed|s)?|unable) to)\b")
_NO_DENIAL = re.compile(
    r"\b(?:not only|not just|not all|not necessarily|or not|no (?:later|longer|more|less|fewer) than|no doubt|no\.)"
    r"|\bnot (?:sure|certain|know|think|believe|really)\b|^no,"
)
_QUOTED = re.compile(r'["“][^"“”]{1,80}["”]')
_CLAUSE_END = re.compile(r"[,;:()]|\b(?:but|and|because|although|though|while|until|unless|since|if)\b")
# These may deny in a way that the cues above do not follow: then no contradiction is reported.
_ANY_DENIAL = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|refus\w+|fail\w*|avoid\w*|prevent\w*|instead|rather|only|zero|few"
    r"|free|lack\w*|unable|hardly|rul(?:e|es|ed|ing) out|reject\w*|den(?:y|ies|ied))\b"
    r"|n ?['’] ?t\b|않|못|없|아니|아닌|아닙|안 |안되|안돼|불|배제|거부|금지|빼"
)
_MOST_CUES, _REACH = 20, 20  # cues of one clause; words between a cue and what it denies
_SAME_CLAUSE = 0.8  # share of a denying clause's words from which another sentence is about the same


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
    clause = tuple(meaningful(each for each in tokens if each not in _CUES and not _KOREAN_CUE.match(each)))
    for place in cues:
        if tokens[place] in _CUES:
            denied = meaningful(tokens[place + 1 : place + 1 + _REACH])[:2]
        else:
            denied = meaningful(tokens[max(0, place - _REACH) : place])[-1:]
        if denied:
            yield Negation(tuple(denied), clause)


def negated_in_one(sentence: str, other: str, other_stems: Set[str]) -> str | None:
    if _ANY_DENIAL.search(other.lower()):
        return None
    for denial in negations(sentence):
        shared = [each for each in denial.denied if each in other_stems]
        if shared and coverage(denial.clause, other_stems) >= _SAME_CLAUSE:
            return max(shared, key=str.isalpha)
    return None


_DENIED = re.compile(
    r"\b(?:not|never|none|neither|nor|cannot|without|unable to|fail(?:ed|s)? to"
    r"|no(?! (?:later|longer|more|less|fewer) ))\b"
    r"|\black(?:s|ed|ing)?\b|\b(?:is|are|was|were|be|been|ran|runs?|running) out of (?=[a-z])"
    r"|[^\W\d]n['’]t\b|않|못하|못했|못한|없|아니|아닌|아닙|마십|마세|말아|말 것"
    r"|안 (?=되|됩|된|돼|됐|하|합|한|함|했)"
)
_NOTHING_DENIED = re.compile(
    r"\bnot (?:only|just|all|necessarily|even)\b|\bor not\b|\bno doubt\b"
    r"|\b(?:do(?:es)?n['’]t|not) (?:know|think|believe)\b"
    r"|보다[^.]{0,40}없|(?:않은|않는|없는|아닌|못한|못하는) (?!것|상태|채|편)"
    r"|뿐(?:만)? ?아니라|못지않|틀림없|수밖에 없|지 않을 수 없|끊임없|변함없|관계없|상관없"
)
_ADVERBS = vocabulary("안 못")
_SAME_WORDS = 0.75
_FEWEST_WORDS = 3


def differing_polarity(sentence: str, other: str) -> str | None:
    """Return the last word of `sentence` if both have the same words and only one is negated; None otherwise.

    Counts the negations of both, so that a shared one, as in "without a receipt", hides no other. For several sentences
    it is unknown which one is negated.
    """
    if len(split_sentences(sentence)) > 1:
        return None
    one, two = (len(_DENIED.findall(_NOTHING_DENIED.sub(" ", each.lower()))) for each in (sentence, other))
    if one % 2 == two % 2:
        return None
    mine, theirs = (
        meaningful(each for each in words(text) if each not in _ADVERBS and not _DENIED.search(each))
        for text in (sentence, other)
    )
    if len(mine) < _FEWEST_WORDS or min(coverage(mine, set(theirs)), coverage(theirs, set(mine))) < _SAME_WORDS:
        return None
    return mine[-1]


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
    here, there = claim - source, source - claim
    return next(_affixed(here, there), None) or next(((two, one) for one, two in _affixed(there, here)), None)


def _affixed(plain: Set[str], others: Set[str]) -> Iterator[tuple[str, str]]:
    # `valid` and `invalid`.
    for word in sorted(plain):
        for affix, fewest in _AFFIXES.items():
            if len(word) >= fewest and affix + word in others:
                yield word, affix + word
