"""Compares a statement with the cells of a source's tables and records (V2).

A statement that names one row and one column head is about one cell. With several heads or several rows it is about the
same number of cells, in the order of the names. It is contradicted if it gives a cell the content of another cell;
content that no cell has is left to the rules for prose.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from citewell_verify.facts.kinds import Difference
from citewell_verify.facts.reading.tokens import Token, tokenize
from citewell_verify.facts.reading.vocabulary import keys_of
from citewell_verify.facts.structure.bound_cells import bind, missing_term, plain_name
from citewell_verify.facts.structure.cell_values import with_limit
from citewell_verify.facts.structure.tables import Cell, Row, cells_as_text, parse_tables
from citewell_verify.facts.structure.terms import (
    Term,
    TermIndex,
    best,
    has_all,
    is_among,
    most_specific,
    terms,
    terms_of,
    without,
)

_MOST_CELL = 120
_BLANK = "–"
_GENERIC = keys_of("number amount count value figure year date name 수 값 금액 연도 년도 일자 이름 명칭")
_UNSURE = {"denied": "negation", "possible": "modality", "planned": "modality"}


@dataclass(frozen=True, slots=True)
class TableComparison:
    """The differences between the tables and a statement. `place` is the row, `share` (0..1) the share of the statement
    that the row has. `decides`: one cell states all of the statement, and `place` is then the row as it is in the text,
    or the cell that the whole statement is about has another value."""

    differences: tuple[Difference, ...]
    place: str
    share: float = 1.0
    decides: bool = False


@dataclass(frozen=True, slots=True)
class _NamedCell:
    """A cell that a statement names; `at` is the place of the name."""

    row: Row
    cell: Cell
    at: int


def compare_with_tables(tokens: Sequence[Token], text: str, statement: str = "") -> TableComparison | None:
    """Compare a statement with the tables of `text`; None if it names no cell, or it is not clear which."""
    rows = parse_tables(text).rows
    stated = terms(tokens)
    if not rows or not stated:
        return None
    if row := _row_in_form_of_answer(statement, rows):
        return TableComparison((), row.line, decides=True)
    # A limit is not wrong because another cell has its amount.
    if (comparison := _compare_bound(tokens, rows, len(stated))) or with_limit(tokens):
        return comparison
    named = _named_rows(stated, rows)
    if not named:
        return None
    cells = [about for row in named for about in _named_cells(stated, row)]
    labels, heads = {_folded(row.label) for row in named}, {_folded(about.cell.head) for about in cells}
    if len(labels) > 1 and len(heads) != 1:
        return None
    if not heads:
        return _compare_row(stated, named, rows)
    if len(labels) == len(heads) == 1:
        return _compare_cell(tokens, stated, cells, rows)
    return _compare_cells(stated, cells, rows)


def _row_in_form_of_answer(statement: str, rows: Sequence[Row]) -> Row | None:
    """Return the row that a statement quotes in the form of an answer: "Huey · French: Riri; German: Tick"."""
    label, sign, rest = statement.strip(" .").partition(" · ")
    if not sign:
        return None
    parts = rest.split("; ")
    for row in rows:
        if row.line and cells_as_text(row, ()).removesuffix(" · ") == label:
            known = {cells_as_text(row, (cell,)).partition(" · ")[2] for cell in row.cells}
            if known.issuperset(parts):
                return row
    return None


def _compare_bound(tokens: Sequence[Token], rows: Sequence[Row], stated: int) -> TableComparison | None:
    bound = bind(tokens, rows)
    if bound is None:
        missing = missing_term(tokens, rows)
        return TableComparison((Difference("date", missing[0], None),), _place(missing[1])) if missing else None
    if bound.proven:
        return TableComparison((), bound.row.line, decides=True)
    known = (bound.difference,) if bound.difference else ()
    is_sure = any(difference.sure for difference in known)
    return TableComparison(known, _place(bound.row), 1 - bound.rest / stated, is_sure)


def _named_rows(stated: Sequence[Term], rows: Sequence[Row]) -> list[Row]:
    index = TermIndex(stated)
    labelled = most_specific([row for row in rows if index.has_all(terms_of(row.label))], lambda row: row.label)
    if not labelled:
        counted = Counter(row.table for row in rows)
        return [
            row
            for row in rows
            if counted[row.table] == 1
            and any(index.has_all(terms_of(cell.head)) for cell in row.cells)
            and not _names_another(stated, row)
        ]
    return best(labelled, lambda row: sum(is_among(term, stated) for term in set(terms_of(row.heading))))


def _names_another(stated: Sequence[Term], row: Row) -> bool:
    """Return whether a statement has a name, or a part of one, that a row with a label does not have."""
    texts = (row.label, row.heading, *(text for cell in row.cells for text in (cell.head, cell.content)))
    known = [term for text in texts for term in terms_of(text)]
    return bool(row.label) and any(term.token.kind == "name" and not is_among(term, known) for term in stated)


def _named_cells(stated: Sequence[Term], row: Row) -> list[_NamedCell]:
    rest = without(stated, terms_of(row.label))
    headed = [cell for cell in row.cells if has_all(rest, _naming_terms(cell.head))]
    chosen = most_specific(headed, lambda cell: cell.head)
    if len({_folded(cell.head) for cell in chosen}) < len(chosen):
        chosen = best(chosen, lambda cell: sum(is_among(term, rest) for term in terms_of(cell.outer_heads)))
    return [_NamedCell(row, cell, _first(rest, _naming_terms(cell.head))) for cell in chosen]


def _naming_terms(head: str) -> tuple[Term, ...]:
    """Return the terms that name a head: "desks" names "Number of desks"."""
    named = terms_of(plain_name(head))
    return tuple(term for term in named if term.key not in _GENERIC) or named


def _first(stated: Sequence[Term], wanted: Sequence[Term]) -> int:
    return min((term.token.start for term in stated if is_among(term, wanted)), default=0)


def _folded(text: str) -> str:
    return " ".join(term.key for term in terms_of(text)) or text


def _compare_cell(
    tokens: Sequence[Token], stated: Sequence[Term], cells: Sequence[_NamedCell], rows: Sequence[Row]
) -> TableComparison | None:
    """Compare with one cell, or with cells of the same name that other cells of their rows distinguish, as in
    "Acme,2019,5" and "Acme,2020,6".
    """
    chosen = best(
        cells,
        lambda about: sum(
            has_all(stated, terms_of(cell.content)) for cell in about.row.cells if cell is not about.cell
        ),
    )
    for about in chosen:
        rest = _rest(stated, [about])
        if any(has_all(rest, terms_of(content)) for content in contents(about.cell)):
            unstated = without(rest, _content_terms(about.cell))
            known = [
                term for cell in about.row.cells for text in (cell.head, *contents(cell)) for term in terms_of(text)
            ]
            known += terms_of(about.row.heading)
            figures = [term for term in unstated if term.token.value and not term.token.value.date]
            if not all(is_among(figure, known) for figure in figures):
                return None  # "rose from 300 to 310" where a cell has 310 and none 300
            share = 1 - len(unstated) / len(stated)
            return TableComparison(_modality_differences(tokens, rest, about), _place(about.row), share)
    about = chosen[0]
    rest = _rest(stated, chosen)
    wrong = _found_elsewhere(rest, chosen, rows)
    # A statement that denies a cell the content of another one is right.
    is_denied = any(token.cue == "denied" for token in tokens) and "denied" not in _cues(about)
    if wrong is None or is_denied:
        return None
    is_whole = all(term is wrong or term.key in _GENERIC for term in rest)
    # "n/a" and "pending" are no figures.
    is_alike = any(bool(term.token.value) is bool(wrong.token.value) for term in terms_of(about.cell.content))
    return TableComparison((_difference(wrong, about.cell.content),), _place(about.row), decides=is_whole and is_alike)


def _cues(about: _NamedCell) -> set[str]:
    return {token.cue for text in (about.row.label, about.cell.head, about.cell.content) for token in tokenize(text)}


def _rest(stated: Sequence[Term], cells: Sequence[_NamedCell]) -> list[Term]:
    names = [term for about in cells for text in (about.row.label, about.cell.head) for term in terms_of(text)]
    return without(stated, names)


def contents(cell: Cell) -> tuple[str, ...]:
    bare = cell.content.strip(" $€£₩¥()")
    if not cell.unit or not bare[:1].isdigit() or bare[-1:].isalpha():
        return (cell.content,)
    return cell.content, f"{bare} {cell.unit}" if cell.unit.isascii() else f"{bare}{cell.unit}"


def _content_terms(cell: Cell) -> list[Term]:
    return [term for content in contents(cell) for term in terms_of(content)]


def _modality_differences(tokens: Sequence[Token], rest: Sequence[Term], about: _NamedCell) -> tuple[Difference, ...]:
    """Return the difference if a statement denies the content or calls it possible: "was not 5"."""
    values = [term.token.start for term in rest if is_among(term, _content_terms(about.cell))]
    named = _cues(about)
    content = [token for token in tokens if token.kind != "filler"]
    for at, token in enumerate(content):
        near = any(token.start in values for token in content[max(0, at - 1) : at + 3])
        if near and token.cue in _UNSURE and token.cue not in named:
            kind = "negation" if token.cue == "denied" else "modality"
            return (Difference(kind, token.text, about.cell.content),)
    return ()


def _found_elsewhere(rest: Sequence[Term], cells: Sequence[_NamedCell], rows: Sequence[Row]) -> Term | None:
    labels = {_folded(about.row.label) for about in cells}
    tables = {row.table for row in rows if _folded(row.label) in labels}
    meant = {id(about.cell) for about in cells}
    return _found_in(rest, [cell for row in rows if row.table in tables for cell in row.cells if id(cell) not in meant])


def _found_in(rest: Sequence[Term], cells: Collection[Cell]) -> Term | None:
    index = TermIndex(rest)
    for cell in cells if rest else ():
        for content in contents(cell):
            known = terms_of(content)
            if index.has_all(known):
                return next(term for term in rest if is_among(term, known[:1]))
    return None


def _difference(wrong: Term, known: str) -> Difference:
    return Difference("number" if wrong.token.value else "subject", wrong.token.text, known)


def _compare_row(stated: Sequence[Term], named: Sequence[Row], rows: Sequence[Row]) -> TableComparison | None:
    """Compare values with the row, without a named head: values that other rows have must also be in this row.

    If only other rows have a cell below a head, the head names a blank cell, and the row states no value for it.
    """
    rest = [term for row in named for term in without(stated, terms_of(row.label)) if term.token.value]
    own = [cell for row in named for cell in row.cells]
    tables = {row.table for row in named}
    others = [cell for row in rows if row.table in tables and row not in named for cell in row.cells]
    # These are the heads below which only other rows have a cell.
    heads = {cell.head for cell in others} if rest and all(row.line for row in named) else set[str]()
    unnamed = without(stated, [term for row in named for term in terms_of(row.label)])
    if any(has_all(unnamed, _naming_terms(head)) for head in heads):
        return TableComparison((_difference(rest[0], _BLANK),), _place(named[0]))
    left = [term for term in rest if not _found_in([term], own)]
    wrong = _found_in(left, others)
    return (
        TableComparison((_difference(wrong, ", ".join(cell.content for cell in own)[:_MOST_CELL]),), _place(named[0]))
        if wrong
        else None
    )


def _compare_cells(stated: Sequence[Term], cells: Sequence[_NamedCell], rows: Sequence[Row]) -> TableComparison | None:
    """Compare several named cells: their contents must be in the order of their names."""
    shared_row = len({about.row.label for about in cells}) == 1
    ordered = sorted(cells, key=lambda about: about.at if shared_row else _first(stated, terms_of(about.row.label)))
    rest = _rest(stated, cells)
    places = [_place_of(rest, about.cell) for about in ordered]
    if None not in places:
        known = [place for place in places if place is not None]
        if known == sorted(known):
            return TableComparison((), _place(ordered[0].row))
    values = sorted((term for term in rest if term.token.value), key=lambda term: term.token.start)
    if len(values) != len(ordered):
        return None
    for value, about in zip(values, ordered, strict=True):
        if not is_among(value, _content_terms(about.cell)) and (
            None not in places or _found_elsewhere([value], [about], rows)
        ):
            return TableComparison((_difference(value, about.cell.content),), _place(about.row))
    return None


def _place_of(rest: Sequence[Term], cell: Cell) -> int | None:
    for content in contents(cell):
        if has_all(rest, terms_of(content)):
            return _first(rest, terms_of(content))
    return None


def _place(row: Row) -> str:
    return f"{row.label}: {', '.join(f'{cell.head} {cell.content}' for cell in row.cells)}"
