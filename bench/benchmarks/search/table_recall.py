"""`python -m benchmarks.search.table_recall FOLDER`: what each part of the search adds.

FOLDER holds `NAME_passages.jsonl` and `NAME_questions.jsonl`, such as `qa/` of the labelled data; `--pairs FILE` adds
a set of labelled pairs, each supported claim looked up among all sources. Every question is looked up in the passages
of all documents: what `citewell evaluate --retrieval` measures with a database, here in memory and without a model.
Half of the documents (by a hash of their names) is held out: constants are chosen on the other half.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.search.in_memory import (
    CANDIDATES,
    DENSE_WEIGHT,
    DEPTH,
    LexicalIndex,
    VectorIndex,
    is_held_out,
    reranked,
)
from benchmarks.verdicts.verdict_cases import print_table
from citewell_verify.embeddings.wheel import UseEmbedder, default_embedder
from citewell_verify.offline.passages import Meaning
from domain.quality.metrics import found, mean, reciprocal_rank
from domain.retrieval.ranking import fuse
from services.evaluation.labelled_data import (
    LabelledPassage,
    LabelledQuestion,
    QuestionSet,
    read_pairs,
    read_question_sets,
    spread,
)

_CUTS = (1, 3, 5, 10)
_WAYS = ("words", "vectors", "words and vectors", "+ document's title", "+ reranking")
_KEY = re.compile(r"[0-9a-f-]{32,}")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the passages that each of `_WAYS` puts first."""

    question: LabelledQuestion
    orders: tuple[list[str], ...]

    def hits(self, way: int, cut: int) -> bool:
        return found(self.question.gold, self.orders[way], cut)


class Index:
    """The passages of a set, by words, with and without the titles of their documents, and by vectors."""

    def __init__(self, passages: Sequence[LabelledPassage], embedder: UseEmbedder) -> None:
        self._texts = {each.id: each.text for each in passages}
        self._meaning = Meaning(embedder)
        self._words = LexicalIndex(self._texts)
        self._titled = LexicalIndex(self._texts, {each.id: _title(each) for each in passages})
        self._vectors = VectorIndex(self._texts, embedder)

    def ask(self, question: LabelledQuestion) -> Asked:
        text = question.question
        words, near, titled = (index.order(text)[:DEPTH] for index in (self._words, self._vectors, self._titled))
        fused, with_titles = (fuse([order, near], [1.0, DENSE_WEIGHT]) for order in (words, titled))
        best = reranked(text, with_titles[:CANDIDATES], self._texts, self._meaning)
        return Asked(question, (words, near, fused, with_titles, best))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search.table_recall", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--set", help="only the set of this name (all)")
    parser.add_argument("--pairs", type=Path, help="a file of labelled pairs as one more set")
    parser.add_argument("--limit", type=int, help="only so many questions of each set, evenly spread")
    parser.add_argument("--missed", action="store_true", help="print the questions that the first half misses")
    options = parser.parse_args()
    for each in _sets(options.folder, options.pairs, options.limit):
        if options.set in (None, each.name):
            _measure(each, missed=options.missed)


def _sets(folder: Path, pairs: Path | None, limit: int | None) -> Iterator[QuestionSet]:
    yield from read_question_sets(folder, limit).sets
    if pairs is not None:
        for name, labelled in read_pairs([pairs]).sets.items():
            sources = {
                text: f"{name}-{number}" for number, text in enumerate(dict.fromkeys(p.source for p in labelled))
            }
            passages = [LabelledPassage(key, key, None, text) for text, key in sources.items()]
            claims = [LabelledQuestion(each.claim, True, (sources[each.source],)) for each in labelled if each.label]
            yield QuestionSet(name, passages, spread(claims, limit))


def _measure(chosen: QuestionSet, *, missed: bool) -> None:
    index = Index(chosen.passages, default_embedder())
    documents = {each.id: each.doc for each in chosen.passages}
    asked = [index.ask(each) for each in chosen.questions if each.answerable]
    made_on, held_out = (
        [each for each in asked if is_held_out(documents[each.question.gold[0]]) is held] for held in (False, True)
    )
    for name, part in (("made on", made_on), ("held out", held_out), ("all", asked)):
        _show(f"{chosen.name}, {name}: {len(part)} questions, {len(chosen.passages)} passages", part)
    if missed:
        _print_missed(made_on, {each.id: each.text for each in chosen.passages})


def _title(passage: LabelledPassage) -> str:
    """Return the name of the document, unless it is a mere key."""
    return "" if passage.doc == passage.id or _KEY.fullmatch(passage.doc) else passage.doc


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
        if not each.hits(-1, 5):
            print(f"\n{each.question.question}")
            print(f"  wanted {[texts[key][:200] for key in each.question.gold]}")
            print(f"  first  {[texts[key][:160] for key in each.orders[-1][:2]]}")


if __name__ == "__main__":
    main()
