"""Fit how likely a sentence answers a question, and measure it on the questions that it has not seen (V8).

    python -m benchmarks.fitting.fit_question FOLDER [--write] [--cache FILE]

FOLDER holds NAME_passages.jsonl and NAME_questions.jsonl with the `answers` that people gave and whether the question
is `answerable`. Each question is also asked of a document that is about something else. The units of the passages that
are found for each question (citewell_verify.question.units) are labelled by whether they have an answer. Half of the
questions, by a hash of their ids, are fitted on; the other half is reported. `--write` writes
`packages/verify/citewell_verify/question/model.json`: weights only.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.answers.question_data import AskedQuestion, is_fitted_on, is_right, ranked_sources, read_questions
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from citewell_verify.offline.passages import Meaning
from citewell_verify.question.features import answer_features, standings
from citewell_verify.question.question_parts import parts_of
from citewell_verify.question.units import units_of
from domain.quality.metrics import ece, roc_auc

Array = NDArray[np.float64]

_MODEL = Path("packages/verify/citewell_verify/question/model.json")
_RIDGE = 1.0
_STEPS = 40
_MISLEADING = 0.5
"""The weight of an unanswerable question: these were written so that a passage seems to answer, and readers ask few
such questions."""


@dataclass(frozen=True)
class Rows:
    """One row per (question, sentence)."""

    names: tuple[str, ...]
    x: Array
    labels: Array
    weights: Array
    fitted: NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    embedder = RememberedEmbedder(options.cache)
    rows = _rows(read_questions(options.folder), Meaning(embedder, remembered=100_000))
    embedder.keep()
    means, scales = rows.x.mean(axis=0), rows.x.std(axis=0) + 1e-6
    scaled = (rows.x - means) / scales
    weights, offset = _fit(scaled[rows.fitted], rows.labels[rows.fitted], rows.weights[rows.fitted])
    _report(rows, 1 / (1 + np.exp(-(scaled @ weights + offset))))
    if options.write:
        features = {
            name: {"mean": round(float(mean), 5), "scale": round(float(scale), 5), "weight": round(float(weight), 5)}
            for name, mean, scale, weight in zip(rows.names, means, scales, weights, strict=True)
        }
        model = json.loads(_MODEL.read_text(encoding="utf-8"))
        model |= {"offset": round(float(offset), 5), "features": features}
        _MODEL.write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")


def _rows(questions: Sequence[AskedQuestion], meaning: Meaning) -> Rows:
    found: list[tuple[dict[str, float], int, float, bool]] = []
    for question, other in zip(questions, _others(questions), strict=True):
        weight = 1.0 if question.answerable else _MISLEADING
        part = parts_of(question.text)[0]
        for asked in (question, other):
            sources = ranked_sources(asked, meaning)
            units = [unit for source in sources for unit in units_of(source.text, source.context, source.label)]
            for standing in standings(part, units):
                is_answer = asked is question and is_right(question, standing.unit.text)
                found.append((answer_features(part, standing), int(is_answer), weight, is_fitted_on(question)))
    names = tuple(found[0][0])
    return Rows(
        names,
        np.array([[features[name] for name in names] for features, *_ in found]),
        np.array([label for _, label, _, _ in found], dtype=float),
        np.array([weight for _, _, weight, _ in found]),
        np.array([fitted for *_, fitted in found]),
    )


def _others(questions: Sequence[AskedQuestion]) -> list[AskedQuestion]:
    """Return each question paired with the next document of another set, which does not answer it."""
    names = dict.fromkeys(question.set_name for question in questions)
    strangers = {name: cycle([each for each in questions if each.set_name != name]) for name in names}
    pairs = [(question, next(strangers[question.set_name])) for question in questions]
    return [
        replace(question, passages=other.passages, label=other.label, answerable=False) for question, other in pairs
    ]


def _fit(x: Array, labels: Array, weights: Array) -> tuple[Array, float]:
    """Fit a logistic regression with a ridge, by Newton's steps; the offset is free."""
    with_one = np.hstack([x, np.ones((len(x), 1))])
    ridge = np.diag([*[_RIDGE] * x.shape[1], 0.0])
    found = np.zeros(x.shape[1] + 1)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(with_one @ found)))
        gradient = with_one.T @ (weights * (expected - labels)) + ridge @ found
        curvature = (with_one * (weights * expected * (1 - expected) + 1e-9)[:, None]).T @ with_one + ridge
        found = found - np.linalg.solve(curvature, gradient)
    return found[:-1], float(found[-1])


def _report(rows: Rows, expected: Array) -> None:
    for name, chosen in (("fitted on", rows.fitted), ("other half", ~rows.fitted)):
        labels, scores = [int(each) for each in rows.labels[chosen]], [float(each) for each in expected[chosen]]
        auc, error = roc_auc(labels, scores) or 0.0, ece(labels, scores) or 0.0
        print(f"{name}: {len(labels)} sentences, AUC {auc:.3f}, ECE {error:.3f}")


if __name__ == "__main__":
    main()
