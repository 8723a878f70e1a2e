"""What the commands of this room share: options, and asking every question in one process or over the stack."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import over_the_stack
from benchmarks.answers.in_process import Lines, Workspace, read_file
from benchmarks.answers.judged_answers import Outcome, Question
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from clients.llm.offline.meaning import Meaning


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions about the files of a workspace."""

    files: Sequence[Path]
    questions: Sequence[Question]


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="in one process, without servers")
    parser.add_argument("--cache", type=Path, help="with --quick: a file that keeps the vectors between runs")
    parser.add_argument("--verbose", action="store_true", help="print every question with its answer")
    return parser


def outcomes(workspaces: Mapping[str, Asked], options: argparse.Namespace) -> list[Outcome]:
    """Ask the questions of each workspace, in the order given."""
    embedder = RememberedEmbedder(options.cache)
    meaning = Meaning(embedder, remembered=100_000)
    if options.quick:
        found = [outcome for asked in workspaces.values() for outcome in _quick(asked, embedder, meaning)]
        embedder.keep()
        return found
    with over_the_stack.running_client() as client:
        found: list[Outcome] = []
        for name, asked in workspaces.items():
            over_the_stack.add_files(client, asked.files, name)
            lines = Lines(read_file(file) for file in asked.files)
            for question in asked.questions:
                found.append(Outcome(question, over_the_stack.ask(client, question, name), lines.best(question.text)))
    return found


def _quick(asked: Asked, embedder: RememberedEmbedder, meaning: Meaning) -> list[Outcome]:
    documents = {file.name: read_file(file) for file in asked.files}
    workspace, lines = Workspace(documents, embedder, meaning), Lines(documents.values())
    return [Outcome(question, workspace.ask(question), lines.best(question.text)) for question in asked.questions]
