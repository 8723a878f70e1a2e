"""Tables of Korean reports as a careful reader sees them: terms, units and amounts, read strictly.

Uncertain parts (a label or a head that occurs twice, a table whose unit nothing states) are left out, so that every
statement made from a table has a known truth. A table's source is the text directly above it, and the table.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.verdicts.korean_cells import WON, scale_of, spoken_names
from benchmarks.verdicts.truth_tables import Figure, TruthTable
from citewell_documents.document import ParsedDocument, Table
from citewell_documents.parsing import ParseLimits, parse
from citewell_verify.errors import CitewellError

LIMITS = ParseLimits(max_pages=5_000, max_chars=20_000_000)
_FIGURE = re.compile(r"\(?-?\d[\d,]*\)?")
_UNIT = re.compile(r"단위\s*:?\s*([가-힣]*원)")
_ANY_UNIT = re.compile(r"단위\s*:")
_NUMBERING = re.compile(r"^(?:[IVXⅠ-Ⅻ]+\s*[.)]?|\(?\d{1,2}\s*[.)]|[가-하]\s*[.)]|[①-⑳])\s*")
_NOTES = re.compile(r"\s*[(<\[](?:주석|주)\s*[\d,. ]*[)>\]]|\s*\(\*+\d*\)|\s*[*]\d*$")
_LABEL = re.compile(r"(?=.*[가-힣]{2})[^\d%/:]{2,40}")
_NO_AMOUNT = re.compile(r"주당|주식\s?수|비율|률|수량|\(%\)|단위|이자율")
_ABOVE = 400


def reports(folder: Path) -> Iterator[tuple[str, ParsedDocument]]:
    """Yield the readable reports below a folder, by name."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".xml", ".html", ".htm"):
            try:
                yield path.name, parse(path.read_bytes(), path.name, LIMITS)
            except CitewellError as error:
                print(f"{path.name}: {error}")


def tables_of(name: str, document: ParsedDocument) -> Iterator[TruthTable]:
    ends = {0, *(each.end for each in document.tables), *(each.start for each in document.sections)}
    for table in document.tables:
        start = max((end for end in ends if end <= table.start), default=0)
        start = (
            document.text.find("\n", max(start, table.start - _ABOVE)) + 1 if table.start - start > _ABOVE else start
        )
        if found := _read(name, document.text, min(start, table.start), table):
            yield found


def _read(name: str, text: str, start: int, table: Table) -> TruthTable | None:
    heads_line, above = text[table.start : table.header_end], text[start : table.header_end]
    units = {scale_of(unit) for unit in _UNIT.findall(above)}
    if len(units) != 1 or len(_ANY_UNIT.findall(above)) != 1 or (scale := units.pop()) is None:
        return None
    if not heads_line or "\n" in heads_line:
        return None
    heads = tuple(_NOTES.sub("", head).strip() for head in heads_line.split("\t")[1:])
    body = [line.split("\t") for line in text[table.header_end : table.end].strip("\n").split("\n")]
    rows = list(_rows(body, len(heads), scale))
    counted = Counter(label for label, _ in rows)
    sure = [(label, "", figures) for label, figures in rows if counted[label] == 1 and any(figures)]
    names = [name for head in heads for name in spoken_names(head)]
    if len(sure) < 2 or not all(heads) or len(set(map(_folded, names))) < len(names):
        return None
    return TruthTable(text[start : table.end], name, heads, tuple(sure))


def _rows(body: Sequence[Sequence[str]], width: int, scale: str) -> Iterator[tuple[str, tuple[Figure | None, ...]]]:
    for row in body:
        label = _NOTES.sub("", _NUMBERING.sub("", row[0])).strip()
        cells = [*row[1:], *[""] * (width + 1 - len(row))]
        if _LABEL.fullmatch(label):
            figures = tuple(_figure(cell, scale) for cell in cells)
            yield label, (None,) * width if _NO_AMOUNT.search(label) else figures


def _figure(cell: str, scale: str) -> Figure | None:
    if not _FIGURE.fullmatch(cell) or not any("1" <= sign <= "9" for sign in cell):
        return None
    return Figure(re.sub(r"[^\d,]", "", cell), cell.startswith(("(", "-")), WON, scale)


def _folded(head: str) -> str:
    return "".join(head.split())
