"""What the offline answers are worth: `python -m benchmarks.answers.questions FOLDER [--cache FILE]` (V8).

FOLDER holds NAME_passages.jsonl and NAME_questions.jsonl. Each question is answered from the passages of its document
that the offline ranking finds, and the answer is judged as it would be in a query: by the support of its statements and
by whether it answers. What is High has both together from 0.9 on; what is right has an answer that people gave. The
half of the questions that the weights were fitted on is told apart from the other.
"""

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.answers.question_data import AskedQuestion, is_fitted_on, is_right, ranked_sources, read_questions
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from citewell_verify.answers.refusals import IDK
from citewell_verify.markers.parser import cited_markers
from citewell_verify.offline.judging import judge_against, texts_of
from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.question.relevance import judge_question
from citewell_verify.text.sentences import split_sentences
from citewell_verify.verdicts.confidence import ConfidenceLevel, level
from clients.llm.offline.answering import compose_answer
from domain.question.nearest import why_refused

_HEADINGS = ("questions", "number", "answered", "unanswerable refused", "right", "High", "High and right", "words")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one question; `confidence` is 0..1, and None for a refusal."""

    question: AskedQuestion
    answer: str
    right: bool
    confidence: float | None

    @property
    def is_high(self) -> bool:
        return level(self.confidence) is ConfidenceLevel.HIGH


def answered(question: AskedQuestion, meaning: Meaning) -> Outcome:
    """Answer one question and judge the answer."""
    sources = ranked_sources(question, meaning)
    refused = why_refused(question.text, [f"{question.label}\n{text}" for text in question.passages])
    answer = IDK if refused else "".join(compose_answer(question.text, sources, IDK))
    if answer == IDK:
        return Outcome(question, answer, not question.answerable, None)
    confidence = confidence_in(question.text, answer, sources, meaning)
    return Outcome(question, answer, is_right(question, answer), confidence)


def confidence_in(question: str, answer: str, sources: Sources, meaning: Meaning) -> float:
    """Return how likely the answer is supported and answers the question, 0..1."""
    said = [each.text for each in split_sentences(answer) if each.text.strip("[]†0123456789 ")]
    support = [judge_against(each, sources, meaning).support for each in said]
    verdict = judge_question(question, answer, texts_of(sources))
    return (verdict.probability if verdict else 1.0) * min(support, default=0.0)


def _row(name: str, found: Sequence[Outcome]) -> tuple[str, ...]:
    answerable = [each for each in found if each.question.answerable]
    others = [each for each in found if not each.question.answerable]
    given = [each for each in found if each.confidence is not None]
    high = [each for each in given if each.is_high]
    words = sorted(len(each.answer.split()) - len(cited_markers(each.answer)) for each in given)
    return (
        name,
        f"{len(found):,}",
        _share(each.confidence is not None for each in answerable),
        _share(each.confidence is None for each in others),
        _share(each.right for each in given),
        f"{len(high):,}",
        _share(each.right for each in high),
        str(words[len(words) // 2]) if words else "",
    )


def _share(hits: Iterable[bool]) -> str:
    counted = list(hits)
    return f"{sum(counted) / len(counted):.1%} of {len(counted)}" if counted else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    embedder = RememberedEmbedder(options.cache)
    meaning = Meaning(embedder, remembered=100_000)
    found = [answered(question, meaning) for question in read_questions(options.folder)]
    embedder.keep()
    table = Table(title="Answers made offline")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "questions" else "right")
    for name in dict.fromkeys(each.question.set_name for each in found):
        members = [each for each in found if each.question.set_name == name]
        table.add_row(*_row(name, members))
        table.add_row(*_row("  other half", [each for each in members if not is_fitted_on(each.question)]))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
