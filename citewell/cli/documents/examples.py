"""The example documents and questions that the dashboard, `citewell up --example` and the demo share."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TypedDict

from citewell.cli.documents.finding import Upload
from citewell.cli.documents.uploading import ingest_all
from citewell.cli.errors import CommandFailed
from citewell_client import CitewellClient

WORKSPACE = "example"
"""The workspace of the documents from `citewell up --example`."""


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
    """Return the examples that come with the dashboard. Raises CommandFailed where the installation lacks them."""
    root = Path(str(files("api"))) / "dashboard" / "example"
    try:
        listed: list[_Listed] = json.loads((root / "corpus.json").read_text(encoding="utf-8"))["documents"]
        questions: list[ExampleQuestion] = json.loads((root / "questions.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(
            f"the examples are not at {root} ({error.strerror}: {error.filename}); install Citewell again"
        ) from None
    documents = [Upload(root / entry["filename"], entry["filename"], json.dumps(entry["metadata"])) for entry in listed]
    return Examples(documents, questions)


def add_documents(client: CitewellClient, examples: Examples) -> Iterator[str]:
    for ingested in ingest_all(client, examples.documents, WORKSPACE):
        if ingested.problem is not None:
            yield ingested.problem
