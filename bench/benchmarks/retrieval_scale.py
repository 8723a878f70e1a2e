"""`python -m benchmarks.retrieval_scale [--chunks 10000,100000]`: search as a collection grows.

A collection of synthetic vectors and texts is loaded, indexed and searched: how long it takes, how much room it needs,
and how many of the 10 truly nearest chunks are found, with filters that leave much or little. Then documents are
ingested for real. Everything runs on one machine, in an embedded Postgres as `citewell up` starts it.
"""

import argparse
import os
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sqlalchemy import ColumnElement, text

from benchmarks.search.scale_data import (
    CHUNKS_PER_DOCUMENT,
    DIMENSION,
    Collection,
    labels,
    load,
    make_collection,
    nearest_exactly,
    sentence,
)
from benchmarks.search.scale_ingestion import ingested_per_second
from citewell.supervisor.home import temporary_home
from citewell.supervisor.servers.pair import EmbeddedServers
from citewell_verify.embeddings.wheel import WHEEL_MODEL
from config.settings import settings
from db.indexes import ensure_space_index
from db.migrate import upgrade
from db.models import DEFAULT_TENANT, WHEEL_SPACE, Document
from db.queries.access.workspaces import get_or_add_workspace
from db.queries.documents.spaces import assign_space, get_or_add_space, space_of
from db.queries.search import passages
from db.queries.search.passages import search_text
from db.session import acting_for, dispose, reading, transaction
from domain.query.options import DocumentFilter
from services.retrieval.candidates import Search, find_candidates

K, QUESTIONS = 10, 40
_ASKED_WORDS = 6
EF_VALUES = (40, 100, 200)
_SIZE = "SELECT pg_size_pretty(pg_table_size('{}'))"
_INDEX = f"ix_chunk_vectors_space_{WHEEL_SPACE}"
_SLOW_TO_FILL = (_INDEX, "ix_chunks_search")

console = Console(width=120)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on documents, and the documents that it leaves."""

    name: str
    wanted: tuple[str, str] | None
    where: Sequence[ColumnElement[bool]]
    documents: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Given:
    """An embedder that already has the question's vector, so that only the search is measured."""

    question: NDArray[np.float32]
    name: str = WHEEL_MODEL
    dimension: int = DIMENSION

    def encode_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.question for _ in texts])

    def encode_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.encode_queries(texts)


@dataclass(frozen=True, slots=True)
class Measured:
    """Latencies in milliseconds, and the share of the truly nearest chunks that was found."""

    times: list[float]
    recall: float

    def cells(self) -> tuple[str, ...]:
        return f"{np.percentile(self.times, 50):.1f}", f"{np.percentile(self.times, 95):.1f}", f"{self.recall:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", default="10000,100000", help="sizes of the collections")
    parser.add_argument("--no-ingestion", action="store_true", help="leave out the real ingestion")
    options = parser.parse_args()
    for size in map(int, options.chunks.split(",")):
        with _database():
            _measure_collection(size)
    if not options.no_ingestion:
        with _database():
            console.print(f"real ingestion, one process: {ingested_per_second():.0f} chunks/s", highlight=False)


@contextmanager
def _database() -> Generator[None]:
    with temporary_home() as home, EmbeddedServers(home, durable=False) as servers:
        os.environ["CITEWELL_DATABASE_URL"] = servers.database_url
        settings.cache_clear()
        dispose()
        upgrade(servers.database_url)
        with acting_for(DEFAULT_TENANT):
            yield
        dispose()


def _measure_collection(chunks: int) -> None:
    made = make_collection(chunks, QUESTIONS)
    workspace_id = _stored(made)
    filters = list(_filters(made))
    truth = {each.name: _truth(made, each) for each in filters}
    table = Table("search", "k", "p50 ms", "p95 ms", "recall@10", "times the first", title=f"{chunks:,} chunks")
    unfiltered: list[float] = []
    for each in filters:
        for name, search in _ways(workspace_id, each):
            measured = _measured(made, truth[each.name], search)
            unfiltered = unfiltered or measured.times
            ratio = float(np.median(measured.times) / np.median(unfiltered))
            table.add_row(f"{each.name}: {name}", str(K), *measured.cells(), f"{ratio:.1f}")
    for each in filters:
        cells = _hybrid(made, truth[each.name], workspace_id, each).cells()
        table.add_row(f"{each.name}: hybrid", str(K), *cells, "")
    table.add_row("full text, 3 words", str(K), *_lexical(workspace_id).cells()[:2], "", "")
    console.print(table)


def _ways(workspace_id: int, chosen: Filter) -> Iterator[tuple[str, Callable[[list[float]], Any]]]:
    def as_it_is(question: list[float]) -> Any:
        with reading() as session:
            return passages.search_vector(session, workspace_id, question, K, where=chosen.where)

    with reading() as session:
        space = space_of(session, workspace_id)
    assert space is not None  # noqa: S101 - the collection has vectors
    candidates = passages.Candidates(space, workspace_id, chosen.where)
    yield "as it is", as_it_is
    for ef in EF_VALUES:

        def with_index(question: list[float], ef: int = ef) -> Any:
            with reading() as session:
                return passages.through_index(session, candidates, question, K, ef_search=ef)

        yield f"index, ef_search {ef}", with_index

    def exactly(question: list[float]) -> Any:
        with reading() as session:
            return passages.exactly(session, candidates, question, K)

    yield "exact", exactly


def _measured(made: Collection, truth: list[set[int]], search: Callable[[list[float]], Any]) -> Measured:
    times, found = list[float](), 0
    search(made.questions[0].tolist())
    for question, expected in zip(made.questions.tolist(), truth, strict=True):
        started = time.perf_counter()
        keys = {key for key, _ in search(question)}
        times.append((time.perf_counter() - started) * 1000)
        found += len(keys & expected)
    return Measured(times, found / max(1, sum(map(len, truth))))


def _lexical(workspace_id: int) -> Measured:
    rng, times = random.Random(3), list[float]()
    for _ in range(QUESTIONS):
        question = sentence(rng, 3)
        started = time.perf_counter()
        with reading() as session:
            search_text(session, workspace_id, question, K)
        times.append((time.perf_counter() - started) * 1000)
    return Measured(times, 0)


def _hybrid(made: Collection, truth: list[set[int]], workspace_id: int, chosen: Filter) -> Measured:
    """Measure the search of a question: both searches, fused, without the time for its embedding. The truly nearest
    chunks that are among the candidates count as found."""
    rng, times, found = random.Random(5), list[float](), 0
    wanted = None if chosen.wanted is None else DocumentFilter(metadata=dict([chosen.wanted]))
    where = Search(workspace_id, "hybrid", K, wanted)
    for question, expected in zip(made.questions, truth, strict=True):
        words, embedder = sentence(rng, _ASKED_WORDS), _Given(question)
        started = time.perf_counter()
        keys = {key for key, _ in find_candidates([words], where, embedder)}
        times.append((time.perf_counter() - started) * 1000)
        found += len(keys & expected)
    return Measured(times, found / max(1, sum(map(len, truth))))


def _filters(made: Collection) -> Iterator[Filter]:
    named = [labels(number, made) for number in range(len(made.topics))]
    yield Filter("no filter", None, (), np.ones(len(named), dtype=bool))
    for name, key, value in (("10 %", "of10", "3"), ("1 %", "of100", "3"), ("0.1 %", "of1000", "3")):
        yield _filter(f"{name} at random", key, value, named)
    yield _filter("one group of topics", "group", "1", named)


def _filter(name: str, key: str, value: str, named: Sequence[dict[str, str]]) -> Filter:
    kept = np.array([each[key] == value for each in named])
    return Filter(f"{name} ({kept.mean():.2%})", (key, value), (Document.details[key].astext == value,), kept)


def _truth(made: Collection, chosen: Filter) -> list[set[int]]:
    return nearest_exactly(made, np.repeat(chosen.documents, CHUNKS_PER_DOCUMENT)[: made.chunks], K)


def _stored(made: Collection) -> int:
    """Load the collection with its indexes dropped, create these, print the cost, and return its workspace."""
    with transaction() as session:
        session.execute(text("SET LOCAL statement_timeout = 0"))
        definitions = [session.scalar(text(f"SELECT pg_get_indexdef('{name}'::regclass)")) for name in _SLOW_TO_FILL]
        for name in _SLOW_TO_FILL:
            session.execute(text(f"DROP INDEX {name}"))
        workspace_id = get_or_add_workspace(session, "scale").id
        space = assign_space(session, workspace_id, get_or_add_space(session, WHEEL_MODEL, DIMENSION))
        started = time.perf_counter()
        load(session, workspace_id, DEFAULT_TENANT, made)
        console.print(f"{made.chunks:,} rows stored in {time.perf_counter() - started:.0f} s", highlight=False)
    with transaction() as session:
        session.execute(text("SET LOCAL statement_timeout = 0; SET LOCAL maintenance_work_mem = '1GB'"))
        for definition in definitions[1:]:
            session.execute(text(str(definition)))
        session.execute(text("ANALYZE"))
    started = time.perf_counter()
    ensure_space_index(space)
    console.print(f"HNSW index built in {time.perf_counter() - started:.0f} s", highlight=False)
    with reading() as session:
        sizes = {name: session.scalar(text(_SIZE.format(name))) for name in ("chunks", "chunk_vectors", _INDEX)}
    console.print("on disk: " + ", ".join(f"{name} {size}" for name, size in sizes.items()), highlight=False)
    return workspace_id


if __name__ == "__main__":
    main()
