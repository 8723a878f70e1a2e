"""Fit the offline judge on labelled pairs, and how often each kind of difference is right, and measure both left out.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.fit_support FOLDER [--write] [--cache FILE]

FOLDER holds `*.jsonl` with a `claim`, a `source`, a `label` (1: the source supports all of the claim) and the `dataset`
of each pair, which is the kind of text. The table is of leaving one kind out: each is judged by weights fitted on the
others alone, at the one threshold of 0.5; below the mean stands the worst. `--write` fits on all of them and writes
`packages/verify/citewell_verify/support/model.json`, `packages/verify/citewell_verify/support/differences.json`,
`packages/verify/citewell_verify/verdicts/calibration.json` and the sentence about false passes in README.md. `--cache`
keeps the vectors of what was encoded. 8,000 pairs take about five minutes in one process.

Every kind of text weighs the same, and so do the two labels in it. Weights are kept to the sign that `DIRECTIONS` gives
them. The threshold comes from leaving out one more kind: false strips are at most 30 of 100 there, because kinds that
are new have more of them than any that were fitted.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting import confidence
from benchmarks.fitting.labelled_pairs import Array, Pairs, RememberedEmbedder, read_pairs
from citewell_verify.offline.passages import Meaning
from citewell_verify.support.model import DIRECTIONS, MEANING
from citewell_verify.verdicts.states import CONFIDENCE_THRESHOLD
from domain.quality import metrics

_RIDGE = 30.0
_STEPS = 8
_MOST_STRIPPED = 0.30
_MODEL = Path("packages/verify/citewell_verify/support/model.json")
_DIFFERENCES = Path("packages/verify/citewell_verify/support/differences.json")
_EDGES = (0.4, 0.6, 0.8)  # edges of closeness
_FEW = 10  # pairs; the estimate for a rarer kind of difference is drawn towards the mean
_SURE = 0.85
_MOST_SUBSTITUTED = 0.1  # support of a plain substitution: texts by people have too few of them to measure it well


@dataclass(frozen=True)
class Fit:
    """Log odds are `standardised x @ weights + bias + shift`; the last two are `SupportModel`'s."""

    names: tuple[str, ...]
    means: Array
    scales: Array
    weights: Array
    bias: float
    shift: float = 0.0
    substituted: float = 1.0
    verbatim: float = 0.0

    def raw(self, pairs: Pairs) -> Array:
        """Return the log odds before calibration, one per pair."""
        return (pairs.x - self.means) / self.scales @ self.weights + self.bias

    def support(self, pairs: Pairs) -> Array:
        """Return the result of `SupportModel.support`, one per pair."""
        support = _logistic(self.raw(pairs) + self.shift)
        support = np.where(pairs.substituted, np.minimum(support, self.substituted), support)
        return np.where(pairs.verbatim, np.maximum(support, self.verbatim), support)


def fit(pairs: Pairs) -> Fit:
    """Fit weights and threshold, and compute the figures of decisions without weights."""
    weights = _weighed(pairs)
    raw = np.zeros(len(pairs.labels))
    for _, rows in pairs.folds:
        raw[rows] = _weighed(pairs.where(~rows)).raw(pairs.where(rows))
    return replace(
        weights,
        shift=max(0.0, -_least_kept(pairs, raw)),
        substituted=min(_MOST_SUBSTITUTED, _share(pairs, pairs.substituted)),
        verbatim=_share(pairs, pairs.verbatim),
    )


def _least_kept(pairs: Pairs, raw: Array) -> float:
    """Return the log odds below which `_MOST_STRIPPED` of the supported pairs lie, in the mean over the kinds."""
    supported = pairs.labels == 1
    order = np.argsort(raw[supported])
    stripped = np.cumsum(pairs.balance[supported][order]) / pairs.balance[supported].sum()
    return float(raw[supported][order][np.searchsorted(stripped, _MOST_STRIPPED)])


def _weighed(pairs: Pairs) -> Fit:
    """Fit a logistic regression with a ridge; a feature whose weight would have the wrong sign is left out."""
    means, scales = pairs.x.mean(axis=0), np.maximum(pairs.x.std(axis=0), 1e-6)
    x = np.column_stack([(pairs.x - means) / scales, np.ones(len(pairs.x))])
    signs = np.array([*(DIRECTIONS[name] for name in pairs.names), 0])
    ridges = np.array([*(_RIDGE for _ in pairs.names), 1e-9])
    weights, free = np.zeros(len(signs)), np.ones(len(signs), dtype=bool)
    while True:
        weights[free] = _regression(x[:, free], pairs.labels, pairs.balance, ridges[free])
        if not (wrong := free & (weights * signs < 0)).any():
            return Fit(pairs.names, means, scales, weights[:-1], float(weights[-1]))
        free, weights = free & ~wrong, np.zeros(len(signs))


def _regression(x: Array, labels: Array, balance: Array, ridges: Array) -> Array:
    """Newton's method; starting from 0 with standardised features it needs no shorter steps."""
    weights = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        share = _logistic(x @ weights)
        bend = (x.T * (balance * share * (1 - share))) @ x + np.diag(ridges)
        weights = weights - np.linalg.solve(bend, x.T @ (balance * (share - labels)) + ridges * weights)
    return weights


def _share(pairs: Pairs, rows: NDArray[np.bool_]) -> float:
    """Return the share of supported pairs among `rows`, as if one more of each label had been seen."""
    return (float(pairs.labels[rows].sum()) + 1) / (int(rows.sum()) + 2)


def _logistic(value: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(value, -40, 40)))


_LOWER = frozenset({"ECE", "false pass", "false strip"})
COLUMNS = ("BAcc", "AUC", "ECE", "false pass", "false strip", "strikes", "right")


def measures(labels: Array, support: Array) -> tuple[float, ...]:
    """Return the figures of one kind in the order of `COLUMNS`, shares as 0..1.

    False pass: unsupported but judged supported; false strip: supported but judged not. Strikes are the pairs that are
    surely unsupported, with the share that is.
    """
    truth, scores = labels.astype(int).tolist(), support.tolist()
    struck = support <= 1 - _SURE
    found = (
        metrics.balanced_accuracy(truth, scores),
        metrics.roc_auc(truth, scores),
        metrics.ece(truth, scores),
        metrics.false_pass(truth, scores),
        metrics.false_strip(truth, scores),
        float(struck.sum()),
        float((labels[struck] == 0).mean()) if struck.any() else None,
    )
    return tuple(float("nan") if figure is None else figure for figure in found)


def left_out(pairs: Pairs) -> Array:
    """Return the support of every pair by a fit that has not seen its data set."""
    support = np.zeros(len(pairs.labels))
    for _, rows in pairs.folds:
        support[rows] = fit(pairs.where(~rows)).support(pairs.where(rows))
    return support


def precisions(pairs: Pairs) -> dict[str, dict[str, object]]:
    """Return, for each kind of difference, how often it is right, in all and by closeness (`differences.json`)."""
    wrong, parts = pairs.labels == 0, np.digitize(pairs.closeness, _EDGES)
    mean = _drawn(wrong, pairs.differing.max(axis=1), 0.5)
    found: dict[str, dict[str, object]] = {}
    for kind, rows in zip(pairs.kinds, pairs.differing.T, strict=True):
        share = _drawn(wrong, rows, mean)
        close = [round(_drawn(wrong, rows & (parts == part), share), 3) for part in range(len(_EDGES) + 1)]
        found[kind] = {"precision": round(share, 3), "by_closeness": close, "pairs": int(rows.sum())}
    return found


def _drawn(wrong: NDArray[np.bool_], rows: NDArray[np.bool_], towards: float) -> float:
    return (float(wrong[rows].sum()) + _FEW * towards) / (int(rows.sum()) + _FEW)


def print_precisions(pairs: Pairs) -> None:
    """Print how often kinds of difference were right on the kinds of text left out, and on the others."""
    print(f"\n{'difference':22}{'pairs':>8}{'right':>8}{'foretold':>10}   by closeness")
    foretold = {kind: list[float]() for kind in pairs.kinds}
    for _, text in pairs.folds:
        others = precisions(pairs.where(~text))
        for kind, rows in zip(pairs.kinds, pairs.differing.T, strict=True):
            foretold[kind] += [cast("float", others[kind]["precision"])] * int((rows & text).sum())
    for (kind, row), rows in zip(precisions(pairs).items(), pairs.differing.T, strict=True):
        if rows.any():
            right, said = float((pairs.labels[rows] == 0).mean()), float(np.mean(foretold[kind]))
            print(f"{kind:22}{int(rows.sum()):8}{right:8.2f}{said:10.2f}   {row['by_closeness']}")


def table(pairs: Pairs, support: Array) -> list[tuple[str, int, tuple[float, ...]]]:
    """Return a row of measures for each kind, then their mean and the worst of each measure.

    The strikes of all kinds are taken together in the mean: some kinds have hardly any.
    """
    rows = [(name, int(rows.sum()), measures(pairs.labels[rows], support[rows])) for name, rows in pairs.folds]
    figures = np.array([row for _, _, row in rows])
    mean, least, most = (each(figures, axis=0).tolist() for each in (np.nanmean, np.nanmin, np.nanmax))
    mean[-2:] = measures(pairs.labels, support)[-2:]
    worst = tuple(high if column in _LOWER else low for column, low, high in zip(COLUMNS, least, most, strict=True))
    return [*rows, ("mean", len(support), tuple(mean)), ("worst", len(support), worst)]


def print_table(title: str, pairs: Pairs, support: Array) -> None:
    print(f"\n{title:22}{'pairs':>6}" + "".join(f"{column:>12}" for column in COLUMNS))
    for name, count, row in table(pairs, support):
        named = zip(COLUMNS, row, strict=True)
        cells = (f"{figure:12.0f}" if column == "strikes" else f"{figure:12.3f}" for column, figure in named)
        print(f"{name:22}{count:6}" + "".join(cells))


def print_markdown(pairs: Pairs, support: Array) -> None:
    """Print the rows of the table in `docs/internals/evaluation.md`."""
    print()
    for name, _, row in table(pairs, support):
        figures = dict(zip(COLUMNS, row, strict=True))
        cells = [f"{figures[each]:.3f}" if each in ("AUC", "ECE") else f"{figures[each]:.1%}" for each in COLUMNS[:5]]
        cells.append(f"{figures['right']:.0%} of {figures['strikes']:.0f}")
        print(
            f"| {name if name not in ('mean', 'worst') else f'**{name}**'} | {' | '.join(cells)} |".replace("%", " %")
        )


def described(full: Fit, words: Fit, pairs: Pairs) -> dict[str, object]:
    """Return the content of `model.json`."""
    return _versioned(
        {
            "fitted_on": _fitted_on(pairs),
            "verbatim": round(full.verbatim, 4),
            "substituted": round(full.substituted, 4),
            "unlikely": round(1 - CONFIDENCE_THRESHOLD, 4),
            "likely": CONFIDENCE_THRESHOLD,
            "full": _described(full),
            "words": _described(words),
        }
    )


def described_differences(pairs: Pairs) -> dict[str, object]:
    """Return the content of `differences.json`."""
    mean = round(_drawn(pairs.labels == 0, pairs.differing.max(axis=1), 0.5), 3)
    return _versioned({"fitted_on": _fitted_on(pairs), "mean": mean, "edges": list(_EDGES), "kinds": precisions(pairs)})


def _fitted_on(pairs: Pairs) -> str:
    return f"{len(pairs.labels)} pairs of {len(set(pairs.sets.tolist()))} data sets"


def _versioned(content: Mapping[str, object]) -> dict[str, object]:
    """Return the content with its version, which is a hash of all the rest."""
    return {"version": hashlib.sha256(json.dumps(content).encode()).hexdigest()[:12], **content}


def _described(fitted: Fit) -> dict[str, object]:
    rows = zip(fitted.names, fitted.means.tolist(), fitted.scales.tolist(), fitted.weights.tolist(), strict=True)
    features = {
        name: {"mean": round(mean, 5), "scale": round(scale, 5), "weight": round(weight, 5)}
        for name, mean, scale, weight in rows
    }
    return {"offset": round(fitted.bias + fitted.shift, 5), "features": features}


def main() -> None:
    parser = argparse.ArgumentParser(prog="fit_support", description="Fit the offline judge on labelled pairs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {_MODEL} and {_DIFFERENCES}")
    parser.add_argument("--cache", type=Path, help="an .npz file for the vectors of what was encoded")
    options = parser.parse_args()
    embedder = RememberedEmbedder(cast("Path | None", options.cache))
    pairs = read_pairs(cast("Path", options.folder), Meaning(embedder, remembered=100_000))
    embedder.keep()
    only_words = pairs.of([name for name in pairs.names if name not in MEANING])
    unseen = left_out(pairs)
    print_table("left out", pairs, unseen)
    print_table("left out, no vectors", only_words, left_out(only_words))
    full, words = fit(pairs), fit(only_words)
    print_table("fitted on the same", pairs, full.support(pairs))
    for name, weight in zip(full.names, full.weights, strict=True):
        print(f"{name:22}{weight:+.3f}")
    for name, rows in (("verbatim", pairs.verbatim), ("plain substitution", pairs.substituted)):
        print(f"{name:22}{int(rows.sum())} pairs, supported {_share(pairs, rows):.2f}")
    print_precisions(pairs)
    print_markdown(pairs, unseen)
    confidence.print_steps(pairs, unseen)
    model = described(full, words, pairs)
    calibration = confidence.measured(pairs, unseen, str(model["version"]))
    print(calibration)
    if options.write:
        for path, content in ((_MODEL, model), (_DIFFERENCES, described_differences(pairs))):
            path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        confidence.write(calibration)


if __name__ == "__main__":
    main()
