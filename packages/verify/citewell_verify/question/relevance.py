"""Estimates the probability that an answer answers its question (V8).

`benchmarks.fitting.fit_question` fits the weights in `model.json` on questions over passages that people answered or
found unanswerable. Whether the answer is true is decided separately, by the checks of its statements.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from citewell_verify.answers.refusals import is_idk
from citewell_verify.markers.stripping import plain_text
from citewell_verify.question.features import Standing, answer_features, standings
from citewell_verify.question.question_parts import QuestionPart, has_kind, parts_of
from citewell_verify.question.units import Unit, units_of
from citewell_verify.support.model import LogisticRegression, parse_regression
from citewell_verify.text.words import content_stems

ANSWERED = 0.15
"""From this probability of its best unit on, a part of a question counts as answered, in doubt or not, and is answered
without a model; below it, passages are shown."""

SURELY_ANSWERED = 0.8
"""From this probability on (`share_right`), about 9 of 10 shown answers were right: their signal is green."""

BESIDE_THE_POINT = 0.1
"""Below this, hardly any answer was one to its question."""

_MOST_SENTENCES = 60
_ELLIPTICAL = 6  # at most, words of an answer that repeats nothing of its question: "30 days."
_UNKNOWN = 0.5


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads((files("citewell_verify.question") / "model.json").read_text(encoding="utf-8"))


@cache
def question_model() -> LogisticRegression:
    return parse_regression(_fitted())


def measured_languages() -> Sequence[str]:
    """The languages of the questions that the weights were fitted on."""
    return _fitted()["languages"]


def share_right(relevance: float) -> float:
    """Return how often an answer whose best sentence has this relevance was right, by `benchmarks.fitting.fit_shown`.

    The weights are fitted on all sentences that could be answers. The one that is chosen as the best is right more
    often than such a sentence, most of all where it shares few words with its question.
    """
    knots: Sequence[Sequence[float]] = _fitted()["shown"]
    for (low, at_low), (high, at_high) in pairwise(knots):
        if relevance <= high:
            return at_low + (at_high - at_low) * (relevance - low) / (high - low)
    return 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit with the probability, 0..1, that it answers a part of a question."""

    standing: Standing
    probability: float

    @property
    def unit(self) -> Unit:
        return self.standing.unit


def candidates(asked: QuestionPart, units: Sequence[Unit], rivals: Sequence[Unit] = ()) -> list[Candidate]:
    """Return the units that may answer one part of a question, most probable first; `rivals` stand beside them."""
    weighed = [
        Candidate(standing, question_model().probability(answer_features(asked, standing)))
        for standing in standings(asked, units, rivals)
    ]
    return sorted(weighed, key=lambda candidate: -candidate.probability)


def answer_relevance(question: str, answer: str, passages: Sequence[str] = ()) -> float:
    """Return the probability, 0..1, that `answer` answers all of `question`, provided that what it says is true.

    1 without a question, 0 for "I don't know"; the mean over the question's parts. Citation markers do not count. Other
    sentences of the `passages` that it was written from may answer better. Linear in all lengths.
    """
    if not question.strip():
        return 1.0
    if is_idk(answer) or not answer.strip():
        return 0.0
    shares = [share_right(part_relevance(part, answer, passages)) for part in parts_of(question)]
    return sum(shares) / len(shares) if shares else _UNKNOWN


def part_relevance(asked: QuestionPart, answer: str, passages: Sequence[str] = ()) -> float:
    """Return the same for one part of a question: the probability of the sentence that answers it best."""
    return _part_relevance(asked, answer, tuple(passages))


@lru_cache(maxsize=64)
def _part_relevance(asked: QuestionPart, answer: str, passages: tuple[str, ...]) -> float:
    """The relevance of an answer to a part, cached: the verdict, its reason and what it leaves open ask for it."""
    said = plain_text(answer).text
    units = units_of(said)[:_MOST_SENTENCES]
    if not units:
        return 0.0
    if is_elliptical(asked, said):
        units = (*units, *units_of(f"{asked.text.rstrip('?？ ')} {units[0].text}"))
    elif _is_hangul(asked.text) != _is_hangul(answer):
        return _UNKNOWN
    letters = _letters(said)
    rivals = [unit for text in passages for unit in units_of(text) if _letters(unit.text) not in letters]
    best = candidates(asked, units, rivals)
    return best[0].probability if best else 0.0


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def is_elliptical(asked: QuestionPart, answer: str) -> bool:
    """True for a bare phrase of the kind that is asked for, as in "When?" – "In May 2020"."""
    if len(answer.split()) > _ELLIPTICAL or set(content_stems(answer)) & set(asked.stems):
        return False
    return bool(has_kind(asked.kind, answer, asked.text)) or asked.kind == "decision"


def _is_hangul(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return sum("가" <= letter <= "힣" for letter in letters) > 0.3 * len(letters)
