"""Finds the cell of a table that a question asks for (V8): it names a row and a column, or what stands in a cell.

"What is Huey in French?" names the row "Huey" and the column "French", "Who is Loulou?" the content of a cell. Every
other word of the question has to be one that asks, or stand above the table.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domain.facts.reading.tokens import tokenize
from domain.facts.reading.vocabulary import keys_of
from domain.facts.structure.bound_cells import named_cells, named_rows, plain_name, without_each
from domain.facts.structure.tables import Cell, Row, parse_tables
from domain.facts.structure.terms import Term, TermIndex, is_among, terms, terms_of

_ASKING = keys_of(
    "name names called call word value amount number figure much many long high big large old far what which who whom"
    " whose when where how tell give say said write written spell translated translate translation term date year day"
    " total come came reach stand report table row column listed company please show me"
    " 이름 명칭 값 금액 수 개수 얼마 무엇 무슨 누구 언제 어디 몇 뭐 어떤 어느 알려 말하다 되다 표"
)
_KOREAN_ASKING = re.compile(
    r"(?:얼마|무엇|누구|언제|어디|어느|어떤|무슨|몇|뭐|며칠|입니까|인가|나요|까요|알려|말해|보여)"
)
_MOST_CELLS = 6
_SHORT_PROSE = 600  # characters beside a table that are read as its title


@dataclass(frozen=True, slots=True)
class AskedCells:
    """Cells of one row that answer a question."""

    row: Row
    cells: tuple[Cell, ...]


def asked_cells(question: str, text: str, above: str = "") -> AskedCells | None:
    """Return the cells of `text` that a question asks for, if its words leave no doubt which; else None.

    `above` holds what stands above the text: the title of its document and its headings.
    """
    parsed = parse_tables(text)
    rows = [row for row in parsed.rows if row.line]
    if not rows:
        return None
    known = _terms_of_lines(f"{above}\n{parsed.prose}" if len(parsed.prose) < _SHORT_PROSE else above)
    # "The Basic plan" below a first column of that name.
    known += _terms_of_lines("\n".join(re.split(r"[\t|;,]", line.strip(" |"))[0] for line in parsed.heads))
    asked = [each for each in terms(tokenize(question)) if not _asks(each)]
    found = [*_by_names(question, asked, rows, known)] or [*_by_content(asked, rows, known)]
    distinct = {(each.row.line, each.cells) for each in found}
    return found[0] if len(distinct) == 1 else None


def _terms_of_lines(text: str) -> list[Term]:
    return [term for line in text.splitlines() for term in terms_of(line)]


def _by_names(question: str, asked: Sequence[Term], rows: Sequence[Row], known: Sequence[Term]) -> Iterator[AskedCells]:
    stated = terms(tokenize(question))
    cues = [each.key for each in tokenize(question) if each.kind == "cue"]
    for row in named_rows(stated, cues, rows):
        label = terms_of(plain_name(row.label))
        rest = without_each(stated, label)
        # Nobody asks for the "Price per month (EUR)" with its unit.
        units = terms_of(" ".join(cell.unit for cell in row.cells))
        for cell, names in named_cells([*rest, *units], row):
            left = [each for each in without_each(rest, names) if each in asked]
            if _is_spent(left, row, known):
                yield AskedCells(row, (cell,))


def _by_content(asked: Sequence[Term], rows: Sequence[Row], known: Sequence[Term]) -> Iterator[AskedCells]:
    """Yield the cells of words that the question names, "Who is Loulou?", with the one of another column that it asks
    for: "What is the French name of Tick?"."""
    index = TermIndex(asked)
    for row in rows:
        for cell in row.cells:
            content = terms_of(cell.content)
            if all(each.token.value for each in content) or not index.has_all(content):
                continue
            left = without_each(asked, content)
            if _is_spent(without_each(left, terms_of(cell.head)), row, known):
                yield AskedCells(row, (cell,))
            for other, names in named_cells(left, row):
                if other is not cell and _is_spent(without_each(left, names), row, known):
                    yield AskedCells(row, (cell, other))


def whole_row(row: Row) -> AskedCells:
    return AskedCells(row, row.cells[:_MOST_CELLS])


def _is_spent(left: Sequence[Term], row: Row, known: Sequence[Term]) -> bool:
    above = [*known, *terms_of(row.heading)]
    return all(is_among(each, above) for each in left)


def _asks(term: Term) -> bool:
    return term.key in _ASKING or _KOREAN_ASKING.search(term.key) is not None
