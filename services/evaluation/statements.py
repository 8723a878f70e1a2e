"""Measures the verification of statements: the check that answers get, compared with human labels (N8)."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from citewell_verify.judging.statement import Checked, Pair, judge_batch, judge_statement
from citewell_verify.prompting.batched_items import MOST_STATEMENTS
from citewell_verify.prompting.numbered_sources import Sources
from citewell_verify.verdicts.confidence import Calibration, fit, least_high
from clients.llm.calling.request import cost_usd
from clients.llm.gateway import ModelGateway, RecordedJudge
from clients.llm.protocol import CallLog, CallRecord
from config.models import ModelInfo
from domain.quality.metrics import Score, balanced_accuracy, ece, false_pass, false_strip, mean, roc_auc, support_score
from domain.query.budget import batches
from domain.query.options import Preset
from services.evaluation.labelled_data import LabelledPair

Measures = dict[str, Score]
"""Measures by name; None where one is undefined."""
Measure = Callable[[Sequence[int], Sequence[Score]], Score]

MACRO = ("balanced_accuracy", "auc", "ece", "false_pass", "false_strip")
"""The measures of verification that are averaged over the sets."""

_LOWER = frozenset({"ece", "false_pass", "false_strip"})  # lower is better for these

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The result for a pair. `score` is P(supported), None when the check failed; `reason` then says why."""

    label: int
    score: Score
    uncertain: bool
    reason: str
    calls: tuple[CallRecord, ...]


async def judge_pairs(
    models: ModelGateway,
    pairs: Sequence[LabelledPair],
    *,
    concurrency: int,
    uncertain_below: float,
    on_done: Callable[[], None],
    preset: Preset = "standard",
) -> list[JudgedPair]:
    """Check every pair, `concurrency` calls at a time; results are in the order of `pairs`.

    `cheap` checks neighbours together, each against its own source; the first of them gets all their calls. `on_done`
    is called for each pair.
    """

    async def judged(group: Sequence[LabelledPair]) -> list[JudgedPair]:
        judge = RecordedJudge(models, log := CallLog())
        asked = [Pair("", pair.claim, Sources.numbered([("source", pair.source)])) for pair in group]
        if preset == "cheap":
            checks = await judge_batch(judge, asked)
        else:
            checks = [await judge_statement(judge, pair.statement, pair.sources) for pair in asked]
        for _ in group:
            on_done()
        calls = [tuple(log.records), *[()] * (len(group) - 1)]
        return [
            judged_pair(pair.label, checked, uncertain_below, made)
            for pair, checked, made in zip(group, checks, calls, strict=True)
        ]

    groups = batches(pairs, MOST_STATEMENTS if preset == "cheap" else 1)
    return [pair for group in await bounded(judged, groups, concurrency) for pair in group]


def judged_pair(label: int, checked: Checked, uncertain_below: float, calls: tuple[CallRecord, ...]) -> JudgedPair:
    """Read a check as P(supported); it is uncertain below the confidence `uncertain_below`, as in answers (S5.4)."""
    verdict = checked["verdict"]
    if checked["status"] not in ("checked", "fallback") or verdict is None:
        return JudgedPair(label, None, False, checked.get("reason", "the check left no reason"), calls)
    agrees, confidence = verdict["relation"] == "supports", float(verdict["confidence"])
    # "Accurate" together with "contradicts" supports nothing, and is uncertain at any confidence (S5.4).
    score = support_score(supported=verdict["is_accurate"] and agrees, confidence=confidence)
    uncertain = confidence < uncertain_below or verdict["is_accurate"] != agrees
    return JudgedPair(label, score, uncertain, "", calls)


async def bounded(work: Callable[[T], Awaitable[R]], items: Sequence[T], concurrency: int) -> list[R]:
    results: dict[int, R] = {}
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for place, item in waiting:
            results[place] = await work(item)

    await asyncio.gather(*(worker() for _ in range(min(concurrency, len(items)))))
    return [results[place] for place in range(len(items))]


def measured(judged: Mapping[str, Sequence[JudgedPair]]) -> dict[str, Measures]:
    return {name: _measured(pairs) for name, pairs in judged.items()}


def macro(sets: Mapping[str, Measures], names: Sequence[str] = MACRO) -> Measures:
    return {name: mean(measures[name] for measures in sets.values()) for name in names}


def worst(sets: Mapping[str, Measures], names: Sequence[str] = MACRO) -> Measures:
    """Return each measure's worst value over the sets, because a mean would hide a kind of text that cannot be
    judged."""
    defined = {name: [value for measures in sets.values() if (value := measures[name]) is not None] for name in names}
    return {name: (max if name in _LOWER else min)(values, default=None) for name, values in defined.items()}


def calibration_for(judged: Mapping[str, Sequence[JudgedPair]], version: str) -> Calibration | None:
    """N8: fit a calibration, which turns these scores into probabilities. Its measures and `high` come from sets that
    the fit had not seen: each set is left out in turn (with a single set, each half). None where there is nothing to
    learn from."""
    folds = {
        name: [(pair.score, pair.label) for pair in pairs if pair.score is not None] for name, pairs in judged.items()
    }
    if len(folds) == 1:
        (only,) = folds.values()
        folds = {"even": only[::2], "odd": only[1::2]}
    if any(len({label for _, label in fold}) < 2 for fold in folds.values()):
        return None
    unseen: list[list[tuple[float, int]]] = []
    for name, fold in folds.items():
        slope, offset = _fitted([pair for learned, pairs in folds.items() if learned != name for pair in pairs])
        held = Calibration("", slope, offset, 0.0)
        unseen.append([(held.apply(score), label) for score, label in fold])
    slope, offset = _fitted([pair for fold in folds.values() for pair in fold])

    def measured_unseen(measure: Measure) -> float:
        value = mean(measure([label for _, label in fold], [score for score, _ in fold]) for fold in unseen)
        return round(value or 0.0, 4)

    return Calibration(
        version,
        round(slope, 4),
        round(offset, 4),
        measured_unseen(ece),
        high=least_high((score, bool(label)) for fold in unseen for score, label in fold),
        false_pass=measured_unseen(false_pass),
        false_strip=measured_unseen(false_strip),
        measured_on=f"{sum(map(len, unseen))} pairs of {len(judged)} data sets",
    )


def _fitted(pairs: Sequence[tuple[float, int]]) -> tuple[float, float]:
    return fit([score for score, _ in pairs], [bool(label) for _, label in pairs])


def usage_of(calls: Sequence[CallRecord], catalogue: Mapping[str, ModelInfo]) -> dict[str, object]:
    return {
        "calls": dict(Counter(call.model for call in calls)),
        "prompt_tokens": sum(call.usage.prompt_tokens for call in calls),
        "completion_tokens": sum(call.usage.completion_tokens for call in calls),
        "cost_usd": float(sum((cost_usd(call.model, call.usage, catalogue) for call in calls), Decimal())),
    }


def _measured(pairs: Sequence[JudgedPair]) -> Measures:
    labels, scores = [pair.label for pair in pairs], [pair.score for pair in pairs]
    return {
        "n": len(pairs),
        "balanced_accuracy": balanced_accuracy(labels, scores),
        "auc": roc_auc(labels, scores),
        "ece": ece(labels, scores),
        "false_pass": false_pass(labels, scores),
        "false_strip": false_strip(labels, scores),
        "uncertain": mean(pair.uncertain for pair in pairs),
        "not_checked": mean(pair.score is None for pair in pairs),
    }
