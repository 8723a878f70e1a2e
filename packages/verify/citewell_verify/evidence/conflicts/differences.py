"""Compares the statements of two documents: sentences, labelled lines and cells that are equal except for a value.

Any other word that only one of them has, and any limit or condition, makes it a different statement.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citewell_verify.evidence.conflicts.replacements import Excerpt
from citewell_verify.evidence.replaced_words import may_be_one
from citewell_verify.facts.differences.sentence import are_opposites
from citewell_verify.facts.reading.clauses import clauses
from citewell_verify.facts.reading.phrases import normalised
from citewell_verify.facts.reading.token_alignment import Alignment, align
from citewell_verify.facts.reading.tokens import Token, Value, tokenize
from citewell_verify.facts.reading.values import values_agree
from citewell_verify.facts.reading.vocabulary import FILLERS
from citewell_verify.facts.structure.headings import heading_lines, split_off_headings
from citewell_verify.facts.structure.tables import Cell, Row, parse_tables
from citewell_verify.facts.structure.terms import terms_of
from citewell_verify.text.opposites import OPPOSITES
from citewell_verify.text.readability import is_verb
from citewell_verify.text.sentences import is_table_row, split_sentences
from citewell_verify.text.windows import with_columns

LABELLED = re.compile(r"[\s*•·-]*+([^\s:：|][^:：|\n]{0,39})[:：]\s+(\S[^\n]{0,119})")
_NUMBERING = re.compile(
    r"\A\s*(?:(?:\d{1,3}(?:\.\d{1,3}){0,3}[.)]|\d{1,3}(?:\.\d{1,3}){1,3}|[-*•·]|§\s?\d{1,3}|제\s?\d{1,3}\s?조(?:\([^()\n]{1,30}\))?)\s+)"
)
_MORE = re.compile(r",\s(?:\w+\s)?(?:and|but|so|while|whereas|because|although|which|who)\s|\s(?:and|but|because)\s")

_LONGEST = 500  # characters: a longer sentence says more than one thing


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a document: a sentence, a labelled line, or one cell of a row. `text` lacks the `label` before a
    colon, and `more`, the clauses that follow."""

    excerpt: Excerpt
    start: int
    end: int
    text: str
    row: Row | None = None
    label: str = ""
    more: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        return self.excerpt.headings_at(self.start)


@lru_cache(maxsize=256)
def statements_of(excerpt: Excerpt) -> Sequence[Statement]:
    return (*_read_sentences(excerpt), *_read_cells(excerpt))


def _read_sentences(excerpt: Excerpt) -> Iterator[Statement]:
    headings = heading_lines(excerpt.text)
    for sentence in split_sentences(excerpt.text, cites=False):
        place = sentence.start
        for part in split_off_headings(sentence.text, headings):
            lines = part.split("\n")
            for line in lines if any(map(LABELLED.fullmatch, lines)) else (part,):
                start = excerpt.text.index(line, place)
                place = start + len(line)
                stated = _NUMBERING.sub("", line)
                if stated.strip() in headings or is_table_row(line) or len(line) > _LONGEST:
                    continue
                for text, more in _readings(stated):
                    yield Statement(excerpt, start, place, text, more=more)
                label, colon, rest = stated.partition(": ")
                if colon:
                    for text, more in _readings(rest):
                        yield Statement(excerpt, start, place, text, label=label, more=more)


def _readings(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the whole sentence, and its first clause with the clauses that follow."""
    yield sentence, ""
    first, *more = clauses(sentence)
    said = first if more else _MORE.split(sentence, maxsplit=1)[0]
    if said != sentence and not any(token.cue in ("if", "only", "denied") for token in tokenize(sentence[len(said) :])):
        yield said, sentence[len(said) :]


def _read_cells(excerpt: Excerpt) -> Iterator[Statement]:
    place = 0
    for row in parse_tables(with_columns(excerpt.text, excerpt.context)).rows:
        start = excerpt.text.find(row.line, place) if row.line else -1
        if start < 0:
            continue
        place = start + len(row.line)
        for cell in row.cells if row.label else ():
            yield Statement(
                excerpt,
                start,
                place,
                _as_sentence(row, cell),
                row=Row(row.label, (cell,), row.heading, row.table, row.groups, row.line),
            )


def _as_sentence(row: Row, cell: Cell) -> str:
    """Return a cell as a labelled sentence: "K7 drill, warranty: 24 months" for the column "Warranty (months)"."""
    label = row.label if _WORD.search(row.label) else f"Row {row.label}"  # A number alone would be a value.
    names = f"{' '.join(row.groups)} {label}, {cell.outer_heads}"
    for word in _WORD.findall(cell.head):
        measured = tokenize(f"{cell.content} {word}")
        if len(measured) == 1 and measured[0].value and measured[0].value.quantity and measured[0].value.quantity.unit:
            return f"{names} {cell.head.replace(word, ' ')}: {cell.content} {word}"
    return f"{names} {cell.head}: {cell.content}"


_WORD = re.compile(r"[^\W\d_]+")
_BEFORE_SLOT = re.compile(r"(?:\b(is|in|at|by)(?:\s+(the))?|([:：]))\s+$", re.IGNORECASE)
_COPULA = re.compile(r"(?:이다|입니다|이며|임)[.\s]*$")
_BE = ("is", "are", "be", "been", "was", "were")
_LONGEST_SLOT = 8  # words
_STOP = " .。\n"

Values = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two statements that are equal except for `values`, which are pairs; without values they agree. `words` are the
    keys of their common words; `adds`: one of the two says more.
    """

    values: Values
    words: frozenset[str]
    adds: bool = False


def share_words(stated: Statement, known: Statement) -> bool:
    """Return whether the statements may be about the same: most are not, and this test is faster than a comparison."""
    begun = _beginnings(stated.text), _beginnings(known.text)
    quarters = 2 if (stated.row is None) == (known.row is None) else 3  # A cell is hardly more than names.
    return 4 * len(begun[0] & begun[1]) >= quarters * min(map(len, begun))


def compare_sentences(
    stated: Statement, known: Statement, above: tuple[frozenset[str], frozenset[str]]
) -> Compared | None:
    """Compare two sentences or labelled lines, given the words `above` each of them; None if more than values
    differ.
    """
    first, second = tokenize(stated.text), tokenize(known.text)
    if not first or not second or _refers(first[0]) or _refers(second[0]):
        return None
    aligned = align(first, second)
    left = _rest(first, aligned.matched_statement, above[1])
    right = _rest(second, aligned.matched_source, above[0])
    matched = (token for at, token in enumerate(first) if at in aligned.matched_statement)
    words = {key for token in matched if token.is_content and not token.value for key in token.key.split()}
    are_rows = stated.row is not None and known.row is not None
    if not words or (are_rows and not all(token.value for token in (*left, *right))):
        return None
    left, right = _without_predicate(left, right, first), _without_predicate(right, left, second)
    values = _values(stated.text, known.text, left, right, aligned) if left or right else ()
    if values is not None:
        return Compared(values, frozenset(words))
    added = _value_beside_more(left, right, aligned)
    return Compared((added,), frozenset(words), adds=True) if added else None


def says_same(stated: str, known: str) -> bool:
    """Say whether two contents have the same words and values."""
    first_words, second_words = ([token for token in tokenize(text) if token.is_content] for text in (stated, known))
    aligned = align(first_words, second_words)
    return len(aligned.matched_statement) == len(first_words) and len(aligned.matched_source) == len(second_words)


def keys_in(*texts: str) -> frozenset[str]:
    return frozenset(key for text in texts for key in _keys_in(text))


@lru_cache(maxsize=1024)
def _keys_in(text: str) -> frozenset[str]:
    tokens = (token for line in text.split("\n") for token in tokenize(line) if token.is_content)
    return frozenset(key for token in tokens for key in token.key.split())


@lru_cache(maxsize=4096)
def folded(text: str) -> tuple[str, ...]:
    return tuple(token.key for token in terms_of(text))


@lru_cache(maxsize=4096)
def _beginnings(text: str) -> frozenset[str]:
    """Return the beginnings of the words of a text, without their particles and endings."""
    return frozenset(word[:2] if word >= "가" else word[:4] for word in _WORD.findall(text.casefold()))


def _refers(token: Token) -> bool:
    """Return whether a pronoun refers to something outside its sentence; "we" and "you" are no such words."""
    return token.kind == "pronoun" and token.key not in ("we", "our", "you", "your")


def _rest(tokens: Sequence[Token], matched: Iterable[int], above: frozenset[str]) -> list[Token]:
    """Return the tokens that the other sentence lacks. Words above the other sentence are no difference, and neither
    are words such as "every" and "must".
    """
    known = frozenset(matched)
    return [
        token
        for at, token in enumerate(tokens)
        if at not in known
        and (token.kind == "cue" or token.is_content)
        and token.cue not in ("all", "obliged")
        and (token.value or token.kind == "cue" or not keys_in(token.text) <= above)
    ]


def _without_predicate(rest: list[Token], other_rest: Sequence[Token], tokens: Sequence[Token]) -> list[Token]:
    """Leave out the verb that only one of the sentences has: "receive", "is payable", "amounts to EUR 5", "is now"."""
    if any(token.kind == "word" for token in other_rest):
        return rest
    places = {id(token): at for at, token in enumerate(tokens)} if rest else {}
    return [token for token in rest if token.kind != "word" or not _is_predicate(tokens, places[id(token)])]


def _is_predicate(tokens: Sequence[Token], at: int) -> bool:
    before = tokens[at - 1].key if at else ""
    behind = [token for token in tokens[at + 1 : at + 3] if token.key not in ("to", "at")]
    is_before_value = bool(behind and behind[0].value) and before not in FILLERS
    return is_verb(tokens[at].text) or is_before_value or (before in _BE and bool(behind) and behind[0].key != "by")


def _values(
    stated: str, known: str, left: Sequence[Token], right: Sequence[Token], aligned: Alignment
) -> Values | None:
    """Return the differing words of two sentences that take the same place in both. `left` and `right` are all the
    differing words. None if both sentences may be true; empty if they agree."""
    if len(left) == len(right) == 1 and _exclude_each_other(left[0], right[0], aligned):
        return ((stated, known),)
    if cues := [token for token in (*left, *right) if token.kind == "cue"]:
        return ((stated, known),) if len(left) + len(right) == 1 and cues[0].cue == "denied" else None
    if len(left) == len(right) and all(token.value for token in (*left, *right)):
        pairs = [_differing_values(*both, aligned) for both in zip(left, right, strict=True)]
        if None not in pairs:
            runs = _run(stated, left), _run(known, right)
            return (runs,) if all(runs) else tuple(pair for pair in pairs if pair)
    return _differing_slots(stated, known, left, right, aligned)


def _exclude_each_other(stated: Token, known: Token, aligned: Alignment) -> bool:
    """Return whether the two words are opposites that the sentences state of the same thing, as in "is permitted".
    Opposites before a noun, as in "the northern gate", are two things."""
    if not (are_opposites(stated, known) or frozenset((stated.key, known.key)) in OPPOSITES):
        return False
    return all(
        (token.start and tokens[tokens.index(token) - 1].key in _BE) or (token.text[0] >= "가" and token is tokens[-1])
        for token, tokens in ((stated, list(aligned.statement)), (known, list(aligned.source)))
    )


def _differing_values(stated: Token, known: Token, aligned: Alignment) -> tuple[str, str] | None:
    if stated.value is None or known.value is None or not _are_of_one_kind(stated.value, known.value):
        return None
    if values_agree(stated.value, known.value) or values_agree(known.value, stated.value):
        return None
    if stated.value.date and any(
        next(candidate for candidate in side if candidate.is_content) is token
        for side, token in ((aligned.statement, stated), (aligned.source, known))
    ):
        return None  # "On 4 May the hall is closed" holds only on that day.
    return stated.text.strip(_STOP), known.text.strip(_STOP)


def _value_beside_more(left: Sequence[Token], right: Sequence[Token], aligned: Alignment) -> tuple[str, str] | None:
    """Return the only differing values of two sentences, one of which has words that the other lacks."""
    values = [[token for token in side if token.value] for side in (left, right)]
    if min(len(left), len(right)) > 1 or any(token.kind == "cue" for token in (*left, *right)):
        return None
    return _differing_values(values[0][0], values[1][0], aligned) if len(values[0]) == len(values[1]) == 1 else None


def _are_of_one_kind(stated: Value, known: Value) -> bool:
    if stated.date and known.date:
        return bool(stated.date.month and known.date.month) and bool(stated.date.day) == bool(known.date.day)
    if (stated.minutes is None) != (known.minutes is None):
        return False
    first, second = stated.quantity, known.quantity
    if first is None or second is None or first.bound != second.bound or stated.counter != known.counter:
        return False
    return first.dimension == second.dimension and stated.currency == known.currency


def _run(sentence: str, values: Sequence[Token]) -> str:
    """Return values that are written as one text, such as those of a telephone number; else an empty text."""
    text = normalised(sentence)
    ends = [value.start + len(value.text) for value in values]
    between = (text[end : value.start] for end, value in zip(ends, values[1:], strict=False))
    is_one = len(values) > 1 and all(len(gap) <= 1 for gap in between)
    return text[values[0].start : ends[-1]] if is_one else ""


def _differing_slots(
    stated: str, known: str, left: Sequence[Token], right: Sequence[Token], aligned: Alignment
) -> Values | None:
    """Return two names or two definite things in the same place: "The officer is Maria Lund"."""
    first, second = _slot(stated, left, aligned.statement), _slot(known, right, aligned.source)
    if first is None or second is None or first.opened != second.opened:
        return None
    is_named = all(token.kind == "name" for token in (*left, *right))
    if not is_named and not (first.opened in ("is the", ":", "topic") and first.ends and second.ends):
        return None
    if may_be_one(first.words, second.words) or keys_in(first.words) & keys_in(second.words):
        return None
    return ((first.words, second.words),)


@dataclass(frozen=True, slots=True)
class _Slot:
    """The `words` that one sentence has in place of other words in the other sentence. `opened` is the text before
    them; `ends`: the sentence ends with them.
    """

    words: str
    opened: str
    ends: bool


def _slot(sentence: str, tokens: Sequence[Token], whole: Sequence[Token]) -> _Slot | None:
    content = [token for token in whole if token.is_content or token.kind == "cue"]
    if not tokens or len(tokens) > _LONGEST_SLOT or (len(tokens) == 1 and tokens[0].value):
        return None
    first = content.index(tokens[0])
    if content[first : first + len(tokens)] != list(tokens):
        return None
    text = normalised(sentence)
    ends = content[-1] is tokens[-1]
    last = None if ends else tokens[-1].start + len(tokens[-1].text)
    words = text[tokens[0].start : last].strip(_STOP)
    if opened := _BEFORE_SLOT.search(text[: tokens[0].start]):
        return _Slot(words, " ".join(group.casefold() for group in opened.groups() if group), ends)
    if first and content[first - 1].case in ("topic", "subject") and (copula := _COPULA.search(text)):
        return _Slot(words.removesuffix(text[copula.start() :].strip(_STOP)), "topic", ends)
    return None
