"""`python -m benchmarks.search.filings FOLDER`: how far the pages of whole filings are found, and by which part.

FOLDER is an unpacked copy of FinanceBench (github.com/patronus-ai/financebench), with `data/` and `pdfs/`.
A question counts as answered if a page of its evidence is among the pages of the first passages, searched within its
own document and in all documents. Reading the files takes minutes of CPU: what was read is kept in `--cache`.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal, NamedTuple

from benchmarks.search.filing_data import CACHE, Asked, Filing, Place, read_asked, read_filings, vectors_of
from benchmarks.search.in_memory import (
    CANDIDATES,
    DENSE_WEIGHT,
    DEPTH,
    LexicalIndex,
    VectorIndex,
    is_held_out,
    reranked,
)
from benchmarks.search.plain_bm25 import PlainIndex
from benchmarks.verdicts.verdict_cases import print_table
from citewell_documents.document import TextChunk, embedded_text
from citewell_documents.metadata import searched_name
from citewell_verify.embeddings.wheel import default_embedder
from citewell_verify.offline.passages import Meaning
from citewell_verify.text.windows import headings_of, with_columns
from domain.quality.metrics import found, mean
from domain.retrieval.lexemes import lexemes
from domain.retrieval.ranking import fuse

Part = Literal["name", "headings", "table", "text"]
_PARTS: tuple[Part, ...] = ("name", "headings", "table", "text")
_BY_PARTS: dict[str, tuple[Part, ...]] = {
    "words": ("text",),
    "+ headings": ("headings", "text"),
    "+ titles and heads of tables": ("headings", "table", "text"),
    "+ document's name": _PARTS,
    "the same without headings": ("name", "table", "text"),
    "the same without tables' heads": ("name", "headings", "text"),
}
_CUTS = (1, 5, 10)
_Order = Callable[[str, Callable[[Place], bool] | None], list[Place]]


class Orders(NamedTuple):
    """The order that a search gives the pages for a question: in its own document, and in all."""

    within: list[Place]
    overall: list[Place]


class Collection:
    """All passages of the filings, with the lexemes of each part that they can be found by."""

    def __init__(self, filings: Sequence[Filing]) -> None:
        self.filings = filings
        self.chunks: dict[Place, TextChunk] = {Place(f.name, chunk.index): chunk for f in filings for chunk in f.chunks}
        self.texts = {place: embedded_text(chunk) for place, chunk in self.chunks.items()}
        names = {each.name: searched_name(f"{each.name}.pdf", each.parsed.found) for each in filings}
        self._parts = {place: _parts(names[place.document], chunk) for place, chunk in self.chunks.items()}

    def by_words(self, parts: Iterable[Part]) -> LexicalIndex[Place]:
        chosen = list(parts)
        held = {place: [each for part in chosen for each in known[part]] for place, known in self._parts.items()}
        return LexicalIndex[Place].of(held)

    def pages(self) -> dict[Place, str]:
        """The text of each page, by its number."""
        return {
            Place(each.name, page.number): each.parsed.text[page.start : page.end]
            for each in self.filings
            for page in each.parsed.pages
        }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.filings", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--words-only", action="store_true", help="neither vectors nor reranking")
    parser.add_argument("--missed", action="store_true", help="print what the half made on misses among ten passages")
    options = parser.parse_args()
    options.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    questions = read_asked(options.folder)
    read = list(read_filings(options.folder, sorted({each.document for each in questions}), options.cache))
    filings = [each for each in read if isinstance(each, Filing)]
    asked = [each for each in questions if each.document in {filing.name for filing in filings}]
    _describe(filings, [each for each in read if isinstance(each, str)], len(questions), len(asked))
    collection = Collection(filings)
    ways = dict(_measured(collection, asked, options.cache, words_only=options.words_only))
    _show_halves(collection, asked, ways)
    if options.missed:
        _print_missed(collection, asked, list(ways.values())[-1])


def _describe(filings: Sequence[Filing], refused: Sequence[str], questions: int, asked: int) -> None:
    pages = sum(len(each.parsed.pages) for each in filings)
    seconds, empty = sum(each.seconds for each in filings), sum(each.empty_pages for each in filings)
    print(f"{asked} of {questions} questions, {len(filings)} documents, {pages:,} pages ({empty} without text),")
    print(f"{sum(len(each.chunks) for each in filings):,} passages, {seconds / max(pages, 1):.3f} CPU s per page read")
    for each in refused:
        print(f"  left out: {each}")


def _measured(
    collection: Collection, asked: Sequence[Asked], cache: Path, *, words_only: bool
) -> Iterator[tuple[str, list[Orders]]]:
    """Yield each way of searching with its results for every question; indexes are made one after the other."""
    yield "BM25 of whole pages", _orders(asked, PlainIndex(collection.pages()).order)
    texts = {place: chunk.text for place, chunk in collection.chunks.items()}
    yield "BM25 of passages", _orders(asked, PlainIndex(texts).order)
    yield from _measured_by_words(collection, asked)
    whole = collection.by_words(_PARTS)
    as_it_is = partial(whole.order, as_it_is=True)
    yield "the same, the question as it is", _orders(asked, as_it_is)
    by_words = _orders(asked, whole.order)
    if words_only:
        return
    embedder = default_embedder()
    vectors = vectors_of(list(collection.texts.values()), embedder, cache)
    near = _orders(asked, VectorIndex(collection.texts, embedder, vectors).order)
    yield "vectors", near
    fused = [
        Orders(*(fuse(pair, [1.0, DENSE_WEIGHT]) for pair in zip(*both, strict=True)))
        for both in zip(by_words, near, strict=True)
    ]
    yield "words and vectors", fused
    meaning = Meaning(embedder)
    yield (
        "+ reranking",
        [
            Orders(*(reranked(each.text, order[:CANDIDATES], collection.texts, meaning) for order in orders))
            for each, orders in zip(asked, fused, strict=True)
        ],
    )


def _measured_by_words(collection: Collection, asked: Sequence[Asked]) -> Iterator[tuple[str, list[Orders]]]:
    for name, parts in _BY_PARTS.items():
        yield name, _orders(asked, collection.by_words(parts).order)


def _orders(asked: Sequence[Asked], order: _Order) -> list[Orders]:
    return [
        Orders(
            order(each.text, lambda place, own=each.document: place.document == own)[:DEPTH],
            order(each.text, None)[:DEPTH],
        )
        for each in asked
    ]


def _parts(name: str, chunk: TextChunk) -> dict[Part, list[str]]:
    context = chunk.context or ""
    return {
        "name": _known_lexemes(name),
        "headings": _known_lexemes("\n".join(headings_of(context))),
        "table": _known_lexemes(with_columns("", context)),
        "text": lexemes(chunk.text),
    }


@lru_cache(maxsize=100_000)
def _known_lexemes(text: str) -> list[str]:
    return lexemes(text)


def _show_halves(collection: Collection, asked: Sequence[Asked], ways: dict[str, list[Orders]]) -> None:
    halves = {"made on": False, "held out": True, "all": None}
    for name, held in halves.items():
        chosen = [at for at, each in enumerate(asked) if held is None or is_held_out(each.document) is held]
        rows = [
            (way, "", *_recalls(collection, [asked[at] for at in chosen], [orders[at] for at in chosen], way))
            for way, orders in ways.items()
        ]
        heads = [f"{where} @{cut}" for where in ("in its document", "in all") for cut in _CUTS]
        print_table(f"{name}: {len(chosen)} questions", ("", "", *heads), rows)


def _recalls(collection: Collection, asked: Sequence[Asked], orders: Sequence[Orders], way: str) -> Iterator[str]:
    for within in (True, False):
        for cut in _CUTS:
            hits = (
                found(_wanted(each), _pages(collection, order.within if within else order.overall, way), cut)
                for each, order in zip(asked, orders, strict=True)
            )
            yield f"{mean(hits) or 0:.1%}"


def _wanted(asked: Asked) -> set[tuple[str, int | None]]:
    return {(asked.document, page) for page in asked.pages}


def _pages(collection: Collection, places: Sequence[Place], way: str) -> list[tuple[str, int | None]]:
    if way == "BM25 of whole pages":
        return [(place.document, place.number) for place in places]
    return [(place.document, collection.chunks[place].page) for place in places]


def _print_missed(collection: Collection, asked: Sequence[Asked], orders: Sequence[Orders]) -> None:
    for each, order in zip(asked, orders, strict=True):
        pages = _pages(collection, order.within, "")
        if not is_held_out(each.document) and not found(_wanted(each), pages, CANDIDATES):
            print(f"\n{each.document}, pages {sorted(each.pages)}: {each.text}")
            for place in order.within[:3]:
                print(f"  p{collection.chunks[place].page}: {collection.texts[place][:160]!r}")


if __name__ == "__main__":
    main()
