"""`python -m benchmarks.answers.small_model`: the example questions, asked of a running Citewell one after the other.

For a model on this machine: `citewell up --example` with the configuration to be measured, then this. A row per
question has the seconds until its answer, the model's calls and tokens, how many of the expected words the answer has
(a question that the documents do not answer expects a refusal), and the verdicts of its sentences.
"""

import argparse
import time
from collections import Counter
from typing import Any

from rich.console import Console
from rich.table import Table

from citewell.cli.documents.examples import WORKSPACE
from citewell_client import CitewellClient
from tests.e2e.corpus import QUESTIONS

_WITHIN_S = 3_600.0


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers.small_model", description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--only", action="append", metavar="ID", help="of examples/questions.json; all without it")
    options = parser.parse_args()
    table = Table("question", "seconds", "calls", "prompt", "reply", "failed", "expected", "verdicts", "confidence")
    with CitewellClient(options.url) as client:
        for question in QUESTIONS:
            if not options.only or question["id"] in options.only:
                table.add_row(question["id"], *_asked(client, question))
    Console(width=160).print(table)


def _asked(client: CitewellClient, question: Any) -> list[str]:
    began = time.monotonic()
    answer: Any = client.ask(question["question"], workspace=WORKSPACE, mode=question["mode"], wait=_WITHIN_S)
    seconds = time.monotonic() - began
    calls: list[Any] = client.history(answer["id"])["model_calls"]
    text: str = answer["answer"] or ""
    found = sum(expected in text for expected in question["expect"])
    refused = "refused" if answer["abstained"] else "answered"
    verification: Any = answer["verification"] or {}
    verdicts = Counter(sentence["status"] for sentence in verification.get("sentences", []))
    return [
        f"{seconds:.0f}",
        str(len(calls)),
        str(sum(call["prompt_tokens"] for call in calls)),
        str(sum(call["completion_tokens"] for call in calls)),
        str(sum(call["error"] is not None for call in calls)),
        f"{found} of {len(question['expect'])}" if question["answerable"] else refused,
        ", ".join(f"{number} {status}" for status, number in verdicts.items()),
        f"{verification.get('confidence')}" if answer["error"] is None else answer["error"]["code"],
    ]


if __name__ == "__main__":
    main()
