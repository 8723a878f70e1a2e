"""Fit the model of support on labelled pairs and measure it on data sets that it has not seen.

    python -m benchmarks.fit_support FOLDER [--write] [--cache FILE]

FOLDER holds `*.jsonl` with a `claim`, a `source`, a `label` (1: the source supports all of the claim) and the `dataset`
of each pair. The table is of leaving one data set out: each is judged by weights fitted on the others alone, at the one
threshold of 0.5; below the mean stands the worst. `--write` fits on all of them and writes `domain/support/model.json`,
after which `fit_confidence` has to write the calibration of that model; `--cache` keeps the vectors of what
was encoded, so that a second run takes a few minutes. Run it with OPENBLAS_NUM_THREADS=1.

Every set weighs the same, and so do the two labels in it. Weights are kept to the sign that `DIRECTIONS` gives them.
The slope of the calibration comes from leaving out one more set, so that it is no better than on unseen data. Below
the tables stands from where on nine of ten verdicts were right on sets left out: what may be called sure.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting.labelled_pairs import Array, Pairs, RememberedEmbedder, read_pairs
from clients.llm.offline.meaning import Meaning
from domain.quality import metrics
from domain.quality.metrics import THRESHOLD
from domain.support.features import DIRECTIONS, MEANING
from domain.verdicts.states import CONFIDENCE_THRESHOLD

_RIDGE = 10.0
_SWEEPS = 60
_LONGEST_STEP = 0.5  # of slope and shift, so that few pairs do not throw them far off
_MODEL = Path("domain/support/model.json")
_MOST_DISPUTED = 0.45  # a statement that differs from its source is never supported, however often a rule is wrong
_FEW = 10  # pairs; the share of a rarer kind of disagreement is drawn towards that of all kinds
_ENOUGH = 50  # sure verdicts; a data set with more counts as with so many
_SURE = 0.9  # share of the verdicts that have to be right to be called sure


@dataclass(frozen=True)
class Fit:
    """Log odds are `slope * (standardised x @ weights + bias) + shift`; the last three are the hard rules."""

    names: tuple[str, ...]
    means: Array
    scales: Array
    weights: Array
    bias: float
    slope: float = 1.0
    shift: float = 0.0
    disagreement: float = 1.0
    disputed: Mapping[str, float] = field(default_factory=dict[str, float])
    verbatim: float = 0.0

    def raw(self, pairs: Pairs) -> Array:
        """Return the log odds before calibration, one per pair."""
        return (pairs.x - self.means) / self.scales @ self.weights + self.bias

    def support(self, pairs: Pairs) -> Array:
        """Return what `SupportModel.support` does, one per pair."""
        support = _logistic(self.slope * self.raw(pairs) + self.shift)
        support = np.where(pairs.verbatim, np.maximum(support, self.verbatim), support)
        most = [self.disputed.get(kind, self.disagreement) for kind in pairs.kinds]
        return np.minimum(support, np.where(pairs.disputes, np.array(most), 1.0).min(axis=1, initial=1.0))


def fit(pairs: Pairs) -> Fit:
    """Fit weights, calibration and the figures of the hard rules."""
    weights = _weighed(pairs)
    raw = np.zeros(len(pairs.labels))
    for _, rows in pairs.folds:
        raw[rows] = _weighed(pairs.where(~rows)).raw(pairs.where(rows))
    plain = ~pairs.disagrees & ~pairs.verbatim
    slope, shift = _calibration(raw[plain], pairs.labels[plain], pairs.balance[plain])
    return replace(
        weights,
        slope=slope,
        shift=shift,
        disagreement=_most(pairs, pairs.disagrees),
        disputed={kind: _most(pairs, rows) for kind, rows in zip(pairs.kinds, pairs.disputes.T, strict=True)},
        verbatim=_share(pairs, pairs.verbatim),
    )


def _weighed(pairs: Pairs) -> Fit:
    """Logistic regression with a ridge, by Newton's method in one coordinate after the other, within the signs."""
    means, scales = pairs.x.mean(axis=0), np.maximum(pairs.x.std(axis=0), 1e-6)
    # Disagreements explain their share of the labels here, so that the words do not have to; a limit judges them later.
    x = np.column_stack([(pairs.x - means) / scales, pairs.disagrees.astype(float)])
    balance = pairs.balance
    signs = [*(DIRECTIONS[name] for name in pairs.names), -1]
    weights, bias = np.zeros(len(signs)), 0.0
    odds = np.zeros(len(x))
    for _ in range(_SWEEPS):
        for column, sign in enumerate(signs):
            slope, bend = _derivatives(odds, pairs.labels, balance, x[:, column])
            wanted = weights[column] - (slope + _RIDGE * weights[column]) / (bend + _RIDGE)
            allowed = wanted if wanted * sign >= 0 else 0.0
            odds += x[:, column] * (allowed - weights[column])
            weights[column] = allowed
        slope, bend = _derivatives(odds, pairs.labels, balance, np.ones(len(x)))
        odds, bias = odds - slope / bend, bias - slope / bend
    return Fit(pairs.names, means, scales, weights[:-1], bias)


def _derivatives(odds: Array, labels: Array, balance: Array, column: Array) -> tuple[float, float]:
    share = _logistic(odds)
    return float(column @ (balance * (share - labels))), float(column**2 @ (balance * share * (1 - share)))


def _calibration(raw: Array, labels: Array, balance: Array) -> tuple[float, float]:
    """Return slope and shift of the log odds that fit the labels best (Platt's scaling), few of which change little."""
    x, parts = np.stack([raw, np.ones(len(raw))]), np.array([1.0, 0.0])
    for _ in range(20):
        share = _logistic(parts @ x)
        bend = (x * balance * share * (1 - share)) @ x.T + np.eye(2)
        step = np.linalg.solve(bend, x @ (balance * (share - labels)) + parts - (1, 0))
        parts = parts - np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)
    return float(parts[0]), float(parts[1])


def _most(pairs: Pairs, rows: NDArray[np.bool_]) -> float:
    """Share of the supported among `rows` of disagreeing pairs, never so much that they count as supported."""
    among_all = _share(pairs, pairs.disagrees)
    share = (float(pairs.labels[rows].sum()) + _FEW * among_all) / (int(rows.sum()) + _FEW)
    return min(_MOST_DISPUTED, share)


def _share(pairs: Pairs, rows: NDArray[np.bool_]) -> float:
    """Share of the supported among `rows`, as if one more of each label had been seen."""
    return (float(pairs.labels[rows].sum()) + 1) / (int(rows.sum()) + 2)


def _logistic(value: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(value, -40, 40)))


_LOWER = frozenset({"ECE", "false pass", "false strip", "in band"})
_DOCUMENTED = ("BAcc", "AUC", "ECE", "false pass", "false strip", "in band", "right out of it")
COLUMNS = ("BAcc", "AUC", "ECE", "false pass", "false strip", "in band", "BAcc out of it", "right out of it")


def measures(labels: Array, support: Array) -> tuple[float, ...]:
    """Return the figures of one data set in the order of `COLUMNS`, shares as 0..1.

    False pass: unsupported but judged supported; false strip: supported but judged not. The band is where confidence is
    too low for a verdict.
    """
    truth, scores = labels.astype(int).tolist(), support.tolist()
    sure = np.maximum(support, 1 - support) >= CONFIDENCE_THRESHOLD
    right = (support >= THRESHOLD) == (labels == 1)
    found = (
        metrics.balanced_accuracy(truth, scores),
        metrics.roc_auc(truth, scores),
        metrics.ece(truth, scores),
        metrics.false_pass(truth, scores),
        metrics.false_strip(truth, scores),
        float((~sure).mean()),
        metrics.balanced_accuracy(labels[sure].astype(int).tolist(), support[sure].tolist()),
        float(right[sure].mean()),
    )
    return tuple(float("nan") if figure is None else figure for figure in found)


def left_out(pairs: Pairs) -> Array:
    """Return the support of every pair by a fit that has not seen its data set."""
    support = np.zeros(len(pairs.labels))
    for _, rows in pairs.folds:
        support[rows] = fit(pairs.where(~rows)).support(pairs.where(rows))
    return support


def table(pairs: Pairs, support: Array) -> list[tuple[str, int, tuple[float, ...]]]:
    """Return a row of measures for each data set, then their mean and the worst of each measure."""
    rows = [(name, int(rows.sum()), measures(pairs.labels[rows], support[rows])) for name, rows in pairs.folds]
    figures = np.array([row for _, _, row in rows])
    mean, least, most = (tuple(each(figures, axis=0).tolist()) for each in (np.nanmean, np.nanmin, np.nanmax))
    worst = tuple(high if column in _LOWER else low for column, low, high in zip(COLUMNS, least, most, strict=True))
    return [*rows, ("mean", len(support), mean), ("worst", len(support), worst)]


def print_table(title: str, pairs: Pairs, support: Array) -> None:
    print(f"\n{title:22}{'pairs':>6}" + "".join(f"{column:>16}" for column in COLUMNS))
    for name, count, row in table(pairs, support):
        print(f"{name:22}{count:6}" + "".join(f"{figure:16.3f}" for figure in row))


def print_markdown(pairs: Pairs, support: Array) -> None:
    """Print the rows of the table in `docs/internals/evaluation.md`."""
    print()
    for name, _, row in table(pairs, support):
        figures = dict(zip(COLUMNS, row, strict=True))
        cells = (f"{figures[each]:.3f}" if each in ("AUC", "ECE") else f"{figures[each]:.1%}" for each in _DOCUMENTED)
        print(
            f"| {name if name not in ('mean', 'worst') else f'**{name}**'} | {' | '.join(cells)} |".replace("%", " %")
        )


def sure_from(pairs: Pairs, support: Array) -> tuple[float, float]:
    """Return up to where "not supported" and from where on "supported" are right in `_SURE` of the cases.

    The mean over the data sets decides; `support` has to come from fits that have not seen them.
    """
    steps = np.arange(0.5, 0.96, 0.01)
    likely = [_right(pairs, support >= edge, 1) for edge in steps]
    unlikely = [_right(pairs, support <= 1 - edge, 0) for edge in steps]
    return 1 - _first(steps, unlikely), _first(steps, likely)


def _right(pairs: Pairs, chosen: NDArray[np.bool_], label: int) -> float:
    """The share of `label` among the chosen pairs; a data set counts as its pairs, to a limit."""
    found = [pairs.labels[rows & chosen] == label for _, rows in pairs.folds]
    weighed = [(min(_ENOUGH, len(right)), float(right.mean())) for right in found if len(right)]
    return sum(weight * share for weight, share in weighed) / max(1, sum(weight for weight, _ in weighed))


def _first(steps: Array, right: list[float]) -> float:
    return next((float(edge) for edge, share in zip(steps, right, strict=True) if share >= _SURE), float(steps[-1]))


def described(full: Fit, words: Fit, pairs: Pairs) -> dict[str, object]:
    """Return the content of `model.json`; its version is a hash of all the rest."""
    model: dict[str, object] = {
        "fitted_on": f"{len(pairs.labels)} pairs of {len(set(pairs.sets.tolist()))} data sets",
        "disagreement": round(full.disagreement, 4),
        "disputed": {kind: round(most, 4) for kind, most in full.disputed.items()},
        "verbatim": round(full.verbatim, 4),
        "unlikely": round(1 - CONFIDENCE_THRESHOLD, 4),
        "likely": CONFIDENCE_THRESHOLD,
        "full": _described(full),
        "words": _described(words),
    }
    return {"version": hashlib.sha256(json.dumps(model).encode()).hexdigest()[:12], **model}


def _described(fitted: Fit) -> dict[str, object]:
    rows = zip(fitted.names, fitted.means.tolist(), fitted.scales.tolist(), fitted.weights.tolist(), strict=True)
    features = {
        name: {"mean": round(mean, 5), "scale": round(scale, 5), "weight": round(weight, 5)}
        for name, mean, scale, weight in rows
    }
    offset = fitted.slope * fitted.bias + fitted.shift
    return {"slope": round(fitted.slope, 5), "offset": round(offset, 5), "features": features}


def main() -> None:
    parser = argparse.ArgumentParser(prog="fit_support", description="Fit the model of support on labelled pairs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {_MODEL}")
    parser.add_argument("--cache", type=Path, help="an .npz file for the vectors of what was encoded")
    options = parser.parse_args()
    embedder = RememberedEmbedder(cast("Path | None", options.cache))
    pairs = read_pairs(cast("Path", options.folder), Meaning(embedder, remembered=100_000))
    embedder.keep()
    only_words = pairs.of([name for name in pairs.names if name not in MEANING])
    unseen = left_out(pairs)
    print_table("left out", pairs, unseen)
    print_table("left out, no vectors", only_words, left_out(only_words))
    full, words, edges = fit(pairs), fit(only_words), sure_from(pairs, unseen)
    print_table("fitted on the same", pairs, full.support(pairs))
    _print_fit(full, edges)
    print_markdown(pairs, unseen)
    if options.write:
        _MODEL.write_text(json.dumps(described(full, words, pairs), indent=1) + "\n", encoding="utf-8")
        print(f"wrote {_MODEL}; now run python -m benchmarks.fitting.fit_confidence {options.folder} --write")


def _print_fit(full: Fit, edges: tuple[float, float]) -> None:
    for name, weight in zip(full.names, full.weights, strict=True):
        print(f"{name:22}{weight:+.3f}")
    for kind, most in sorted(full.disputed.items()):
        print(f"at most with another {kind:22}{most:.3f}")
    print(f"right in {_SURE:.0%} of what was left out: up to {edges[0]:.2f} and from {edges[1]:.2f}")


if __name__ == "__main__":
    main()
