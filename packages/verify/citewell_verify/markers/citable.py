"""The sources that an answer can cite, by number and by name (`[Source: AAPL 10-Q 2023]`)."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any

_WORD = re.compile(r"[^\W_]+")
_FORM = re.compile(r"(?<![a-z0-9])(\d{1,2})-?([kq])(?![a-z])")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_PAGE = re.compile(
    r"(?:\bpp?\.|\bpages?\b|쪽수|페이지)\s?(\d{1,5})(?:\s?[-–]\s?\d{1,5})?|(\d{1,5})\s?(?:쪽|페이지)", re.IGNORECASE
)
# Spaces before a separator are matched only from the first space, so that a long run costs no more than its length.
_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?[;；|]\s*")
_LESSER_SEPARATOR = re.compile(r"(?:(?<!\s)\s+)?[,，、&]\s*|(?<!\s)\s+(?:and|및|und|et|y)\s+")
# Words that a citation puts around a name; they name nothing themselves.
_FILLERS = frozenset(
    "the a an of for in on by from and form filing filings report annual quarterly document doc file fy fiscal year"
    " section chapter source no s inc corp ltd".split()
)
# The fillers that are words for a document: "the report" is the source, whatever its name.
_DOCUMENTS = frozenset(
    "form filing filings report document doc file source sources article text passage handbook manual guide policy"
    " 보고서 문서 자료 파일 출처 본문 원문 지침 지침서 규정 규칙 안내서 설명서 편람 매뉴얼".split()
)
_NAMELESS = _DOCUMENTS | frozenset(
    "the a an this these that of for in on by from and s no inc corp ltd 이 그 해당 위".split()
)
_FILING = re.compile(r"\d{1,2}[kq]")
_DIGIT = re.compile(r"\d")
_YEAR = re.compile(r"((?:19|20)\d\d)년도?")
_MOST_PARTICLES = 2
_PART_KEYS = tuple("ticker year filing_type form company author period fiscal_year".split())
_MOST_WORDS = 40
_BRACKET = re.compile(r"(?:(?P<before>\w{1,40})\W{0,3}?\s?)?\[(?P<body>[^\[\]\n]{0,40}\d[^\[\]\n]{0,40})\]")
_MOST_BRACKETS, _BEFORE_BRACKET = 200, 48
_CONTINUES = re.compile(r"\s?(?:[a-z가-힣]|\s\[\W?\d{1,2}\])")
# Labels before a name ("doc_id: "), and places in the document behind it (", p. 3", "#L10", " §2", ":12").
_LABEL = re.compile(r"^(?:[^\W\d][\w ]{0,20}[:：=]\s?|[\^@#])(?!//)")
_PLACE = re.compile(
    r"\s?[,;:|#§†(–-]?\s?(?:[^\W\d_]{1,12}\.?\s?)?[§#]?\d{1,5}(?:\s?[-–~]\s?[^\W\d_]?\d{1,5})?\s?[^\W\d_]{0,8}\)?$"
)


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names of one source: a `whole` name cites it alone, `parts` (ticker, year, type of filing) only together.

    `page` is its page in the document, None if unknown.
    """

    whole: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    page: int | None = None

    def is_named_by(self, phrase: str, *, is_weak: bool = False) -> bool:
        """Return whether the `phrase` names the source and nothing else: "Apple's 10-Q", "the 2023 safety guide".

        The phrase has words of the source's names in any order: a whole name, a type of filing, or two words; or it
        says only "the report". A phrase that `is_weak`, such as one in brackets, may be about something else, and so
        may a title: it must contain a word for a document or a file extension.
        """
        said = {_core(word) for word in _words(_PAGE.sub(" ", phrase))}
        names = [{_core(word) for word in _words(name)} for name in self.whole]
        known = set[str]().union(*names, *({_core(word) for word in _words(part)} for part in self.parts))
        meant = {word for word in said if word not in _NAMELESS}
        if not all(_is_one_of(word, known) for word in meant):
            return False
        is_document = any(_is_one_of(word, _DOCUMENTS) for word in said)
        whole = [
            name for name in names if name and all(any(_is_one_of(word, {part}) for word in said) for part in name)
        ]
        is_file = any(_EXTENSION.search(name) and set(map(_core, _words(name))) in whole for name in self.whole)
        if any(_FILING.fullmatch(word) for word in meant):
            return True
        if is_weak:
            return (is_document and bool(meant)) or (is_file and _EXTENSION.search(phrase) is not None)
        return is_file or bool(whole) or len(meant) > 1 or is_document

    def without_names_in(self, text: str) -> "SourceNames":
        """Leave out names that the `text` contains: it may be about a person of that name, who says something in it."""
        folded = text.casefold()
        kept = [
            name
            for name in self.whole
            if name.casefold() not in folded
            or _EXTENSION.search(name)
            or _DIGIT.search(name)
            or not _DOCUMENTS.isdisjoint(_words(name))
        ]
        return replace(self, whole=tuple(kept))


UNNAMED = SourceNames()


@dataclass(frozen=True, slots=True)
class Citable:
    """The sources of an answer: source N is `names[N - 1]`. Immutable and hashable.

    `refusal` is the workspace's own wording of the refusal that the sources do not answer the question, if it has one.
    `brackets` are the brackets in the texts of the sources (`brackets_in`).
    """

    names: tuple[SourceNames, ...]
    refusal: str | None = None
    brackets: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        return len(self.names)

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and 1 <= number <= len(self.names)

    def is_content(self, text: str, start: int, end: int, numbers: Sequence[int]) -> bool:
        """Return whether the bracket `text[start:end]` is in a source, after the same word, and so does not cite.

        As a source may have citations of its own, a bracket with numbers of sources does cite, unless it is a list of
        numbers within its sentence.
        """
        written = list(_written_brackets(text[max(0, start - _BEFORE_BRACKET) : end])) if self.brackets else []
        if not written or written[-1] not in self.brackets:
            return False
        is_within = len(numbers) > 1 and _CONTINUES.match(text, end) is not None
        return is_within or not all(number in self for number in numbers)

    def resolve(self, citation: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Return (numbers, names that no source has) for a citation's names: `AAPL 10-Q 2023; refunds.md, p. 7`.

        A document with several passages among the sources is cited by all of them, unless the citation names the page.
        """
        numbers: list[int] = []
        missing: list[str] = []
        for names in _SEPARATOR.split(citation):
            # "Returns and Fees" is one name if a source has it, else two.
            for part in (names,) if self._numbers_of(names) else _parts(names):
                named = self._numbers_of(part)
                numbers += named
                if not named:
                    missing.append(" ".join(part.split()))
        return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(missing))

    def named(self, text: str) -> tuple[int, ...]:
        """Return the sources whose whole name `text` is, or whose names it lists; () if any part of it is no name.

        A place in the document may follow the name: `refund.md, p. 3`, `refund.md#L10`, `refund.md §2`. A label may
        precede it: `doc_id: kr-7`, `^kr-7`.
        """
        if numbers := self._wholly(text):
            return numbers
        parts = [self._wholly(part) for part in _SEPARATOR.split(text) for part in _parts(part)]
        return tuple(dict.fromkeys(number for part in parts for number in part)) if parts and all(parts) else ()

    def is_written(self, name: str) -> bool:
        return any(name.strip() in source.whole for source in self.names)

    def _wholly(self, text: str) -> tuple[int, ...]:
        plain = _LABEL.sub("", text.strip(" \t\"'"))
        place = _PLACE.search(plain)
        for name in (plain, plain[: place.start()] if place else ""):
            key = _address(name)
            if not key:
                continue
            numbers = [
                number
                for number, source in enumerate(self.names, start=1)
                if any(_address(name) == key for name in source.whole)
            ]
            if numbers:
                return self._on_page(numbers, plain)
        return ()

    def _numbers_of(self, name: str) -> tuple[int, ...]:
        wanted = _words(_PAGE.sub(" ", name))
        rated = {number: _likeness(wanted, names) for number, names in enumerate(self.names, start=1)} if wanted else {}
        best = max(rated.values(), default=0)
        best_rated = [number for number, score in rated.items() if best and score == best]
        return self._on_page(best_rated, name)

    def _on_page(self, numbers: Sequence[int], name: str) -> tuple[int, ...]:
        """The sources on the page in the name; all of them if the name has no page, or if no source is on that page."""
        page = _PAGE.search(name)
        on_page = [number for number in numbers if page and self.names[number - 1].page == int(page[1] or page[2])]
        return tuple(on_page or numbers)


def brackets_in(text: str) -> frozenset[str]:
    """Return the square brackets with digits in a text, each with the word before it: `are[2,128,64]`."""
    return frozenset(islice(_written_brackets(text), _MOST_BRACKETS))


def _written_brackets(text: str) -> Iterator[str]:
    for match in _BRACKET.finditer(text) if "[" in text else ():
        yield f"{match['before'] or ''}[{''.join(match['body'].split())}]".casefold()


def citable(sources: "int | Citable | None") -> Citable | None:
    return _unnamed(sources) if isinstance(sources, int) else sources


@lru_cache(maxsize=64)
def _unnamed(count: int) -> Citable:
    return Citable((UNNAMED,) * count)


def _core(word: str) -> str:
    year = _YEAR.match(word)
    return year[1] if year else word


def _is_one_of(word: str, known: Iterable[str]) -> bool:
    """True if the word is known, or is a known word with a Korean particle: 한빛전자의."""
    if word in known:
        return True
    stems = (word[:-size] for size in range(1, _MOST_PARTICLES + 1) if len(word) > size + 1)
    return "가" <= word[-1] <= "힣" and any(stem in known for stem in stems)


def citable_sources(sources: Iterable[Mapping[str, Any]], refusal: str | None = None) -> Citable:
    """Return the citable sources of an answer; each has, as far as known, the keys `filename`, `title`, `id`, `url`,
    `section`, `page_number`, `metadata` (`title`, `ticker`, `year`, `filing_type`; S1.3), and `text` or `brackets`."""
    known = list(sources)
    written = (source.get("brackets") or brackets_in(source.get("text") or "") for source in known)
    return Citable(tuple(map(names_of, known)), refusal, frozenset(chain.from_iterable(written)))


def names_of(source: Mapping[str, Any]) -> SourceNames:
    metadata: Mapping[str, Any] = source.get("metadata") or {}
    given = [source.get(key) for key in ("filename", "title", "section", "id", "url")]
    given += [metadata.get(key) for key in ("title", "filename", "section", "name", "label")]
    names = [str(name) for name in given if name]
    stems = [_EXTENSION.sub("", name) for name in names]
    parts = [str(metadata[key]) for key in _PART_KEYS if metadata.get(key) is not None]
    page = source.get("page_number")
    return SourceNames(tuple(dict.fromkeys((*names, *stems))), tuple(parts), page if isinstance(page, int) else None)


def _parts(citation: str) -> Iterator[str]:
    for part in _LESSER_SEPARATOR.split(citation):
        if _WORD.search(_PAGE.sub("", part)):
            yield part


@lru_cache(maxsize=2048)
def _address(name: str) -> str:
    """An address without its scheme, and without parameters that a system adds to it (`?utm_source=…`)."""
    text = unicodedata.normalize("NFKC", name[:500]).casefold().strip()
    text = re.sub(r"^https?://(?:www\.)?|[?&]utm_\w+=.*$", "", text)
    return " ".join(_WORD.findall(text))


@lru_cache(maxsize=2048)
def _words(name: str) -> tuple[str, ...]:
    """The words of a name; `10-Q`, `10Q` and `10-q` are one word."""
    text = unicodedata.normalize("NFKC", name[:500]).casefold()
    return tuple(_WORD.findall(_FORM.sub(r"\1\2", text)))[:_MOST_WORDS]


def _likeness(wanted: Sequence[str], source: SourceNames) -> int:
    known: set[str] = set()
    whole = False
    for name in source.whole:
        words = _words(name)
        # Only a complete name identifies the source: "AAPL 10-Q 2022" does not cite "AAPL 10-Q 2023".
        places = range(len(wanted) - len(words) + 1)
        if words and any(tuple(wanted[at : at + len(words)]) == words for at in places):
            known.update(words)
            whole = True
    parts = [set(_words(part)) for part in source.parts]
    said = [part for part in parts if part and part <= set(wanted)]
    known.update(*said)
    meant = [word for word in wanted if word not in _FILLERS]
    if not all(word in known for word in meant):
        return 0
    return sum(word in known for word in wanted) + len(wanted) * whole if whole or said else 0
