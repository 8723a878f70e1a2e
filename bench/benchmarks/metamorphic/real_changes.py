"""Sentences of real texts with a single change, and sources with a single change beside the original sentence."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from random import Random

from benchmarks.metamorphic import grammar
from benchmarks.metamorphic.cases import Case, Maker, Text, wrong
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.pools import drawn
from benchmarks.metamorphic.real_names import other_name, personal_names
from benchmarks.metamorphic.real_verbatim import stating_sentences
from benchmarks.metamorphic.rules import Rules, opposites, phrases, rules
from benchmarks.verdicts.planted_errors import changed_number

Change = Callable[[str, Text, Random], Iterator[str]]
"""A function that yields the changed forms of a sentence of the text."""

_BY_RULES = ("sign", "unit", "currency", "half of the day", "quantifier", "comparative")
_YEAR = re.compile(r"(?<![\d.,$€£-])(?:1[5-9]|20)\d\d(?![\d,%-]|\.\d)")
_MONTH = re.compile(r"\b(?:January|February|March|April|June|July|August|September|October|November|December)\b")
_MONTHS = _MONTH.pattern[5:-3].split("|")
_NUMBER = {
    "en": re.compile(r"(?<![\w.,$€£:/+\-−–[(])(?!(?:1[4-9]|20)\d\d\b)\d+(?:,\d{3})*(?:\.\d+)?(?![\w\])]|[.,:/\-–]\d)"),
    "ko": re.compile(
        r"(?<![\w.,:/+\-−–~])\d[\d,]*(?:\.\d+)?(?=명|개|곳|대|건|회|번|%|원|만|억|톤|도|점|쪽|권|세|살|년간|시간|분|초|km|kg)"
    ),
}
_KOREAN_DATE = re.compile(r"(?<![\d.])(\d{1,4})(?=년(?!간|도|대| 동안| 만에| 이상)|월)")


def changed(kind: str) -> Maker:
    """Return a function that makes cases of a changed `kind`, such as "number", from a text."""

    def maker(text: Text, rng: Random) -> Iterator[Case]:
        for sentence in stating_sentences(text):
            for statement in _changes(kind, text.language)(sentence, text, rng):
                if statement != sentence and statement not in text.text:
                    yield wrong(f"change: {kind}", text.language, statement, text.text)
        if kind == "modality":
            yield from _doubted(text, rng)

    return maker


@cache
def _changes(kind: str, language: str) -> Change:
    if kind in _BY_RULES:
        return _by_rules(rules(language, kind), language)
    return _CHANGES[language].get(kind, _nothing)


def _nothing(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    del sentence, text, rng
    return iter(())


def _by_rules(replacements: Rules, language: str) -> Change:
    """Apply each rule at each place where it fits; in English only to whole words, whatever their first letter."""
    fitted = ((_whole(pattern) if language == "en" else pattern, new) for pattern, new in replacements)
    compiled = [(re.compile(pattern, re.IGNORECASE), new) for pattern, new in fitted]

    def change(sentence: str, text: Text, rng: Random) -> Iterator[str]:
        del text, rng
        for pattern, new in compiled:
            for match in pattern.finditer(sentence):
                inserted = match.expand(new)
                if match[0][:1].isupper() and new[:1].islower():
                    inserted = inserted[0].upper() + inserted[1:]
                yield with_particles(sentence[: match.start()] + inserted + sentence[match.end() :])

    return change


def _whole(pattern: str) -> str:
    before = r"\b" if pattern[0].isalpha() else ""
    return before + pattern + (r"\b" if pattern[-1].isalpha() else "")


def _by_pairs(section: str, language: str) -> Change:
    """Exchange a word for its opposite, where the sentence does not have both."""
    pairs = opposites(language, section)

    def change(sentence: str, text: Text, rng: Random) -> Iterator[str]:
        del text, rng
        for one, other in pairs:
            found, opposite = (_word(each, language).search(sentence) for each in (one, other))
            if bool(found) != bool(opposite):
                match, new = (found, other) if found else (opposite, one)
                if match and not re.search(r"(?:\bnot|n't|\bas|\bmore|\bless) $", sentence[: match.start()]):
                    yield sentence[: match.start()] + new + sentence[match.end() :]

    return change


@cache
def _word(word: str, language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-]){word}(?![\w-])" if language == "en" else rf"(?<![가-힣]){word}(?!력|성|저|없)")


def _unbounded(pattern: re.Pattern[str], sentence: str) -> Iterator[re.Match[str]]:
    return (match for match in pattern.finditer(sentence) if not grammar.is_limit(sentence, *match.span()))


def _number(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for match in _unbounded(_NUMBER[text.language], sentence):
        yield sentence[: match.start()] + changed_number(match[0], text.text, rng) + sentence[match.end() :]


def _date(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for match in _unbounded(_YEAR, sentence):
        decade = sentence[match.end() :].startswith("s")
        other = str(int(match[0]) + rng.choice((-20, -10, 10, 20) if decade else (-12, -7, -3, -1, 1, 2, 5, 10)))
        if other not in text.text:
            yield sentence[: match.start()] + other + sentence[match.end() :]
    for match in _unbounded(_MONTH, sentence):
        others = [month for month in _MONTHS if month not in text.text]
        if others:
            yield sentence[: match.start()] + rng.choice(others) + sentence[match.end() :]


def _korean_date(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for match in _unbounded(_KOREAN_DATE, sentence):
        value = int(match[1])
        other = (
            value + rng.choice((-3, -2, 2, 3, 10))
            if value > 12
            else rng.choice([n for n in range(1, 13) if n != value])
        )
        if str(other) not in text.text:
            yield sentence[: match.start()] + str(other) + sentence[match.end() :]


def _name(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for name in personal_names(sentence, text.language):
        if other := other_name(name, text, rng):
            yield with_particles(sentence.replace(name, other))


def _negation(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    del rng
    if text.language == "ko":
        yield from _by_rules(rules("ko", "negated"), "ko")(sentence, text, Random(0))
        return
    match = grammar.NEGATABLE.search(sentence)
    if match and not grammar.DOUBTFUL.search(sentence) and not grammar.SUBORDINATING.search(sentence[: match.start()]):
        yield f"{sentence[: match.end()]} not{sentence[match.end() :]}".replace("can not", "cannot")
    if not re.search(r"not (?:only|just|until|necessarily|even|all)|or not|whether", sentence):
        for pattern, new in rules("en", "negated"):
            for found in re.finditer(pattern, sentence):
                yield sentence[: found.start()] + found.expand(new) + sentence[found.end() :]


def _ordinal(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for series in grammar.ORDINALS:
        pattern = rf"\b([Tt]he|[Hh]is|[Hh]er|[Ii]ts|[Tt]heir|[Aa]) ({'|'.join(series)})(?= ([a-z]+))"
        for match in re.finditer(pattern, sentence):
            new = rng.choice([each for each in series if each != match[2]])
            if f"{new} {match[3]}" not in text.text.lower() and match[3] not in ("time", "half", "and", "or", "to"):
                yield sentence[: match.start(2)] + new + sentence[match.end(2) :]


def _modality(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    modal = rules(text.language, "modality")
    if text.language == "ko":
        yield from _by_rules(modal, "ko")(sentence, text, rng)
        if _can_be_doubted(sentence, "ko"):
            yield _doubt(sentence, "ko", rng)
        return
    if _can_be_doubted(sentence, "en"):
        yield _doubt(sentence, "en", rng)
        for each in _by_rules(modal, "en")(sentence, text, rng):
            before = next((place for place, (a, b) in enumerate(zip(sentence, each, strict=False)) if a != b), 0)
            if not grammar.SUBORDINATING.search(sentence[:before]):
                yield each


def _can_be_doubted(sentence: str, language: str) -> bool:
    if language == "ko":
        return sentence.endswith("다.") and not sentence.endswith("니다.")
    return not grammar.DOUBTFUL.search(sentence) and not grammar.ADDRESSED.search(sentence)


def _doubt(sentence: str, language: str, rng: Random) -> str:
    if language == "ko":
        body, ending = sentence.removesuffix("다."), rng.choice(phrases("ko", "doubts"))
        if body.endswith(("이", "아니")) and not body.endswith(("높이", "많이")):
            ending = f"라{ending[1:]}"
        return body + ending
    first = sentence.split()[0]
    plain = first in (
        "The",
        "A",
        "An",
        "In",
        "On",
        "At",
        "It",
        "This",
        "These",
        "They",
        "He",
        "She",
        "His",
        "Her",
        "Its",
    )
    return rng.choice(phrases("en", "doubts")).format(s=first.lower() + sentence[len(first) :] if plain else sentence)


def _doubted(text: Text, rng: Random) -> Iterator[Case]:
    """Yield sentences as they are against a source that only doubts them."""
    sentences = stating_sentences(text)
    if not 1 <= len(sentences) <= 12:
        return
    for sentence in sentences:
        if (
            _can_be_doubted(sentence, text.language)
            and text.text.count(sentence) == 1
            and not _said_twice(sentence, sentences)
        ):
            source = text.text.replace(sentence, _doubt(sentence, text.language, rng))
            yield wrong("change: modality", text.language, sentence, source)


def _said_twice(sentence: str, sentences: Sequence[str]) -> bool:
    words = set(sentence.lower().split())
    return any(len(words & set(other.lower().split())) > 0.5 * len(words) for other in sentences if other != sentence)


_ACCORDING = re.compile(r"([Aa]ccording to )((?:[A-Z][\w.'-]+ ?){1,4})(?=[,.])")
_CLAIMS = re.compile(
    r"^((?:[A-Z][\w.'-]+ ?){1,4}) (claims|claimed|alleges|alleged|argues|argued|believes|believed|suggested|predicted) "
    r"that (.{20,})$"
)
_SAID = re.compile(r"^((?:[A-Z][\w.'-]+ ?){2,4}) (?=(?:said|says|stated|announced|claimed|argued|wrote|reported)\b)")
_KOREAN_SAID = re.compile(r"^([가-힣A-Za-z·]+(?: [가-힣]+){0,2})(은|는)(?= .*다고 (?:말했|밝혔|주장|설명|강조|전했))")
_KOREAN_ACCORDING = re.compile(r"^([가-힣A-Za-z·]+(?: [가-힣]+){0,2})에 (?=따르면|의하면)")
_KOREAN_CLAIMS = re.compile(r"^[가-힣A-Za-z· ]+?(?:은|는) (.+다)고 (?:주장했다|주장한다|주장하였다)\.$")


def _attribution(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    for pattern, place in ((_ACCORDING, 2), (_SAID, 1)):
        for match in pattern.finditer(sentence):
            if other := other_name(match[place].strip(), text, rng):
                yield sentence[: match.start(place)] + other + sentence[match.end(place) :]
    if (match := _CLAIMS.match(sentence)) and '"' not in sentence:
        yield match[3][0].upper() + match[3][1:]


def _korean_attribution(sentence: str, text: Text, rng: Random) -> Iterator[str]:
    other = drawn("person", "ko", 1, rng)[0]
    if match := _KOREAN_SAID.match(sentence):
        yield with_particles(f"{other}은/는{sentence[match.end() :]}")
    if match := _KOREAN_ACCORDING.match(sentence):
        yield f"{other}에 {sentence[match.end() :]}"
    if match := _KOREAN_CLAIMS.match(sentence):
        yield f"{match[1]}."


_CHANGES: Mapping[str, Mapping[str, Change]] = {
    "en": {
        "number": _number,
        "date": _date,
        "name": _name,
        "negation": _negation,
        "antonym": _by_pairs("opposites", "en"),
        "affix": _by_pairs("affixes", "en"),
        "ordinal": _ordinal,
        "modality": _modality,
        "attribution": _attribution,
    },
    "ko": {
        "number": _number,
        "date": _korean_date,
        "name": _name,
        "negation": _negation,
        "antonym": _by_pairs("opposites", "ko"),
        "affix": _by_pairs("affixes", "ko"),
        "ordinal": _by_rules(rules("ko", "ordinal"), "ko"),
        "modality": _modality,
        "attribution": _korean_attribution,
    },
}
