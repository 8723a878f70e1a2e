"""Finds where other documents say something else than the evidence of an answer: another value for the same thing.

Two sentences, rows or labelled lines of two documents are about the same thing if they are the same but for one value,
and if nothing above them names different things. A wrong alarm costs more than a missed one, so any other word that one
of them has, any other number and any heading of its own makes it another thing.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from domain.documents.chunk_context import with_columns
from domain.entities.dates import find_dates
from domain.evidence.replacements import Excerpt, Known, known_documents, replacing
from domain.evidence.substitution import may_be_one
from domain.facts.differences.opposites import are_opposites
from domain.facts.reading.phrases import normalised
from domain.facts.reading.token_alignment import Alignment, align
from domain.facts.reading.tokens import Token, Value, tokenize
from domain.facts.reading.values import values_agree
from domain.facts.reading.vocabulary import OPPOSITES
from domain.facts.structure.headings import heading_lines, is_section_key, split_off_headings
from domain.facts.structure.tables import Row, parse_tables
from domain.facts.structure.terms import terms_of
from domain.text.lengths import is_too_long
from domain.text.sentences import is_table_row, split_sentences

_LABELLED = re.compile(r"[\s*•·-]*+([^\s:：|][^:：|\n]{0,39})[:：]\s+(\S[^\n]{0,119})")
_NUMBERING = re.compile(
    r"\A\s*(?:(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]|\d{1,3}(?:\.\d{1,3}){1,3}|[-*•·]|제\s?\d{1,3}\s?조)\s+)"
)
_IDENTITY = re.compile(r"\d+(?:[.,:/-]\d+)*")
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|Q[1-4]|H[12])\b|[1-4]분기|[상하]반기", re.IGNORECASE)
_BEFORE_SLOT = re.compile(r"(?:\b(is|in|at|by)(?:\s+(the))?|([:：]))\s+$", re.IGNORECASE)
_COPULA = re.compile(r"(?:이다|입니다|이며|임)[.\s]*$")
_WORD = re.compile(r"[^\W\d_]+")
_BE = ("is", "are", "be", "was", "were")
_PAST = re.compile(r"\b(?:was|were|had|did)\b", re.IGNORECASE)
_Values = Sequence[tuple[str, str]]
_LONGEST_SLOT = 8  # words
_FEWEST_SHARED = 2  # words that two statements about one thing have in common


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence of the answer and the words that it rests on, `excerpt.text[start:end]`. Only values that the sentence
    states are compared."""

    claim: str
    excerpt: Excerpt
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Place:
    """Words of an excerpt, `excerpt.text[start:end]`, and the `value` in them that another place contradicts."""

    excerpt: Excerpt
    start: int
    end: int
    value: str

    @property
    def quote(self) -> str:
        return self.excerpt.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two documents disagree. `stated` is what the sentence `claim` of the answer rests on, `other` what else is said;
    `in_force` is the document of the two that replaces the other one, if one of them says so."""

    claim: str
    stated: Place
    other: Place
    in_force: str | None


@dataclass(frozen=True, slots=True)
class _Unit:
    """A statement of a document: a sentence or a labelled line, or one cell of a row."""

    excerpt: Excerpt
    start: int
    end: int
    text: str
    row: Row | None = None

    @property
    def headings(self) -> tuple[str, ...]:
        return self.excerpt.headings_at(self.start)

    def place(self, value: str) -> Place:
        return Place(self.excerpt, self.start, self.end, value)


def conflicts(evidence: Sequence[Evidence], excerpts: Sequence[Excerpt]) -> list[Conflict]:
    """Return what other documents among the `excerpts` say instead of the `evidence` of an answer."""
    documents = known_documents(list(dict.fromkeys((*(each.excerpt for each in evidence), *excerpts))))
    found: dict[tuple[str, str, str], Conflict] = {}
    for stated in evidence:
        for unit, other, values in _differences(stated, excerpts, documents):
            pair = documents[unit.excerpt.document], documents[other.excerpt.document]
            valid = replacing(*pair)
            if valid is None and (len(values) > 1 or _are_instances(*pair) or _are_of_two_records(unit, other, pair)):
                continue
            for here, there in values:
                if _states(stated.claim, here, unit):
                    places = unit.place(here), other.place(there)
                    key = unit.text, other.excerpt.document, there
                    found.setdefault(key, Conflict(stated.claim, *places, valid.document if valid else None))
    return list(found.values())


def documents_to_compare(evidence: Sequence[Evidence], excerpts: Sequence[Excerpt]) -> set[str]:
    """Return the documents that have statements like the evidence with other values, and those of the evidence: more
    has to be known of these before it is certain that they speak of the same thing."""
    documents = known_documents(list(dict.fromkeys((*(each.excerpt for each in evidence), *excerpts))))
    found = (pair for stated in evidence for pair in _differences(stated, excerpts, documents))
    return {unit.excerpt.document for pair in found for unit in pair[:2]}


def in_force(excerpt: Excerpt, start: int, end: int, excerpts: Sequence[Excerpt]) -> Place | None:
    """Return what holds instead of `excerpt.text[start:end]`, where a document among the `excerpts` says that it
    replaces this one and states another value."""
    found = conflicts([Evidence(excerpt.text[start:end], excerpt, start, end)], excerpts)
    return next((each.other for each in found if each.in_force == each.other.excerpt.document), None)


def _differences(
    stated: Evidence, excerpts: Sequence[Excerpt], documents: Mapping[str, Known]
) -> Iterator[tuple[_Unit, _Unit, _Values]]:
    """Yield the statements of other documents that are those of the evidence but for their values."""
    for unit in _units(stated.excerpt):
        if unit.start >= stated.end or unit.end <= stated.start:
            continue
        for excerpt in excerpts:
            if excerpt.document == stated.excerpt.document:
                continue
            pair = documents[unit.excerpt.document], documents[excerpt.document]
            for other in _cells(excerpt) if unit.row else _sentences(excerpt):
                if values := _differing_cell(unit, other) if unit.row else _differing(unit, other, pair):
                    yield unit, other, values


def _states(claim: str, value: str, unit: _Unit) -> bool:
    """Say whether a sentence of the answer has the value, however it is written; a whole statement needs no value."""
    if value == unit.text and unit.row is None:
        return True
    wanted = [each.value for each in tokenize(value) if each.value]
    stated = [each.value for each in tokenize(claim) if each.value]
    if wanted and all(any(values_agree(each, one) for one in stated) for each in wanted):
        return True
    return value.casefold() in claim.casefold()


# ------------------------------------------------------------------ the statements of an excerpt


def _units(excerpt: Excerpt) -> Sequence[_Unit]:
    return (*_sentences(excerpt), *_cells(excerpt))


@lru_cache(maxsize=256)
def _sentences(excerpt: Excerpt) -> Sequence[_Unit]:
    return tuple(_read_sentences(excerpt))


@lru_cache(maxsize=256)
def _cells(excerpt: Excerpt) -> Sequence[_Unit]:
    return tuple(_read_cells(excerpt))


def _read_sentences(excerpt: Excerpt) -> Iterator[_Unit]:
    headings = heading_lines(excerpt.text)
    for sentence in split_sentences(excerpt.text, cites=False):
        place = sentence.start
        for part in split_off_headings(sentence.text, headings):
            lines = part.split("\n")
            for line in lines if any(map(_LABELLED.fullmatch, lines)) else (part,):
                start = excerpt.text.index(line, place)
                place = start + len(line)
                stated = _NUMBERING.sub("", line)
                if stated.strip() in headings or is_table_row(line) or is_too_long(line):
                    continue
                yield _Unit(excerpt, start, place, stated)
                _, colon, rest = stated.partition(": ")
                if colon and not _LABELLED.fullmatch(line):
                    yield _Unit(excerpt, start, place, rest)


def _read_cells(excerpt: Excerpt) -> Iterator[_Unit]:
    place = 0
    for row in parse_tables(with_columns(excerpt.text, excerpt.context)).rows:
        start = excerpt.text.find(row.line, place) if row.line else -1
        if start < 0:
            continue
        place = start + len(row.line)
        for cell in row.cells:
            yield _Unit(
                excerpt,
                start,
                place,
                cell.content,
                row=Row(row.label, (cell,), row.heading, row.table, row.groups, row.line),
            )


# ------------------------------------------------------------------ two sentences


def _differing(one: _Unit, other: _Unit, pair: tuple[Known, Known]) -> _Values:
    """Return the values in which the sentences differ, if they are the same but for them."""
    begun = _beginnings(one.text), _beginnings(other.text)
    if 2 * len(begun[0] & begun[1]) < min(map(len, begun)):
        return ()  # Most sentences have nothing to do with each other, and reading them takes long.
    first, second = tokenize(one.text), tokenize(other.text)
    if not first or not second or _refers(first[0]) or _refers(second[0]):
        return ()
    above = _keys((*one.headings, pair[0].title)), _keys((*other.headings, pair[1].title))
    if not _are_below_the_same(one, other, pair):
        return ()
    aligned = align(first, second)
    left = _rest(first, aligned.matched_statement, above[1])
    right = _rest(second, aligned.matched_source, above[0])
    shared = {each.key for at, each in enumerate(first) if at in aligned.matched_statement and each.is_content}
    if len(shared | (above[0] & above[1])) < _FEWEST_SHARED or not shared:
        return ()
    return _values(one.text, other.text, left, right, aligned)


def _values(one: str, other: str, left: Sequence[Token], right: Sequence[Token], aligned: Alignment) -> _Values:
    """Return what stands in the place of each other in two sentences, of which `left` and `right` are all that
    differs; nothing if both may be true."""
    if len(left) == len(right) == 1 and _exclude_each_other(left[0], right[0], aligned):
        return ((one, other),)
    if cues := [each for each in (*left, *right) if each.kind == "cue"]:
        return ((one, other),) if len(left) + len(right) == 1 and cues[0].cue == "denied" else ()
    if len(left) == len(right) and all(each.value for each in (*left, *right)):
        pairs = [_differing_values(*both, aligned) for both in zip(left, right, strict=True)]
        if None not in pairs:
            runs = _run(one, left), _run(other, right)
            return (runs,) if all(runs) else tuple(each for each in pairs if each)
    return _differing_slots(one, other, left, right, aligned)


def _run(sentence: str, values: Sequence[Token]) -> str:
    """Return values that are written as one, such as those of a telephone number, else nothing."""
    text = normalised(sentence)
    ends = [each.start + len(each.text) for each in values]
    between = (text[end : each.start] for end, each in zip(ends, values[1:], strict=False))
    is_one = len(values) > 1 and all(len(each) <= 1 for each in between)
    return text[values[0].start : ends[-1]] if is_one else ""


@lru_cache(maxsize=4096)
def _beginnings(text: str) -> frozenset[str]:
    # Particles and endings follow.
    return frozenset(word[:2] if word >= "가" else word[:4] for word in _WORD.findall(text.casefold()))


def _refers(token: Token) -> bool:
    # To what stands elsewhere, or to the writer; "we" are those whose documents these are.
    return token.kind == "pronoun" and token.key not in ("we", "our", "you", "your")


def _rest(tokens: Sequence[Token], matched: Iterable[int], above: frozenset[str]) -> list[Token]:
    """Return what the other sentence lacks; a word that stands above that one is no difference, nor is "every"."""
    known = frozenset(matched)
    return [
        each
        for at, each in enumerate(tokens)
        if at not in known
        and (each.kind == "cue" or each.is_content)
        and each.cue != "all"
        and (each.value or each.kind == "cue" or not _keys((each.text,)) <= above)
    ]


def _differing_values(one: Token, other: Token, aligned: Alignment) -> tuple[str, str] | None:
    if one.value is None or other.value is None or not _are_of_one_kind(one.value, other.value):
        return None
    if values_agree(one.value, other.value) or values_agree(other.value, one.value):
        return None
    if one.value.date and any(
        next(each for each in side if each.is_content) is token
        for side, token in ((aligned.statement, one), (aligned.source, other))
    ):
        return None  # "On 4 May the hall is closed": what is said holds on that day.
    return one.text.strip(" ."), other.text.strip(" .")


def _are_of_one_kind(one: Value, other: Value) -> bool:
    if one.date and other.date:
        return bool(one.date.month and other.date.month) and bool(one.date.day) == bool(other.date.day)
    if (one.minutes is None) != (other.minutes is None):
        return False
    first, second = one.quantity, other.quantity
    if first is None or second is None or first.bound != second.bound or one.counter != other.counter:
        return False
    return first.dimension == second.dimension and one.currency == other.currency


def _exclude_each_other(one: Token, other: Token, aligned: Alignment) -> bool:
    """Say whether the two words are opposites that the sentences say of the same thing: "is permitted"; opposites
    before a noun, "the northern gate", are two things."""
    if not (are_opposites(one, other) or frozenset((one.key, other.key)) in OPPOSITES):
        return False
    return all(
        (each.start and tokens[tokens.index(each) - 1].key in _BE) or (each.text[0] >= "가" and each is tokens[-1])
        for each, tokens in ((one, list(aligned.statement)), (other, list(aligned.source)))
    )


def _differing_slots(
    one: str, other: str, left: Sequence[Token], right: Sequence[Token], aligned: Alignment
) -> _Values:
    """Return two names or two definite things in the same place: "The officer is Maria Lund"."""
    first, second = _slot(one, left, aligned.statement), _slot(other, right, aligned.source)
    if first is None or second is None or first.opened != second.opened:
        return ()
    is_named = all(each.kind == "name" for each in (*left, *right))
    if not is_named and not (first.opened in ("is the", ":", "topic") and first.ends and second.ends):
        return ()
    if may_be_one(first.words, second.words) or _keys((first.words,)) & _keys((second.words,)):
        return ()
    return ((first.words, second.words),)


@dataclass(frozen=True, slots=True)
class _Slot:
    """The `words` that one sentence has in place of those of the other: `opened` by what stands before them, and at the
    end of their sentence if it `ends` with them."""

    words: str
    opened: str
    ends: bool


def _slot(sentence: str, tokens: Sequence[Token], whole: Sequence[Token]) -> _Slot | None:
    content = [each for each in whole if each.is_content or each.kind == "cue"]
    if not tokens or len(tokens) > _LONGEST_SLOT or (len(tokens) == 1 and tokens[0].value):
        return None
    first = content.index(tokens[0])
    if content[first : first + len(tokens)] != list(tokens):
        return None
    text = normalised(sentence)
    end = tokens[-1].start + len(tokens[-1].text)
    ends = content[-1] is tokens[-1]
    words = (text[tokens[0].start :] if ends else text[tokens[0].start : end]).strip(" .。\n")
    if opened := _BEFORE_SLOT.search(text[: tokens[0].start]):
        return _Slot(words, " ".join(each.casefold() for each in opened.groups() if each), ends)
    if first and content[first - 1].case in ("topic", "subject") and (copula := _COPULA.search(text)):
        return _Slot(words.removesuffix(text[copula.start() :].strip(" .。\n")), "topic", ends)
    return None


# ------------------------------------------------------------------ two rows


def _differing_cell(one: _Unit, other: _Unit) -> _Values:
    if one.row is None or other.row is None or not _same_cell(one.row, other.row):
        return ()
    first, second = one.row.cells[0].content, other.row.cells[0].content
    values = [[each for each in tokenize(text) if each.is_content] for text in (first, second)]
    if any(len(each) != 1 for each in values) or values[0][0].value is None or values[1][0].value is None:
        return ()
    here, there = values[0][0].value, values[1][0].value
    if not _are_of_one_kind(here, there) or values_agree(here, there) or values_agree(there, here):
        return ()
    return ((first, second),)


def _same_cell(one: Row, other: Row) -> bool:
    first, second = one.cells[0], other.cells[0]
    if one.groups != other.groups or first.unit != second.unit:
        return False
    return all(
        mine == theirs and (mine or is_optional)
        for mine, theirs, is_optional in (
            (_folded(one.label), _folded(other.label), False),
            (_folded(first.head), _folded(second.head), False),
            (_folded(first.outer_heads), _folded(second.outer_heads), True),
        )
    )


@lru_cache(maxsize=4096)
def _folded(text: str) -> tuple[str, ...]:
    return tuple(each.key for each in terms_of(text))


# ------------------------------------------------------------------ what the documents are about


def _are_instances(one: Known, other: Known) -> bool:
    """Say whether the titles name two things of a kind: invoices, years, parties of a contract."""
    numbers = [_identities(each) for each in (one, other)]
    if numbers[0] - numbers[1] and numbers[1] - numbers[0]:
        return True
    return any(_names_in_title(mine) - _all_keys(theirs) for mine, theirs in ((one, other), (other, one)))


def _identities(document: Known) -> frozenset[str]:
    """The numbers of a title, or of a file's name where it has no title, and the parts of a year; not the day on which
    it was written."""
    title = document.title or document.name.rsplit(".", 1)[0]
    for date in find_dates(title):
        if date.day:
            title = title.replace(date.text, " ")
    return frozenset(each.casefold() for each in (*_IDENTITY.findall(title), *_ORDINAL.findall(title)))


def _names_in_title(document: Known) -> frozenset[str]:
    tokens = [each for each in tokenize(document.title) if each.is_content]
    words = [each for each in document.title.split() if each[:1].isalpha() and len(each) > 3]
    if all(each[:1].isupper() for each in words):
        return frozenset()  # Capitals of a headline name nothing.
    return frozenset(key for each in tokens if each.kind == "name" and not each.value for key in each.key.split())


def _all_keys(document: Known) -> frozenset[str]:
    return _keys((document.title, document.text))


def _are_below_the_same(one: _Unit, other: _Unit, pair: tuple[Known, Known]) -> bool:
    """Say whether the headings below the title add nothing that the other statement does not also have."""
    sides = (one, pair[0]), (other, pair[1])
    every = [_keys((unit.text, known.title, *unit.headings)) for unit, known in sides]
    for (unit, known), there, here in zip(
        sides, reversed(every), (_keys((one.text,)), _keys((other.text,))), strict=True
    ):
        dated = [each.text for each in known.dates]
        inner = _keys(each for each in unit.headings if each != known.title and not any(day in each for day in dated))
        if any(not is_section_key(key) for key in inner - there - here):
            return False
    return True


def _keys(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(key for text in texts for key in _keys_of(text))


@lru_cache(maxsize=1024)
def _keys_of(text: str) -> frozenset[str]:
    return frozenset(
        key for line in text.split("\n") for each in tokenize(line) if each.is_content for key in each.key.split()
    )


def _are_of_two_records(one: _Unit, other: _Unit, pair: tuple[Known, Known]) -> bool:
    """Say whether the two places belong to two fillings of one form, or of one table, because most of what both have
    differs; a label of a dated document speaks of that day, and what was is of the document's time."""
    if one.row:
        return _most_differ(_cells_of(pair[0]), _cells_of(pair[1]))
    days = [[each for each in find_dates(known.title) if each.day] for known in pair]
    labelled = _LABELLED.fullmatch(one.text) and _LABELLED.fullmatch(other.text)
    if all(days) and (labelled or _PAST.search(one.text)):
        return True
    return _most_differ(_labels_of(pair[0]), _labels_of(pair[1])) if labelled else False


def _most_differ(one: dict[tuple[str, ...], str], other: dict[tuple[str, ...], str]) -> bool:
    shared = one.keys() & other.keys()
    differing = [each for each in shared if not _same_content(one[each], other[each])]
    return len(shared) > 1 and 2 * len(differing) > len(shared)


def _same_content(one: str, other: str) -> bool:
    mine, theirs = ([each for each in tokenize(text) if each.is_content] for text in (one, other))
    aligned = align(mine, theirs)
    return len(aligned.matched_statement) == len(mine) and len(aligned.matched_source) == len(theirs)


def _cells_of(document: Known) -> dict[tuple[str, ...], str]:
    rows = (unit.row for excerpt in document.excerpts for unit in _units(excerpt) if unit.row)
    return {
        (*_folded(row.label), "·", *_folded(row.cells[0].head)): row.cells[0].content
        for row in rows
        if any(each.value for each in tokenize(row.cells[0].content))
    }


def _labels_of(document: Known) -> dict[tuple[str, ...], str]:
    matched = (_LABELLED.fullmatch(unit.text) for excerpt in document.excerpts for unit in _units(excerpt))
    return {_folded(each[1]): each[2] for each in matched if each}
