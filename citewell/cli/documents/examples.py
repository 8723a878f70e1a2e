"""The example documents and questions of the repository."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import citewell
from citewell.cli.documents.finding import Upload
from citewell.cli.documents.uploading import ingest_all
from citewell.cli.errors import CommandFailed
from citewell_client import CitewellClient

WORKSPACE = "example"
"""Where `citewell up --example` puts the documents."""


class ExampleQuestion(TypedDict):
    """An entry of `questions.json`; its other fields are for tests."""

    question: str
    mode: str
    answerable: bool


class _Listed(TypedDict):
    filename: str
    metadata: dict[str, object]


@dataclass(frozen=True, slots=True)
class Examples:
    """The inputs of the demo."""

    documents: list[Upload]
    questions: list[ExampleQuestion]


def load_examples() -> Examples:
    """Read the examples from the source tree that this package belongs to. Raises CommandFailed when there are none."""
    root = Path(citewell.__file__).resolve().parents[1] / "examples"
    try:
        listed: list[_Listed] = json.loads((root / "corpus" / "corpus.json").read_text(encoding="utf-8"))["documents"]
        questions: list[ExampleQuestion] = json.loads((root / "questions.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(
            f"the examples are not at {root} ({error.strerror}: {error.filename}); it needs a clone of the repository"
        ) from None
    documents = [
        Upload(root / "corpus" / entry["filename"], entry["filename"], json.dumps(entry["metadata"]))
        for entry in listed
    ]
    return Examples(documents, questions)


def add_documents(client: CitewellClient, examples: Examples) -> Iterator[str]:
    for ingested in ingest_all(client, examples.documents, WORKSPACE):
        if ingested.problem is not None:
            yield ingested.problem
