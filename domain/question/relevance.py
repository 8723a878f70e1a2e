"""Estimates the probability that an answer answers its question (V8).

`benchmarks.fitting.fit_question` fits the weights in `model.json` on questions over passages that people answered or
found unanswerable. Whether the answer is true is decided separately, by the checks of its statements.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from domain.markers.stripping import plain_text
from domain.query.refusals import is_idk
from domain.question.features import answer_features
from domain.question.question_parts import QuestionPart, has_kind, parts_of
from domain.support.model import LogisticRegression, parse_regression
from domain.text.cache import text_cache
from domain.text.sentences import split_sentences
from domain.text.words import content_stems

ANSWERED = 0.25
"""From this probability on, an answer counts as one to that part of the question."""

SURELY_ANSWERED = 0.8
"""From this probability on (`share_right`), about 9 of 10 shown answers were right: their signal is green."""

BESIDE_THE_POINT = 0.1
"""Below this, hardly any answer was one to its question."""

_MOST_SENTENCES = 60
_ELLIPTICAL = 6  # at most, words of an answer that repeats nothing of its question: "30 days."
_UNKNOWN = 0.5


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads((files("domain.question") / "model.json").read_text(encoding="utf-8"))


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


def answer_relevance(question: str, answer: str) -> float:
    """Return the probability, 0..1, that `answer` answers all of `question`, provided that what it says is true.

    1 without a question, 0 for "I don't know"; the mean over the question's parts. Citation markers do not count.
    Linear in both lengths.
    """
    if not question.strip():
        return 1.0
    if is_idk(answer) or not answer.strip():
        return 0.0
    shares = [share_right(part_relevance(part, answer)) for part in parts_of(question)]
    return sum(shares) / len(shares) if shares else _UNKNOWN


def part_relevance(asked: QuestionPart, answer: str) -> float:
    """Return the same for one part of a question: the probability of the sentence that answers it best."""
    said = list(_sentences(answer))
    if not said:
        return 0.0
    if is_elliptical(asked, " ".join(said)):
        said.append(f"{asked.text.rstrip('?？ ')} {said[0]}")
    elif _is_hangul(asked.text) != _is_hangul(answer):
        return _UNKNOWN
    return max(sentence_relevance(asked, each) for each in said)


@text_cache(most=64)
def _sentences(answer: str) -> tuple[str, ...]:
    return tuple(each.text for each in split_sentences(plain_text(answer).text)[:_MOST_SENTENCES])


@lru_cache(maxsize=4096)
def sentence_relevance(asked: QuestionPart, sentence: str) -> float:
    return question_model().probability(answer_features(asked, sentence))


def is_elliptical(asked: QuestionPart, answer: str) -> bool:
    # A bare phrase of the kind that is asked for, as in "When?" – "In May 2020".
    if len(answer.split()) > _ELLIPTICAL or set(content_stems(answer)) & set(asked.stems):
        return False
    return bool(has_kind(asked.kind, answer, asked.text)) or asked.kind == "decision"


def _is_hangul(text: str) -> bool:
    letters = [each for each in text if each.isalpha()]
    return sum("가" <= each <= "힣" for each in letters) > 0.3 * len(letters)
