"""Finds the rows of tables that have the most or the least of what a question asks for: "Which item is dearest?"."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from citewell_verify.entities.numbers import find_quantities
from citewell_verify.question.question_parts import QuestionPart, has_kind
from citewell_verify.question.units import Unit
from citewell_verify.text.words import content_stems, coverage

_SUPERLATIVE = re.compile(
    r"\b(?:(?P<most>(?:high|larg|bigg|great|long|tall|heavi|fast|dear|prici)est|most expensive|most)"
    r"|(?:low|small|short|light|cheap)est|least expensive|least|fewest)\b"
    r"|(?:가장|제일) (?:(?P<korean_most>많|높|크|큰|비싼|비싸|긴|넓|무거)|(?:적|낮|작|싼|싸|저렴|짧|좁|가벼))[가-힣]*",
    re.IGNORECASE,
)
_SUM = re.compile(r"\b(?:(?:sub)?totals?|sum|average|all)\b|합계|소계|총계|평균|^계$|전체", re.IGNORECASE)
_FEWEST = 2  # rows that can be compared


def extreme_rows(asked: QuestionPart, units: Sequence[Unit]) -> tuple[Sequence[str], frozenset[int]]:
    """Return the stems of the superlative in a question, and the places of the rows of which it is true: those
    with the largest or the smallest figure in the column whose head has most of the question's words.

    Rows of sums are not compared. A column has to have what the superlative measures: "cheapest" asks for money.
    """
    found = _SUPERLATIVE.search(asked.text)
    if found is None:
        return (), frozenset()
    best = max if found["most"] or found["korean_most"] else min
    tables = defaultdict[object, list[int]](list)
    for place, unit in enumerate(units):
        if unit.row and not _SUM.search(unit.row.label):
            tables[unit.title, unit.heading, unit.row.table].append(place)
    columns = [column for rows in tables.values() for column in _columns(asked, [(at, units[at]) for at in rows])]
    most = max((share for share, _ in columns), default=0.0)
    places: set[int] = set()
    for figures in (figures for share, figures in columns if share == most):
        extreme = best(figures.values())
        places.update(place for place, figure in figures.items() if figure == extreme)
    return content_stems(found[0]), frozenset(places)


def _columns(asked: QuestionPart, rows: Sequence[tuple[int, Unit]]) -> Iterator[tuple[float, dict[int, float]]]:
    """The share of the question's words in the head of each column that can be compared, and its figures by row."""
    columns = defaultdict[str, dict[int, float]](dict)
    for place, unit in rows:
        for cell in unit.row.cells if unit.row else ():
            head = f"{cell.outer_heads} {cell.head}"
            measured = f"{head}: {cell.content} {cell.unit} {cell.currency}"
            if (figures := find_quantities(cell.content)) and has_kind("amount", measured, asked.text):
                columns[head][place] = figures[0].value
    for head, figures in columns.items():
        if len(figures) >= _FEWEST:
            yield coverage(asked.stems, set(content_stems(head))), figures
