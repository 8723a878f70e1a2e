"""The gate of `citewell verify`: decides which results of the server pass, and writes files for pipelines."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.cli.console import out, plain
from citewell.cli.errors import FAILED, USAGE, CommandFailed
from citewell_client import CitewellClient
from citewell_verify.__main__ import summary, write_reports
from citewell_verify.gate.cases import Case, read_cases
from citewell_verify.gate.formats import github
from citewell_verify.gate.outcome import Gate, Outcome, states_named
from citewell_verify.verdicts.report import Report, ReportedSentence
from citewell_verify.verdicts.states import SentenceStatus

_LOOK_EVERY_S = 0.5
_UNFINISHED = {"queued", "running"}


@dataclass(frozen=True, slots=True)
class Pipeline:
    """The command line's options of the gate; `is_asked` if it has any."""

    fail_under: float | None
    fail_on: str
    junit: Path | None
    sarif: Path | None
    annotate: bool

    @property
    def is_asked(self) -> bool:
        return self.fail_under is not None or bool(self.fail_on or self.junit or self.sarif or self.annotate)

    def gate(self) -> Gate:
        """Return the gate. Raises VerificationInvalid for a state that does not exist."""
        return Gate(self.fail_under, states_named(self.fail_on))

    def conclude(self, outcomes: Sequence[Outcome], *, quiet: bool) -> None:
        """Write and print the requested reports. Raises CommandFailed, with 1 where an answer does not pass and 2 where
        one could not be verified."""
        try:
            write_reports(list(outcomes), junit_to=self.junit, sarif_to=self.sarif)
        except OSError as error:
            raise CommandFailed(f"cannot write {error.filename}: {error.strerror}", USAGE) from None
        *failures, counted = summary(list(outcomes))
        failures += [f"{outcome.case.name}: {outcome.problem}" for outcome in outcomes if outcome.problem is not None]
        if not quiet:
            for line in [*failures, counted, *(github(outcomes) if self.annotate else [])]:
                out.print(plain(line), soft_wrap=True)
        problems = [outcome for outcome in outcomes if outcome.problem is not None]
        if problems:
            raise CommandFailed(f"{len(problems)} of {len(outcomes)} answers could not be verified", USAGE)
        if not all(outcome.passed for outcome in outcomes):
            raise CommandFailed(f"the gate is shut: {counted}", FAILED)


def verify_cases(
    client: CitewellClient, path: Path, gate: Gate, options: Mapping[str, Any], *, wait: float
) -> list[Outcome]:
    """Have the server verify every case of a file as one batch; a case without a result after `wait` seconds is a
    problem.

    Raises VerificationInvalid for an invalid case.
    """
    cases = read_cases(path)
    items: list[Any] = [
        {
            "custom_id": str(number),
            "answer": case.answer,
            "sources": [{"title": source.title, "text": source.text} for source in case.sources],
            **{name: value for name, value in {"question": case.question, **options}.items() if value is not None},
        }
        for number, case in enumerate(cases)
    ]
    batch = client.verify_batch(items)
    deadline = time.monotonic() + wait
    while client.batch(batch["id"])["status"] in _UNFINISHED and time.monotonic() < deadline:
        time.sleep(_LOOK_EVERY_S)
    results: list[Any] = list(client.batch_results(batch["id"]))
    by_case = {int(result["custom_id"]): result for result in results}
    late = {"id": batch["id"], "status": "running"}
    return [outcome_of(case, by_case.get(number, late), gate, wait) for number, case in enumerate(cases)]


def problem_of(result: Mapping[str, Any], wait: float) -> str:
    """Return why there is no verdict after `wait` seconds."""
    if error := result.get("error"):
        return f"the verification failed: {error['message']}"
    if result["status"] in _UNFINISHED:
        return f"no result after {wait:g} s; {result['id']} is {result['status']}; --wait gives it longer"
    return f"the verification is {result['status']}"


def outcome_of(case: Case, result: Mapping[str, Any], gate: Gate, wait: float) -> Outcome:
    """Return the outcome of a case within `wait` seconds, from the result as the API gives it."""
    if result["status"] != "succeeded":
        return Outcome(case, problem=problem_of(result, wait))
    sentences = tuple(
        ReportedSentence(
            sentence["start"], sentence["end"], sentence["text"], SentenceStatus(sentence["status"]),
            sentence["reason"], sentence["support"], None,
        )
        for sentence in result["sentences"]
    )  # fmt: skip
    repaired = result["repaired_answer"] or result["answer"]
    report = Report(result["answer"], sentences, repaired, None, result["repaired_is_grounded"], None, None, ())
    seconds = float(result["timings"].get("total") or 0) / 1000
    return Outcome(case, report, gate.failing(report), seconds=seconds)
