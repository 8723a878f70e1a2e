"""Common parts of this folder's commands: options, and asking every question in one process or over the whole stack."""

import argparse
import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.answers import over_the_stack
from benchmarks.answers.in_process import Lines, Workspace, read_file
from benchmarks.answers.judged_answers import Outcome, Question
from benchmarks.fitting.labelled_pairs import RememberedEmbedder
from citewell_documents.document import ParsedDocument
from citewell_verify.errors import CitewellError
from citewell_verify.offline.passages import Meaning


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
    """Ask the questions of each workspace, in the order given. Files that cannot be read are left out."""
    embedder = RememberedEmbedder(options.cache)
    meaning = Meaning(embedder, remembered=100_000)
    with contextlib.nullcontext() if options.quick else over_the_stack.running_client() as client:
        answered: list[Outcome] = []
        for name, asked in workspaces.items():
            documents = dict(_readable(asked.files))
            lines = Lines(documents.values())
            if client is None:
                ask = Workspace(documents, embedder, meaning).ask
            else:
                over_the_stack.add_files(client, [file for file in asked.files if file.name in documents], name)
                ask = partial(over_the_stack.ask, client, name)
            answered += [Outcome(question, ask(question), lines.best(question.text)) for question in asked.questions]
    embedder.keep()
    return answered


def _readable(files: Iterable[Path]) -> Iterator[tuple[str, ParsedDocument]]:
    for file in files:
        try:
            yield file.name, read_file(file)
        except CitewellError:
            continue
