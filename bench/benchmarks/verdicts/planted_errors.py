"""Sentences with one planted error, which a judge must find."""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from benchmarks.verdicts.planted_passages import DIGITS, MONTHS, NATIVE, NUMERALS, Fact, Passage, facts, with_fact

ERRORS = ("number", "borrowed number", "unit", "scale", "date", "name", "negation", "swapped source")


def errors(
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
                yield kind, fact.kind, with_fact(sentence, fact, wrong)


def other_number(text: str, source: str, rng: random.Random) -> str | None:
    """Return `text` with one of its numbers changed to a value that the source does not have; None if it has no
    number."""
    if spelled := next((word for word in NUMERALS if re.search(rf"\b{word}\b", text)), None):
        wrong = rng.choice([word for word in NUMERALS if word not in source.lower() and word != "one"])
        return text.replace(spelled, wrong)
    if native := next((word for word in NATIVE if text.startswith(word)), None):
        return rng.choice([word for word in NATIVE if word != native])
    runs = list(DIGITS.finditer(text))
    if not runs:
        return None
    run = rng.choice(runs)
    return text[: run.start()] + changed_number(run[0], source, rng) + text[run.end() :]


def changed_number(digits: str, source: str, rng: random.Random) -> str:
    places = len(digits.partition(".")[2])
    known = {float(each.replace(",", "")) for each in DIGITS.findall(source)}
    value = float(digits.replace(",", ""))
    wrong = value
    while wrong in known or wrong == value:
        wrong = round(wrong * rng.choice((0.4, 0.6, 0.75, 1.3, 1.7, 2.4)) + rng.choice((1, 2, 3)), places)
    return f"{wrong:,.{places}f}" if value >= 1000 or "," in digits else f"{wrong:.{places}f}"


def _borrowed(fact: Fact, passage: Passage, rng: random.Random) -> str | None:
    """Return another amount in the same unit from the same passage."""
    unit = DIGITS.sub("#", fact.text)
    amounts = {each.text for sentence in passage.sentences for each in facts(sentence, "q")}
    alike = sorted(each for each in amounts - {fact.text} if DIGITS.sub("#", each) == unit)
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


def _swapped(text: str, swaps: Iterable[tuple[str, tuple[str, ...]]], korean: bool, rng: random.Random) -> str | None:
    for pattern, names in swaps:
        if re.search(pattern, text):
            fitting = [name for name in names if korean == (re.search("[가-힣]", name) is not None)] or names
            return re.sub(pattern, rng.choice(fitting), text, count=1)
    return None


def other_date(text: str, source: str, rng: random.Random) -> str | None:
    """Return the date with its year, month or day changed to one that the source does not have."""
    parts = [*re.finditer(r"\b(?:1[4-9]|20)\d\d(?!\d)", text), *re.finditer(rf"\b(?:{'|'.join(MONTHS)})\b", text)]
    parts += re.finditer(r"\b\d{1,2}(?=월|일| [A-Z])", text)
    if not parts:
        return None
    part = rng.choice(parts)
    for _ in range(50):
        wrong = text[: part.start()] + other_part(part[0], rng) + text[part.end() :]
        if wrong not in source:
            return wrong
    return None


def other_part(part: str, rng: random.Random) -> str:
    if part in MONTHS:
        return rng.choice([month for month in MONTHS if month != part])
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
