"""`python -m citewell_verify answer.md --source policy.md`: verifies answers from files; a gate for pipelines."""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from citewell_verify.errors import CitewellError
from citewell_verify.gate.cases import Case, read_cases, read_text
from citewell_verify.gate.formats import github, junit, sarif
from citewell_verify.gate.outcome import Gate, Outcome, run_cases, states_named
from citewell_verify.judges import ChatJudge
from citewell_verify.pipeline import GivenText
from citewell_verify.verdicts.report import Report

_FAILED, _UNUSABLE = 1, 2
_EPILOG = (
    "Exit status: 0 if every answer passes, 1 if one does not, 2 for input that cannot be verified. Without "
    "--fail-under and --fail-on every claim has to be supported."
)


def main(arguments: list[str] | None = None) -> int:
    """Print the verdicts; return 0 if every answer passes the gate, 1 if one does not, 2 for bad input."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if bool(given.judge) != bool(given.model):
        parser.error("--judge and --model belong together")
    if (given.cases is None) == (given.answer is None) or (given.answer is not None) != bool(given.source):
        parser.error("give an answer with at least one --source, or --cases")
    try:
        gate = Gate(given.fail_under, states_named(given.fail_on))
        cases = read_cases(given.cases) if given.cases else [_case(given.answer, given.source, given.question)]
        outcomes = run_cases(cases, gate, ChatJudge(given.judge, given.model) if given.judge else None)
        write_reports(outcomes, junit_to=given.junit, sarif_to=given.sarif)
    except (OSError, CitewellError) as error:
        told = f"cannot write {error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        print(told, file=sys.stderr)  # noqa: T201, a command prints
        return _UNUSABLE
    if given.answer and outcomes[0].report is not None:
        print("\n".join(_lines(outcomes[0].report)))  # noqa: T201
    else:
        print("\n".join(summary(outcomes)))  # noqa: T201
    if given.github:
        print("\n".join(github(outcomes)))  # noqa: T201
    problems = [f"{outcome.case.name}: {outcome.problem}" for outcome in outcomes if outcome.problem is not None]
    if problems:
        print("\n".join(problems), file=sys.stderr)  # noqa: T201
        return _UNUSABLE
    return 0 if all(outcome.passed for outcome in outcomes) else _FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m citewell_verify",
        description="Verify answers against their sources, sentence by sentence. [1] cites the first source.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "answer",
        type=Path,
        nargs="?",
        help="the file with the answer: plain text or Markdown; - reads it from standard input",
    )
    parser.add_argument("--source", type=Path, action="append", help="a text file; may be repeated")
    parser.add_argument("--question", help="judge also whether the answer answers it")
    parser.add_argument(
        "--cases",
        type=Path,
        metavar="FILE",
        help="many answers: a JSON object with answer and sources a line; - reads them from standard input",
    )
    parser.add_argument("--judge", metavar="URL", help="an OpenAI-compatible server, as http://127.0.0.1:11434/v1")
    parser.add_argument("--model", help="the model of --judge")
    parser.add_argument(
        "--fail-under", type=_share, metavar="SHARE", help="the least share of supported claims, 0 to 1"
    )
    parser.add_argument("--fail-on", default="", metavar="STATES", help="states that fail, as contradicted,unsupported")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML")
    parser.add_argument("--sarif", type=Path, metavar="FILE", help="write SARIF 2.1.0")
    parser.add_argument("--github", action="store_true", help="print annotations of GitHub's workflow commands")
    return parser


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share; write a number from 0 to 1, as 0.9")
    return share


def _case(path: Path, sources: list[Path], question: str | None) -> Case:
    texts = tuple(GivenText(read_text(source), title=source.name) for source in sources)
    return Case(path.name, read_text(path), texts, question, str(path), has_own_file=str(path) != "-")


def write_reports(outcomes: list[Outcome], *, junit_to: Path | None, sarif_to: Path | None) -> None:
    """Write the files that were asked for. Raises OSError."""
    if junit_to:
        junit_to.write_text(junit(outcomes), encoding="utf-8")
    if sarif_to:
        sarif_to.write_text(sarif(outcomes, version("citewell-verify")), encoding="utf-8")


def summary(outcomes: list[Outcome]) -> list[str]:
    """The lines of the answers that did not pass, and the number of answers that did."""
    lines = [f"{outcome.case.name}: {line}" for outcome in outcomes if outcome.failing for line in outcome.lines()]
    return [*lines, f"{sum(outcome.passed for outcome in outcomes)} of {len(outcomes)} answers pass"]


def _lines(report: Report) -> list[str]:
    lines = [
        f"{sentence.status:<12} {' '.join(sentence.text.split())}"
        + (f"\n{'':<12} {' '.join(sentence.reason.split())}" if sentence.reason else "")
        for sentence in report.sentences
    ]
    if report.repaired != report.answer:
        lines += ["", "Repaired:", report.repaired.strip()]
    return [*lines, *report.issues]


if __name__ == "__main__":
    sys.exit(main())
