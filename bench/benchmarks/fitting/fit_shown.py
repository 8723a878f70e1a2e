"""Fit how often the answer that is shown is right, by its relevance, and measure it on unseen questions (V9).

    python -m benchmarks.fitting.fit_shown FOLDER [--write] [--cache FILE]

FOLDER is that of `fit_question`, whose weights have to be written before. Each question is answered offline as in
`benchmarks.answers.questions`; where the answer would be a refusal, its best sentence stands for it, so that what is
beside the point is measured, too. Half of the questions, by a hash of their ids, are fitted on; the other half is
reported. `--write` writes the steps `shown` of `packages/verify/citewell_verify/question/model.json`.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.answers.question_data import AskedQuestion, is_fitted_on, is_right, ranked_sources, read_questions
from benchmarks.answers.questions import answered
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from citewell_verify.offline.judging import texts_of
from citewell_verify.offline.passages import Meaning
from citewell_verify.question.question_parts import parts_of
from citewell_verify.question.relevance import candidates, part_relevance
from citewell_verify.question.units import units_of
from domain.quality.metrics import ece

_MODEL = Path("packages/verify/citewell_verify/question/model.json")
_MISLEADING = 0.5  # the weight of an unanswerable question, as in `fit_question`
_FEWEST = 25  # the fewest answers between two steps, so that chance moves none of them by much
_UNSHOWN = 0.1
"""Below this relevance nothing is shown, so there is no measurement, and the relevance stays."""

Step = tuple[float, float]
"""(relevance, share of right answers)"""


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer: `relevance` before this fit, 0..1, and whether a reader would get it."""

    relevance: float
    right: bool
    weight: float
    fitted: bool
    given: bool


def shown(question: AskedQuestion, meaning: Meaning) -> Shown | None:
    outcome = answered(question, meaning)
    answer, sources = outcome.answer, ranked_sources(question, meaning)
    if outcome.confidence is None:
        units = [unit for source in sources for unit in units_of(source.text, source.context, source.label)]
        ranked = candidates(parts_of(question.text)[0], units)
        if not ranked:
            return None
        answer = ranked[0].unit.text
    shares = [part_relevance(part, answer, texts_of(sources)) for part in parts_of(question.text)]
    return Shown(
        relevance=sum(shares) / len(shares),
        right=is_right(question, answer),
        weight=1.0 if question.answerable else _MISLEADING,
        fitted=is_fitted_on(question),
        given=outcome.confidence is not None,
    )


def steps(answers: Sequence[Shown]) -> list[Step]:
    """Return steps that never fall, between which shares are interpolated: groups of neighbours, joined until they rise
    (isotonic regression on groups).
    """
    ranked = sorted(answers, key=lambda each: each.relevance)
    groups = [ranked[at : at + _FEWEST] for at in range(0, len(ranked) - _FEWEST, _FEWEST)]
    groups[-1] += ranked[len(groups) * _FEWEST :]
    joined: list[list[Shown]] = []
    for group in groups:
        joined.append(group)
        while len(joined) > 1 and _right(joined[-2]) >= _right(joined[-1]):
            last = joined.pop()
            joined[-1] = joined[-1] + last
    middles = [
        (round(sum(each.relevance for each in group) / len(group), 3), round(_right(group), 3)) for group in joined
    ]
    return [(0.0, 0.0), (_UNSHOWN, _UNSHOWN), *(step for step in middles if step[0] > _UNSHOWN), (1.0, 1.0)]


def _right(group: Sequence[Shown]) -> float:
    # One more of each kind is counted, so that no group is always right.
    return (sum(each.weight for each in group if each.right) + 1) / (sum(each.weight for each in group) + 2)


def share(found: Sequence[Step], relevance: float) -> float:
    for (low, at_low), (high, at_high) in pairwise(found):
        if relevance <= high:
            return at_low + (at_high - at_low) * (relevance - low) / (high - low)
    return 1.0


def _report(name: str, answers: Sequence[Shown], found: Sequence[Step]) -> None:
    labels, before = [int(each.right) for each in answers], [each.relevance for each in answers]
    after = [share(found, each) for each in before]
    print(f"{name}: {len(answers)} answers, {sum(labels) / len(labels):.2f} right, ", end="")
    print(f"mean {sum(before) / len(before):.2f} → {sum(after) / len(after):.2f}, ", end="")
    print(f"ECE {ece(labels, before) or 0:.3f} → {ece(labels, after) or 0:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    embedder = RememberedEmbedder(options.cache)
    meaning = Meaning(embedder, remembered=100_000)
    answers = [each for question in read_questions(options.folder) if (each := shown(question, meaning))]
    embedder.keep()
    found = steps([each for each in answers if each.fitted])
    print(found)
    for name, fitted in (("fitted on", True), ("other half", False)):
        _report(name, [each for each in answers if each.fitted is fitted and each.given], found)
        _report(f"  {name}, refusals too", [each for each in answers if each.fitted is fitted], found)
    if options.write:
        model = json.loads(_MODEL.read_text(encoding="utf-8"))
        _MODEL.write_text(json.dumps({**model, "shown": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
