"""Binds a statement to one cell of a table: its row, its column, its period and its value with the unit (V2).

Every word of the statement has to belong to a name of the cell (row label, group of rows, column heads, caption) or to
its content, or say nothing by itself ("amounted to"). Then the cell proves the statement, or contradicts it with its
own value. Other statements are left to the other rules.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from citewell_verify.entities.dates import Date, find_dates
from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import keys_of
from citewell_verify.facts.structure.cell_values import (
    Outcome,
    cell_figure,
    compare_figure,
    has_other_unit,
    unit_of,
    with_limit,
)
from citewell_verify.facts.structure.column_heads import AUDITED, unit_in_name
from citewell_verify.facts.structure.tables import Cell, Row
from citewell_verify.facts.structure.terms import (
    FiscalTerm,
    Term,
    TermIndex,
    has_all,
    is_among,
    most_specific,
    terms,
    terms_in,
    terms_of,
    without_terms,
)

_FOOTNOTE = re.compile(
    r"(?:\s*[(\[](?:\d{1,2}|[a-z]|\*+\d{0,2})[)\]]|\s*[(\[<]주(?:석|기)?\s?[\d,. ]*[)\]>]|(?<=[a-z)])\d|[*†‡]+)+$"
)
_NUMBERING = re.compile(
    r"^(?:[IVXⅠ-Ⅻ]{1,5}\s?[.)]|\(\d{1,2}\)|\d{1,2}[.)](?!\d)|[가-하][.)]|[①-⑳]|\([주유]\)|㈜)\s*(?=[^\W\d_])"
)
_STARS = re.compile(r"[(\[]\*+\d{0,2}[)\]]")
_NEUTRAL = keys_of(
    "amount amounts amounted come came comes stand stood stands total totaled totalled equal equals equaled reach"
    " reached report reported record recorded value figure number company group year ended end fiscal financial period"
    " name named call called spell spelled list listed table row column state stated"
    " 값 금액 수치 기록 달하다 달했다 이름 표 행 열 연도 회계연도 기준 현재 당기 전기 집계 나타났다"
)
_SOFT = keys_of("year years ended end as of at fiscal financial balance period 회계연도 기준 현재 말")
_MOST_ROWS = 40
_LONGEST_NAME = 300  # characters: a longer text is no name, and the patterns above are not linear


@dataclass(frozen=True, slots=True)
class BoundCell:
    """A cell that a statement names. `proven`: the cell states all of the statement; otherwise `difference` has the
    content of the cell.

    `rest` is the number of words that neither name the cell nor are its content.
    """

    row: Row
    cell: Cell
    difference: Difference | None
    rest: int

    @property
    def proven(self) -> bool:
        return self.difference is None and self.rest == 0


@dataclass(frozen=True, slots=True)
class _Match:
    """A cell that a statement may be about. `fit` orders such cells, the likeliest first; `unsaid` is the number of
    words of the cell's head that the statement leaves out.
    """

    row: Row
    cell: Cell
    outcome: Outcome
    value: Token | None
    rest: int
    fit: tuple[int, int, int]
    unsaid: int = 0


def bind(tokens: Sequence[Token], rows: Sequence[Row]) -> BoundCell | None:
    """Return the cell that a statement is about, if its words leave no doubt which; None otherwise."""
    if bound := _bind(tokens, rows):
        return bound
    limited = with_limit(tokens)
    return _bind(limited, rows) if limited else None


def _bind(tokens: Sequence[Token], rows: Sequence[Row]) -> BoundCell | None:
    matches = list(_matches(tokens, rows))
    if not matches:
        return None
    best = min(match.fit for match in matches)
    chosen = [match for match in matches if match.fit == best]
    if same := next((match for match in chosen if match.outcome == "same"), None):
        return BoundCell(same.row, same.cell, None, same.rest or int(not _agree(chosen)))
    if any(match.rest > match.unsaid or match.value is None for match in chosen):
        return None
    first = chosen[0]
    if any(match.outcome == "unsure" or match.unsaid for match in chosen):
        # The rules for sentences would take a limit for the value itself, and do not know the scale of a table.
        quantity = first.value.value.quantity if first.value and first.value.value else None
        is_limit = quantity is not None and quantity.bound in ("over", "under")
        # The head has a word such as "restated" that the statement leaves out.
        is_restated = first.unsaid > 0 and first.outcome in ("other", "other unit", "no scale")
        doubt = replace(_difference(first), kind="unit", sure=False)
        return BoundCell(first.row, first.cell, doubt, 0) if is_limit or is_restated else None
    return BoundCell(first.row, first.cell, _difference(first), 0)


def missing_term(tokens: Sequence[Token], rows: Sequence[Row]) -> tuple[str, Row] | None:
    """Return a fiscal term, such as 제24기, that a statement about a row names and no column of the row has, with the
    row.
    """
    stated = terms(tokens)
    # Only numbered terms count, because 당기 cannot be compared with columns that are only numbered.
    said = [(word.token.text, term) for word in stated for term in terms_in(word.key) if term.number is not None]
    named = (
        named_rows(stated, [token.key for token in tokens if token.kind == "cue"], rows)[:_MOST_ROWS] if said else []
    )
    known: list[FiscalTerm] = []
    for row in named:
        names = (row.heading, *row.groups, *(text for cell in row.cells for text in (cell.outer_heads, cell.head)))
        own = [term for text in names for term in terms_in(text)]
        if all(term.number is None for term in own):
            return None
        known += own
    texts = [text for text, term in said if not any(term.may_be(own) for own in known)]
    return (texts[0], named[0]) if texts and named else None


def _agree(matches: Sequence[_Match]) -> bool:
    """Return whether all matches have the same content, or the same name; heads that differ only in a sign have one
    name.
    """
    if all(match.outcome == "same" for match in matches):
        return True
    heads = [frozenset(term.key for term in terms_of(match.cell.head)) for match in matches]
    names = {
        (match.row.label, match.row.groups, match.cell.outer_heads, head)
        for match, head in zip(matches, heads, strict=True)
    }
    return len(names) == 1


def _difference(match: _Match) -> Difference:
    kind = "unit" if match.outcome in ("other unit", "no scale") else "number"
    known, unit = match.cell.content, unit_of(match.cell, match.row.label)
    if unit and unit not in known and "%" not in known:
        known = f"{known} {unit}" if unit.isascii() else f"{known}{unit}"
    return Difference(kind, match.value.text if match.value else "", known, sure=match.outcome != "no scale")


def _matches(tokens: Sequence[Token], rows: Sequence[Row]) -> Iterator[_Match]:
    stated = terms(tokens)
    cues = [token.key for token in tokens if token.kind == "cue"]
    for row in named_rows(stated, cues, rows)[:_MOST_ROWS]:
        plain = terms_of(plain_name(row.label))
        behind = without_each(stated, plain if has_all(stated, plain) else terms_of(row.label))
        for cell, names in named_cells(behind, row):
            # 감사받은 on a column that is 감사받지 아니한.
            is_audited = any(is_among(term, stated) for term in _audit_terms(cell))
            if is_audited and not _denials(" ".join(AUDITED.findall(cell.head))).issubset(cues):
                continue
            unsaid = sum(not is_among(word, behind) for word in head_words(cell))
            if _keys_of_names(row, cell).issuperset(cues) and (match := _match(without_each(behind, names), row, cell)):
                yield replace(match, rest=match.rest + unsaid, unsaid=unsaid)


def _audit_terms(cell: Cell) -> Sequence[Term]:
    return terms_of(" ".join(AUDITED.findall(cell.head)))


def named_rows(stated: Sequence[Term], cues: Sequence[str], rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose label a statement has, with "non" where the label has it."""
    index, keys = TermIndex(stated), {*cues, *(term.key for term in stated)}
    named = [
        row
        for row in rows
        if row.line
        and (index.has_all(terms_of(plain_name(row.label))) or index.has_all(terms_of(row.label)))
        and keys.issuperset(_denials(row.label))
    ]
    return most_specific(_nearest(named, keys), lambda row: plain_name(row.label))


def _nearest(named: Sequence[Row], keys: Set[str]) -> Sequence[Row]:
    """Return the rows that a statement names exactly, and the rows that are similar to none of these.

    A statement about 매출채권 has this word, but also seems to have 매출, as a word that may have an ending.
    """
    labels = [[term.key for term in terms_of(plain_name(row.label))] for row in named]
    exact = [label for label in labels if keys >= set(label)]
    return [
        row
        for row, label in zip(named, labels, strict=True)
        if keys >= set(label) or not any(_is_alike(label, whole) for whole in exact)
    ]


def _is_alike(label: Sequence[str], exact: Sequence[str]) -> bool:
    return len(label) == len(exact) and all(
        word.startswith(whole) or whole.startswith(word) for word, whole in zip(label, exact, strict=True)
    )


@lru_cache(maxsize=8192)
def _denials(label: str) -> frozenset[str]:
    return frozenset(token.key for token in tokenize(label) if token.cue == "denied")


def plain_name(name: str) -> str:
    """Return a name without its number, the mark of its footnote, the form of a company, whether it was audited, and
    its unit: "Ⅱ.재고자산(주석5)", "(주)가온정밀", "2019 (unaudited)", "Output (kg)"."""
    if len(name) > _LONGEST_NAME:
        return name
    bare = _FOOTNOTE.sub("", AUDITED.sub("", _STARS.sub("", _NUMBERING.sub("", name))))
    return unit_in_name(bare)[1] or name


def named_cells(rest: Sequence[Term], row: Row) -> Iterator[tuple[Cell, list[Term]]]:
    """Yield the cells whose column the rest of a statement names, with the terms of the name.

    A head is named by all of its words and dates. If no head is named in this way, a date or a fiscal term alone names
    the only column with it.
    """
    full: list[tuple[Cell, list[Term]]] = []
    dated: list[tuple[Cell, list[Term]]] = []
    for cell in row.cells:
        if fiscal := terms_in(f"{cell.outer_heads} {cell.head}"):
            if names := _names_by_term(cell, fiscal, rest):
                is_full = all(is_among(word, rest) for word in head_words(cell) if not word.token.value)
                (full if is_full else dated).append((cell, names))
            continue
        dates, words = _dates_of(cell), head_words(cell)
        given = [date for date in dates if any(_is_date(term.token, date) for term in rest)]
        names = [*terms_of(plain_name(cell.head)), *_audit_terms(cell), *terms_of(cell.outer_heads)]
        if len(given) == len(dates) and (dates or words) and all(is_among(word, rest) for word in words):
            full.append((cell, names))
        elif given:
            dated.append((cell, names))
    yield from full or (dated if len(dated) == 1 else [])


def _names_by_term(cell: Cell, fiscal: Sequence[FiscalTerm], rest: Sequence[Term]) -> list[Term]:
    """Return the terms of a head such as "제 31(당) 기" if a statement has its fiscal term, 제31기 or 당기, or a day of
    that term, and the words above the head."""
    said = [word for word in rest if any(term.may_be(own) for term in terms_in(word.key) for own in fiscal)]
    dated = any(_is_date(term.token, day) for term in rest for day in (*cell.days, *_dates_of(cell)))
    own, outer = (terms_of(without_terms(plain_name(text))) for text in (cell.head, cell.outer_heads))
    if not (said or dated) or not all(is_among(term, rest) for term in outer if not term.token.value):
        return []
    # The result is never empty, because a day may name a head without words.
    return [*said, *own, *outer, *_audit_terms(cell), *terms_of(cell.head)]


def head_words(cell: Cell) -> list[Term]:
    """Return the words of a head that a statement has to have, without the words of a date, as in "year ended"."""
    dates = _dates_of(cell)
    return [
        term
        for term in terms_of(without_terms(plain_name(cell.head)))
        if not (dates and (term.key in _SOFT or any(term.key in date.text.casefold() for date in dates)))
    ]


def _dates_of(cell: Cell) -> Sequence[Date]:
    """Return the dates of a head; a date may begin in the heads above it, as "December 31," above "2019"."""
    own = find_dates(cell.head)
    return find_dates(f"{cell.outer_heads} {cell.head}") if own and cell.outer_heads else own


def _is_date(token: Token, date: Date) -> bool:
    stated = token.value.date if token.value else None
    if stated is not None:
        return stated.follows_from(date)
    year = str(date.years[0]) if date.years else ""
    return year != "" and token.key in (f"fy{year}", f"fy{year[2:]}", year)


def _match(rest: Sequence[Term], row: Row, cell: Cell) -> _Match | None:
    """Compare the rest of a statement, without the names of row and column, with the content of the cell."""
    names = (*row.groups, row.heading, cell.outer_heads, cell.head)
    fiscal = [term for text in names for term in terms_in(text)]
    stated = [term for word in rest for term in terms_in(word.key)]
    if fiscal and not all(any(term.may_be(own) for own in fiscal) for term in stated):
        return None
    dates = [*cell.days, *(date for text in names for date in find_dates(text))]
    dated = [term for term in rest if term.token.value and term.token.value.date]
    if any(not any(_is_date(term.token, date) for date in dates) for term in dated):
        return None
    left = [term for term in rest if term not in dated]
    grouped = sum(is_among(term, rest) for group in row.groups for term in terms_of(plain_name(group)))
    if cell_figure(cell) is None:
        content = terms_of(cell.content)
        spare = _spare(without_each(left, content), row, cell)
        return _Match(row, cell, "same", None, spare, (spare, 0, -grouped)) if has_all(left, content) else None
    values = [term for term in left if term.token.value and term.token.value.quantity]
    if len(values) != 1 or (value := values[0].token.value) is None:
        return None
    spare = _spare([term for term in left if term is not values[0]], row, cell)
    # "Price EUR" and "Price USD" are named by the unit of the value.
    fit = (spare, int(has_other_unit(value, cell, row.label)), -grouped)
    return _Match(row, cell, compare_figure(value, cell, row.label), values[0].token, spare, fit)


def _spare(words: Sequence[Term], row: Row, cell: Cell) -> int:
    """Return the number of words that are in no name of the cell, without words that say nothing by themselves."""
    above, named = terms_of(row.heading), _keys_of_names(row, cell)
    return sum(
        bool(word.token.value) or not (word.key in _NEUTRAL or word.key in named or is_among(word, above))
        for word in words
    )


def without_each(stated: Sequence[Term], names: Sequence[Term]) -> list[Term]:
    """Return the terms, with one term removed for each name: of a word that a statement has twice, one stays."""
    left = list(stated)
    for name in names:
        at = next((at for at, term in enumerate(left) if is_among(name, [term])), None)
        if at is not None:
            del left[at]
    return left


def _keys_of_names(row: Row, cell: Cell) -> frozenset[str]:
    """Return the keys of all words in a row's and a cell's names and content, "less" and "non" among them."""
    texts = (row.label, *row.groups, cell.head, cell.outer_heads, cell.content)
    return frozenset(token.key for text in texts for token in tokenize(text))
