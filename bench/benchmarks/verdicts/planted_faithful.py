"""Faithful sentences in other words, which a judge must not call wrong."""

import random
import re
from collections.abc import Iterator

from benchmarks.verdicts.planted_passages import (
    DIGITS,
    MONTHS,
    NATIVE,
    NUMERALS,
    Fact,
    Passage,
    facts,
    marked_up,
    plain,
    with_fact,
)

CLEAN = ("verbatim", "shortened", "reformatted", "rounded", "marked up", "two facts", "particles", "spelled out")


def faithful(sentence: str, passage: Passage, rng: random.Random) -> Iterator[tuple[str, str, str]]:
    claims: dict[str, list[str]] = {
        "verbatim": [plain(sentence)],
        "shortened": [with_fact(sentence, fact, "") for fact in facts(sentence, "s")],
        "reformatted": [
            with_fact(sentence, fact, text) for fact in facts(sentence, "nqd") for text in _reformatted(fact.text)
        ],
        "rounded": [with_fact(sentence, fact, text) for fact in facts(sentence, "nq") for text in _rounded(fact.text)],
        "marked up": [marked_up(sentence, rng)],
        "two facts": [_joined(sentence, passage, rng)],
        "particles": _with_other_particles(sentence, passage.language),
        "spelled out": [
            with_fact(sentence, fact, text) for fact in facts(sentence, "nq") for text in _spelled(fact.text)
        ],
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
    if match := re.fullmatch(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})", text):
        day, month, year = int(match[1]), _month(match[2]), match[3]
        return [f"{year}-{month:02}-{day:02}", f"{match[2]} {day}, {year}", f"{year}년 {month}월 {day}일"]
    if match := re.fullmatch(r"(\d{4})년 (\d{1,2})월 (\d{1,2})일", text):
        year, month, day = match[1], int(match[2]), int(match[3])
        return [f"{year}-{month:02}-{day:02}", f"{year}. {month}. {day}.", f"{day} {MONTHS[month - 1]} {year}"]
    return []


def _month(name: str) -> int:
    return next(number for number, month in enumerate(MONTHS, start=1) if month == name)


def _rounded(text: str) -> list[str]:
    """Return "about" a figure with one digit less, where that is at most 3 % off."""
    run = DIGITS.search(text)
    if run is None or len(re.sub(r"\D", "", run[0])) < 3 or run.start() > 1:
        return []
    value = float(run[0].replace(",", ""))
    figure = float(f"{value:.2g}")
    about = "약 " if re.search("[가-힣]", text) else "about "
    shown = f"{figure:,.0f}" if figure >= 100 else f"{figure:g}"
    return [about + text[: run.start()] + shown + text[run.end() :]] if abs(figure / value - 1) <= 0.03 else []


def _joined(sentence: str, passage: Passage, rng: random.Random) -> str:
    other = rng.choice([each for each in passage.sentences if each != sentence])
    both = [plain(sentence), plain(other)]
    return f"{both[0].rstrip('.')}; {both[1]}" if passage.language == "en" else " ".join(both)


def _with_other_particles(sentence: str, language: str) -> list[str]:
    """Return Korean sentences with another particle after a name or an amount: 은 → 이, 는 → 가, 을 → 은."""
    swaps = {"은": "이", "는": "가", "이": "은", "가": "는", "을": "은", "를": "는"}
    return [
        with_fact(sentence, Fact("", "", "", fact.start, fact.end + 1), fact.text + swaps[sentence[fact.end]])
        for fact in (facts(sentence, "nqpolt") if language == "ko" else [])
        if sentence[fact.end] in swaps and sentence[fact.end + 1 : fact.end + 2] == " "
    ]


def _spelled(text: str) -> list[str]:
    words = dict(zip(map(str, (*range(2, 11), 12)), NUMERALS, strict=True))
    native = dict(zip(map(str, range(2, 10)), NATIVE, strict=True))
    if match := re.fullmatch(r"(\d+)( [a-z]+)?", text):
        return [words[match[1]] + (match[2] or "")] if match[1] in words else []
    if match := re.fullmatch(r"(\d+)(시간)", text):
        return [f"{native[match[1]]} {match[2]}"] if match[1] in native else []
    if (word := text.split()[0]) in NUMERALS:
        return [text.replace(word, {spelled: digit for digit, spelled in words.items()}[word])]
    return []
