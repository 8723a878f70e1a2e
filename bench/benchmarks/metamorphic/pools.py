"""Names, numbers and dates to fill a fact sheet with."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random

from benchmarks.metamorphic.korean import with_particles

_FOLDER = Path(__file__).parent
_NUMBER_WORDS = "two three four five six seven eight nine".split()
_NATIVE_NUMBERS = "두 세 네 다섯 여섯 일곱 여덟 아홉".split()
_MONTHS = "January February March April June July August September October November December".split()


def drawn(pool: str, language: str, count: int, rng: Random) -> list[str]:
    """Return `count` different values of a pool. Raises KeyError for a pool that does not exist."""
    listed = _listed(language)
    if pool in listed:
        return rng.sample(listed[pool], count)
    if pool in _PAIRED:
        names = rng.sample(listed[_PAIRED[pool]], 2 * count)
        return [_both(names[2 * place], names[2 * place + 1], pool, language) for place in range(count)]
    values: dict[str, None] = {}
    while len(values) < count:
        values[_COMPUTED[pool](language, rng)] = None
    return list(values)


def capacity(pool: str, language: str) -> int:
    """Return how many different values of a pool can be drawn at once; 12 where they are computed."""
    if pool in _PAIRED:
        return len(_listed(language)[_PAIRED[pool]]) // 2
    return len(_listed(language).get(pool, range(12)))


class Words(dict[str, str]):
    """The words of one sheet: the same slot has the same word; `person2` is another person than `person`."""

    def __init__(self, language: str, rng: Random) -> None:
        super().__init__()
        self._language, self._rng = language, rng

    def __missing__(self, slot: str) -> str:
        pool = slot.rstrip("2")
        if pool in _TOGETHER:
            self.update(_TOGETHER[pool](self._language, self._rng, self))
        else:
            first, second = drawn(pool, self._language, 2, self._rng)
            self.update({pool: first, f"{pool}2": second})
        return self[slot]


@lru_cache(maxsize=2)
def _listed(language: str) -> dict[str, list[str]]:
    lines = (_FOLDER / f"words_{language}.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(": ", 1) for line in lines if line)
    return {name: [word.strip() for word in words.split(";")] for name, words in pairs}


_PAIRED = {"fruits": "fruit", "items": "item", "persons": "person"}


def _both(first: str, second: str, pool: str, language: str) -> str:
    if language == "ko":
        return with_particles(f"{first}과/와 {second}")
    return f"a {first} and a {second}" if pool == "items" else f"{first} and {second}"


def _money(language: str, rng: Random) -> str:
    amount = rng.choice((rng.randint(2, 99), rng.randint(100, 999)))
    if language == "ko":
        return rng.choice((f"{amount}억 원", f"{amount}만 원"))
    return rng.choice((f"${amount} million", f"{amount} million euros", f"${amount},000"))


def _date(language: str, rng: Random) -> str:
    year, month, day = rng.randint(1990, 2024), rng.randint(1, 11), rng.randint(1, 28)
    if language == "ko":
        return f"{year}년 {month}월 {day}일"
    return rng.choice((f"{day} {_MONTHS[month - 1]} {year}", f"{_MONTHS[month - 1]} {day}, {year}"))


def _clock(language: str, rng: Random) -> str:
    hour = rng.randint(1, 11)
    return f"{rng.choice(('오전', '오후'))} {hour}시" if language == "ko" else f"{hour} {rng.choice(('am', 'pm'))}"


def _quarter(language: str, rng: Random) -> str:
    quarter, year = rng.randint(1, 4), rng.randint(2018, 2024)
    return f"{year}년 {quarter}분기" if language == "ko" else f"Q{quarter} {year}"


_KOREAN_NOUNS = (
    "서비스 산업 코드 세포 기술 팀 방 시장 카드 센터 사업 망 모델 열차 검사 단말기 요금제 인증 장비 학과".split()
)
_ENGLISH_NOUNS = "services codes cells modems networks cards modules lines tests models".split()


def _mixture(language: str, rng: Random) -> str:
    """Return a word of capital letters and a digit with a common noun: "5G서비스", "QR코드", "B2-cells"."""
    letters = "".join(rng.choice("ABCDEFGHIKLMNPQRSTUVX") for _ in range(rng.randint(1, 4)))
    code = rng.choice((letters, letters, f"{rng.randint(2, 9)}{letters[0]}", f"{letters[:2]}{rng.randint(1, 9)}"))
    if language == "ko":
        return code + rng.choice(_KOREAN_NOUNS)
    return f"{code}{rng.choice(('-', ' '))}{rng.choice(_ENGLISH_NOUNS)}"


def _percentage(language: str, rng: Random) -> str:
    """Return a percentage that differs from all others of this pool even when rounded."""
    del language
    return rng.choice(
        (f"{rng.randint(1, 6)}0%", f"{rng.randint(1, 6)}5%", f"{rng.randint(1, 6)}{rng.choice('2378')}.3%")
    )


_COMPUTED: dict[str, Callable[[str, Random], str]] = {
    "year": lambda _, rng: str(rng.randint(1950, 2023)),
    "money": _money,
    "millions": lambda language, rng: str(rng.randint(1, 20) * (10 if language == "ko" else 1)),
    "count": lambda _, rng: str(rng.choice((rng.randint(10, 99), rng.randint(100, 900)))),
    "percent": _percentage,
    "letter": lambda _, rng: rng.choice("ABCDEFGHJKLMNPRST"),
    "small": lambda _, rng: str(rng.randint(1, 15)),
    "version": lambda _, rng: f"{rng.randint(1, 9)}.{rng.randint(0, 9)}",
    "quarter": _quarter,
    "mixture": _mixture,
    "date": _date,
    "clock": _clock,
    "hour": lambda _, rng: str(rng.randint(1, 11)),
}


def _percent(language: str, rng: Random, words: Words) -> dict[str, str]:
    del words
    first, second = drawn("percent", language, 2, rng)
    return {"percent": first, "percent2": second, "plain": first.removesuffix("%")}


def _digit(language: str, rng: Random, words: Words) -> dict[str, str]:
    del words
    number = rng.randint(2, 9)
    return {"digit": str(number), "word": (_NATIVE_NUMBERS if language == "ko" else _NUMBER_WORDS)[number - 2]}


def _count(language: str, rng: Random, words: Words) -> dict[str, str]:
    del words
    first, second = drawn("count", language, 2, rng)
    return {
        "count": first,
        "count2": second,
        "tenthousands": f"{int(first) * 10**4:,}",
        "hundredmillions": f"{int(first) * 10**8:,}",
    }


def _month_names(language: str, rng: Random, words: Words) -> dict[str, str]:
    del language, words
    month = rng.choice([name for name in _MONTHS if name not in ("May", "June", "July")])
    return {"long": month, "short": f"{month[:3]}."}


_TOGETHER: dict[str, Callable[[str, Random, Words], dict[str, str]]] = {
    "count": _count,
    "tenthousands": _count,
    "hundredmillions": _count,
    "percent": _percent,
    "plain": _percent,
    "digit": _digit,
    "word": _digit,
    "long": _month_names,
    "short": _month_names,
}
