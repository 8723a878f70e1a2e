"""Sentences of real texts in other words that any reader understands as the same statement, or as a part of it."""

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random

from benchmarks.metamorphic.cases import Case, Maker, Text, right
from benchmarks.metamorphic.grammar import DOUBTFUL
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.real_verbatim import stating_sentences
from benchmarks.metamorphic.rules import rules

Rewording = Callable[[str], Iterator[str]]

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WHEN = rf"(?:In|On|By|Since|During) (?:(?:early|late|mid-?) ?)?(?:(?:{_MONTHS}) ?)?(?:\d{{1,2}},? )?\d{{4}}"
_LEADING = re.compile(rf"^({_WHEN}), ([A-Z]?[^,;:()]{{10,90}})\.$")
_TRAILING = re.compile(rf"^([A-Z][^,;:()]{{10,80}}) ((?:in|on) (?:(?:{_MONTHS}) )?(?:\d{{1,2}},? )?\d{{4}})\.$")
_COORDINATED = re.compile(
    r"^((?!Nearly|Every|All|Many|Some|Most|Both|Each)(?:[A-Z][a-z]+|The|A|An)\b[^,;:()]{12,90}), and "
    r"((?:the|a|an|[A-Z][a-z]+) [^,;:()]{12,90})\.$"
)
_FINITE = re.compile(
    r"\b(?:(?:is|are|was|were|has been|have been|had been|will be|will|has|have|had)(?: [a-z]+ly| not| also)?"
    r"(?: [a-z]{2,}(?:ed|en|wn|ld|ght)\b)?|[a-z]{3,}ed\b)"
)
_HANGING = re.compile(
    r"\b(?:that|which|who|whose|when|where|while|because|after|before|if|until|he|she|it|they|his|her|its|their|him|them"
    r"|this|these|those|such|both|also|then|so|but|or|one|other|another|first|last|only|most|[a-z]+est|same|as|than)\b"
)
_PARENTHESIS = re.compile(
    r" \((?!.*\b(?:not|except|only|if|unless|without|excluding|opposed|i\.e|whom)\b)[^()<>=]{2,60}\)(?=[ ,.])"
)
_RELATIVE = re.compile(r",\s(?:which|who|whose)\s[^,;()]{8,90},(?=\s(?:is|was|are|were|has|had|will|can|[a-z]+ed)\b)")
_PASSIVE = re.compile(
    r"^((?:The |A |An )?[A-Z]?[\w'-]+(?: [\w'-]+){0,6}) (was|were) ([a-z]+ed) by "
    r"((?:the |a |an )?[A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3})"
    rf"((?: (?:in|on) (?:(?:{_MONTHS}) )?(?:\d{{1,2}},? )?\d{{4}})?)\.$"
)
_ACTIVE = re.compile(
    r"^([A-Z][\w.'-]+(?: [A-Z][\w.'-]+){0,3}) (founded|acquired|directed|composed|designed|invented|discovered|produced"
    r"|published|created|developed|established|defeated|released|recorded|purchased|launched|opened|painted"
    rf"|signed) ((?:the |a |an )?[^,;:()]{{4,60}}?)((?: (?:in|on) (?:(?:{_MONTHS}) )?(?:\d{{1,2}},? )?\d{{4}})?)\.$"
)
_WORDS: Mapping[str, int] = dict(zip("two three four five six seven eight nine ten".split(), range(2, 11), strict=True))


def reworded(kind: str) -> Maker:
    """Return a function that makes faithful cases of a `kind`, such as "voice", from a text."""

    def maker(text: Text, rng: Random) -> Iterator[Case]:
        del rng
        reword = _REWORDINGS.get((kind, text.language), _none)
        for sentence in stating_sentences(text):
            for statement in reword(sentence):
                if statement != sentence and statement not in text.text:
                    yield right(f"faithful: {kind}", text.language, statement, text.text)

    return maker


def _none(sentence: str) -> Iterator[str]:
    del sentence
    return iter(())


def _clauses(sentence: str) -> Iterator[str]:
    if (match := _LEADING.match(sentence)) and _is_one_clause(match[2]):
        yield f"{match[2][0].upper()}{match[2][1:]} {match[1][0].lower()}{match[1][1:]}."
    if (match := _TRAILING.match(sentence)) and _is_one_clause(match[1]):
        yield f"{match[2][0].upper()}{match[2][1:]}, {_lowered(match[1])}."
    if (match := _COORDINATED.match(sentence)) and _are_two_clauses(match[1], match[2]):
        yield f"{match[2][0].upper()}{match[2][1:]}, and {_lowered(match[1])}."


def _are_two_clauses(one: str, other: str) -> bool:
    """Return whether each clause has its own subject and verb, and neither depends on the other."""
    together = f"{one} {other}"
    finite = _FINITE.search(one) and _FINITE.search(other)
    return bool(finite) and not _HANGING.search(together) and " between " not in together


def _is_one_clause(text: str) -> bool:
    """Return whether a date at either end of the text must belong to its one verb."""
    if text.startswith(("Thereafter", "Later", "Then", "However")):
        return False
    return (
        not _HANGING.search(text)
        and len(_FINITE.findall(text)) == 1
        and not re.search(r"\b(?:and|to|[a-z]+ing)\b", text)
    )


def _lowered(text: str) -> str:
    return (
        text[0].lower() + text[1:] if re.match(r"(?:The|A|An|He|She|It|They|His|Her|Its|Their|This) ", text) else text
    )


def _dropped(sentence: str) -> Iterator[str]:
    for pattern in (_PARENTHESIS, _RELATIVE):
        match = pattern.search(sentence)
        if match:
            yield sentence[: match.start()] + sentence[match.end() :]
    plain = not DOUBTFUL.search(sentence) and not _HANGING.search(sentence)
    if plain and (match := _TRAILING.match(sentence)) and _is_one_clause(match[1]) and not re.search(r"\d", match[1]):
        yield f"{match[1]}."


def _voice(sentence: str) -> Iterator[str]:
    if _HANGING.search(sentence) or re.match(r"(?:It|He|She|They|This|These|Both|A) ", sentence):
        return
    if (match := _PASSIVE.match(sentence)) and " and " not in match[1]:
        yield f"{match[4][0].upper()}{match[4][1:]} {match[3]} {_lowered(match[1])}{match[5]}."
    if (match := _ACTIVE.match(sentence)) and not re.search(r"\b(?:and|in|on|with|for|to|from|by|at)\b", match[3]):
        verb = "were" if re.match(r"(?:two|three|several|many|some)\b", match[3]) else "was"
        yield f"{match[3][0].upper()}{match[3][1:]} {verb} {match[2]} by {match[1]}{match[4]}."


def _abbreviated(language: str) -> Rewording:
    compiled = [(re.compile(pattern), new) for pattern, new in rules(language, "abbreviations")]

    def reword(sentence: str) -> Iterator[str]:
        for pattern, new in compiled:
            if pattern.search(sentence):
                yield with_particles(pattern.sub(new, sentence, count=1))

    return reword


def _digits(sentence: str) -> Iterator[str]:
    for match in re.finditer(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+)(?![\w,]|\.\d)", sentence):
        yield sentence[: match.start()] + match[1].replace(",", "") + sentence[match.end() :]
    for match in re.finditer(r"(?<![\w.,-])(\d{1,3}) million\b", sentence):
        yield sentence[: match.start()] + f"{match[1]},000,000" + sentence[match.end() :]
    for match in re.finditer(r"(?<=[a-z]{2} )(two|three|four|five|six|seven|eight|nine|ten)(?= [a-z]+s\b)", sentence):
        yield sentence[: match.start()] + str(_WORDS[match[1]]) + sentence[match.end() :]
    names = {str(number): word for word, number in _WORDS.items()}
    for match in re.finditer(r"(?<= [a-z]{3} )([2-9])(?= [a-z]{3,}s\b)", sentence):
        yield sentence[: match.start()] + names[match[1]] + sentence[match.end() :]


_KOREAN_WHEN = re.compile(
    r"^((?:지난 )?\d{4}년(?: \d{1,2}월)?(?: \d{1,2}일)?(?:에는|에)?) (\S{2,10}[은는이가]) (?=\S+ )"
)
_KOREAN_NATIVE: Mapping[str, int] = dict(zip("두 세 네 다섯 여섯 일곱 여덟 아홉".split(), range(2, 10), strict=True))


def _korean_clauses(sentence: str) -> Iterator[str]:
    if (match := _KOREAN_WHEN.match(sentence)) and len(sentence.split()) <= 14 and "," not in sentence:
        yield f"{match[2]} {match[1].replace('에는', '에')} {sentence[match.end() :]}"


def _korean_dropped(sentence: str) -> Iterator[str]:
    if match := re.search(r"(?<=[가-힣])\([^()]{1,40}\)", sentence):
        yield sentence[: match.start()] + sentence[match.end() :]


def _korean_digits(sentence: str) -> Iterator[str]:
    for match in re.finditer(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+)(?!\d)", sentence):
        yield sentence[: match.start()] + match[1].replace(",", "") + sentence[match.end() :]
    for match in re.finditer(r"(?<![\d.,])(\d{1,3})만(?= ?[명원대개])", sentence):
        yield sentence[: match.start()] + f"{int(match[1]) * 10_000:,}" + sentence[match.end() :].lstrip()
    for match in re.finditer(
        r"(?<![가-힣])(두|세|네|다섯|여섯|일곱|여덟|아홉) ?(?=명|개|곳|번|대|마리|시간|살|가지)", sentence
    ):
        yield f"{sentence[: match.start()]}{_KOREAN_NATIVE[match[1]]}{sentence[match.end() :]}"


_REWORDINGS: Mapping[tuple[str, str], Rewording] = {
    ("clauses", "en"): _clauses,
    ("dropped", "en"): _dropped,
    ("voice", "en"): _voice,
    ("abbreviations", "en"): _abbreviated("en"),
    ("digits", "en"): _digits,
    ("clauses", "ko"): _korean_clauses,
    ("dropped", "ko"): _korean_dropped,
    ("abbreviations", "ko"): _abbreviated("ko"),
    ("digits", "ko"): _korean_digits,
}
