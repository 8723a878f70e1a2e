"""Finds quantities: numbers with their units."""

from dataclasses import dataclass
from typing import Literal

SCALES = {
    name: scale
    for scale, names in (
        (12.0, "dozen"),
        (1e2, "hundred 백"),
        (1e3, "thousand k 천"),
        (1e4, "만"),
        (1e5, "십만"),
        (1e6, "million mn m 백만"),
        (1e7, "천만"),
        (1e8, "억"),
        (1e9, "billion bn b 십억"),
        (1e10, "백억"),
        (1e11, "천억"),
        (1e12, "trillion tn 조"),
    )
    for name in names.split()
}
"""The factor of a scale word; `k`, `m` and `b` count only directly after a digit."""

UNITS = {
    name: (dimension, factor)
    for dimension, factor, names in (
        ("percent", 1.0, "% ％ percent 퍼센트 프로"),
        ("percentage points", 1.0, "pp %p %포인트 percentagepoint percentagepoints 퍼센트포인트"),
        ("usd", 1.0, "us$ $ usd dollar dollars 달러"),
        ("eur", 1.0, "€ eur euro euros 유로"),
        ("gbp", 1.0, "£ gbp 파운드"),
        ("krw", 1.0, "₩ krw 원"),
        ("jpy", 1.0, "¥ jpy yen 엔"),
        ("cny", 1.0, "cny rmb yuan renminbi 위안"),
        ("inr", 1.0, "inr rupee rupees 루피"),
        ("rub", 1.0, "rub rouble roubles ruble rubles 루블"),
        ("mxn", 1.0, "peso pesos 페소"),
        ("chf", 1.0, "chf francs 프랑"),
        ("time", 1.0, "second seconds 초"),
        ("time", 60.0, "minute minutes 분"),
        ("time", 3600.0, "hour hours 시간"),
        ("time", 86_400.0, "day days 일"),
        ("time", 604_800.0, "week weeks 주"),
        ("months", 1.0, "month months 개월 달"),
        ("months", 12.0, "year years 년"),
        ("months", 120.0, "decade decades"),
        ("length", 0.001, "mm ㎜ millimeters millimetres 밀리미터"),
        ("length", 0.01, "cm ㎝ centimeters centimetres 센티미터"),
        ("length", 1.0, "m meter metre meters metres 미터"),
        ("length", 1000.0, "km ㎞ kilometer kilometre kilometers kilometres 킬로미터"),
        ("length", 1609.344, "mile miles 마일"),
        ("length", 0.3048, "foot feet ft 피트"),
        ("length", 0.0254, "inch inches 인치"),
        ("mass", 0.000_001, "mg ㎎ milligram milligrams 밀리그램"),
        ("mass", 0.001, "g gram grams 그램"),
        ("mass", 1.0, "kg ㎏ kilogram kilograms 킬로그램"),
        ("mass", 1000.0, "ton tons tonne tonnes 톤"),
        ("mass", 1e6, "kt kiloton kilotons kilotonne kilotonnes"),
        ("mass", 1e9, "mt megaton megatons megatonne megatonnes"),
        ("mass", 1e12, "gt gigaton gigatons gigatonne gigatonnes"),
        ("mass", 0.453592, "lb lbs"),
        ("volume", 0.001, "ml milliliter milliliters millilitre millilitres 밀리리터"),
        ("volume", 1.0, "l liter liters litre litres 리터"),
        ("volume", 3.78541, "gallon gallons 갤런"),
        ("barrels", 1.0, "barrel barrels bbl bbls 배럴"),
        ("barrels a day", 1.0, "barreladay barrelperday barrel/day barrel/d barrelsaday barrelsperday barrels/day"),
        ("barrels a day", 1.0, "barrels/d bbladay bblperday bbl/day bblsaday bblsperday bbls/day bbls/d"),
        ("barrels a day", 1.0, "b/d bpd bbl/d bblpd boe/d boepd"),
        ("barrels a day", 1e3, "kb/d kbpd kbbl/d kbblpd kboe/d kboepd"),
        ("barrels a day", 1e6, "mb/d mbpd mbbl/d mbblpd mboe/d mboepd mmb/d mmbpd mmbbl/d mmbblpd mmboe/d mmboepd"),
        ("area", 1.0, "㎡ 제곱미터"),
        ("area", 3.305785, "평"),
        ("area", 10_000.0, "hectare hectares 헥타르"),
        ("area", 4046.86, "acre acres 에이커"),
        ("power", 1e3, "kw kilowatt kilowatts 킬로와트"),
        ("power", 1e6, "mw megawatt megawatts 메가와트"),
        ("power", 1e9, "gw gigawatt gigawatts 기가와트"),
        ("energy", 1.0, "kwh kilowatt-hour kilowatt-hours 킬로와트시"),
        ("energy", 1e3, "mwh megawatt-hour megawatt-hours 메가와트시"),
        ("energy", 1e6, "gwh gigawatt-hour gigawatt-hours 기가와트시"),
        ("energy", 1e9, "twh terawatt-hour terawatt-hours 테라와트시"),
        ("data", 1e3, "kb kilobyte kilobytes 킬로바이트"),
        ("data", 1e6, "mb megabyte megabytes 메가바이트"),
        ("data", 1e9, "gb gigabyte gigabytes 기가바이트"),
        ("data", 1e12, "tb terabyte terabytes 테라바이트"),
        ("celsius", 1.0, "°c ℃ 도"),
        ("fahrenheit", 1.0, "°f ℉"),
        ("speed", 1.0, "km/h kph"),
        ("speed", 1.609344, "mph"),
        ("pressure", 1.0, "bar"),
        ("pressure", 0.0689476, "psi"),
        ("frequency", 1.0, "hz 헤르츠"),
        ("frequency", 1e3, "khz 킬로헤르츠"),
        ("frequency", 1e6, "mhz 메가헤르츠"),
        ("frequency", 1e9, "ghz 기가헤르츠"),
    )
    for name in names.split()
}
"""Unit name → (dimension, number of the dimension's base units). Units convert only within one dimension."""


def _numbered(names: str, start: int = 1, step: int = 1) -> dict[str, float]:
    return {name: float(start + place * step) for place, name in enumerate(names.split())}


NUMERALS = {
    **_numbered("zero one two three four five six seven eight nine ten eleven twelve thirteen", start=0),
    **_numbered("fourteen fifteen sixteen seventeen eighteen nineteen", start=14),
    **_numbered("twenty thirty forty fifty sixty seventy eighty ninety", start=20, step=10),
}
_KOREAN_TENS = _numbered("열 스물 서른 마흔 쉰 예순 일흔 여든 아흔", start=10, step=10)
_KOREAN_ONES = _numbered("한 두 세 네 다섯 여섯 일곱 여덟 아홉")
KOREAN_NUMERALS = {
    **_KOREAN_ONES,
    **_KOREAN_TENS,
    **{f"{ten}{digit}": tens + ones for ten, tens in _KOREAN_TENS.items() for digit, ones in _KOREAN_ONES.items()},
    "스무": 20.0,
    "석": 3.0,
    "넉": 4.0,
    "반": 0.5,
}
SINO_DIGITS = _numbered("일 이 삼 사 오 육 칠 팔 구")
SINO_PLACES = {"십": 10.0, "백": 100.0, "천": 1000.0}
ORDINALS = {
    **_numbered("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"),
    **_numbered("fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth", start=14),
    **_numbered("첫 둘째 셋째 넷째 다섯째"),
}
UNMISTAKABLE_NUMERALS = frozenset(numeral for numeral in KOREAN_NUMERALS if len(numeral) > 1)
"""Korean numerals that are no other word; `한`, `열` and `쉰` may be verbs and nouns."""
COUNTERS = {
    name: names.split()[0]
    for names in (
        "명 사람 인 분",
        "번 회 차례",
        "살 세",
        "곳 군데",
        "가지 종 종류",
        "장 매",
        "알 정",
        "잔 컵",
        "숟갈 숟가락 스푼 큰술 작은술",
        *"""
            개 마리 대 권 병 척 채 그루 표 점 건 편 곡 배 쪽 달 해 시간 송이 켤레 자루 인분 벌 통 필 포기 톨
            봉지 상자 그릇 모금 쌍 짝 끼 층 칸 바퀴 걸음 단 다발 방울 조각 마디 줄 판 꼬치
        """.split(),
    )
    for name in names.split()
}
"""Korean counter → the counter that represents it and its synonyms. Some numerals are numbers only before a counter."""
PIECES = frozenset("개 대 권 곳 척 채 그루 점 건 자루 송이 알 장 통 상자 병 가지 벌 포기".split())
"""Counters of things; all of these things may also be counted with `개`."""
JOINED_COUNTERS = tuple("명 개 번 살 마리 잔 권 달 가지 곳 시간 사람 배 병 채 장 알".split())
"""Counters that are also written directly behind a numeral: `두명`; `세대`, in contrast, is no number."""

_LOOKALIKES = str.maketrans("ıİſ\u212a", "iIsK")


def latin_letters(text: str) -> str:
    """Replace the four letters that a case-insensitive pattern takes for Latin letters."""
    return text.translate(_LOOKALIKES)


CURRENCIES = frozenset("usd eur gbp krw jpy cny inr rub mxn chf".split())
"""The dimensions that are money: amounts in different currencies are not compared."""


Bound = Literal["exactly", "about", "over", "under", "several", "multiples"]

_ROUNDING = 0.02
_ABOUT = 0.06
_WITHIN = 2.0  # "more than 5" may describe 7, hardly 70
_FAR_BELOW = 10.0  # "less than a million" may describe much less
_FEWEST_OF = 2.0  # "several hundred" and "hundreds of" mean at least this many hundreds,
_MOST_OF = {"several": 10.0, "multiples": 100.0}  # and fewer than these


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity: `text`, at `start` of the whole text, states `value` (scale applied) of `unit` ('' if unknown).

    `step` is the value of the last digit as written; `scaled`: it has its own scale word; `weak`: a small number in
    words, as in "the two brothers"; `nouns` are the stems of the two words that follow it.
    """

    value: float
    step: float
    unit: str
    bound: Bound
    scaled: bool
    weak: bool
    nouns: frozenset[str]
    start: int
    text: str

    @property
    def dimension(self) -> str:
        return UNITS[self.unit][0] if self.unit else ""


def same_dimension(claim: Quantity, source: Quantity) -> bool:
    return not claim.unit or not source.unit or claim.dimension == source.dimension


def agrees(claim: Quantity, source: Quantity, plain_scale: float = 1.0) -> bool:
    """Say whether `source` states the value of `claim`: equal, rounded, converted or within "more than".

    `plain_scale` is the `table_scale` of the source's text. The dimension is not compared: see `same_dimension`.
    """
    return states(claim, source, plain_scale) or within(claim, source)


def states(claim: Quantity, source: Quantity, plain_scale: float = 1.0) -> bool:
    plain = converted(claim, source)
    values = {plain} if source.scaled else {plain, plain * plain_scale}
    if source.bound in _MOST_OF:
        return source.bound == claim.bound and source.value == claim.value
    if most := _MOST_OF.get(claim.bound):
        return any(_FEWEST_OF * claim.value <= value < most * claim.value for value in values)
    return any(_rounds_to(value, claim) for value in values)


def within(claim: Quantity, source: Quantity) -> bool:
    """Return whether `claim` is a limit such as "more than 5" that `source` satisfies: 7 does, "more than 7" does
    not.
    """
    same_unit = claim.unit != "" and claim.dimension == source.dimension
    if source.bound == claim.bound or not (same_unit or claim.nouns & source.nouns):
        return False
    return is_within(claim, converted(claim, source))


def is_within(claim: Quantity, value: float) -> bool:
    """Return whether a value, in the unit of `claim`, satisfies the limit in `claim` and is not too far from it."""
    if claim.bound == "over":
        return claim.value < value <= _WITHIN * claim.value
    return claim.bound == "under" and value < claim.value <= _FAR_BELOW * value


def agreement_range(claim: Quantity) -> tuple[float, float]:
    least = claim.value / (_FAR_BELOW if claim.bound == "under" else 1 + _ABOUT)
    return least, claim.value * (_WITHIN if claim.bound == "over" else _MOST_OF.get(claim.bound, 1 / (1 - _ABOUT)))


def tolerance(claim: Quantity) -> float:
    """Return the tolerance, in the unit of `claim`, within which a value still `states` it."""
    if most := _MOST_OF.get(claim.bound):
        return claim.value * most
    if claim.bound == "about":
        return claim.value * (1 / (1 - _ABOUT) - 1)
    return min(claim.step / 2, claim.value * (1 / (1 - _ROUNDING) - 1))


def converted(claim: Quantity, source: Quantity) -> float:
    """Return the value of `source` in the unit of `claim`, or unchanged if it cannot be converted."""
    if claim.unit and source.unit and claim.dimension == source.dimension:
        return source.value * (UNITS[source.unit][1] / UNITS[claim.unit][1])
    return source.value


def _rounds_to(exact: float, claim: Quantity) -> bool:
    """True if the `exact` figure rounds to the claimed one in its last digit and by at most 2 %; "about" allows 6 %."""
    off = abs(exact - claim.value)
    if exact == claim.value or off <= 1e-9 * max(exact, claim.value):
        return True
    # A limit is exact: "within 31 days" is not "within 30 days".
    if claim.bound == "about" and off <= _ABOUT * exact:
        return True
    return off <= claim.step / 2 and off <= _ROUNDING * exact
