"""`python -m benchmarks.search.table_recall FOLDER`: is the passage with the answer among the first?

FOLDER holds `NAME_passages.jsonl` and `NAME_questions.jsonl`, such as `qa/` of the labelled data. Every question is
looked up in the passages of all documents, by words and by vectors together, and ranked by the offline provider: what
`citewell evaluate --retrieval` measures with a database, here in memory and without a model. Half of the documents (by
a hash of their names) is held out: constants are chosen on the other half.
"""

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.verdicts.verdict_cases import print_table
from clients.embeddings import UseEmbedder, Vectors, default_embedder
from clients.llm.offline.meaning import Meaning
from clients.llm.offline.relevance import chunk_relevance
from domain.quality.metrics import found, mean, reciprocal_rank
from domain.retrieval.bm25 import Collection, Occurrences, lexical_order
from domain.retrieval.lexemes import lexemes
from domain.retrieval.ranking import Scored, fuse, rank
from services.evaluation.labelled_data import LabelledPassage, LabelledQuestion, read_question_sets

_CANDIDATES, _DEPTH, _DENSE_WEIGHT = 10, 50, 0.3
_CUTS = (1, 3, 5, 10)
_WAYS = ("words", "words and vectors", "reranked")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the passages that each of `_WAYS` puts first."""

    question: LabelledQuestion
    orders: tuple[list[str], ...]

    def hits(self, way: int, cut: int) -> bool:
        return found(self.question.gold, self.orders[way], cut)


class Index:
    """The passages of a set, by words and by vectors."""

    def __init__(self, passages: Sequence[LabelledPassage], embedder: UseEmbedder) -> None:
        self._passages = {each.id: each for each in passages}
        self._embedder, self._meaning = embedder, Meaning(embedder)
        self._words = [_occurrences(each) for each in passages]
        counted = Counter(lexeme for each in self._words for lexeme in each.places)
        self._known = Collection(len(passages), sum(each.length for each in self._words) / len(passages), counted)
        self._vectors: Vectors = embedder.encode_documents([each.text for each in passages])

    def ask(self, question: LabelledQuestion) -> Asked:
        by_words = lexical_order(lexemes(question.question), self._words, self._known)[:_DEPTH]
        fused = fuse([by_words, self._nearest(question.question)], [1.0, _DENSE_WEIGHT])[:_CANDIDATES]
        scored = [
            Scored(key, place, round(chunk_relevance(question.question, self._passages[key].text, self._meaning), 4))
            for place, key in enumerate(fused)
        ]
        return Asked(question, (by_words, fused, [each.key for each in rank(scored)]))

    def _nearest(self, question: str) -> list[str]:
        likeness = self._vectors @ self._embedder.encode_queries([question])[0]
        keys = list(self._passages)
        return [keys[place] for place in np.argsort(-likeness, kind="stable")[:_DEPTH]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.table_recall", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", default="tatqa", help="the name of the set (tatqa)")
    parser.add_argument("--limit", type=int, help="only so many questions, evenly spread")
    parser.add_argument("--missed", action="store_true", help="print the questions that the first half misses")
    options = parser.parse_args()
    sets = read_question_sets(options.folder, options.limit).sets
    chosen = next(each for each in sets if each.name == options.set)
    index = Index(chosen.passages, default_embedder())
    documents = {each.id: each.doc for each in chosen.passages}
    asked = [index.ask(each) for each in chosen.questions if each.answerable]
    halves = [
        [each for each in asked if _is_held_out(documents[each.question.gold[0]]) is held] for held in (False, True)
    ]
    for name, half in (("made on", halves[0]), ("held out", halves[1]), ("all", asked)):
        _show(f"{options.set}, {name}: {len(half)} questions, {len(chosen.passages)} passages", half)
    if options.missed:
        _print_missed(halves[0], {each.id: each.text for each in chosen.passages})


def _is_held_out(document: str) -> bool:
    return hashlib.sha256(document.encode()).digest()[0] % 2 == 1


def _occurrences(passage: LabelledPassage) -> Occurrences[str]:
    places: dict[str, list[int]] = {}
    words = lexemes(passage.text)
    for place, lexeme in enumerate(words, start=1):
        places.setdefault(lexeme, []).append(place)
    return Occurrences(passage.id, len(words), places)


def _show(title: str, asked: Sequence[Asked]) -> None:
    rows = [
        (
            name,
            "",
            *(f"{mean(each.hits(way, cut) for each in asked):.1%}" for cut in _CUTS),
            f"{mean(reciprocal_rank(each.question.gold, each.orders[way]) for each in asked):.3f}",
        )
        for way, name in enumerate(_WAYS)
    ]
    print_table(title, ("", "", *(f"recall@{cut}" for cut in _CUTS), "MRR"), rows)


def _print_missed(asked: Sequence[Asked], texts: dict[str, str]) -> None:
    for each in asked:
        if not each.hits(2, 5):
            print(f"\n{each.question.question}")
            print(f"  wanted {[texts[key][:200] for key in each.question.gold]}")
            print(f"  first  {[texts[key][:160] for key in each.orders[2][:2]]}")


if __name__ == "__main__":
    main()
