"""Finds names of people, organisations, places and products by their capitals, and Korean names by their endings.

This is no tagger. A word counts as a name by its shape, so some names are missed and a few other words are found.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple

from citewell_verify.entities.dates import find_dates
from citewell_verify.text.words import vocabulary

NameKind = Literal["latin", "person", "organisation", "place", "loanword"]

_MOST_WORDS = 300  # words of a claim or a sentence, so that a hostile text stays cheap

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*(?:['’](?=\s|$))?")
_CAPITAL = re.compile("[A-ZÀ-ÖØ-Þ]")
KOREAN_PERSON = re.compile("[김이박최정강조윤장임한오서신권황안송전홍남백유노문배양][가-힣]{2}")
"""Three syllables, the first of which is one of the most frequent surnames; other nouns may look the same."""
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
NO_NAMES = vocabulary("""
    a about above according after against all also although among an and another any are as at based because before
    both but by can could despite did do does due during each either every for from given had has have he her here his
    how however i if in is it its last later many may more most mr mrs ms dr professor president minister chief director
    mayor captain judge king queen prince princess sir lady lord saint miss mister doctor dean analyst engineer chairman
    must my never new no not now of on one only or other our over per she should since so some such than that the their
    then there these they this those through thus to two three four five six under unlike until up was we were what when
    where which while who why will with within without would yes you your
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
    october november december spring summer autumn winter am pm ad bc ok tv us
""")
SAME_NAMES = tuple(
    frozenset(names.split())
    for names in (
        "us usa america american americans united states 미국",
        "uk britain british england english kingdom united 영국",
        "netherlands dutch holland 네덜란드",
        "germany german deutschland 독일",
        "france french 프랑스",
        "spain spanish spaniard 스페인",
        "switzerland swiss 스위스",
        "greece greek 그리스",
        "wales welsh",
        "denmark danish dane 덴마크",
        "poland polish pole 폴란드",
        "turkey turkish türkiye 터키 튀르키예",
        "china chinese prc 중국",
        "japan japanese 일본",
        "korea korean rok 한국 대한민국 남한",
        "dprk north 북한 조선민주주의인민공화국",
        "russia russian soviet ussr 러시아 소련",
        "eu european europe union 유럽 유럽연합",
        "un united nations 유엔",
        "york nyc new",
        "angeles los la",
    )
)
"""Names, adjectives and short forms of one country or place."""
_PEOPLE = (
    "대표|팀장|과장|교수|장관|사장|씨|박사|변호사|이사|연구원"
    "|시장|선수|선장|학장|화백|기사|본부장|단장|사업단장|의원|대통령|감독"
    "|기자|위원장|회장|총리|지사|차장|부장|원장|총장|작가|가수"
    "|배우|의사|판사|검사|재무이사|실장|국장|대사|소장|코치|국회의원|군|양"
    "|선생|여사|경|왕|목사|신부|스님|대법관|차관|청장|서장|연구소장"
)
_ROLE = re.compile(rf"(?:{_PEOPLE})(?:님)?(?:은|는|이|가|을|를|의|과|와|도|에게|께서|이다|였다|으로|로)?")
_WITH_ROLE = re.compile(rf"([가-힣]{{2,4}})(?:{_PEOPLE})(?:님)?")
_ORGANISATION = re.compile(
    "[가-힣A-Za-z0-9]{1,12}(?:은행|전자|제약|정밀|부동산|증권|소프트|철도|식품|유통"
    "|병원|연구소|연구원|재단|보안|해운|화재|에너지|대학교|대학"
    "|구단|서비스|그룹|공사|공단|협회|위원회|건설|자동차|항공"
    "|통신|보험|생명|카드|방송|신문|일보|출판사|고등학교|중학교|초등학교|화학"
    "|중공업|산업|물산|홀딩스|전기|물류|제철|조선|학회|법원|경찰서|박물관|미술관|도서관)"
)
# The condition of a verb ends like a township: 취소하면, 늦으면, 쓰려면.
_PLACE = re.compile(r"[가-힣]{1,5}(?:특별시|광역시|시|군|구|읍|(?<![하되으려])면|리|특별자치도)|[가-힣]{1,3}도")
KNOWN_PLACES = vocabulary("""
    서울 부산 대구 인천 광주 대전 울산 세종 경기 강원 충북 충남 전북
    전남 경북 경남 제주 수원 성남 고양 용인 청주 전주 포항 창원 천안 여수
    경기도 강원도 충청북도 충청남도 전라북도 전라남도 경상북도 경상남도 제주도
    한국 미국 중국 일본 영국 독일 프랑스 스페인 이탈리아 러시아
    캐나다 호주 인도 베트남 태국 필리핀 인도네시아 말레이시아 싱가포르
    대만 홍콩 몽골 브라질 멕시코 아르헨티나 칠레 페루 이집트 터키
    튀르키예 이란 이라크 이스라엘 스위스 스웨덴 노르웨이 덴마크
    핀란드 네덜란드 벨기에 오스트리아 폴란드 체코 헝가리 그리스 포르투갈
    아일랜드 우크라이나 뉴질랜드 북한 도쿄 오사카 베이징 상하이 뉴욕
    런던 파리 베를린 로마 마드리드 모스크바 워싱턴 시드니 하노이 방콕
""")
_NO_PLACES = vocabulary("""
    다시 혹시 역시 잠시 즉시 동시 당시 일시 표시 지시 제시 공시 명시 계약시 반드시 필수 정도 제도
    년도 연도 용도 속도 온도 태도 의도 각도 강도 농도 빈도 습도 밀도 난도 지도 보도 시도 한도
    기구 연구 요구 가구 도구 친구 입구 출구 지구 전구 복구 청구 방면 반면 측면 화면 장면 표면
    서면 정면 전면 관리 처리 수리 거리 우리 권리 원리 정리 분리 논리 심리 승리 금리 의리 이리
    그리 빨리 멀리 미리 누구
""")
_TAIL = re.compile(
    "(?:이었습니다|이었다|입니다|이다|이며|이고|이라고|에서는|에서의|에서도|에서"
    "|에게|에는|에도|에|으로부터|으로는|으로|로부터|로|부터|까지"
    "|보다|처럼|만|은|는|이|가|을|를|의|도|과|와)$"
)
_FOREIGN_SYLLABLES = frozenset(
    "르트드스크프브츠즈쉬티디피키코토포카타파페케테베데레네메켄펜텐센벤덴렌쿠투푸톤콘폰랜"
    "랩렐딘틴핀킨린빈닌론폴콜톨펠텔켈벨델릭틱픽믹닉"
    "딜틸필킬밀시온할칼탈팔반멘셀헬젤벡텍펙슨윈웨퀴렉록락럭셉샤쇼"
)


class FoundName(NamedTuple):
    """A name: its `text` as written, without endings. Not `sure`: it opens a sentence, where any word is
    capitalised.
    """

    kind: NameKind
    text: str
    start: int
    end: int
    sure: bool


def same_country(left: Sequence[str], right: Sequence[str]) -> bool:
    return any(not names.isdisjoint(left) and not names.isdisjoint(right) for names in SAME_NAMES)


def find_names(text: str) -> list[FoundName]:
    """Return the names in the first 300 words of `text`, in order; `end` is the end of a name's last word."""
    tokens = tokens_of(text)
    dated = {place for date in find_dates(text) for place in range(date.start, date.end)}
    names = [*_latin_names(text, tokens, dated)]
    for token, following in zip_longest(tokens, tokens[1:]):
        if "가" <= token[0][-1] <= "힣" and (name := _korean_name(token[0], following[0] if following else "")):
            names.append(FoundName(*name, token.start(), token.end(), sure=True))
    return sorted(names, key=lambda name: name.start)


def tokens_of(text: str) -> list[re.Match[str]]:
    tokens: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        tokens.append(match)
        if len(tokens) == _MOST_WORDS:
            break
    return tokens


def _latin_names(text: str, tokens: Sequence[re.Match[str]], dated: set[int]) -> Iterator[FoundName]:
    """Yield names such as `Ada Whitfield` and `TR-400`; a name that is only a sentence's first word is not `sure`."""
    for places in _runs(text, tokens, dated):
        first, last = tokens[places[0]], tokens[places[-1]]
        if any(len(_POSSESSIVE.sub("", tokens[place][0]).casefold()) > 1 for place in places):
            before = text[max(0, first.start() - 3) : first.start()].rstrip(" \t*_")
            opens_sentence = not before or before[-1] in ".!?:;\n\"“‘'(-•#"
            sure = len(places) > 1 or not first[0].istitle() or not opens_sentence
            whole = _POSSESSIVE.sub("", text[first.start() : last.end()])
            yield FoundName("latin", whole, first.start(), last.end(), sure)


def _runs(text: str, tokens: Sequence[re.Match[str]], dated: set[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for place, token in enumerate(tokens):
        folded = _POSSESSIVE.sub("", token[0]).casefold()
        begins = _CAPITAL.match(token[0]) is not None and folded not in NO_NAMES and token.start() not in dated
        if run and (not begins or text[tokens[place - 1].end() : token.start()] not in (" ", "-")):
            yield run
            run = []
        if begins:
            run.append(place)
    if run:
        yield run


def _korean_name(token: str, following: str) -> tuple[NameKind, str] | None:
    bare = _TAIL.sub("", token) or token
    if _ROLE.fullmatch(following) and re.fullmatch("[가-힣]{2,4}", token):
        return "person", token
    if (joined := _WITH_ROLE.fullmatch(bare)) and len(joined[1]) == 3:
        return "person", joined[1]
    if _ORGANISATION.fullmatch(bare):
        return "organisation", bare
    if bare in KNOWN_PLACES or (bare not in _NO_PLACES and _PLACE.fullmatch(bare)):
        return "place", bare
    if len(bare) >= 3 and any(syllable in _FOREIGN_SYLLABLES for syllable in bare):
        return "loanword", bare
    return None
