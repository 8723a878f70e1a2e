"""Sentences of real texts in which a fact about one subject is given to another subject of the same text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from random import Random

from benchmarks.metamorphic.cases import Case, Maker, Text, wrong
from benchmarks.metamorphic.grammar import is_limit
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.real_names import CITIES, COUNTRIES, KOREAN_CITIES, KOREAN_COUNTRIES, personal_names
from benchmarks.metamorphic.real_verbatim import stating_sentences
from benchmarks.metamorphic.rules import rules, terms

Swap = Callable[[Sequence[str], Text, Random], Iterator[str]]
"""A function that yields statements made from the sentences of a text."""

_ACTS = (
    "defeated acquired hired founded directed taught succeeded replaced bought killed captured invaded sued beat "
    "conquered purchased employed attacked accused criticized murdered overthrew arrested recruited mentored "
    "commissioned outsold inherited sponsored appointed supervised coached owns owned employs supplies follows followed"
).split()
_NAME = r"(?:[A-Z][\w.'-]+(?: (?:of|the|de|van|von) (?=[A-Z])| (?=[A-Z]))?){1,5}"
_PRONOUN = r"(?!(?:It|He|She|They|We|You|I|This|That|These|Those|Both|Who|Which)\b)"
_ONE = rf"(?<!and )(?<!or )\b{_PRONOUN}(?P<one>{_NAME}) "
_OTHER = rf"(?:the )?(?P<other>{_NAME})(?=[.,;]| (?!and\b|or\b|&))"
_MOVES = (
    r"(?:mov|travel|relocat|transfer|(?:im|e)?migrat|march|sail|fl[ye]|ship|import|export|went|brought|sent|won)\w*"
)
_DIRECTIONS = (
    re.compile(rf"{_ONE}(?:{'|'.join(_ACTS)}) {_OTHER}"),
    re.compile(rf"{_ONE}(?:was|were|is|are|has been) (?:[a-z]+ed|bought|taught|beaten) by {_OTHER}"),
    re.compile(rf"{_ONE}(?:is|was|are|were) (?:[a-z]+er|more [a-z]+|less [a-z]+) than {_OTHER}"),
    re.compile(rf"\b{_MOVES}[^.;,]{{0,40}}? from (?:the )?(?P<one>{_NAME}) to {_OTHER}"),
)
_KOREAN_DIRECTIONS = (
    re.compile(r"^(?P<one>[가-힣]{2,8})[이가은는] (?P<other>[가-힣]{2,8})[을를] (?=[가-힣]+[했었였았혔겼]다\.$)"),
    re.compile(r"(?P<one>[가-힣0-9]{2,8})에서 (?P<other>[가-힣0-9]{2,8})(?=까지|으로 |로 )"),
)
"""The last word of each names a way, which some sentences use without meaning its direction."""
_MUTUAL = re.compile(
    r"왕복|가까|거리|도보|걸리|걸려|걸렸|모두|\b(?:route|road|line|distance|miles|flights?|range|trains?)\b"
)
_YEAR = re.compile(r"(?<![\d.,$€£-])(?:1[5-9]|20)\d\d(?![\ds/,%-]|\.\d)")
_KOREAN_YEAR = re.compile(r"(?<![\d.])(?:1[5-9]|20)\d\d(?=년(?!대))")
_AMOUNT = re.compile(r"[$€£]\s?\d[\d,.]*\d(?: (?:million|billion))?|(?<![\d.$€£])\d+(?:\.\d+)?(?:%| percent)")
_KOREAN_AMOUNT = re.compile(r"(?<![\d.])\d[\d,.]*(?:%|명|억 원|만 원|억원|만원|원|대|개|km|톤|건|곳)(?!포인트)")
_NUMBERED = re.compile(
    r"\b((?:Section|Chapter|Table|Figure|Phase|Stage|Season|Episode|Volume|Part|Step|Level|Type|Group|Class|Article"
    r"|Room|Item|Version|Windows|Appendix|Note|Tier|Route|Line|Zone|World War|Game|Grade|Line|Act|Book|District|Unit"
    r"|Apollo|Super Bowl|fiscal|Q)\s?)(\d{1,4}(?:\.\d+)?|I{1,3}|IV|V)\b(?!%)"
)
_KOREAN_NUMBERED = re.compile(
    r"(?<![\d.,])(\d{1,3})(?=팀|호기|호선|호실|단계|번 노선|분기|학년|등급|장(?= )|조(?= (?!원|\d))"
    r"|공장|구역|세대|회차|기(?= )|부(?= ))"
)
_QUOTED = re.compile(r"[\"“]([A-Z][^\"”]{3,50})[\"”]|‘([^’]{2,30})’|「([^」]{2,30})」|《([^》]{2,30})》")


def swapped(kind: str) -> Maker:
    """Return a function that makes cases of exchanged subjects of a `kind`, such as "names", from a text."""

    def maker(text: Text, rng: Random) -> Iterator[Case]:
        sentences = stating_sentences(text)
        for statement in _SWAPS[kind](sentences, text, rng):
            if statement not in text.text and not _is_said(statement, sentences):
                yield wrong(f"swap: {kind}", text.language, statement, text.text)

    return maker


def _is_said(statement: str, sentences: Sequence[str]) -> bool:
    """Return whether a sentence has all words of the statement in any order, except for directions."""
    return statement in sentences


def _with(sentence: str, old: str, new: str) -> str:
    return with_particles(re.sub(rf"(?<![\w가-힣]){re.escape(old)}", lambda _: new, sentence, count=1))


def _has_figure(text: str) -> bool:
    return len(re.findall(r"\d", text)) >= 2


def _names(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    """Put the subject of another sentence in front of a sentence's statement with figures."""
    named = [(sentence, name) for sentence in sentences for name in personal_names(sentence, text.language)]
    for (sentence, name), (_, other) in permutations(named, 2):
        starts = sentence.startswith(name) and _has_figure(sentence)
        if starts and not _related(name, other) and other not in sentence and _alike(name, other):
            yield _with(sentence, name, other)


def _related(one: str, other: str) -> bool:
    return bool(set(one.split()) & set(other.split())) or one in other or other in one


def _alike(one: str, other: str) -> bool:
    """Return whether both could be persons, or both something else, and take the same Korean particles."""
    closed = [("가" <= name[-1] <= "힣") and (ord(name[-1]) - ord("가")) % 28 > 0 for name in (one, other)]
    return closed[0] == closed[1] and len(one.split()) == len(other.split())


def _places(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    del rng
    korean = text.language == "ko"
    for names in (KOREAN_COUNTRIES, KOREAN_CITIES) if korean else (COUNTRIES, CITIES):
        found = [name for name in names if _place(name, text.language).search(text.text)]
        for sentence in sentences:
            here = [name for name in found if _place(name, text.language).search(sentence)]
            if len(here) == 1:
                for other in found:
                    if other != here[0] and _alike(here[0], other):
                        yield _place(here[0], text.language).sub(other, sentence)


@cache
def _place(name: str, language: str) -> re.Pattern[str]:
    if language == "ko":
        return re.compile(rf"(?<![가-힣]){name}(?=[은는이가을를의에 ]|에서)")
    return re.compile(rf"(?<![A-Z][a-z] )(?<![\w-]){name}(?![\w-]| [A-Z])")


def _of_terms(section: str, *, figure: bool) -> Swap:
    """Exchange a term of a list for another that the text has, where the sentence has only one of them."""

    def swap(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
        del rng
        present = [term for term in terms(text.language, section) if _term(term, text.language).search(text.text)]
        for sentence in sentences:
            here = [term for term in present if _term(term, text.language).search(sentence)]
            if len(here) == 1 and (not figure or _has_figure(sentence)):
                for other in present:
                    if not _related(here[0], other) and not _named_together(here[0], other, sentences):
                        yield _term(here[0], text.language).sub(other, sentence, count=1)

    return swap


@cache
def _term(term: str, language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![가-힣]){term}" if language == "ko" else rf"(?<![\w-]){term}(?![\w-])")


def _named_together(one: str, other: str, sentences: Sequence[str]) -> bool:
    """Return whether the text may use both names for one thing: "actor and director"."""
    joined = re.compile(
        rf"{one}(?:,| and| or| /|/| &| 겸| 및|·).{{0,40}}{other}|{other}(?:,| and| or|/| &| 겸| 및|·).{{0,40}}{one}"
    )
    return any(joined.search(sentence) for sentence in sentences)


def _of_values(english: re.Pattern[str], korean: re.Pattern[str]) -> Swap:
    """Give a sentence with one value of a pattern the value of another such sentence."""

    def swap(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
        del rng
        pattern = korean if text.language == "ko" else english
        valued = [(sentence, found) for sentence in sentences if (found := pattern.findall(sentence))]
        for (sentence, values), (_, others) in permutations(valued, 2):
            start = sentence.index(values[0])
            if len(values) == 1 and not is_limit(sentence, start, start + len(values[0])):
                for other in others:
                    if _unit(other) == _unit(values[0]) and other not in sentence:
                        yield sentence.replace(values[0], other)

    return swap


def _unit(value: str) -> str:
    return re.sub(r"[\d.,]+", "#", value)


def _numbered(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    pattern = _KOREAN_NUMBERED if text.language == "ko" else _NUMBERED
    place = 1 if text.language == "ko" else 2
    for sentence in sentences:
        for match in pattern.finditer(sentence):
            other = _another_number(match, pattern, text.text, rng)
            if other and f"{match[1]}{other}" not in sentence:
                yield sentence[: match.start(place)] + other + sentence[match.end(place) :]


def _another_number(match: re.Match[str], pattern: re.Pattern[str], text: str, rng: Random) -> str:
    """Return the number of another thing with this name in the text, else a number that no such thing has."""
    place = pattern.groups
    if place == 2:
        known = {found[2] for found in pattern.finditer(text) if found[1] == match[1]} - {match[2]}
    else:
        known = {found[1] for found in pattern.finditer(text) if text[found.end()] == match.string[match.end()]} - {
            match[1]
        }
    if known:
        return rng.choice(sorted(known))
    number = match[place]
    return str(int(number) + rng.randint(1, 3)) if number.isdigit() and int(number) < 1000 else ""


def _directions(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    del rng
    patterns = _KOREAN_DIRECTIONS if text.language == "ko" else _DIRECTIONS
    for sentence in sentences:
        for pattern in patterns if not _MUTUAL.search(sentence) else patterns[:-1]:
            for match in pattern.finditer(sentence):
                fits = _alike(match["one"], match["other"]) or text.language == "en"
                if fits and not _related(match["one"], match["other"]):
                    yield _exchanged(sentence, match)


def _exchanged(sentence: str, match: re.Match[str]) -> str:
    """Return the sentence with the two names of the match in each other's place."""
    (a, b), (c, d) = match.span("one"), match.span("other")
    return sentence[:a] + match["other"] + sentence[b:c] + match["one"] + sentence[d:]


def _orders(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    del rng
    for sentence in sentences:
        if re.search(
            r"before (?:and|or|or after|during)|before.*\bafter\b|after.*\bbefore\b|earlier|later this", sentence
        ):
            continue
        for pattern, new in rules(text.language, "orders"):
            for match in re.finditer(pattern, sentence):
                yield sentence[: match.start()] + new + sentence[match.end() :]


def _lists(sentences: Sequence[str], text: Text, rng: Random) -> Iterator[str]:
    """Give one quoted title's sentence, with its figures, to another quoted title."""
    del rng
    titled = [(sentence, match) for sentence in sentences for match in _QUOTED.finditer(sentence)]
    for (sentence, match), (_, other) in permutations(titled, 2):
        title, another = _inside(match), _inside(other)
        titles = _looks_like_title(title) and _looks_like_title(another) and not _related(title, another)
        if titles and sentence.count(title) == 1 and another not in sentence and _has_figure(sentence):
            yield sentence.replace(title, another)


def _inside(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group)


def _looks_like_title(quoted: str) -> bool:
    words = [word for word in re.findall(r"\w+", quoted) if len(word) > 3]
    return bool(words) and all(word[0].isupper() or "가" <= word[0] <= "힣" for word in words)


_SWAPS: Mapping[str, Swap] = {
    "names": _names,
    "places": _places,
    "roles": _of_terms("roles", figure=False),
    "numbered things": _numbered,
    "metrics": lambda sentences, text, rng: iter(
        [
            *_of_terms("metrics", figure=True)(sentences, text, rng),
            *_of_values(_AMOUNT, _KOREAN_AMOUNT)(sentences, text, rng),
        ]
    ),
    "directions": _directions,
    "orders": _orders,
    "dates": _of_values(_YEAR, _KOREAN_YEAR),
    "lists": _lists,
}
REAL_SWAPS = tuple(_SWAPS)
