"""The offline model's reading of tables: rows are told with the names of their columns, heads are never an answer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clients.llm.offline.passages import ReadSentence, read_passage
from domain.documents.chunk_context import with_columns
from domain.evidence.contradictions import without_markers
from domain.facts.structure.asked_cells import asked_cells, whole_row
from domain.facts.structure.tables import Row, cells_as_text, parse_tables
from domain.prompting.numbered_sources import Source
from domain.text.cache import text_cache

_RULE = re.compile(r"[\s|:+=-]*")


@dataclass(frozen=True, slots=True)
class ReadTable:
    """The tables of a source: its rows by their lines, and the lines that only name columns or groups of rows."""

    rows: Mapping[str, Row]
    heads: frozenset[str]

    def row_as_text(self, sentence: ReadSentence) -> str:
        # With the names of its columns; nothing for a sentence that is no row.
        row = self.rows.get(sentence.text.strip())
        return cells_as_text(row, whole_row(row).cells) if row else ""

    def is_head(self, sentence: ReadSentence) -> bool:
        return sentence.text.strip() in self.heads or _RULE.fullmatch(sentence.text) is not None


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row of a source that answers a question, and its text in an answer."""

    source: Source
    sentence: ReadSentence
    text: str


def read_table(source: Source) -> ReadTable:
    return _read(source.text, source.context)


@text_cache()
def _read(text: str, context: str) -> ReadTable:
    parsed = parse_tables(_with_heads(text, context))
    return ReadTable({row.line.strip(): row for row in parsed.rows if row.line}, parsed.heads)


def asked_rows(question: str, sources: Sequence[Source]) -> list[AskedRow]:
    """Return the rows, one of each source at most, with the cell that the question asks for."""
    found: list[AskedRow] = []
    for source in sources:
        asked = asked_cells(question, _with_heads(source.text, source.context), f"{source.label}\n{source.context}")
        line = asked.row.line.strip() if asked else ""
        place = next((each for each in read_passage(source.text).sentences if line and each.text.strip() == line), None)
        if asked and place:
            found.append(AskedRow(source, place, cells_as_text(asked.row, asked.cells)))
    return found


def _with_heads(text: str, context: str) -> str:
    return without_markers(with_columns(text, context))
