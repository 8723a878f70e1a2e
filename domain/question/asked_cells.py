"""Chooses the cells of a row that a question asks for (V8): those whose heads have most of its words, or its kind."""

from collections.abc import Iterable, Sequence
from itertools import islice

from citewell_verify.facts.structure.tables import Cell, Row
from citewell_verify.question.asked_nouns import Kind
from citewell_verify.question.features import FORMS, without_asking
from citewell_verify.question.question_parts import QuestionPart, has_kind, kinds_of
from citewell_verify.question.units import Unit
from citewell_verify.text.words import content_stems, coverage

_MOST_CELLS = 6
_MOST_ROWS = 20  # that are looked through for a column in which the row has no value
_NAMED: frozenset[Kind] = frozenset({"who", "where"})
_KIND = 0.4  # of a word: what it counts that a cell has the kind of thing that is asked for


def asked_cells(asked: QuestionPart, row: Row, units: Iterable[Unit]) -> Sequence[Cell]:
    """Return the cells that fit the question best, with those that it names; if it names only the row, all, or the six
    that share most words with it. None if the row has no value for what it asks, though other rows of its table, among
    `units`, do.

    Words that the row has say which row is asked for, not which cell.
    """
    kinds = FORMS.intersection(kinds_of(asked.text))
    said = frozenset(content_stems("\n".join((row.label, *row.groups, *(cell.content for cell in row.cells)))))
    wanted = [stem for stem in without_asking(asked.stems) if not coverage([stem], said)]
    fits = {_head(cell): _fit(asked, kinds, wanted, cell) for cell in row.cells}
    best = max(fits.values(), default=0.0)
    table = islice((unit.row for unit in units if unit.row and unit.row.table == row.table), _MOST_ROWS)
    others = (
        _fit(asked, kinds, wanted, cell) for sibling in table for cell in sibling.cells if _head(cell) not in fits
    )
    if max(others, default=0.0) > best:
        return ()
    # "Who, and until when?" is answered by several cells.
    if len(kinds) > 1 or best <= min(fits.values(), default=0.0):
        shared = [coverage(asked.stems, set(content_stems(cell.content))) for cell in row.cells]
        shown = sorted(range(len(row.cells)), key=lambda at: -shared[at])[:_MOST_CELLS]
        return [row.cells[at] for at in sorted(shown)]
    # A cell whose words the question contains says which row it means.
    named = [
        cell
        for cell in row.cells
        if fits[_head(cell)] < best
        and (content := content_stems(cell.content))
        and all(coverage([stem], set(asked.stems)) for stem in content)
    ]
    return [*named, *(cell for cell in row.cells if fits[_head(cell)] == best)][:_MOST_CELLS]


def _head(cell: Cell) -> str:
    return f"{cell.outer_heads} {cell.head}"


def _fit(asked: QuestionPart, kinds: Iterable[Kind], wanted: Sequence[str], cell: Cell) -> float:
    measured = f"{cell.head}: {cell.content} {cell.unit} {cell.currency}"
    # A head may have the unit of its cells; the name of a person or a place is in the cell.
    has = {kind: has_kind(kind, cell.content if kind in _NAMED else measured, asked.text) for kind in kinds}
    if has and all(kind in _NAMED and is_kind is False for kind, is_kind in has.items()):
        return 0.0
    return coverage(wanted, set(content_stems(_head(cell)))) + _KIND * any(has.values()) / max(1, len(wanted))
