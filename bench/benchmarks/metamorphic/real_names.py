"""Names in real texts: found by their form or in the marks of the planted passages, and exchanged for others."""

import re
from functools import cache
from random import Random

from benchmarks.metamorphic.cases import Text
from benchmarks.metamorphic.pools import drawn
from benchmarks.verdicts.planted_passages import facts, read_passages

_FULL_NAME = re.compile(r"\b[A-Z][a-z]{2,} [A-Z][a-z]{2,}\b(?![ -][A-Z]|'|-)")
_LOWER_BEFORE = re.compile(r"(?:^|\b[a-z]+,? )$")
_NO_NAMES = re.compile(
    r"^(?:The|In|On|At|After|Before|When|While|This|That|His|Her|Its|Their|For|From|As|By|If|Many|Most|All)\b"
)
COUNTRIES = """
    France Germany Spain Italy Poland Canada Mexico Brazil Argentina Japan China India Australia Russia Egypt Turkey
    Greece Portugal Sweden Norway Denmark Finland Ireland Austria Switzerland Belgium Hungary Israel Iran Iraq Pakistan
    Vietnam Thailand Indonesia Malaysia Philippines Kenya Nigeria Ethiopia Chile Peru Colombia Cuba Ukraine Romania
""".split()
CITIES = """
    Paris Berlin London Madrid Rome Vienna Moscow Tokyo Beijing Sydney Toronto Chicago Boston Seattle Philadelphia
    Detroit Houston Dallas Atlanta Miami Dublin Lisbon Prague Warsaw Budapest Stockholm Oslo Copenhagen Athens Istanbul
    Cairo Mumbai Delhi Shanghai Seoul Bangkok Manchester Liverpool Edinburgh Glasgow Melbourne Montreal Vancouver
""".split()
KOREAN_COUNTRIES = "미국 중국 일본 영국 프랑스 독일 러시아 이탈리아 스페인 캐나다 인도 호주 브라질 베트남 태국".split()
KOREAN_CITIES = "서울 부산 대구 인천 광주 대전 울산 수원 전주 제주 파리 런던 도쿄 오사카 베를린 로마 뉴욕".split()


@cache
def _marked(language: str) -> dict[str, list[str]]:
    """Return the names that are marked in the planted passages, by kind of name."""
    found: dict[str, dict[str, None]] = {}
    for passage in read_passages():
        for fact in (fact for sentence in passage.sentences for fact in facts(sentence, "polt")):
            if passage.language == language:
                found.setdefault(fact.kind, {})[fact.text] = None
    return {kind: list(names) for kind, names in found.items()}


def personal_names(sentence: str, language: str) -> list[str]:
    """Return the names in the sentence that can be recognised as such."""
    marked = [name for names in _marked(language).values() for name in names if len(name) > 2 and name in sentence]
    if language == "ko":
        places = [
            name
            for name in (*KOREAN_COUNTRIES, *KOREAN_CITIES)
            if re.search(rf"(?<![가-힣]){name}(?=[은는이가을를의에 ])", sentence)
        ]
        return list(dict.fromkeys([*marked, *places]))
    full = [
        match[0]
        for match in _FULL_NAME.finditer(sentence)
        if not _NO_NAMES.match(match[0]) and _LOWER_BEFORE.search(sentence[: match.start()])
    ]
    return list(dict.fromkeys([*marked, *full]))


def other_name(name: str, text: Text, rng: Random) -> str | None:
    """Return a name of the same kind, as far as that can be recognised, that the text does not have; None if there is
    none."""
    pools = [*_marked(text.language).values(), COUNTRIES, CITIES, KOREAN_COUNTRIES, KOREAN_CITIES]
    pool = next((names for names in pools if name in names), None) or drawn("person", text.language, 8, rng)
    absent = [other for other in pool if not _shares(other, text.text) and _ends_alike(other, name)]
    return rng.choice(absent) if absent else None


def _shares(name: str, text: str) -> bool:
    return any(part in text for part in name.split() if len(part) > 1)


def _ends_alike(one: str, other: str) -> bool:
    """Return whether the same particles fit both Korean names."""
    return _closed(one) == _closed(other)


def _closed(name: str) -> bool:
    return "가" <= name[-1] <= "힣" and (ord(name[-1]) - ord("가")) % 28 > 0
