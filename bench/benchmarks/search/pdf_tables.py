"""`python -m benchmarks.search.pdf_tables FOLDER`: tables read from PDFs, against what people say is in them.

FOLDER holds PDFs, each with its tables beside it: `NAME-str.xml` as in the competition of ICDAR 2013, or `NAME.csv`
with one table, or `NAME.html` with several. The figure is that of the competition: of the pairs of neighbouring cells
in all tables of a document, how many are found (recall) and how many of those found are there (precision), as the mean
over documents. A table that is none costs precision. `--rival LIBRARY=PYTHON` also measures a library in an
environment of its own (`python -m venv`, `pip install pdfplumber pymupdf`).
"""

import argparse
import csv
import json
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TypeAlias
from xml.etree import ElementTree

from benchmarks.search import pdf_table_readers
from benchmarks.verdicts.verdict_cases import print_table

Neighbours: TypeAlias = Counter[tuple[str, str, str]]
_HEADINGS = ("library", "", "recall", "precision", "F1", "ms a page", "peak MB")


@dataclass(slots=True)
class TruthCells:
    """The cells of a table: text, and first and last row and column. Cells without text have no neighbours."""

    cells: list[tuple[str, int, int, int, int]] = field(default_factory=list)

    def neighbours(self) -> Neighbours:
        at = {
            (row, column): (number, text)
            for number, (text, top, bottom, left, right) in enumerate(self.cells)
            for row in range(top, bottom + 1)
            for column in range(left, right + 1)
        }
        pairs: set[tuple[int, int, str]] = set()
        rows = {row for row, _ in at}
        columns = {column for _, column in at}
        for row in rows:
            pairs |= _pairs([at[row, column][0] for column in sorted(columns) if (row, column) in at], "right")
        for column in columns:
            pairs |= _pairs([at[row, column][0] for row in sorted(rows) if (row, column) in at], "below")
        return Counter((self.cells[left][0], self.cells[right][0], where) for left, right, where in pairs)


def _pairs(cells: Sequence[int], where: str) -> set[tuple[int, int, str]]:
    return {(cell, after, where) for cell, after in pairwise(cells) if cell != after}


def of_rows(rows: Iterable[Sequence[str]]) -> TruthCells:
    return TruthCells(
        [
            (text, at, at, column, column)
            for at, row in enumerate(rows)
            for column, cell in enumerate(row)
            if (text := plain(cell))
        ]
    )


def plain(text: str) -> str:
    """Return the letters and digits of a cell: each library writes spaces, signs and ligatures differently."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def truth(pdf: Path) -> list[TruthCells]:
    if (path := pdf.with_name(f"{pdf.stem}-str.xml")).exists():
        return [_region(region) for region in ElementTree.parse(path).getroot().iter("region")]  # noqa: S314
    if (path := pdf.with_suffix(".csv")).exists():
        with path.open(encoding="utf-8", newline="") as file:
            return [of_rows(csv.reader(file))]
    if (path := pdf.with_suffix(".html")).exists():
        reader = _Tables()
        reader.feed(path.read_text(encoding="utf-8"))
        return reader.tables
    return []


def _region(region: ElementTree.Element) -> TruthCells:
    cells = TruthCells()
    for cell in region.iter("cell"):
        top, left = int(cell.get("start-row", 0)), int(cell.get("start-col", 0))
        bottom, right = int(cell.get("end-row", top)), int(cell.get("end-col", left))
        if text := plain(cell.findtext("content") or ""):
            cells.cells.append((text, top, max(top, bottom), left, max(left, right)))
    return cells


class _Tables(HTMLParser):
    """The tables of a page, with their merged cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[TruthCells] = []
        self._row = -1
        self._taken: set[tuple[int, int]] = set()
        self._cell: tuple[int, int, int, int] | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append(TruthCells())
            self._row, self._taken = -1, set()
        elif tag == "tr":
            self._row += 1
        elif tag in ("td", "th"):
            spans = dict(attrs)
            left = next(at for at in range(10_000) if (self._row, at) not in self._taken)
            bottom = self._row + int(spans.get("rowspan") or 1) - 1
            right = left + int(spans.get("colspan") or 1) - 1
            self._cell, self._text = (self._row, bottom, left, right), []
            self._taken |= {(row, at) for row in range(self._row, bottom + 1) for at in range(left, right + 1)}

    def handle_data(self, data: str) -> None:
        self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell:
            if text := plain("".join(self._text)):
                self.tables[-1].cells.append((text, *self._cell))
            self._cell = None


@dataclass(frozen=True, slots=True)
class Measured:
    """One document, read by one library."""

    pdf: Path
    recall: float
    precision: float
    pages: int
    seconds: float
    peak: float

    @property
    def f1(self) -> float:
        return 2 * self.recall * self.precision / (self.recall + self.precision or 1)


def measured(pdfs: Sequence[Path], library: str, python: str) -> Iterator[Measured]:
    process = subprocess.run(  # noqa: S603
        [python, pdf_table_readers.__file__, library],
        input="".join(f"{pdf.resolve()}\n" for pdf in pdfs),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    for pdf, answer in zip(pdfs, map(json.loads, process.stdout.splitlines()), strict=True):
        there = _together(truth(pdf))
        said = _together(map(of_rows, answer["tables"]))
        same = (there & said).total()
        yield Measured(
            pdf,
            same / (there.total() or 1),
            same / (said.total() or 1),
            answer["pages"],
            answer["seconds"],
            answer["peak"],
        )


def _together(tables: Iterable[TruthCells]) -> Neighbours:
    together: Neighbours = Counter()
    for table in tables:
        together += table.neighbours()
    return together


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.pdf_tables", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--rival", action="append", default=[], metavar="LIBRARY=PYTHON")
    parser.add_argument("--each", action="store_true", help="also print the documents, the worst of Citewell first")
    options = parser.parse_args()
    libraries = [("citewell", sys.executable), *(rival.rsplit("=", 1) for rival in options.rival)]
    for folder in options.folder:
        pdfs = [pdf for pdf in sorted(folder.rglob("*.pdf")) if truth(pdf)]
        tables = sum(len(truth(pdf)) for pdf in pdfs)
        of_library = {library: list(measured(pdfs, library, python)) for library, python in libraries}
        title = f"{folder.name}: {len(pdfs)} documents, {tables} tables"
        print_table(title, _HEADINGS, (_row(library, of_library[library]) for library in of_library))
        if options.each:
            per_document = sorted(zip(*of_library.values(), strict=True), key=lambda row: row[0].f1)
            rows = ((row[0].pdf.stem, "", *(document.f1 for document in row)) for row in per_document)
            print_table("F1 of each document", ("document", "", *of_library), rows)


def _row(library: str, documents: Sequence[Measured]) -> Sequence[object]:
    recall, precision, f1 = (
        f"{100 * fmean(getattr(document, figure) for document in documents):.1f} %"
        for figure in ("recall", "precision", "f1")
    )
    pages = sum(document.pages for document in documents)
    milliseconds = 1000 * sum(document.seconds for document in documents) / pages
    return library, "", recall, precision, f1, f"{milliseconds:.0f}", f"{max(d.peak for d in documents):.0f}"


if __name__ == "__main__":
    main()
