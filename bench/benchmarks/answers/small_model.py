"""`python -m benchmarks.answers.small_model [FOLDER]`: questions asked of a running Citewell, one after the other.

For a model on this machine: `citewell up --example` with the configuration to be measured, then this; once more with
`offline` tells what the model gains. A row per question has the seconds until its answer, the model's calls and tokens,
what a reader would call the answer, and the verdicts of its sentences. Without a folder it asks the example questions.
With one it adds the documents of `own_questions.jsonl` from it to a workspace, and asks `--take` of their questions,
spread evenly, whose answers are judged as there. `--turns` asks a conversation of two turns instead.
"""

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.answers.judged_answers import Question, read_questions, worth_of
from benchmarks.answers.over_the_stack import reply_of
from benchmarks.answers.own_questions import QUESTIONS as OWN_QUESTIONS
from citewell.cli.documents.examples import WORKSPACE
from citewell_client import CitewellClient
from tests.e2e.corpus import QUESTIONS

_WITHIN_S = 3_600.0
_OWN_WORKSPACE = "own-questions"
_TURNS = ("How long are access tokens of the Gridline API valid?", "And refresh tokens?")


class Asked(NamedTuple):
    """A row of the table, and the counts of it."""

    row: tuple[str, ...]
    seconds: float
    worth: str


def main() -> None:
    """Ask, and print the table and its sums."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.answers.small_model", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--take", type=int, default=30)
    parser.add_argument("--turns", nargs="*", metavar="QUESTION", help="a conversation over the example documents")
    options = parser.parse_args()
    with CitewellClient(options.url) as client:
        if options.turns is not None:
            _converse(client, options.turns or _TURNS)
            return
        chosen = _examples() if options.folder is None else _own(client, options.folder, options.take)
        table = Table("question", "seconds", "calls", "prompt", "reply", "failed", "worth", "verdicts", "confidence")
        found: list[Asked] = []
        for question, workspace in chosen:
            found.append(_asked(client, question, workspace))
            table.add_row(*found[-1].row)
            print(*found[-1].row, sep=" | ", flush=True)
    Console(width=160).print(table)
    worths = ", ".join(f"{count} {worth}" for worth, count in Counter(each.worth for each in found).most_common())
    median = statistics.median(each.seconds for each in found)
    print(f"{len(found)} questions: {worths}; {median:.0f} s each (median)")


def _examples() -> list[tuple[Question, str]]:
    return [
        (
            Question(
                text=each["question"],
                kind="example",
                language="en",
                accept=(tuple(each["expect"]),) if each["answerable"] else (),
                refuse=not each["answerable"],
            ),
            WORKSPACE,
        )
        for each in QUESTIONS
    ]


def _own(client: CitewellClient, folder: Path, take: int) -> list[tuple[Question, str]]:
    """Return `take` of the questions, spread evenly, once their documents can be searched."""
    questions = read_questions(OWN_QUESTIONS)
    chosen = questions[:: max(1, len(questions) // take)][:take]
    there = {document["filename"] for document in client.documents(workspace=_OWN_WORKSPACE)}
    for name in sorted({name for question in chosen for name in question.documents} - there):
        client.upload(folder / name, workspace=_OWN_WORKSPACE, wait=True)
    return [(question, _OWN_WORKSPACE) for question in chosen]


def _asked(client: CitewellClient, question: Question, workspace: str) -> Asked:
    began = time.monotonic()
    answer: Any = client.ask(question.text, workspace=workspace, wait=_WITHIN_S)
    seconds = time.monotonic() - began
    calls: list[Any] = client.history(answer["id"])["model_calls"]
    verification: Any = answer["verification"] or {}
    verdicts = Counter(sentence["status"] for sentence in verification.get("sentences", []))
    worth = "failed" if answer["error"] else worth_of(question, reply_of(answer, seconds))
    row = (
        question.text,
        f"{seconds:.0f}",
        str(len(calls)),
        str(sum(call["prompt_tokens"] for call in calls)),
        str(sum(call["completion_tokens"] for call in calls)),
        str(sum(call["error"] is not None for call in calls)),
        worth,
        ", ".join(f"{number} {status}" for status, number in verdicts.items()),
        f"{verification.get('confidence')}" if answer["error"] is None else answer["error"]["code"],
    )
    return Asked(row, seconds, worth)


def _converse(client: CitewellClient, turns: Sequence[str]) -> None:
    """Ask questions that each refer to the one before; each answer is shown with the question as it was understood."""
    conversation = client.conversations.create(workspace=WORKSPACE)
    for question in turns:
        began = time.monotonic()
        answer: Any = client.conversations.ask(conversation["id"], question, wait=_WITHIN_S)
        restated = answer.get("restated_question") or question
        print(f"{question}\n  taken for: {restated}\n  {time.monotonic() - began:.0f} s: {answer['answer']}")


if __name__ == "__main__":
    main()
