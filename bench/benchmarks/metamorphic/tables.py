"""Cases about one cell of a table, of comma-separated rows, or of records of "key: value"."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.metamorphic.cases import Case, right, wrong
from benchmarks.metamorphic.korean import with_particles
from benchmarks.metamorphic.pools import drawn


@dataclass(frozen=True, slots=True)
class _Design:
    """A pool names the rows; each of the `columns` has a head, and exchangeable ones share one pool of values."""

    language: str
    title: str
    rows: str
    columns: tuple[tuple[str, str], ...]
    form: str
    under_heading: str


_DESIGNS = (
    _Design("en", "Company", "company", (("Revenue", "money"), ("Profit", "money"), ("Debt", "money")),
            "The {column} of {row} was {cell}.", "The {column} was {cell}."),
    _Design("en", "City", "city", (("Number of desks", "count"), ("Number of staff", "count"), ("Start year", "year")),
            "In {row}, the {column} is {cell}.", "The {column} is {cell}."),
    _Design("en", "Product", "item", (("Price in 2022", "money"), ("Price in 2023", "money")),
            "The {column} of the {row} was {cell}.", "The {column} was {cell}."),
    _Design("en", "Metric", "metric", (("2021", "money"), ("2022", "money"), ("2023", "money")),
            "{row} in {column} was {cell}.", "In {column}, it was {cell}."),
    _Design("en", "Name", "person", (("Team", "team"), ("City", "city"), ("Year of joining", "year")),
            "The {column} of {row} is {cell}.", "The {column} is {cell}."),
    _Design("en", "Substance", "substance", (("Melting point", "count"), ("Boiling point", "count")),
            "The {column} of {row} is {cell}.", "The {column} is {cell}."),
    _Design("ko", "회사", "company", (("매출", "money"), ("영업이익", "money"), ("부채", "money")),
            "{row}의 {column}은/는 {cell}이다.", "{column}은/는 {cell}이다."),
    _Design("ko", "도시", "city", (("지점 수", "count"), ("직원 수", "count"), ("개점 연도", "year")),
            "{row}의 {column}은/는 {cell}이다.", "{column}은/는 {cell}이다."),
    _Design("ko", "항목", "metric", (("2021년", "money"), ("2022년", "money"), ("2023년", "money")),
            "{column} {row}은/는 {cell}이다.", "{column}에는 {cell}이었다."),
    _Design("ko", "이름", "person", (("부서", "team"), ("근무지", "city"), ("입사 연도", "year")),
            "{row}의 {column}은/는 {cell}이다.", "{column}은/는 {cell}이다."),
    _Design("ko", "제품", "item", (("2022년 가격", "money"), ("2023년 가격", "money")),
            "{row}의 {column}은/는 {cell}이다.", "{column}은/는 {cell}이다."),
)  # fmt: skip


def table_cases(kind: str, language: str, rng: Random) -> Case:
    """Return a case of a right cell, or of one of another row or column."""
    design = rng.choice([each for each in _DESIGNS if each.language == language])
    rows = drawn(design.rows, language, rng.randint(2, 5), rng)
    cells = _cells(design, len(rows), rng)
    source = _LAYOUTS[rng.choice(list(_LAYOUTS))](design, rows, cells)
    row, column = rng.randrange(len(rows)), rng.randrange(len(design.columns))
    if kind == "faithful: cells":
        return right(kind, language, _stated(design, rows[row], column, cells[row][column]), source)
    others = [cells[other][column] for other in range(len(rows)) if other != row]
    others += [
        cells[row][other]
        for other, (_, pool) in enumerate(design.columns)
        if other != column and pool == design.columns[column][1]
    ]
    return wrong(kind, language, _stated(design, rows[row], column, rng.choice(others)), source)


def _cells(design: _Design, rows: int, rng: Random) -> list[list[str]]:
    """Return rows of cells in which no value of a pool occurs twice."""
    needed = [pool for _, pool in design.columns]
    values = {pool: drawn(pool, design.language, rows * needed.count(pool), rng) for pool in dict.fromkeys(needed)}
    return [[values[pool].pop() for pool in needed] for _ in range(rows)]


def _stated(design: _Design, row: str, column: int, cell: str) -> str:
    return with_particles(design.form.format(row=row, column=_inner(design, column), cell=cell))


def _inner(design: _Design, column: int) -> str:
    head = design.columns[column][0]
    return head if design.language == "ko" or head[0].isdigit() else head[0].lower() + head[1:]


def _markdown(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    heads = [design.title, *(head for head, _ in design.columns)]
    lines = [heads, ["---"] * len(heads), *([row, *values] for row, values in zip(rows, cells, strict=True))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _comma_separated(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    lines = [[design.title, *(head for head, _ in design.columns)]]
    lines += [[row, *values] for row, values in zip(rows, cells, strict=True)]
    return "\n".join(",".join(f'"{value}"' if "," in value else value for value in line) for line in lines)


def _records(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    heads = [head for head, _ in design.columns]
    blocks = [
        [f"{design.title}: {row}", *(f"{head}: {value}" for head, value in zip(heads, values, strict=True))]
        for row, values in zip(rows, cells, strict=True)
    ]
    return "\n\n".join("\n".join(block) for block in blocks)


def _headed(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a section per row, whose sentences do not name their subject."""
    blocks = [
        f"## {row}\n\n" + " ".join(_without_row(design, column, value) for column, value in enumerate(values))
        for row, values in zip(rows, cells, strict=True)
    ]
    return "\n\n".join(blocks)


def _without_row(design: _Design, column: int, cell: str) -> str:
    return with_particles(design.under_heading.format(column=_inner(design, column), cell=cell))


def _semicolons(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    lines = [[design.title, *(head for head, _ in design.columns)]]
    lines += [[row, *values] for row, values in zip(rows, cells, strict=True)]
    return "\n".join(";".join(line) for line in lines)


def _turned(design: _Design, rows: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    """Return a table with a column for each row."""
    lines = [[design.title, *rows], ["---"] * (len(rows) + 1)]
    lines += [[head, *(values[column] for values in cells)] for column, (head, _) in enumerate(design.columns)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_LAYOUTS = {
    "headed": _headed,
    "semicolons": _semicolons,
    "turned": _turned,
    "markdown": _markdown,
    "comma separated": _comma_separated,
    "records": _records,
}
