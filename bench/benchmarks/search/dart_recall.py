"""`python -m benchmarks.search.dart_recall FOLDER`: Korean reports (DART) read and searched, and what context adds.

FOLDER holds reports as DART gives them (`.xml`, or pages of its viewer). Questions are made by rule from cells of their
tables: company, term, what stands in the row and, for half of them, the section. Each is looked up in the chunks of
all reports, in memory; found is a chunk that has the row.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from random import Random
from typing import NamedTuple

from benchmarks.metamorphic.korean import with_particles
from benchmarks.search.in_memory import CANDIDATES, DENSE_WEIGHT, DEPTH, LexicalIndex, VectorIndex, reranked
from benchmarks.verdicts.dart_tables import reports, tables_of
from benchmarks.verdicts.korean_cells import is_term, spoken_names
from benchmarks.verdicts.truth_tables import TruthTable
from benchmarks.verdicts.verdict_cases import print_table
from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.offline.passages import Meaning
from citewell_verify.text.windows import headings_of, indexed_text
from domain.quality.metrics import found, mean, reciprocal_rank
from domain.retrieval.ranking import fuse

_CHUNK, _OVERLAP = 220, 30
_CUTS = (1, 5, 10)
_FORMS = ("{company} {term} {label}은/는 얼마인가?", "{company}의 {term} {section}에서 {label}은/는 얼마인가?")
# Text beside the name of a row in its cell: its number, and notes.
_BESIDE_NAME = re.compile(r"^\s*[가-하]\s*[.)]|[(<\[](?:주석|주)[\d,. ]*[)>\]]|[^가-힣]")


class Report(NamedTuple):
    name: str
    document: ParsedDocument
    tables: Sequence[TruthTable]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk: its text, the headings above it and the heads of its table, and its report's title."""

    key: str
    text: str
    context: str
    title: str

    @property
    def headings(self) -> str:
        return " ".join(headings_of(self.context))

    @property
    def columns(self) -> str:
        return self.context.removeprefix(self.context.partition("\n")[0]) if self.headings else self.context


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    gold: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.dart_recall", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--reports", type=int, default=100, help="only so many of them (100)")
    parser.add_argument("--questions", type=int, default=300, help="over all reports (300)")
    parser.add_argument("--words", action="store_true", help="only by words: no vectors, no reranking")
    parser.add_argument("--read", action="store_true", help="only read them")
    options = parser.parse_args()
    read = islice(reports(options.folder), options.reports)
    known = [Report(name, document, tuple(tables_of(name, document))) for name, document in read]
    _show_reading(known)
    if options.read:
        return
    held = {each.name: _passages(each) for each in known}
    asked, passages = _questions(known, held, options.questions), list(chain(*held.values()))
    orders = _by_words(passages, asked)
    if not options.words:
        orders |= _with_meaning(passages, asked, orders["+ report's title"])
    print_table(
        f"{len(asked)} questions, {len(passages)} chunks",
        ("", "", *(f"recall@{cut}" for cut in _CUTS), "MRR"),
        [(name, "", *_measured(asked, order)) for name, order in orders.items()],
    )


def _show_reading(known: Sequence[Report]) -> None:
    tables = [(each.document.text, table) for each in known for table in each.document.tables]
    cells = [_cells(text[table.header_end : table.end]) for text, table in tables]
    headed = [count for (_, table), count in zip(tables, cells, strict=True) if table.header_end > table.start]
    strict = chain.from_iterable(each.tables for each in known)
    sure = sum(bool(each) for table in strict for _, _, figures in table.rows for each in figures)
    sections = sum(len(each.document.sections) for each in known)
    rows = [
        ("reports", "", len(known)),
        ("sections", "", sections),
        ("tables", "", len(tables)),
        ("cells with figures", "", sum(cells)),
        ("of these in tables with heads", "", f"{sum(headed) / max(1, sum(cells)):.1%}"),
        ("of these with label, head and unit, each only once", "", f"{sure / max(1, sum(cells)):.1%}"),
    ]
    print_table("read", ("", "", "n"), rows)


def _cells(body: str) -> int:
    return sum(any(map(str.isdigit, cell)) for line in body.split("\n") for cell in line.split("\t")[1:])


def _passages(report: Report) -> list[Passage]:
    chunks = split_document(report.document, chunk_tokens=_CHUNK, overlap_tokens=_OVERLAP)
    title = report.document.found.get("title", "")
    return [Passage(f"{report.name}#{each.index}", each.text, each.context or "", title) for each in chunks]


def _questions(known: Sequence[Report], passages: Mapping[str, Sequence[Passage]], count: int) -> list[Question]:
    asked = [_of_table(each.document, table, passages[each.name]) for each in known for table in each.tables]
    return [each for turn in zip_longest(*asked) for each in turn if each][:count]


def _of_table(document: ParsedDocument, table: TruthTable, passages: Sequence[Passage]) -> list[Question]:
    rng = Random(table.source)
    company, found_here = document.found.get("company", ""), list[Question]()
    start = document.text.find(table.source)
    section = next((each.title for each in document.sections if each.start <= start < each.end), "")
    for label, _, figures in rng.sample(table.rows, min(3, len(table.rows))):
        if len(figures) > len(table.heads):
            continue  # with more cells than heads it is unknown which head is above a cell
        cells = [(head, each) for head, each in zip(table.heads, figures, strict=True) if each and is_term(head)]
        if not cells:
            continue
        head, figure = rng.choice(cells)
        gold = tuple(each.key for each in passages if _has_row(each.text, label, figure.digits))
        form = rng.choice(_FORMS if section else _FORMS[:1])
        term = rng.choice(spoken_names(head))
        if gold:
            said = form.format(company=company, term=term, label=label, section=section)
            found_here.append(Question(with_particles(said), gold))
    return found_here


def _has_row(text: str, label: str, digits: str) -> bool:
    rows = (line.split("\t") for line in text.split("\n"))
    return any(
        _row_name(name) == _row_name(label) and digits in {each.strip("()- ") for each in cells}
        for name, *cells in rows
    )


def _row_name(cell: str) -> str:
    return _BESIDE_NAME.sub("", cell)


def _by_words(passages: Sequence[Passage], asked: Sequence[Question]) -> dict[str, list[list[str]]]:
    indexed = {each.key: indexed_text(each.text, each.context) for each in passages}
    words = {
        "words of the chunk alone": {each.key: each.text for each in passages},
        "+ heads of its table": {each.key: f"{each.columns}\n{each.text}" for each in passages},
        "+ headings above it": indexed,
        "+ report's title": {each.key: f"{each.title}\n{indexed[each.key]}" for each in passages},
    }
    return {
        name: [index.order(each.text)[:DEPTH] for each in asked]
        for name, texts in words.items()
        for index in (LexicalIndex(texts),)
    }


def _with_meaning(
    passages: Sequence[Passage], asked: Sequence[Question], words: Sequence[list[str]]
) -> dict[str, list[list[str]]]:
    embedder = default_embedder()
    indexed = {each.key: indexed_text(each.text, each.context) for each in passages}
    index, meaning = VectorIndex(indexed, embedder), Meaning(embedder)
    near = [index.order(each.text)[:DEPTH] for each in asked]
    fused = [fuse(list(pair), [1.0, DENSE_WEIGHT]) for pair in zip(words, near, strict=True)]
    first = [
        reranked(each.text, order[:CANDIDATES], indexed, meaning) for each, order in zip(asked, fused, strict=True)
    ]
    return {"vectors": near, "words and vectors": fused, "+ offline reranking": first}


def _measured(asked: Sequence[Question], orders: Sequence[list[str]]) -> list[str]:
    pairs = list(zip(asked, orders, strict=True))
    recalls = (f"{mean(found(each.gold, order, cut) for each, order in pairs):.1%}" for cut in _CUTS)
    return [*recalls, f"{mean(reciprocal_rank(each.gold, order) for each, order in pairs):.3f}"]


if __name__ == "__main__":
    main()
