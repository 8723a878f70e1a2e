"""Fit the model of support on labelled pairs and measure it on data sets that it has not seen.

    python -m benchmarks.fit_support FOLDER [--write] [--cache FILE]

FOLDER holds `*.jsonl` with a `claim`, a `source`, a `label` (1: the source supports all of the claim) and the `dataset`
of each pair. The table is of leaving one data set out: each is judged by weights fitted on the others alone, at the one
threshold of 0.5. `--write` fits on all of them and writes `domain/support/model.json`; `--cache` keeps the vectors of
what was encoded, so that a second run takes a minute. Run it with OPENBLAS_NUM_THREADS=1.

Every set weighs the same, and so do the two labels in it. Weights are kept to the sign that `DIRECTIONS` gives them.
The slope of the calibration comes from leaving out one more set, so that it is no better than on unseen data.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from clients.embeddings import UseEmbedder, default_embedder
from clients.llm.offline.judging import observe
from clients.llm.offline.meaning import Meaning
from domain import metrics
from domain.metrics import THRESHOLD
from domain.support.features import DIRECTIONS, MEANING
from domain.verdicts import CONFIDENCE_THRESHOLD

Array = NDArray[np.float64]

_RIDGE = 10.0
_SWEEPS = 60
_MODEL = Path("domain/support/model.json")


class RememberedEmbedder:
    """The embedder, with its vectors kept in a file between runs."""

    name = UseEmbedder.name
    dimension = UseEmbedder.dimension

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._vectors: dict[str, NDArray[np.float32]] = {}
        if path and path.exists():
            with np.load(path) as stored:
                self._vectors = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector per text, shape (len(texts), 512)."""
        keys = [hashlib.blake2b(text.encode(), digest_size=16).hexdigest() for text in texts]
        for key, text in zip(keys, texts, strict=True):
            if key not in self._vectors:
                self._vectors[key] = default_embedder().encode([text])[0]
        return np.array([self._vectors[key] for key in keys])

    def keep(self) -> None:
        """Write all vectors to the file."""
        if self._path:
            np.savez(self._path, keys=np.array(list(self._vectors)), vectors=np.array(list(self._vectors.values())))


@dataclass(frozen=True)
class Pairs:
    """`x` has a row per pair and a column per name; the other fields have an entry per pair."""

    names: tuple[str, ...]
    x: Array
    labels: Array
    sets: NDArray[np.str_]
    disagrees: NDArray[np.bool_]
    verbatim: NDArray[np.bool_]

    def where(self, chosen: NDArray[np.bool_]) -> "Pairs":
        """Return the chosen rows."""
        return Pairs(
            names=self.names,
            x=self.x[chosen],
            labels=self.labels[chosen],
            sets=self.sets[chosen],
            disagrees=self.disagrees[chosen],
            verbatim=self.verbatim[chosen],
        )

    def of(self, names: Sequence[str]) -> "Pairs":
        """Return the columns of `names`."""
        return replace(self, names=tuple(names), x=self.x[:, [self.names.index(name) for name in names]])

    @property
    def folds(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Each data set's name with the rows that belong to it."""
        for name in sorted(set(self.sets.tolist())):
            yield name, self.sets == name

    @property
    def balance(self) -> Array:
        """Weights that make every data set, and both labels in it, count the same; 1 on average."""
        weights = np.zeros(len(self.labels))
        for _, rows in self.folds:
            for label in (0, 1):
                members = rows & (self.labels == label)
                weights[members] = 1 / max(1, int(members.sum()))
        return weights / weights.mean()


@dataclass(frozen=True)
class Fit:
    """Log odds are `slope * (standardised x @ weights + bias) + shift`; the last two numbers are the hard rules."""

    names: tuple[str, ...]
    means: Array
    scales: Array
    weights: Array
    bias: float
    slope: float = 1.0
    shift: float = 0.0
    disagreement: float = 1.0
    verbatim: float = 0.0

    def raw(self, pairs: Pairs) -> Array:
        """Return the log odds before calibration, one per pair."""
        return (pairs.x - self.means) / self.scales @ self.weights + self.bias

    def support(self, pairs: Pairs) -> Array:
        """Return what `SupportModel.support` does, one per pair."""
        support = _logistic(self.slope * self.raw(pairs) + self.shift)
        support = np.where(pairs.verbatim, np.maximum(support, self.verbatim), support)
        return np.where(pairs.disagrees, np.minimum(support, self.disagreement), support)


def read_pairs(folder: Path, meaning: Meaning) -> Pairs:
    """Return what is observed of every labelled pair in `folder`."""
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    pairs = [json.loads(line) for line in lines]
    seen = [observe(pair["claim"], pair["source"], meaning) for pair in pairs]
    return Pairs(
        names=tuple(DIRECTIONS),
        x=np.array([[each.features[name] for name in DIRECTIONS] for each in seen]),
        labels=np.array([float(pair["label"]) for pair in pairs]),
        sets=np.array([pair["dataset"] for pair in pairs]),
        disagrees=np.array([bool(each.disagreements) for each in seen]),
        verbatim=np.array([each.verbatim and not each.disagreements for each in seen]),
    )


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
        disagreement=_share(pairs, pairs.disagrees),
        verbatim=_share(pairs, pairs.verbatim),
    )


def _weighed(pairs: Pairs) -> Fit:
    """Logistic regression with a ridge, by Newton's method in one coordinate after the other, within the signs."""
    means, scales = pairs.x.mean(axis=0), np.maximum(pairs.x.std(axis=0), 1e-6)
    x, balance = (pairs.x - means) / scales, pairs.balance
    signs = [DIRECTIONS[name] for name in pairs.names]
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
    return Fit(pairs.names, means, scales, weights, bias)


def _derivatives(odds: Array, labels: Array, balance: Array, column: Array) -> tuple[float, float]:
    share = _logistic(odds)
    return float(column @ (balance * (share - labels))), float(column**2 @ (balance * share * (1 - share)))


def _calibration(raw: Array, labels: Array, balance: Array) -> tuple[float, float]:
    """Return slope and shift of the log odds that fit the labels best (Platt's scaling)."""
    x, parts = np.stack([raw, np.ones(len(raw))]), np.array([1.0, 0.0])
    for _ in range(20):
        share = _logistic(parts @ x)
        step = np.linalg.solve((x * balance * share * (1 - share)) @ x.T, x @ (balance * (share - labels)))
        parts = parts - step
    return float(parts[0]), float(parts[1])


def _share(pairs: Pairs, rows: NDArray[np.bool_]) -> float:
    """Share of the supported among `rows`, as if one more of each label had been seen."""
    return (float(pairs.labels[rows].sum()) + 1) / (int(rows.sum()) + 2)


def _logistic(value: Array) -> Array:
    return 1 / (1 + np.exp(-np.clip(value, -40, 40)))


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


def print_table(title: str, pairs: Pairs, support: Array) -> None:
    """Print the measures of each data set and their mean."""
    print(f"\n{title:22}{'pairs':>6}" + "".join(f"{column:>16}" for column in COLUMNS))
    rows = [(name, int(rows.sum()), measures(pairs.labels[rows], support[rows])) for name, rows in pairs.folds]
    mean = tuple(np.nanmean(np.array([row for _, _, row in rows]), axis=0).tolist())
    for name, count, row in [*rows, ("mean", len(support), mean)]:
        print(f"{name:22}{count:6}" + "".join(f"{figure:16.3f}" for figure in row))


def described(full: Fit, words: Fit, pairs: Pairs) -> dict[str, object]:
    """Return the content of `model.json`; its version is a hash of all the rest."""
    model: dict[str, object] = {
        "fitted_on": f"{len(pairs.labels)} pairs of {len(set(pairs.sets.tolist()))} data sets",
        "disagreement": round(full.disagreement, 4),
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
    """Print the tables; with `--write`, write the model."""
    parser = argparse.ArgumentParser(prog="fit_support", description="Fit the model of support on labelled pairs.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {_MODEL}")
    parser.add_argument("--cache", type=Path, help="an .npz file for the vectors of what was encoded")
    options = parser.parse_args()
    embedder = RememberedEmbedder(cast("Path | None", options.cache))
    pairs = read_pairs(cast("Path", options.folder), Meaning(embedder, remembered=100_000))
    embedder.keep()
    only_words = pairs.of([name for name in pairs.names if name not in MEANING])
    for title, each in (("left out", pairs), ("left out, no vectors", only_words)):
        print_table(title, each, left_out(each))
    full, words = fit(pairs), fit(only_words)
    print_table("fitted on the same", pairs, full.support(pairs))
    for name, weight in zip(full.names, full.weights, strict=True):
        print(f"{name:22}{weight:+.3f}")
    if options.write:
        _MODEL.write_text(json.dumps(described(full, words, pairs), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
