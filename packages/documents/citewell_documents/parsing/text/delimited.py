"""CSV and TSV files: one table, with any delimiter."""

import csv
from collections import Counter
from collections.abc import Sequence
from io import StringIO

from citewell_documents.document import ParsedDocument
from citewell_documents.errors import DocumentEmpty
from citewell_documents.parsing.decoding import decode, within_limit
from citewell_documents.parsing.limits import ParseLimits
from citewell_documents.parsing.tables import has_header
from citewell_documents.parsing.text_builder import DocumentBuilder

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 100
_SAMPLE_CHARS = 100_000
_MOST_TITLES = 10
_EXCEL_HINT = "sep="  # a first line that states the delimiter for Excel
csv.field_size_limit(1 << 30)  # a cell may be as long as its file; the text as a whole is limited


def parse_delimited(data: bytes, filename: str, limits: ParseLimits) -> ParsedDocument:
    """Read a CSV or TSV file in any encoding into a table without a section; rows may differ in length.

    Raises DocumentUnreadable, DocumentEmpty or DocumentTooLarge.
    """
    text = within_limit(decode(data, filename).strip("\n"), filename, limits)
    first, _, rest = text.partition("\n")
    if first.lower().startswith(_EXCEL_HINT) and first[len(_EXCEL_HINT) :].rstrip(" ") in (*_DELIMITERS,):
        rows = _rows(rest, first[len(_EXCEL_HINT)])
    else:
        rows = _rows(text, "\t" if filename.lower().endswith(".tsv") else _delimiter(text))
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise DocumentEmpty(f"{filename} contains no text")
    document = DocumentBuilder(filename, limits)
    titles = _titles(rows)
    for row in rows[:titles]:
        document.paragraph(" ".join(filter(None, map(str.strip, row))))
    document.table(rows[titles:], has_header=has_header(rows[titles:]))
    return document.build()


def _titles(rows: Sequence[Sequence[str]]) -> int:
    """The number of title lines above the heads of the table: lines with one cell, above rows with several cells."""
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows[: _MOST_TITLES + 1]]
    first = next((at for at, count in enumerate(filled) if count > 1), 0)
    return first if has_header(rows[first:]) else 0


def _rows(text: str, delimiter: str) -> list[list[str]]:
    rows = list(csv.reader(StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=delimiter != "\t"))
    if rows and rows[-1] and "\n" in rows[-1][-1] and not text.rstrip().endswith('"'):
        # A quotation mark is never closed, so the rest of the file would become one cell; quotation marks do not count.
        return list(csv.reader(StringIO(text, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE))
    return rows


def _delimiter(text: str) -> str:
    """The delimiter that splits the most rows into the same number of cells; a comma if none splits any.

    `csv.Sniffer` accepts any frequent character, even a letter, and fails on single-column tables.
    """
    sample = text[:_SAMPLE_CHARS]
    return max(_DELIMITERS, key=lambda delimiter: _regularity(_rows(sample, delimiter)[:_SAMPLE_ROWS]))


def _regularity(rows: Sequence[Sequence[str]]) -> tuple[int, int]:
    widths = Counter(len(row) for row in rows if len(row) > 1)
    if not widths:
        return 0, 0
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return count, width
