"""Knows words that exclude each other in the same place of a sentence, in English and Korean."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

from citewell_verify.text.words import stem

_GRADED = """
    large,big/small long/short fast,quick/slow strong/weak early/late easy/hard
    cheap/dear old/young,new wet/dry light/dark,heavy thick/thin wide/narrow deep/shallow high/low
    tall/short smooth/rough tight/loose bright/dim,dark loud,noisy/quiet rich/poor hot/cold warm/cool hard/soft
    clean/dirty sharp/blunt,dull
"""
"""Adjectives, whose comparatives and superlatives are made by `_degrees`."""

_OPPOSED = """
    large,big/little easy/difficult cheap/expensive near/far buy/sell import/export borrow/lend heat/cool
    safe/dangerous,unsafe full/empty public/private active/passive internal/external input/output upper/lower
    top/bottom left/right inside/outside indoor/outdoor arrive/depart enter/exit,leave expand/contract,shrink
    strengthen/weaken accelerate/slow,decelerate attract/repel create/destroy build/demolish hire/fire,dismiss
    appoint/dismiss,remove join/leave love/hate like/dislike,unlike simple/complex day/night summer/winter
    morning/evening,night demand/supply asset/liability buyer/seller employer/employee landlord/tenant lender/borrower
    teacher/student parent/child guilty/innocent temporary/permanent local/remote,global manual/automatic
    fixed/variable domestic/foreign,international urban/rural gross/net hardware/software
    acid,acidic/base,basic,alkaline liquid/solid push/pull lock/unlock enable/disable add/remove,subtract
    multiply/divide ascend/descend front/back,rear present/absent odd/even single/multiple,married,double
    legal/illegal able/unable happy/sad moral/immoral correct,right/wrong true/false,fake real/fake alive,live/dead
    peace/war friend/enemy hero/villain victory/defeat win,won/lose,lost,loss success,successful,succeed/failure,fail
    wealth/poverty health/disease healthy/sick busy/idle brave/cowardly generous/stingy polite/rude
    optimistic/pessimistic optimism/pessimism benefit/harm,drawback pro/con improve/worsen,deteriorate better/worse
    best/worst good/bad,poor increase,rise,rose,risen/decrease,reduce,decline,fall,fell,fallen,drop
    grow,grew,grown,growth/shrink,shrank,decline,fall,fell,drop gain/lose,loss up/down above,over/below,under
    more/less,fewer most/least maximum/minimum max/min major/minor majority/minority first,initial/last,final
    begin,began,begun,start/end,finish,stop open,opened/close,closed accept/reject,refuse,decline pass/fail
    approve/reject,deny agree/disagree allow,permit/forbid,forbidden,prohibit,ban,prevent include/exclude contain/lack
    support/oppose confirm,admit/deny encourage/discourage mandatory,required,compulsory/optional,voluntary
    always/never often,frequently/rarely,seldom common/rare many/few all/none both/neither everyone/nobody
    with/without before/after positive/negative male/female man/woman men/women boy/girl father/mother son/daughter
    brother/sister husband/wife uncle/aunt king/queen prince/princess north/south northern/southern east/west
    eastern/western northeast/southwest northwest/southeast revenue/expense,cost,profit,loss profit/loss
    income/expense credit/debit deposit/withdraw,withdrawal surplus/deficit bull/bear inflation/deflation
    attack,offense/defend,defense victim/perpetrator plaintiff/defendant cause/prevent,cure,effect,result treat/cause
    remember/forget ask,question/answer give/take,receive send/receive teach/learn upstream/downstream
    inbound/outbound incoming/outgoing inner/outer interior/exterior ancient/modern natural/artificial
    organic/synthetic raw/cooked fresh/stale,frozen sweet/sour,bitter horizontal/vertical ceo/cfo,cto,coo,chairman
    chairman/treasurer,secretary author/editor producer/director,consumer wholesale/retail junior/senior
    inferior/superior quantity/quality
"""

_KOREAN_GRADED = """
    높/낮 크/작 많/적 길/짧 넓/좁 빠르/느리 무겁/가볍 강하/약하 두껍/얇 깊/얕 밝/어둡 덥/춥 뜨겁/차갑 가깝/멀 쉽/어렵
    비싸/싸 젊/늙 좋/나쁘
"""
"""Stems of adjectives, whose forms before a noun are made by `before_noun`."""

_KOREAN = """
    증가,상승/감소,하락 늘,늘어,늘었/줄,줄어,줄었 새로운/오래된,낡은 이상/이하,미만 초과/미만,이하 이전/이후 전/후
    앞/뒤 위/아래 왼쪽/오른쪽 안/밖 내부/외부 최대/최소 최고/최저 최초,처음,첫/최후,마지막 허용/금지 허가/금지,불허
    승인/거부,거절,반려 포함/제외 가능/불가,불가능 공개/비공개 공식/비공식 정상/비정상 정규/비정규 찬성/반대 동의/반대
    성공/실패 의무,필수/선택,자율 남성,남자/여성,여자 승리/패배 시작,개시/종료,끝 개장/폐장 개점/폐점 입학/졸업
    입사/퇴사 출발/도착 구매,구입/판매 매수/매도 수입/수출,지출 흑자/적자 이익/손실 매출/이익,손실,비용 공격/수비,방어
    아침/저녁 오전/오후 낮/밤 여름/겨울 봄/가을 동쪽/서쪽 남쪽/북쪽 동부/서부 남부/북부 아버지/어머니 아들/딸 형/동생
    남편/아내 확대/축소 강화/약화,완화 개선/악화 인상/인하 합법/불법 유료/무료 유리/불리 영구/임시 고정/변동
    국내/국외,해외 직접/간접 자동/수동 유효/무효 찬/반 생산/소비 수요/공급 채용/해고 임명/해임 설치/철거 연결/분리
    추가/삭제 열/닫,쉬 영업/휴업,휴무 불참/참석,참가 수락/거부,거절 받아들이/거부,거절,물리치,기각 통과/부결 가결/부결
    조용하/시끄럽 켜/끄 사/팔 들어가/나가 올라가/내려가 오르,올랐/내리,내렸 안전/위험 건강/질병 대표/이사,감사
    회장/사장 원인/결과 비싸/저렴
"""
"""Nouns and stems of verbs."""

_AFFIXES = {"un": 4, "non": 6, "il": 5, "ir": 5, "in": 6, "im": 6, "dis": 6}
"""Prefixes that negate a word with at least that many letters: `form` and `inform` are not opposites."""

_DOUBLED = re.compile("(?<![aeiou])[aeiou][^aeiouwxy]$")
_REGULAR = ("좁",)  # and not 조운
_NIEUN, _RIEUL, _PIEUP = "\u11ab", "\u11af", "\u11b8"  # final letters of a syllable


def _pairs(listed: str) -> Iterator[tuple[str, str]]:
    for entry in listed.split():
        left, _, right = entry.partition("/")
        yield from ((word, opposite) for word in left.split(",") for opposite in right.split(","))


def _degrees(adjective: str) -> tuple[str, str, str]:
    """Return an adjective with its comparative and its superlative: `big`, `bigger`, `biggest`."""
    root = adjective.removesuffix("e")
    if root.endswith("y"):
        root = f"{root[:-1]}i"
    elif _DOUBLED.search(adjective):
        root += root[-1]
    return adjective, f"{root}er", f"{root}est"


def before_noun(verb: str) -> str:
    """Return the form of a Korean stem before a noun: 크 and 큰, 길 and 긴, 무겁 and 무거운, 높 and 높은."""
    letters = unicodedata.normalize("NFD", verb)
    if letters.endswith(_PIEUP) and verb not in _REGULAR:
        return unicodedata.normalize("NFC", letters[:-1]) + "운"
    if letters.endswith(_RIEUL) or "\u1161" <= letters[-1] <= "\u1175":
        return unicodedata.normalize("NFC", letters.removesuffix(_RIEUL) + _NIEUN)
    return f"{verb}은"


KOREAN_GRADED = tuple(_pairs(_KOREAN_GRADED))
KOREAN_OPPOSED = (*KOREAN_GRADED, *_pairs(_KOREAN))


def _all_pairs() -> Iterator[tuple[str, str]]:
    for word, opposite in _pairs(_GRADED):
        yield from zip(_degrees(word), _degrees(opposite), strict=True)
    yield from _pairs(_OPPOSED)
    yield from KOREAN_OPPOSED
    for word, opposite in KOREAN_GRADED:
        yield before_noun(word), before_noun(opposite)


OPPOSITES = frozenset(pair for words in _all_pairs() if len(pair := frozenset(map(stem, words))) == 2)
"""Pairs of stems (`citewell_verify.text.words.stem`) that exclude each other in the same place of a sentence."""


def _by_stem() -> Mapping[str, Set[str]]:
    opposed: dict[str, set[str]] = defaultdict(set)
    for pair in OPPOSITES:
        left, right = pair
        opposed[left].add(right)
        opposed[right].add(left)
    return opposed


_OPPOSED_TO = _by_stem()


def opposites(claim: Set[str], source: Set[str]) -> tuple[str, str] | None:
    """Return opposite stems (of the claim, of the source) where neither text has both; else None."""
    only_claim, only_source = claim - source, source - claim
    for claimed in sorted(only_claim):
        for stated in sorted(_OPPOSED_TO.get(claimed, frozenset()) & only_source):
            return claimed, stated
    return next(_affixed(only_claim, only_source), None) or next(
        ((claimed, stated) for stated, claimed in _affixed(only_source, only_claim)), None
    )


def _affixed(plain: Set[str], others: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield words with opposites that have a negating affix: `valid` and `invalid`."""
    for word in sorted(plain):
        for affix, fewest in _AFFIXES.items():
            if len(word) >= fewest and affix + word in others:
                yield word, affix + word
