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
_OF_ANYTHING = re.compile(
    r"(?:high|low|larg|bigg|great|small|most$|least$|few|(?:가장|제일) [많높크큰적낮작])", re.IGNORECASE
)
"""Superlatives of any measure, which the head of the column has to name."""
_RANK = re.compile(r"\b(?:second|third|fourth|fifth|next|\d+(?:nd|rd|th))[ -]$|번째", re.IGNORECASE)
_SUM = re.compile(
    r"(?:(?:grand |sub-?)?totals?|sum|averages?|mean|overall)\b|all$|(?:합계|소계|총계|평균|계|전체)$", re.IGNORECASE
)
_ALL = re.compile(r"all \w|전체 ", re.IGNORECASE)  # of "All Saints" and of "All branches"
_UNCERTAIN = re.compile(r"[<>≤≥~≈±\d]")  # beside a figure: a bound, or another figure
_MINUS = re.compile(r"[-−–△▲(]")
_FEWEST = 2  # rows that can be compared


def extreme_rows(asked: QuestionPart, units: Sequence[Unit]) -> tuple[Sequence[str], frozenset[int]]:
    """Return the stems of the superlative in a question, and the places of the rows of which it is true: those
    with the largest or the smallest figure in the column whose head has most of the question's words.

    A column has to have what the superlative measures: "cheapest" asks for money. It is not compared if a row has no
    figure there, several, or one of another unit. Rows of sums are left out.
    """
    superlative = _SUPERLATIVE.search(asked.text)
    if superlative is None or _RANK.search(asked.text[: superlative.start()]):
        return (), frozenset()
    best = max if superlative["most"] or superlative["korean_most"] else min
    tables = defaultdict[object, list[int]](list)
    for place, unit in enumerate(units):
        if unit.row and not _SUM.match(unit.row.label.strip()):
            tables[unit.title, unit.heading, unit.row.table].append(place)
    columns = [column for rows in tables.values() for column in _columns(asked, [(at, units[at]) for at in rows])]
    most = max((share for share, _ in columns), default=0.0)
    places: set[int] = set()
    needs_head = bool(_OF_ANYTHING.match(superlative[0]))
    for figures in (figures for share, figures in columns if share == most and (share or not needs_head)):
        extreme = best(figures.values())
        places.update(place for place, figure in figures.items() if figure == extreme)
    return content_stems(superlative[0]), frozenset(places)


def _columns(asked: QuestionPart, rows: Sequence[tuple[int, Unit]]) -> Iterator[tuple[float, dict[int, float]]]:
    """Yield the share of the question's words in the head of each column that can be compared, and its figures by
    row.
    """
    columns = defaultdict[str, dict[int, tuple[float, str]]](dict)
    for place, unit in rows:
        if unit.row is None or _ALL.match(unit.row.label):
            return
        for cell in unit.row.cells:
            head = f"{cell.outer_heads} {cell.head}"
            measured = f"{head}: {cell.content} {cell.unit} {cell.currency}"
            if (figure := _figure(cell.content)) and has_kind("amount", measured, asked.text):
                columns[head][place] = figure
    for head, figures in columns.items():
        if len(figures) == len(rows) >= _FEWEST and len({unit for _, unit in figures.values()}) == 1:
            yield coverage(asked.stems, set(content_stems(head))), {at: value for at, (value, _) in figures.items()}


def _figure(content: str) -> tuple[float, str] | None:
    """Return the value of a cell's only figure, with its sign, and its unit."""
    quantities = find_quantities(content)
    if len(quantities) != 1 or quantities[0].bound != "exactly":
        return None
    before, after = content[: quantities[0].start], content[quantities[0].start + len(quantities[0].text) :]
    if _UNCERTAIN.search(before + after):
        return None
    return quantities[0].value * (-1 if _MINUS.search(before) else 1), quantities[0].unit
