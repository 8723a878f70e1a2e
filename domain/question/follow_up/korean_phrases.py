"""Finds the noun phrases of a Korean question by their particles; there is no tagger here."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.text.words import vocabulary

ASKING = re.compile(
    "^(?:언제|어디|어딘|누가|누구|누굴|왜|어떻게|어떡|어때|어떤|어떠|무엇|무얼|뭐|뭘|무슨|어느|몇|며칠|얼마)"
)
PREDICATE = re.compile(
    "(?:나요|까요|니까|가요|데요|래요|죠|지요|어요|아요|여요|해요|돼요|되요|와요|려요|세요|예요|에요"
    "|는지|을까|을지|줘|주라|해라|하라|한다|된다|인가)$"
)
_ADVERBS = vocabulary("""
    자주 다시 보통 지금 또 더 좀 꼭 먼저 매번 주로 대략 약 최대 최소 가장 제일 모두 다 같이 함께 혹시 이제 현재
    원래 직접 언제나 총 각각 얼마나 얼마큼 몇번 그럼 정확히 자세히 간단히 빨리 바로
""")
_ADNOMINAL = re.compile(r"(?:한|된|있는|없는|하는|되는|받은|않은)$")
# Two-syllable particles first; those of one syllable have to agree with the noun's last sound, where they can.
_LONG = re.compile("^(?P<base>.+?)(?P<particle>에서는|에서의|에서|에게는|에게|에는|으로는|으로|까지|부터|보다|한테)$")
_AGREEING = {"은": True, "이": True, "을": True, "과": True, "는": False, "가": False, "를": False, "와": False}
_NEED_TWO = frozenset("이가의에로와과")
PAIRS = {
    particle: forms
    for forms in (("은", "는"), ("이", "가"), ("을", "를"), ("과", "와"), ("으로", "로"))
    for particle in forms
}
"""The forms of a particle behind a consonant and behind a vowel."""
_DIGITS_WITH_CONSONANT, _DIGITS_WITH_RIEUL = frozenset("013678"), frozenset("178")
_LETTERS_WITH_CONSONANT, _LETTERS_WITH_RIEUL = frozenset("LMNR"), frozenset("LR")
MEASURES = vocabulary("""
    길이 깊이 나이 넓이 높이 농도 두께 면적 무게 밀도 부피 속도 시속 압력 온도 용량 유량 인구 작동온도 재질 전력
    전압 중량 직경 최고속도 출력 크기 폭 회전수 회전속도 효율
""")
"""Attributes that are asked for without an owner only where it is clear whose they are."""
ATTRIBUTES = MEASURES | vocabulary("""
    가격 간격 값 개수 거리 고도 권한 규격 금액 기간 기준 기한 날짜 담당자 대표 마감 매출 모양 번호 범위 비용 비율
    사양 사이즈 상태 색 색깔 색상 생산량 설립일 성능 소재 수 수도 수량 수명 시기 연락처 연봉 예산 요금 위치 유효기간
    이름 이자율 일정 재고 저자 전화번호 점검일 종류 주기 주소 주파수 책임자 판매량 한도
    결과 경위 급여 대책 방법 벌금 수당 수수료 연차 월급 이메일 절차 조건 휴가
""")
"""Nouns that need an owner: 온도 is that of something."""
OF_EVENTS = vocabulary("""
    경상자 규모 대책 범인 부상자 사고원인 사망자 사상자 생존자 실종자 원인 이재민 인명피해 재산피해 중상자 피해 피해액
    피해자 희생자
""")
"""What is asked of an accident: its dead, its cause."""
EVENT = re.compile(
    "(?:사고|사건|화재|산불|폭발|지진|홍수|태풍|붕괴|추락|침몰|충돌|탈선|누출|유출|정전|재난|참사|테러|폭우|침수|고장|파업)$"
)
DATE = re.compile(r"(?:(?:19|20)\d\d년 ?)?\d{1,2}월 ?\d{1,2}일")
ROLES = re.compile(
    "(?:대표|대표이사|팀장|부장|과장|사장|회장|원장|소장|감독|저자|작가|창업자|설립자|담당자|책임자|장관|대통령|교수"
    "|박사|의사|씨|님)$"
)
_STOPS = (
    r"(?=$|[\s?？.,!]"
    r"|(?:은|는|이|가|을|를|의|에|에서|에는|도|와|과|로|으로|까지|부터|보다|만)(?:요)?(?:[\s?？.,!]|$))"
)
_NUMBER = r"\d{1,6}(?:[.-]\d{1,4})*"
_LABELS = (
    # 펌프 4, 펌프 4번, 회의실 B
    re.compile(
        rf"(?<![가-힣\w])(?P<noun>[가-힣A-Za-z]{{1,12}}) ?(?P<number>{_NUMBER}|[A-Z])(?P<count>번|호기|호)?{_STOPS}"
    ),
    # 4번 펌프
    re.compile(rf"(?<![\w.])(?P<number>{_NUMBER}|[A-Z])(?P<count>번째|번|호기|호) (?P<noun>[가-힣]{{1,8}}?){_STOPS}"),
    # 4층, 제4조, 3팀
    re.compile(
        rf"(?<![\w.])(?P<number>(?:제 ?)?{_NUMBER}|[A-Z])"
        rf"(?P<count>팀|층|호기|호실|호선|호|조|항|장|절|과|반|단계|등급|급|동|공장|라인|학년|학기|세대|구역|번){_STOPS}"
    ),
)
TIMES = {
    "year": re.compile(r"(?:19|20)\d\d년|재작년|작년|지난해|올해|내년"),
    "month": re.compile(r"(?<!\d)\d{1,2}월"),
    "quarter": re.compile(r"[1-4]분기|[상하]반기"),
    "day": re.compile(r"[월화수목금토일]요일|주말|평일|공휴일"),
    "season": re.compile(r"(?:봄|여름|가을|겨울)(?:철)?"),
    "half": re.compile(r"오전|오후"),
}
"""Expressions of time; one of a kind takes the place of another of that kind."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its particle: `text[start:end]` is the word without it."""

    base: str
    particle: str
    start: int
    end: int

    @property
    def is_asking(self) -> bool:
        return ASKING.match(self.base) is not None

    @property
    def is_predicate(self) -> bool:
        return PREDICATE.search(self.base + self.particle) is not None

    @property
    def may_be_a_noun(self) -> bool:
        return not (self.is_asking or self.is_predicate or self.is_adverb)

    @property
    def is_adverb(self) -> bool:
        return self.base + self.particle in _ADVERBS or self.base in _ADVERBS


@dataclass(frozen=True, slots=True)
class Label:
    """A thing with a number, at `start` to `end`; `number` is the place of that number and its counter."""

    text: str
    classes: frozenset[str]
    start: int
    end: int
    number: tuple[int, int]
    has_noun: bool


def tokens_of(text: str) -> list[Token]:
    return [_token(match) for match in re.finditer(r"[^\s?？.,!]+", text)]


def labels_of(text: str) -> list[Label]:
    found: list[Label] = []
    for pattern in _LABELS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            noun, count = groups.get("noun") or "", groups.get("count") or ""
            if any(label.start < match.end() and match.start() < label.end for label in found) or _is_no_class(noun):
                continue
            number = (match.start("number"), match.end("count") if count else match.end("number"))
            found.append(
                Label(
                    match[0],
                    frozenset(filter(None, (noun, count))),
                    match.start(),
                    match.end(),
                    number,
                    bool(noun),
                )
            )
    return sorted(found, key=lambda label: label.start)


def with_particle(word: str, particle: str) -> str:
    """`word` with the form of `particle` that its last sound asks for."""
    forms = PAIRS.get(particle)
    if forms is None:
        return word + particle
    is_closed = _ends_closed(word)
    if forms == ("으로", "로"):
        is_closed = is_closed and not _ends_in_rieul(word)
    return word + forms[0 if is_closed else 1]


def replaced(text: str, start: int, end: int, new: str) -> str:
    """`text` with `new` in that place, and the particle behind it in the form that `new` asks for."""
    behind = re.match(r"(?:으로|은|는|이|가|을|를|과|와|로)(?=[\s?？.,!]|$)", text[end:])
    if behind:
        return text[:start] + with_particle(new, behind[0]) + text[end + behind.end() :]
    return text[:start] + new + text[end:]


def noun_phrase(tokens: Sequence[Token], last: int) -> tuple[int, int]:
    """(start, end) of the phrase whose last word is `tokens[last]`: the words without particles before it belong to it,
    as do those that own or describe it.
    """
    first = last
    while first and _belongs(tokens[first - 1]):
        first -= 1
    return tokens[first].start, tokens[last].end


def marked(tokens: Sequence[Token], *particles: str) -> Iterator[int]:
    for place, token in enumerate(tokens):
        if token.particle in particles and not token.is_asking:
            yield place


def _belongs(token: Token) -> bool:
    if not token.may_be_a_noun:
        return False
    return token.particle in ("", "의") and (
        _ADNOMINAL.search(token.base) is not None or token.base[-1] not in "고며서면"
    )


def _token(match: re.Match[str]) -> Token:
    word = match[0]
    base, particle = _split(word)
    return Token(base, particle, match.start(), match.start() + len(base))


def _split(word: str) -> tuple[str, str]:
    if word in ATTRIBUTES or PREDICATE.search(word) or word in _ADVERBS:
        return word, ""
    if (found := _LONG.match(word)) and len(found["base"]) > 1:
        return found["base"], found["particle"]
    base, last = word[:-1], word[-1:]
    if not base or (last in _NEED_TWO and len(base) < 2 and not base.isdigit()):
        return word, ""
    if last in _AGREEING:
        return (base, last) if _AGREEING[last] == _ends_closed(base) else (word, "")
    if last == "로" and (not _ends_closed(base) or _ends_in_rieul(base)):
        return base, last
    return (base, last) if last in ("의", "에") else (word, "")


def _ends_closed(word: str) -> bool:
    last = word[-1:]
    if "가" <= last <= "힣":
        return (ord(last) - ord("가")) % 28 != 0
    if last.isdigit():
        return last in _DIGITS_WITH_CONSONANT
    return last.upper() in _LETTERS_WITH_CONSONANT


def _ends_in_rieul(word: str) -> bool:
    last = word[-1:]
    if "가" <= last <= "힣":
        return (ord(last) - ord("가")) % 28 == 8
    return last in _DIGITS_WITH_RIEUL or last.upper() in _LETTERS_WITH_RIEUL


def _is_no_class(noun: str) -> bool:
    if not noun:
        return False
    _, particle = _split(noun)
    return (
        bool(particle) or noun in _ADVERBS or ASKING.match(noun) is not None or noun in ("및", "와", "과", "그", "이")
    )
