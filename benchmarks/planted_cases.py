"""Sentences with one planted error, and faithful ones in other words, made from annotated passages; seeded.

The passages mark every fact as `{kind:text}`, so that what is planted does not depend on what the domain can read:
`n` number, `q` amount with a unit or a scale, `d` date, `p` person, `o` organisation, `l` place, `t` product,
`x` `as written|its opposite`, `s` a part that can be left out.
"""

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

PASSAGES = Path(__file__).with_name("planted_passages.json")
ERRORS = ("number", "borrowed number", "unit", "scale", "date", "name", "negation", "swapped source")
CLEAN = ("verbatim", "shortened", "reformatted", "rounded", "marked up", "two facts", "particles", "spelled out")

_FACT = re.compile(r"\{([nqdpoltxs]):([^{}|]*)(?:\|([^{}]*))?\}")
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_NAMES = frozenset("polt")


@dataclass(frozen=True, slots=True)
class Case:
    """`claim` against `source`: faithful in the way `how` when `kind` is "clean", else with one error of that kind."""

    kind: str
    how: str
    language: str
    claim: str
    source: str
    seen: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """A marked place of a sentence; `opposite` only where it can be negated."""

    kind: str
    text: str
    opposite: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of the benchmark; `seen` while the rules were written, every second one was not."""

    language: str
    genre: str
    sentences: tuple[str, ...]
    seen: bool

    @property
    def text(self) -> str:
        """The passage as a source."""
        return " ".join(map(plain, self.sentences))


def plain(marked: str) -> str:
    """Return the sentence without its marks."""
    return _FACT.sub(lambda match: match[2], marked)


def facts(marked: str, kinds: str) -> list[Fact]:
    """Return the marked facts of these kinds in order."""
    return [
        Fact(match[1], match[2], match[3] or "", *match.span()) for match in _FACT.finditer(marked) if match[1] in kinds
    ]


def read_passages() -> list[Passage]:
    """Read the passages; those at even places were looked at while the rules were written."""
    rows = cast("list[dict[str, object]]", json.loads(PASSAGES.read_text(encoding="utf-8")))
    return [
        Passage(str(row["lang"]), str(row["genre"]), tuple(cast("list[str]", row["sentences"])), seen=place % 2 == 0)
        for place, row in enumerate(rows)
    ]


def all_cases(seed: int = 11) -> list[Case]:
    """Return every planted and every faithful case, the same for the same seed."""
    passages = read_passages()
    return [case for place in range(len(passages)) for case in _cases(passages, place, random.Random(seed + place))]


def _cases(passages: Sequence[Passage], place: int, rng: random.Random) -> Iterator[Case]:
    passage = passages[place]
    text = passage.text
    others = [each for each in passages if each.language == passage.language and each is not passage]
    for sentence in passage.sentences:
        for kind, how, claim in (*_errors(sentence, passage, others, rng), *_faithful(sentence, passage, rng)):
            yield Case(kind, how, passage.language, claim, text, passage.seen)
        yield Case("swapped source", "", passage.language, plain(sentence), rng.choice(others).text, passage.seen)


def _errors(
    sentence: str, passage: Passage, others: Sequence[Passage], rng: random.Random
) -> Iterator[tuple[str, str, str]]:
    makers: tuple[tuple[str, str, Callable[[Fact], str | None]], ...] = (
        ("number", "nq", lambda fact: other_number(fact.text, passage.text, rng)),
        ("borrowed number", "q", lambda fact: _borrowed(fact, passage, rng)),
        ("unit", "q", lambda fact: _swapped(fact.text, _UNITS, passage.language == "ko", rng)),
        ("scale", "nq", lambda fact: _swapped(fact.text, _SCALES, passage.language == "ko", rng)),
        ("date", "d", lambda fact: other_date(fact.text, passage.text, rng)),
        ("name", "polt", lambda fact: _other_name(fact, passage, others, rng)),
        ("negation", "x", lambda fact: fact.opposite),
    )
    for kind, marks, make in makers:
        for fact in facts(sentence, marks):
            if wrong := make(fact):
                yield kind, fact.kind, _with(sentence, fact, wrong)


def _with(sentence: str, fact: Fact, text: str) -> str:
    return plain(sentence[: fact.start] + text + sentence[fact.end :])


def other_number(text: str, source: str, rng: random.Random) -> str | None:
    """Return `text` with one of its numbers changed to a value that is nowhere in the source; None if it has none."""
    if spelled := next((word for word in _NUMERALS if re.search(rf"\b{word}\b", text)), None):
        wrong = rng.choice([word for word in _NUMERALS if word not in source.lower() and word != "one"])
        return text.replace(spelled, wrong)
    if native := next((word for word in _NATIVE if text.startswith(word)), None):
        return rng.choice([word for word in _NATIVE if word != native])
    runs = list(_DIGITS.finditer(text))
    if not runs:
        return None
    run = rng.choice(runs)
    return text[: run.start()] + _changed(run[0], source, rng) + text[run.end() :]


def _changed(digits: str, source: str, rng: random.Random) -> str:
    places = len(digits.partition(".")[2])
    known = {float(each.replace(",", "")) for each in _DIGITS.findall(source)}
    value = float(digits.replace(",", ""))
    wrong = value
    while wrong in known or wrong == value:
        wrong = round(wrong * rng.choice((0.4, 0.6, 0.75, 1.3, 1.7, 2.4)) + rng.choice((1, 2, 3)), places)
    return f"{wrong:,.{places}f}" if value >= 1000 or "," in digits else f"{wrong:.{places}f}"


def _borrowed(fact: Fact, passage: Passage, rng: random.Random) -> str | None:
    """Return another amount in the same unit from the same passage."""
    unit = _DIGITS.sub("#", fact.text)
    amounts = {each.text for sentence in passage.sentences for each in facts(sentence, "q")}
    alike = sorted(each for each in amounts - {fact.text} if _DIGITS.sub("#", each) == unit)
    return rng.choice(alike) if alike else None


_UNITS = (
    (r" percentage points$|%포인트$", ("%",)),
    (r"(?<=\d)%$", (" percentage points", "%포인트")),
    (r"^\$", ("€", "£")),
    (r"^[€£]", ("$",)),
    (r"\bkroner\b", ("dollars",)),
    (r"원$", ("달러",)),
    (r"\bkm$", ("miles",)),
    (r"(?<=\d)km$", ("마일", "m")),
    (r"\bdays$", ("weeks", "months", "hours")),
    (r"\bweeks$", ("days", "months")),
    (r"\bmonths$", ("weeks", "years")),
    (r"\byears$", ("months",)),
    (r"\bhours$", ("minutes", "days")),
    (r"\bminutes$", ("hours", "seconds")),
    (r"(?<=\d)일$", ("개월", "주")),
    (r"개월$", ("일", "년")),
    (r"(?<=\d)주$", ("일", "개월")),
    (r"(?<=\d)년$", ("개월",)),
    (r"시간$", ("분", "일")),
    (r"(?<=\d)분$", ("시간", "초")),
    (r"\bmetres$", ("feet", "km")),
    (r"미터$", ("킬로미터", "피트")),
    (r"\bmg$", ("g",)),
    (r"(?<=\d)mg$", ("g",)),
    (r"kg$", ("g", "mg")),
    (r"\btonnes$", ("kg",)),
    (r"톤$", ("킬로그램",)),
    (r"\bcm$", ("mm", "inches")),
    (r"(?<=\d)cm$", ("mm",)),
    (r"GB$", ("MB", "TB")),
    (r"MW$", ("kW",)),
    (r"kW$", ("MW",)),
    (r"°C$", ("°F",)),
)
_SCALES = (
    (r"\bmillion\b", ("billion", "thousand")),
    (r"\bbillion\b", ("million", "trillion")),
    (r"(?<=\d),000\b", (" million",)),
    (r"억", ("만", "조")),
    (r"만", ("억", "천")),
)
_NUMERALS = "two three four five six seven eight nine ten twelve".split()
_NATIVE = "두 세 네 다섯 여섯 일곱 여덟 아홉".split()
_MONTHS = "January February March April May June July August September October November December".split()


def _swapped(text: str, swaps: Iterable[tuple[str, tuple[str, ...]]], korean: bool, rng: random.Random) -> str | None:
    for pattern, names in swaps:
        if re.search(pattern, text):
            fitting = [name for name in names if korean == (re.search("[가-힣]", name) is not None)] or names
            return re.sub(pattern, rng.choice(fitting), text, count=1)
    return None


def other_date(text: str, source: str, rng: random.Random) -> str | None:
    """Return the date with its year, month or day changed to one that the source does not have."""
    parts = [*re.finditer(r"\b(?:1[4-9]|20)\d\d(?!\d)", text), *re.finditer(rf"\b(?:{'|'.join(_MONTHS)})\b", text)]
    parts += re.finditer(r"\b\d{1,2}(?=월|일| [A-Z])", text)
    if not parts:
        return None
    part = rng.choice(parts)
    for _ in range(50):
        wrong = text[: part.start()] + _other_part(part[0], rng) + text[part.end() :]
        if wrong not in source:
            return wrong
    return None


def _other_part(part: str, rng: random.Random) -> str:
    if part in _MONTHS:
        return rng.choice([month for month in _MONTHS if month != part])
    if len(part) == 4:
        return str(int(part) + rng.choice((-10, -3, -2, -1, 1, 2, 3, 10)))
    return str(rng.choice([number for number in range(1, 13) if number != int(part)]))


def _other_name(fact: Fact, passage: Passage, others: Sequence[Passage], rng: random.Random) -> str | None:
    pool = sorted(
        {each.text for other in others for sentence in other.sentences for each in facts(sentence, fact.kind)}
    )
    wrong = rng.choice([name for name in pool if name not in passage.text])
    first, _, last = fact.text.partition(" ")
    if fact.kind == "p" and last and rng.random() < 0.3:
        return f"{first} {wrong.split()[-1]}"
    return wrong


def _faithful(sentence: str, passage: Passage, rng: random.Random) -> Iterator[tuple[str, str, str]]:
    claims: dict[str, list[str]] = {
        "verbatim": [plain(sentence)],
        "shortened": [_with(sentence, fact, "") for fact in facts(sentence, "s")],
        "reformatted": [
            _with(sentence, fact, text) for fact in facts(sentence, "nqd") for text in _reformatted(fact.text)
        ],
        "rounded": [_with(sentence, fact, text) for fact in facts(sentence, "nq") for text in _rounded(fact.text)],
        "marked up": [_marked_up(sentence, rng)],
        "two facts": [_joined(sentence, passage, rng)],
        "particles": _with_other_particles(sentence, passage.language),
        "spelled out": [_with(sentence, fact, text) for fact in facts(sentence, "nq") for text in _spelled(fact.text)],
    }
    for how in CLEAN:
        for claim in claims[how]:
            yield "clean", how, claim


def _reformatted(text: str) -> list[str]:
    """Return the same amount or date in other forms."""
    forms = [*_date_forms(text), *_scale_forms(text)]
    if re.search(r"\d%$", text):
        forms.append(text.replace("%", " percent"))
    if re.search(r"\d{1,3},\d{3}", text):
        forms.append(text.replace(",", ""))
    if match := re.fullmatch(r"\$(\d[\d,.]*)( [mb]illion)?", text):
        forms.append(f"{match[1]}{match[2] or ''} dollars")
    return forms


def _scale_forms(text: str) -> list[str]:
    if match := re.fullmatch(r"(\D?)(\d+(?:\.\d+)?) billion", text):
        return [f"{match[1]}{float(match[2]) * 1000:,.0f} million", f"{match[1]}{float(match[2]):g}bn"]
    if match := re.fullmatch(r"(\D?)(\d+(?:\.\d+)?) million", text):
        return [f"{match[1]}{float(match[2]) * 1e6:,.0f}"]
    if match := re.fullmatch(r"(\d[\d,]*)억 원", text):
        return [f"{int(match[1].replace(',', '')) * 10**8:,}원"]
    if match := re.fullmatch(r"(\d[\d,]*)만( 원)?", text):
        return [f"{int(match[1].replace(',', '')) * 10**4:,}{(match[2] or '').strip()}"]
    return []


def _date_forms(text: str) -> list[str]:
    if match := re.fullmatch(rf"(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})", text):
        day, month, year = int(match[1]), _month(match[2]), match[3]
        return [f"{year}-{month:02}-{day:02}", f"{match[2]} {day}, {year}", f"{year}년 {month}월 {day}일"]
    if match := re.fullmatch(r"(\d{4})년 (\d{1,2})월 (\d{1,2})일", text):
        year, month, day = match[1], int(match[2]), int(match[3])
        return [f"{year}-{month:02}-{day:02}", f"{year}. {month}. {day}.", f"{day} {_MONTHS[month - 1]} {year}"]
    return []


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month == name)


def _rounded(text: str) -> list[str]:
    """Return "about" a figure with one digit less, where that is at most 3 % off."""
    run = _DIGITS.search(text)
    if run is None or len(re.sub(r"\D", "", run[0])) < 3 or run.start() > 1:
        return []
    value = float(run[0].replace(",", ""))
    figure = float(f"{value:.2g}")
    about = "약 " if re.search("[가-힣]", text) else "about "
    shown = f"{figure:,.0f}" if figure >= 100 else f"{figure:g}"
    return [about + text[: run.start()] + shown + text[run.end() :]] if abs(figure / value - 1) <= 0.03 else []


def _marked_up(sentence: str, rng: random.Random) -> str:
    marked = _FACT.sub(lambda match: f"**{match[2]}**" if match[1] in "nqdpolt" else match[2], sentence)
    return rng.choice((f"- {marked}", f"1. {plain(sentence)} [1]", f"{marked} [†2]"))


def _joined(sentence: str, passage: Passage, rng: random.Random) -> str:
    other = rng.choice([each for each in passage.sentences if each != sentence])
    both = [plain(sentence), plain(other)]
    return f"{both[0].rstrip('.')}; {both[1]}" if passage.language == "en" else " ".join(both)


def _with_other_particles(sentence: str, language: str) -> list[str]:
    """Return Korean sentences with another particle behind a name or an amount: 은 → 이, 는 → 가, 을 → 은."""
    swaps = {"은": "이", "는": "가", "이": "은", "가": "는", "을": "은", "를": "는"}
    return [
        _with(sentence, Fact("", "", "", fact.start, fact.end + 1), fact.text + swaps[sentence[fact.end]])
        for fact in (facts(sentence, "nqpolt") if language == "ko" else [])
        if sentence[fact.end] in swaps and sentence[fact.end + 1 : fact.end + 2] == " "
    ]


def _spelled(text: str) -> list[str]:
    words = dict(zip(map(str, (*range(2, 11), 12)), _NUMERALS, strict=True))
    native = dict(zip(map(str, range(2, 10)), _NATIVE, strict=True))
    if match := re.fullmatch(r"(\d+)( [a-z]+)?", text):
        return [words[match[1]] + (match[2] or "")] if match[1] in words else []
    if match := re.fullmatch(r"(\d+)(시간)", text):
        return [f"{native[match[1]]} {match[2]}"] if match[1] in native else []
    if (word := text.split()[0]) in _NUMERALS:
        return [text.replace(word, {spelled: digit for digit, spelled in words.items()}[word])]
    return []


def data_cases(folder: Path, seed: int = 11) -> list[Case]:
    """Return cases from the supported pairs of every `*.jsonl` in `folder`: facts found by simple patterns."""
    rng = random.Random(seed)
    rows = [
        cast("dict[str, object]", json.loads(line))
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    supported = [row for row in rows if row["label"] == 1]
    names = sorted({match[0] for row in supported for match in _TWO_WORDS.finditer(str(row["claim"]))})
    return [case for row in supported for case in _data_cases(row, supported, names, rng)]


_YEAR = re.compile(r"\b(?:1[4-9]|20)\d\d(?!\d)")
_FIGURE = re.compile(r"(?<![\w.,/†\[-])(?!(?:1[4-9]|20)\d\d(?!\d))\d[\d,]*(?:\.\d+)?(?![\d\]†])")
_TWO_WORDS = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,} [A-Z][a-z]{2,}\b")


def _data_cases(
    row: dict[str, object], rows: Sequence[dict[str, object]], names: Sequence[str], rng: random.Random
) -> Iterator[Case]:
    claim, source, language = str(row["claim"]), str(row["source"]), str(row["lang"])
    yield Case("clean", str(row["dataset"]), language, claim, source, seen=True)
    yield Case("swapped source", "", language, claim, str(rng.choice(rows)["source"]), seen=True)
    makers: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
        ("number", _FIGURE, lambda text: _changed(text, source, rng)),
        ("date", _YEAR, lambda text: _other_part(text, rng)),
        ("name", _TWO_WORDS, lambda _: rng.choice(names)),
    )
    for kind, pattern, change in makers:
        match = pattern.search(claim)
        if match and match[0] in source and (wrong := change(match[0])) not in source:
            yield Case(kind, "", language, claim[: match.start()] + wrong + claim[match.end() :], source, seen=True)
