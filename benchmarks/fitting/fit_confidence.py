"""Measure the confidence of the offline verifier on data that it has not seen, and write the calibration that it ships.

    python -m benchmarks.fitting.fit_confidence FOLDER [--write] [--cache FILE]

FOLDER holds `*.jsonl` with a `claim`, a `source`, a `label` (1: the source supports all of the claim), the `dataset`
and the `lang` of each pair. Every set is judged by weights fitted on the others alone (`fit_support`), so that all
figures are of unseen kinds of text. `--write` writes `domain/verdicts/calibration.json` and the sentence about it in
README.md. Run it after every `fit_support --write`: a calibration belongs to one version of the weights.
"""

import argparse
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.fit_support import Array, Pairs, RememberedEmbedder, left_out, read_pairs
from clients.llm.offline.meaning import Meaning
from domain.quality import metrics
from domain.support.model import support_model
from domain.verdicts.calibration import Calibration, least_high

_CALIBRATION = Path("domain/verdicts/calibration.json")
_README = Path("README.md")
_FIGURE = re.compile(r"(?<=<!-- figure: false pass -->)\d+(?=<!-- end of figure -->)")
_STEPS = (0.5, 0.6, 0.7, 0.8, 0.9)
_KNOWN_LANGUAGES = ("en", "ko")

Measure = Callable[[Sequence[int], Sequence[float]], float | None]


def measured(pairs: Pairs, support: Array, languages: Sequence[str]) -> Calibration:
    """Return the calibration of the shipped weights with what was measured of `support`, one per pair.

    The support is calibrated by the fit itself, so that slope and offset change nothing.
    """

    def mean_of(measure: Measure) -> float:
        each = [measure(pairs.labels[rows].astype(int).tolist(), support[rows].tolist()) for _, rows in pairs.folds]
        return round(metrics.mean(each) or 0.0, 3)

    return Calibration(
        version=f"support-{support_model().version}",
        slope=1.0,
        offset=0.0,
        ece=mean_of(metrics.ece),
        high=least_high(zip(support.tolist(), (pairs.labels == 1).tolist(), strict=True)),
        false_pass=mean_of(metrics.false_pass),
        false_strip=mean_of(metrics.false_strip),
        languages=tuple(each for each in _KNOWN_LANGUAGES if each in languages),
        measured_on=f"{len(support)} pairs of {len(set(pairs.sets.tolist()))} data sets, each left out in turn",
    )


def print_steps(pairs: Pairs, support: Array) -> None:
    """Print how often pairs are right from a confidence on, for each data set and for all."""
    print(f"{'right from … on':22}" + "".join(f"{step:>16}" for step in _STEPS))
    everything = [(name, rows) for name, rows in pairs.folds]
    for name, rows in [*everything, ("all", support >= 0)]:
        cells = ((pairs.labels[rows & (support >= step)]) for step in _STEPS)
        shown = (f"{labels.mean():.2f} of {len(labels)}" if len(labels) else "–" for labels in cells)
        print(f"{name:22}" + "".join(f"{cell:>16}" for cell in shown))


def languages_of(folder: Path) -> list[str]:
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    return sorted({json.loads(line).get("lang", "en") for line in lines})


def write(found: Calibration) -> None:
    """Write the calibration, and the share of false passes into the sentence of the README."""
    _CALIBRATION.write_text(json.dumps({"offline": asdict(found)}, indent=1) + "\n", encoding="utf-8")
    share = f"{(found.false_pass or 0.0) * 100:.0f}"
    _README.write_text(_FIGURE.sub(share, _README.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="fit_confidence", description="Measure the confidence on unseen kinds of text."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {_CALIBRATION} and the figure in {_README}")
    parser.add_argument("--cache", type=Path, help="an .npz file for the vectors of what was encoded")
    options = parser.parse_args()
    folder, cache = Path(options.folder), options.cache and Path(options.cache)
    embedder = RememberedEmbedder(cache)
    pairs = read_pairs(folder, Meaning(embedder, remembered=100_000))
    embedder.keep()
    support = left_out(pairs)
    print_steps(pairs, support)
    found = measured(pairs, support, languages_of(folder))
    print(json.dumps(asdict(found), indent=1))
    if options.write:
        write(found)


if __name__ == "__main__":
    main()
