"""The data of charts in Office documents."""

from citewell_documents.parsing.office.parts import Element
from citewell_documents.parsing.text_builder import DocumentBuilder

_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def add_chart(chart: Element, builder: DocumentBuilder) -> None:
    builder.paragraph(chart_title(chart), figure="chart")
    builder.table(chart_rows(chart), has_header=True, figure="chart")


def chart_title(chart: Element) -> str:
    title = chart.find(f"{_C}chart/{_C}title")
    return "" if title is None else "".join(run.text or "" for run in title.iter(f"{_A}t"))


def chart_rows(chart: Element) -> list[list[str]]:
    """The stored data of a `c:chartSpace` as a table: a row per category, a column per series, with a header of series
    names.

    The categories of a scatter chart are its x values. Empty when no data is stored.
    """

    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    names: list[str] = []
    for line in chart.iter(f"{_C}ser"):
        for axis in ("cat", "xVal"):
            categories |= {index: text for index, text in _points(line, axis).items() if index not in categories}
        columns.append(_points(line, "val") or _points(line, "yVal"))
        name = line.find(f"{_C}tx")
        names.append("" if name is None else " ".join(value.text or "" for value in name.iter(f"{_C}v")))
    indexes = sorted({index for column in columns for index in column} | set(categories))
    if not any(columns):
        return []
    return [["", *names], *([categories.get(at, ""), *(column.get(at, "") for column in columns)] for at in indexes)]


def _points(series: Element, axis: str) -> dict[int, str]:
    """The values of an axis by their index; multi-level categories give the values of the innermost level."""
    source = series.find(f"{_C}{axis}")
    if source is None:
        return {}
    level = source.find(f".//{_C}lvl")
    points = (source if level is None else level).iter(f"{_C}pt")
    return {int(point.get("idx", "0")): _rounded(point.findtext(f"{_C}v") or "") for point in points}


def _rounded(text: str) -> str:
    """The number as Office displays it: 4.3 where the file has 4.2999999999999998."""
    try:
        return format(float(text), ".15g") if "." in text else text
    except ValueError:
        return text
