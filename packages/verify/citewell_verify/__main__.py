"""`python -m citewell_verify answer.md --source policy.md`: verifies an answer from a file."""

import argparse
import sys
from pathlib import Path

from citewell_verify.errors import CitewellError
from citewell_verify.judges import ChatJudge
from citewell_verify.pipeline import GivenText, verify
from citewell_verify.verdicts.report import Report

_FAILED, _UNUSABLE = 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Print the verdict on each sentence; return 0 if every claim is supported, 1 if not, 2 for bad input."""
    parser = argparse.ArgumentParser(
        prog="python -m citewell_verify",
        description="Verify an answer against its sources, sentence by sentence. [1] cites the first source.",
        epilog="Exit status: 0 if the sources support every claim, 1 if not, 2 for input that cannot be verified.",
    )
    parser.add_argument("answer", type=Path, help="the file with the answer: plain text or Markdown")
    parser.add_argument("--source", type=Path, action="append", required=True, help="a text file; may be repeated")
    parser.add_argument("--question", help="judge also whether the answer answers it")
    parser.add_argument("--judge", metavar="URL", help="an OpenAI-compatible server, as http://127.0.0.1:11434/v1")
    parser.add_argument("--model", help="the model of --judge")
    given = parser.parse_args(arguments)
    if bool(given.judge) != bool(given.model):
        parser.error("--judge and --model belong together")
    judge = ChatJudge(given.judge, given.model) if given.judge else None
    try:
        sources = [GivenText(path.read_text(encoding="utf-8"), title=path.name) for path in given.source]
        report = verify(given.answer.read_text(encoding="utf-8"), sources, given.question, judge)
    except (OSError, UnicodeDecodeError, CitewellError) as error:
        print(error, file=sys.stderr)  # noqa: T201, a command prints
        return _UNUSABLE
    print("\n".join(_lines(report)))  # noqa: T201
    return 0 if report.is_grounded else _FAILED


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
