"""Finds the things that a question names and the passages do not mention.

In doubt a passage mentions a thing: an inflected, shortened or differently spelled form, an acronym, a part of a name,
a range of numbers or a cell of a table also names it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from rapidfuzz import fuzz, process

from citewell_verify.entities.dates import find_dates
from citewell_verify.entities.names import KNOWN_PLACES, SAME_NAMES, FoundName, find_names
from citewell_verify.text.words import STOP_WORDS, as_spelt, content_stems, stem, vocabulary, words

_SHORTEST_PREFIX = 4  # letters that an inflected form keeps
_ENDING = 3  # the most letters that an inflection changes
_SPELT_ALIKE = 80  # of 100: "Faroe" and "Faeroes"
_RUN = re.compile(r"(?<!\w)(?:[A-Z][\w'’.]*+[ -](?:of |and |for |the |& )?+){1,7}+(?:[A-Z][\w'’]*+)?+")
_CAPITALISED = re.compile(r"(?<![^\W_])[A-ZÀ-ÖØ-Þ][\w'’-]*")
_MARKS = re.compile("[\u0300-\u036f]")
_GENERAL = vocabulary("""
    company corporation firm group board committee council government ministry department office agreement contract
    party section chapter act law policy plan program programme project report first second third fourth fifth
    university school city state country county district court church bank team union internet web world
""")
"""These words name something only together with other words: "the Company"."""

# Names that texts express with other words, which a comparison of letters cannot match.
_BY_OTHER_NAMES = frozenset(
    "us usa uk eu un uae america britain england holland netherlands germany china korea japan greece switzerland spain"
    " hungary finland croatia albania".split()
)


class Mentions:
    """The names that a text may contain; in doubt it contains a name."""

    def __init__(self, text: str) -> None:
        text = _unaccented(text)
        self._words = frozenset(words(text))
        self._capitalised = frozenset(word.casefold() for word in _CAPITALISED.findall(text))
        self._initials = frozenset("".join(re.findall(r"\b[A-Z]", run)).casefold() for run in _RUN.findall(text))
        self._long = tuple(word for word in self._capitalised | self._words if len(word) >= _SHORTEST_PREFIX)

    def has(self, name: str) -> bool:
        name = _unaccented(name)
        said = [part if part.isascii() else stem(part) for part in words(name)]  # "LQ-400의" has a particle
        parts = [part for part in said if part not in STOP_WORDS and (len(part) > 1 or part.isdigit())]
        if _GENERAL.issuperset(parts) or any(part in _BY_OTHER_NAMES for part in parts):
            return True
        if all(part in self._words for part in parts):
            return True
        if len(parts[0]) > 1 and any(parts[0] in initials for initials in self._initials):
            return True
        letters = "".join(re.findall(r"\b[A-Z]", name)).casefold()
        if len(letters) > 1 and letters in self._words:
            return True
        # "great" alone does not name the Great Gatsby; a capitalised surname does name a person.
        return any(self._has_form(part) for part in parts if part in self._capitalised or part not in self._words)

    def _has_form(self, part: str) -> bool:
        if part in self._capitalised:
            return True
        if len(part) < _SHORTEST_PREFIX or any(map(str.isdigit, part)):
            return any(part in word for word in self._words) if len(part) > 1 else False
        head = part[: max(_SHORTEST_PREFIX, len(part) - _ENDING)]
        if any(head in word for word in self._long):
            return True
        return process.extractOne(part, self._long, scorer=fuzz.ratio, score_cutoff=_SPELT_ALIKE) is not None


def _unaccented(text: str) -> str:
    """The text without accents, composed again because Hangul would otherwise stay decomposed."""
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


_MOST_CHARS = 2_000  # characters of a question
_MOST_WORDS = 40
_MOSTLY_CAPITALS, _MOSTLY_HANGUL = 0.6, 0.7
_COMPOUND = re.compile(r"\b([A-Za-z]{2,20})-([A-Za-z]{3,20})\b")
_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(
    r"\b([^\W\d_]{2,30}) (?:(?:no\.?|number|nr\.?|#) ?)?(\d{1,6}(?:\.\d{1,3}){0,3}|[B-HJ-Z])\b(?!\s?%)", re.IGNORECASE
)
_KOREAN_NUMBERED = re.compile(
    r"(?<![\d.,])(\d{1,6})\s?(번|호기|호|팀|조|장|층|동|반|단계|회차|차)(?![가-힣]{0,2}\s?(?:이상|이하))"
)
_NO_SERIES = vocabulary("""
    page pages top first last next past least most than about around approximately nearly over under only every each
    below above within exactly roughly plus minus times since until between before after covid
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
""")
_PERIOD = re.compile(r"(?:FY|CY|Q[1-4]|H[12])[ -]?(?:\d\d|\d{4})?", re.IGNORECASE)
_RANGE = r"\s?(?:-|–|—|~|to|through|until|bis)\s?"
# Text before a label; a verb has its subject there: "the firm employs 20".
_BEFORE_LABEL = (
    r"(?:^|(?<=[.:;,!?(|\n\t\"“•*-])\s?"
    r"|\b(?:the|an?|of|in|on|at|for|and|or|with|by|from|than|each|see|under|per|is|are|both) )"
)
_MEMBERS = rf"(?:no\.?|number|nr\.?|#)? ?((?:\d|[A-Z]\b)[\w.]*(?:{_RANGE}|, ?| and | or | & |[\w.]+){{0,60}})"
_HANGUL_NOUN = re.compile("[가-힣]{2,8}(?<![은는을를의한된인던할면며고서도])")
_YEARS = re.compile(rf"(?<!\d)((?:19|20)\d\d){_RANGE}((?:19|20)\d\d|\d\d)(?!\d)")
_HOME = {"한국", "대한민국"}  # Korean texts use these names for Korea, or do not name it at all
_AT_HOME = re.compile("국내|우리나라|전국")
_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|des|ein|eine|einen|ist|sind|wie|wer|welche[rsnm]?|und|für|von)\b", re.IGNORECASE
)

ThingKind = Literal["name", "numbered", "year"]


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A thing that a question names; `text` is its name as the question writes it."""

    kind: ThingKind
    text: str


def missing_things(question: str, passages: Sequence[str]) -> tuple[NamedThing, ...]:
    """Return the things that the question names and none of the `passages` does; () without passages. Linear in all
    lengths.

    A passage is the text together with its file's name and its headings, which also name things.
    """
    text = "\n".join(passages)
    return _missing(question[:_MOST_CHARS], text) if text.strip() else ()


@lru_cache(maxsize=16)
def _missing(question: str, text: str) -> tuple[NamedThing, ...]:
    """The missing things, cached: the draft and the published answer are judged by the same passages."""
    return tuple(dict.fromkeys((*_names(question, text), *_numbered(question, text), *_years(question, text))))


def is_about_another(question: str, sentence: str) -> bool:
    """Return whether the sentence is about another thing of the kind that the question names, and not about that thing.

    This is true of "Pump 4 runs at 24 bar" for a question about pump 14, of "the Theta machine" for one about the Omega
    machine, and of "full-time employees" for one about part-time employees.
    """
    question = question[:_MOST_CHARS]
    if any(True for _ in _numbered(question, sentence)) or _has_other_compound(question, sentence):
        return True
    mentions = Mentions(sentence)
    absent = [name for name in _sure_names(question) if not mentions.has(name.text)]
    return any(_has_competing_name(question, name, sentence) for name in absent)


def _has_other_compound(question: str, sentence: str) -> bool:
    """True if a word with a hyphen in the question has only another word of its kind in the sentence."""
    said = {(match[1].casefold(), match[2].casefold()) for match in _COMPOUND.finditer(sentence[:_MOST_CHARS])}
    return any(
        (match[1].casefold(), match[2].casefold()) not in said and any(last == match[2].casefold() for _, last in said)
        for match in _COMPOUND.finditer(question)
    )


def _names(question: str, text: str) -> Iterator[NamedThing]:
    latin_names = [name for name in _sure_names(question) if name.kind == "latin"]
    letters = [character for character in text[:20_000] if character.isalpha()] if latin_names else []
    # A text in another script may write the name in that script.
    if letters and sum(letter < "\u0250" for letter in letters) > 0.7 * len(letters):
        mentions = Mentions(text)
        yield from (NamedThing("name", name.text) for name in latin_names if not mentions.has(name.text))
    yield from (NamedThing("name", word) for word in _unknown_members(question, text))
    for name in _sure_names(question):
        shortest = name.text if name.text in KNOWN_PLACES else name.text[:-1]
        if name.kind == "latin" or shortest in text or (name.text in _HOME and _AT_HOME.search(text)):
            continue
        if _has_competing_name(question, name, text) or _is_unknown_place(name.text, text):
            yield NamedThing("name", name.text)


def _is_unknown_place(name: str, text: str) -> bool:
    if name not in KNOWN_PLACES or name in _HOME:
        return False
    letters = [character for character in text[:20_000] if character.isalpha()]
    if sum("가" <= letter <= "힣" for letter in letters) / max(len(letters), 1) < _MOSTLY_HANGUL:
        return False
    forms = frozenset[str]().union(*(names for names in SAME_NAMES if name in names))
    return not any(form in text.casefold() for form in forms)


def _unknown_members(question: str, text: str) -> Iterator[str]:
    """Yield words in places where the text has only names, but not these: "the omega machine", 오메가 기계."""
    plain = _WORD.findall(question)[:_MOST_WORDS]
    lowered = text.casefold()
    for word, noun in pairwise(plain):
        is_small = word.isascii() and word.islower() and len(word) > 3
        is_hangul = _HANGUL_NOUN.fullmatch(word) is not None and len(word) > 2
        if not (is_small or is_hangul) or {word, stem(word), noun} & STOP_WORDS or word in lowered:
            continue
        beside = re.findall(rf"\b([^\W_]{{1,40}})[ -]{re.escape(stem(noun.casefold())[:20])}", text, re.IGNORECASE)
        before = {neighbour for neighbour in beside if neighbour.casefold() not in STOP_WORDS}
        if len(before) > 1 and all(
            neighbour[0].isupper() if is_small else _HANGUL_NOUN.fullmatch(neighbour) for neighbour in before
        ):
            asked = [stem(word.casefold())]
            if as_spelt(asked, frozenset(content_stems(text))) == asked:
                yield word


def _sure_names(question: str) -> list[FoundName]:
    """The names of a question that capitals prove. They prove none in a title, in a text in capitals, or in German."""
    plain = [word for word in _WORD.findall(question)[:_MOST_WORDS] if word.casefold() not in STOP_WORDS]
    capitals = sum(word[0].isupper() for word in plain)
    unclear = len(plain) > 3 and capitals > _MOSTLY_CAPITALS * len(plain)
    german = len(_GERMAN.findall(question)) > 1
    sure = [
        name for name in find_names(question) if name.sure and len(name.text) > 1 and not _PERIOD.fullmatch(name.text)
    ]
    if unclear or german:
        return [name for name in sure if any(map(str.isdigit, name.text))]
    return sure


def _has_competing_name(question: str, name: FoundName, text: str) -> bool:
    before, after = _WORD.findall(question[: name.start])[-1:], _WORD.findall(question[name.end :])[:1]
    slots = [(word, r"\b([^\W_]{{1,40}})[ -]{word}") for word in after]
    if name.kind == "latin":
        slots += [(word, r"\b{word}[ -]([^\W_]{{1,40}})") for word in before]
    asked = frozenset(words(question))
    for word, slot in slots:
        if len(word) < 2 or (word.isascii() and len(word) < 3) or word.casefold() in STOP_WORDS:
            continue
        near = re.findall(slot.format(word=re.escape(stem(word.casefold())[:12])), text, re.IGNORECASE)
        if any(_is_competing_name(candidate, name) for candidate in near if candidate.casefold() not in asked):
            return True
    return False


def _is_competing_name(candidate: str, name: FoundName) -> bool:
    if candidate.casefold() in STOP_WORDS:
        return False
    if name.kind != "latin":
        return _HANGUL_NOUN.fullmatch(candidate) is not None
    return candidate[0].isupper() or any(map(str.isdigit, candidate))


def _numbered(question: str, text: str) -> Iterator[NamedThing]:
    """Yield numbered things of the question whose series the text has without them: "pump 14" if it has "pump 4"."""
    dated = {place for date in find_dates(question) for place in range(date.start, date.end)}
    for match in _NUMBERED.finditer(question):
        word, number = match[1].casefold(), match[2]
        if (
            match.start(2) in dated
            or word in STOP_WORDS
            or word in _NO_SERIES
            or (number.isalpha() and not number.isupper())
        ):
            continue
        series = _series(stem(word), text)
        if series and number.casefold() not in series and not _in_cell(number, text):
            yield NamedThing("numbered", match[0])
    for match in _KOREAN_NUMBERED.finditer(question):
        others = {member[1] for member in _KOREAN_NUMBERED.finditer(text) if member[2] == match[2]}
        if match.start() not in dated and others and match[1] not in others and not _in_cell(match[1], text):
            yield NamedThing("numbered", match[0])


@lru_cache(maxsize=256)
def _series(wanted: str, text: str) -> frozenset[str]:
    """The members of a series that the text names: "pumps 1 to 3, 5 and 8" names five."""
    series: set[str] = set()
    for match in re.finditer(
        rf"{_BEFORE_LABEL}({re.escape(wanted)}\w{{0,4}}) {_MEMBERS}",
        text,
        re.IGNORECASE | re.MULTILINE,
    ):
        if stem(match[1].casefold()) != wanted:
            continue
        members = re.findall(r"\d+(?:\.\d+)*|\b[A-Z]\b", match[2])
        series.update(member.casefold() for member in members[:50])
        for first, last in re.findall(rf"(\d{{1,6}}){_RANGE}(\d{{1,6}})", match[2]):
            series.update(map(str, range(int(first), min(int(last), int(first) + 1_000) + 1)))
    return frozenset(series)


def _in_cell(number: str, text: str) -> bool:
    cell = re.escape(number)
    return re.search(rf"(?:^|[|\t,;])\s*#?{cell}\s*(?:[|\t,;:.)]|$)", text, re.MULTILINE) is not None


def _years(question: str, text: str) -> Iterator[NamedThing]:
    for date in find_dates(question):
        if date.years is None or date.years[0] != date.years[1]:
            continue
        year = date.years[0]
        others = set(re.findall(r"(?<!\d)(?:19|20)\d\d(?!\d)", text))
        short = rf"(?:['’]|fy ?|q[1-4] ?|h[12] ?|[-–/]){year % 100:02d}(?!\d)"
        if (
            others
            and str(year) not in others
            and not re.search(short, text, re.IGNORECASE)
            and not _in_range(year, text)
        ):
            yield NamedThing("year", str(year))


def _in_range(year: int, text: str) -> bool:
    for first, last in _YEARS.findall(text):
        end = int(last) if len(last) == 4 else int(first) // 100 * 100 + int(last)
        if int(first) <= year <= end:
            return True
    return any(
        date.years and date.years[0] < date.years[1] and date.years[0] <= year <= date.years[1]
        for date in find_dates(text)
    )
