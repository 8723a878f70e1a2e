"""Computes one key for all forms of a Korean verb: 쉰다 and 쉽니다, 샀다 and 구입하였습니다, 이끌고 and 이끈다.

Endings merge with the last syllable of the stem, so they are removed letter by letter.
"""

import re
import unicodedata

_LONGEST = 40


def _letters(pattern: str) -> str:
    """Return a pattern letter by letter; a lone final consonant (`ㄴ다`) becomes that of the syllable before."""
    for alone, final in (("ㅂ", "\u11b8"), ("ㄴ", "\u11ab"), ("ㄹ", "\u11af"), ("ㅆ", "\u11bb")):
        pattern = pattern.replace(alone, final)
    return unicodedata.normalize("NFD", pattern)


_ASSERTING = re.compile(_letters("(?<!보)(?:습니다|ㅂ니다|ㄴ다|는다|다)(?:고|는|며|면|지만)?$"))
_POLITE = re.compile(_letters("(?:(?:아|어|여)요|(?<=해)요)$"))
_JOINING = re.compile(_letters("(?:으며|면서|지만|으나|며|고)$"))
_MAYBE = re.compile(_letters("(?:을|ㄹ)지(?:도)?$"))
_MUST = re.compile(_letters("(?:(?:아|어|여)야(?:만)?|(?:(?<=해)|(?<=돼)|(?<=가))야(?:만)?)$"))
_ALLOWING = re.compile(_letters("(?:(?:아|어|여)도|(?:(?<=해)|(?<=돼)|(?<=가))도)$"))
_PLANNED = re.compile(_letters("(?:기로|(?:으)?려고?)$"))
_DENIED = re.compile(_letters("지(?:는|도)?$"))
_TENSE = re.compile(_letters("(?:았|었|겠|으시)$"))
_PAST = "\u11bb"
_PREDICATE = re.compile(_letters("(?:하|되|시키|당하|이|지|치|리|키|르|ㅆ|없|있|같|높|많|받|찾|맡)$"))
_LIGHT = re.compile(_letters("(?<=...)(?:시키|당하|하|되)$"))
_CONTRACTED = tuple(
    (re.compile(_letters(contracted) + "$"), _letters(plain))
    for contracted, plain in (
        ("해", "하"),
        ("돼", "되"),
        ("ㄹ(?:라|러)", "르"),
        ("써", "쓰"),
        ("커", "크"),
        ("꺼", "끄"),
        ("떠", "뜨"),
    )
)
_VOWELS = (("\u1167", "\u1175"), ("\u116a", "\u1169"), ("\u116f", "\u116e"))  # ㅕ ㅣ, ㅘ ㅗ, ㅝ ㅜ
_NEGATING = re.compile(r"\s?(?:않|못|말|마[라시])")
_DECIDING = re.compile(r"\s?(?:하|했|한|할|합|결정|약속|의결|확정)")
_PERMITTING = re.compile(r"\s?(?:된|됩|되|괜찮|좋)")
_GOING_ON = re.compile(r"\s?있")
_NOUNS = frozenset("바다 르완다 우간다 캐나다 그러다 보다".split())
_SAME = """
    증가 늘다 늘어나 불어나
    감소 줄다 줄어들
    상승 오르 올라가
    하락 내리 떨어지 내려가
    구입 구매 사다 매입 사들이 사들
    판매 팔다
    시작 개시
    종료 끝나 끝내 마치
    설립 창립 창설 세우
    건설 건립
    사망 숨지 죽다
    태어나 출생
    개최 열리
    즉시 바로 곧바로
    조금 좀
    직원 종업원 사원
    자동차 차량
    사용 이용
    지급 지불
    반환 환급 돌려주
    교체 바꾸
    수정 고치
    제거 없애
    운반 나르
    수상 상받
    참가 참여 참석
    함께 같이
    매년 해마다
    매일 날마다
    약 대략
"""


def verb_key(word: str, following: str = "") -> str:
    """Return the stem of a verb, or the noun of a verb in 하다 or 되다; empty if `word` has no verb ending.

    `following` is the text after the word: 지 before 않다, 고 before 있다 and 도 before 되다 are endings, too.
    """
    if len(word) > _LONGEST or word in _NOUNS:
        return ""
    letters = unicodedata.normalize("NFD", word)
    stem = _without_ending(letters, following)
    return _key(*_root(stem)) if stem else ""


def _without_ending(letters: str, following: str) -> str:
    endings = [_ASSERTING, _POLITE, _MAYBE, _MUST]
    endings += [_DENIED] if _NEGATING.match(following) else []
    endings += [_ALLOWING] if _PERMITTING.match(following) else []
    endings += [_PLANNED] if _DECIDING.match(following) else []
    endings += [_JOINING] if _GOING_ON.match(following) else []
    for ending in endings:
        if (match := ending.search(letters)) and match.start():
            return letters[: match.start()]
    joining = _JOINING.search(letters)
    stem = letters[: joining.start()] if joining else ""
    # Stems such as 이끌 and 만들 are long; a noun such as 출고 has one syllable before 고.
    is_long_in_rieul = stem.endswith("\u11af") and len(unicodedata.normalize("NFC", stem)) > 1
    return stem if _PREDICATE.search(stem) or is_long_in_rieul else ""


def _root(stem: str) -> tuple[str, bool]:
    """Return a stem without tense and contractions, and whether it is the noun of a verb in 하다 or 되다."""
    for _ in range(3):
        stem = _TENSE.sub("", stem)
    if stem.endswith(_letters("였")):
        shorter = stem[: -len(_letters("였"))]
        return _without_light_verb(shorter) if shorter else (stem, False)
    past = stem.endswith(_PAST) and not stem.endswith(_letters("있"))
    stem = stem[:-1] if past else stem
    stem = _uncontracted(stem, past=past)
    if stem.endswith(_letters("이")) and len(stem) > len(_letters("이")):
        return stem[: -len(_letters("이"))], False
    return _without_light_verb(stem)


def _without_light_verb(stem: str) -> tuple[str, bool]:
    noun = _LIGHT.sub("", stem)
    return noun, noun != stem


def _uncontracted(stem: str, *, past: bool) -> str:
    for contracted, plain in _CONTRACTED[: None if past else 2]:
        if contracted.search(stem):
            return contracted.sub(plain, stem)
    if past and stem:
        return next((stem[:-1] + plain for vowel, plain in _VOWELS if stem.endswith(vowel)), stem)
    return stem


def _key(stem: str, is_noun: bool) -> str:
    written = unicodedata.normalize("NFC", stem)
    dictionary = written if len(written) > 1 else f"{written}다"
    if same := SAME.get(dictionary):
        return same
    if is_noun:
        return written  # 출발하다 keeps the ㄹ that 만들다 loses
    shorter = unicodedata.normalize("NFC", stem.removesuffix("\u11af"))
    shorter = shorter if len(shorter) > 1 else f"{shorter}다"
    return SAME.get(shorter, shorter)


SAME = {word: line.split()[0] for line in _SAME.strip().splitlines() for word in line.split()}
"""Key → the key that represents it and its synonyms."""
