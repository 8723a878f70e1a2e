"""The work of `citewell models judge`: fetches a classifier, tries its veto, measures its cost."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import typer
from rich.table import Table

from citewell.cli.console import complain, emit, out, plain
from citewell.cli.errors import FAILED, CommandFailed
from clients.llm.neural import PairClassifier, open_classifier
from clients.llm.neural.judging import VETO_BELOW
from clients.llm.protocol import ModelError
from config.settings import settings

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class _Trial:
    """A pair with an obvious verdict; a useful judge gives only the faithful one 0.3 or more."""

    language: str
    source: str
    statement: str
    faithful: bool


_TRIALS = tuple(
    _Trial(language, source, statement, faithful)
    for language, source, right, wrong in (
        (
            "en",
            "Anna manages the shop and Tom repairs the bicycles.",
            "Tom repairs the bicycles.",
            "Anna repairs them.",
        ),
        ("en", "The lift must not be used in a fire.", "Do not use the lift in a fire.", "Use the lift in a fire."),
        ("en", "Delta bought Omega in 2015.", "Omega was bought by Delta.", "Delta was bought by Omega."),
        (
            "ko",
            "안나는 가게를 운영하고 민수는 자전거를 수리한다.",
            "민수는 자전거를 수리한다.",
            "안나는 자전거를 수리한다.",
        ),
        (
            "ko",
            "화재 때 승강기를 이용하면 안 된다.",
            "화재 때 승강기를 이용할 수 없다.",
            "화재 때 승강기를 이용해야 한다.",
        ),
        ("ko", "델타가 2015년에 오메가를 인수했다.", "오메가는 델타에 인수되었다.", "델타는 오메가에 인수되었다."),
    )
    for statement, faithful in ((right, True), (wrong, False))
)


def show(name: str, label: str | None, languages: Sequence[str], as_json: bool) -> None:
    """Print the classifier's score of each trial, the cost of a pair, and the settings that use it.

    Raises ConfigurationInvalid when the classifier cannot be loaded, CommandFailed when it cannot be run, and
    typer.Exit(1) when its veto is worthless.
    """
    settings()  # invalid settings are reported here
    classifier = open_classifier(name, label, download=True)
    trials = [trial for trial in _TRIALS if trial.language in languages]
    pairs = [(trial.source, trial.statement) for trial in trials]
    try:
        scores = classifier.score(pairs)
        began = time.perf_counter()
        for _ in range(_ROUNDS):
            classifier.score(pairs)
        took_ms = (time.perf_counter() - began) * 1000 / (_ROUNDS * len(pairs))
    except ModelError as error:
        raise CommandFailed(f"{name} was found and cannot be run: {error}") from None
    wrongly = sum(trial.faithful and score < VETO_BELOW for trial, score in zip(trials, scores, strict=True))
    rightly = sum(not trial.faithful and score < VETO_BELOW for trial, score in zip(trials, scores, strict=True))
    if as_json:
        emit(
            {"name": classifier.name, "version": classifier.version, "max_tokens": classifier.max_tokens}
            | {
                "ms_per_pair": round(took_ms, 3),
                "struck_faithful": wrongly,
                "struck_wrong": rightly,
                "tried": len(trials),
            }
        )
    else:
        _print(classifier, trials, scores, took_ms, languages, label)
    if wrongly or not rightly:
        half = len(trials) // 2
        complain(
            f"{name} strikes {wrongly} of {half} faithful statements and {rightly} of {half} wrong ones: look up its "
            "labels and its template (docs/internals/neural-judge.md), or take another"
        )
        raise typer.Exit(FAILED)


def _print(
    classifier: PairClassifier,
    trials: Sequence[_Trial],
    scores: Sequence[float],
    took_ms: float,
    languages: Sequence[str],
    label: str | None,
) -> None:
    table = Table("source", "statement", "p", "verdict", box=None)
    for trial, score in zip(trials, scores, strict=True):
        verdict = "struck" if score < VETO_BELOW else "stands"
        wanted = "" if trial.faithful == (verdict == "stands") else ", wrongly"
        table.add_row(plain(trial.source), plain(trial.statement), f"{score:.2f}", verdict + wanted)
    out.print(table)
    out.print(f"{took_ms:.1f} ms for a pair of one sentence; it reads {classifier.max_tokens} tokens at once.")
    named = f" CITEWELL_MODELS__JUDGE_LABEL={label}" if label else ""
    listed = ",".join(f'"{language}"' for language in languages)
    out.print(plain(f"CITEWELL_MODELS__JUDGE={classifier.name}{named} CITEWELL_MODELS__JUDGE_LANGUAGES='[{listed}]'"))
