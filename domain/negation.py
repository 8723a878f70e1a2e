"""Which words of a sentence are denied, and which pairs of words deny each other; English and Korean."""

import re

from domain.words import STOP_WORDS, stem, vocabulary, words

_CUES = vocabulary("not never none neither nor cannot without hardly no nobody")
_QUOTED = re.compile(r'["“][^"“”]{1,80}["”]')
_NOT_NEGATIONS = re.compile(
    r"\b(?:not only|not just|not necessarily|no later|no more than|no less than|no fewer than|no longer than|no doubt|no\.)"
    r"|\b(?:not|n't) (?:sure|certain|know|think|believe|really)\b|^no,|\bor not\b|\bnot all\b"
)
_CONTRACTED = re.compile(r"n ?['’] ?t\b|\b(?:cannot|failed to|fails to|fail to|unable to)\b")
_CLAUSE = re.compile(r"[,;:()]|\b(?:but|and|because|although|though|while|until|unless|since|if)\b")
_KOREAN_CUE = re.compile(r"^(?:않|못하|못했|못한|없|아니|아닌|아닙)")


def denials(sentence: str):
    text = _QUOTED.sub(" ", sentence.lower())
    text = _CONTRACTED.sub(" not ", _NOT_NEGATIONS.sub(" ", text))
    found = []
    for clause in _CLAUSE.split(text):
        tokens = words(clause)
        for place, token in enumerate(tokens):
            if token in _CUES:
                d = _content(tokens[place + 1 :])[:2]
            elif _KOREAN_CUE.match(token):
                d = (_content(tokens[:place])[-1:])
            else: continue
            if d: found.append((frozenset(d), tuple(_content(tokens))))
    return found


def _content(tokens: list[str]) -> list[str]:
    return [stem(token) for token in tokens if token not in STOP_WORDS]


_OPPOSITES = [
    (frozenset(map(stem, left.split())), frozenset(map(stem, right.split())))
    for left, right in (
        ("increase increased increases increasing rise rose risen rises grew growth grow", "decrease decreased decreases decreasing fall fell fallen falls decline declined declines shrank drop dropped"),
        ("higher", "lower"), ("highest", "lowest"), ("largest biggest greatest", "smallest"), ("larger bigger greater", "smaller"),
        ("most", "least"), ("more", "less fewer"), ("best", "worst"), ("better", "worse"), ("oldest", "youngest newest"), ("older", "younger newer"),
        ("above", "below"), ("before", "after"), ("earlier", "later"), ("first", "last"), ("maximum", "minimum"),
        ("allow allowed allows permit permitted permits", "forbid forbidden prohibit prohibited prohibits ban banned"),
        ("accept accepted accepts", "reject rejected rejects refuse refused"), ("approve approved", "deny denied rejected"),
        ("include included includes including", "exclude excluded excludes excluding"), ("win won wins", "lose lost loses"),
        ("success successful succeeded", "failure failed unsuccessful"), ("support supported supports", "oppose opposed opposes"),
        ("always", "never"), ("major", "minor"), ("male man men", "female woman women"), ("north northern", "south southern"), ("east eastern", "west western"),
        ("open opened", "closed close"), ("begin began begins started start starts", "end ended ends stopped"), ("gain gained", "lose lost loss"), ("profit", "loss"),
        ("true", "false"), ("positive", "negative"), ("mandatory required compulsory", "optional voluntary"), ("possible", "impossible"), ("legal", "illegal"), ("common", "rare uncommon"),
        ("many", "few"), ("rich", "poor"), ("hot", "cold"), ("husband", "wife"), ("father", "mother"), ("son", "daughter"), ("brother", "sister"),
        ("증가 늘 늘어 상승 올라", "감소 줄 줄어 하락 내려"), ("이상", "이하 미만"), ("이전", "이후"), ("최대", "최소"), ("최고", "최저"), ("허용 허가", "금지"), ("승인", "거부 거절"), ("포함", "제외"), ("가능", "불가능 불가"),
        ("찬성", "반대"), ("성공", "실패"), ("의무 필수", "선택 자율"), ("많", "적"), ("높", "낮"), ("크", "작"), ("남성 남자", "여성 여자"), ("승리", "패배"), ("시작", "종료"),
    )
]


def opposed_stems(claim: frozenset[str], source: frozenset[str]) -> list[tuple[str, str]]:
    """Return pairs (claim word, source word) that deny each other, where neither text has both sides."""
    found = []
    for left, right in (*_OPPOSITES, *((b, a) for a, b in _OPPOSITES)):
        if (claim & left) and (source & right) and not claim & right and not source & left:
            found.append((min(claim & left), min(source & right)))
    return found
