"""Chooses the cells of a row that a question asks for (V8): those whose heads have most of its words, or its kind."""

from collections.abc import Iterable, Sequence

from domain.facts.structure.tables import Cell, Row
from domain.question.question_parts import QuestionPart, has_kind, kinds_of
from domain.question.units import Unit
from domain.text.words import content_stems, coverage

_MOST_CELLS = 6
_KIND = 0.4  # of a word: what it counts that a cell has the kind of thing that is asked for


def asked_cells(asked: QuestionPart, row: Row, units: Iterable[Unit]) -> Sequence[Cell]:
    """Return the cells that fit the question best; all of them, at most six, if none fits better, and none if the row
    is empty where the other rows of its table, among `units`, have what is asked for.

    Words that the label of the row has say which row is asked for, not which cell.
    """
    label = frozenset(content_stems(f"{row.label}\n{row.heading}\n{' '.join(row.groups)}"))
    wanted = [stem for stem in asked.stems if not coverage([stem], label)]
    columns = {_head(cell) for unit in units if unit.row and unit.row.table == row.table for cell in unit.row.cells}
    named = max((coverage(wanted, set(content_stems(head))) for head in columns), default=0.0)
    fits = [_fit(asked, wanted, cell) for cell in row.cells]
    best = max(fits, default=0.0)
    if named > max((coverage(wanted, set(content_stems(_head(cell)))) for cell in row.cells), default=0.0):
        return ()
    if best <= min(fits, default=0.0):
        return row.cells[:_MOST_CELLS]
    return [cell for cell, fit in zip(row.cells, fits, strict=True) if fit == best][:_MOST_CELLS]


def _head(cell: Cell) -> str:
    return f"{cell.outer_heads} {cell.head}"


def _fit(asked: QuestionPart, wanted: Sequence[str], cell: Cell) -> float:
    head = frozenset(content_stems(_head(cell)))
    said = f"{cell.head}: {cell.content} {cell.unit} {cell.currency}"
    is_kind = any(has_kind(kind, said, asked.text) for kind in kinds_of(asked.text))
    return coverage(wanted, head) + _KIND * is_kind / max(1, len(wanted))
