"""Measures the confidence of the offline verifier on data that it has not seen, for the calibration that it ships
with."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.fitting.labelled_pairs import Array, Pairs
from citewell_verify.verdicts.confidence import Calibration, least_high
from domain.quality import metrics

_CALIBRATION = Path("packages/verify/citewell_verify/verdicts/calibration.json")
_README = Path("README.md")
_FIGURE = re.compile(r"(?<=<!-- figure: false pass -->)\d+(?=<!-- end of figure -->)")
_STEPS = (0.5, 0.6, 0.7, 0.8, 0.9)
_KNOWN_LANGUAGES = ("en", "ko")

Measure = Callable[[Sequence[int], Sequence[float]], float | None]


def measured(pairs: Pairs, support: Array, version: str) -> Calibration:
    """Return the calibration of the weights of a `version` with the measures of `support`, one per pair.

    The fit itself calibrates the support, so that slope and offset change nothing.
    """

    def mean_of(measure: Measure) -> float:
        each = [measure(pairs.labels[rows].astype(int).tolist(), support[rows].tolist()) for _, rows in pairs.folds]
        return round(metrics.mean(each) or 0.0, 3)

    return Calibration(
        version=f"support-{version}",
        slope=1.0,
        offset=0.0,
        ece=mean_of(metrics.ece),
        high=least_high(zip(support.tolist(), (pairs.labels == 1).tolist(), strict=True)),
        false_pass=mean_of(metrics.false_pass),
        false_strip=mean_of(metrics.false_strip),
        languages=tuple(each for each in _KNOWN_LANGUAGES if each in set(pairs.languages.tolist())),
        measured_on=f"{len(support)} pairs of {len(set(pairs.sets.tolist()))} data sets, each left out in turn",
    )


def print_steps(pairs: Pairs, support: Array) -> None:
    """Print how often pairs are right at a confidence or above, for each data set and for all."""
    print(f"{'right from … on':22}" + "".join(f"{step:>16}" for step in _STEPS))
    everything = [(name, rows) for name, rows in pairs.folds]
    for name, rows in [*everything, ("all", support >= 0)]:
        cells = ((pairs.labels[rows & (support >= step)]) for step in _STEPS)
        shown = (f"{labels.mean():.2f} of {len(labels)}" if len(labels) else "–" for labels in cells)
        print(f"{name:22}" + "".join(f"{cell:>16}" for cell in shown))


def write(found: Calibration) -> None:
    """Write the calibration, and the share of false passes into the sentence of the README."""
    _CALIBRATION.write_text(json.dumps({"offline": asdict(found)}, indent=1) + "\n", encoding="utf-8")
    share = f"{(found.false_pass or 0.0) * 100:.0f}"
    _README.write_text(_FIGURE.sub(share, _README.read_text(encoding="utf-8")), encoding="utf-8")
