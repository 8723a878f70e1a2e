"""The example documents and questions of the repository."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import citewell
from citewell.cli.actions.finding import Upload
from citewell.cli.errors import CommandFailed


class ExampleQuestion(TypedDict):
    """An entry of `questions.json`; its other fields are for tests."""

    question: str
    mode: str


class _Listed(TypedDict):
    filename: str
    metadata: dict[str, object]


@dataclass(frozen=True, slots=True)
class Examples:
    """The inputs of the demo."""

    documents: list[Upload]
    questions: list[ExampleQuestion]


def load_examples() -> Examples:
    """Read them from the source tree that this package belongs to. Raises CommandFailed when they are missing."""
    root = Path(citewell.__file__).resolve().parents[1] / "examples"
    try:
        listed: list[_Listed] = json.loads((root / "corpus" / "corpus.json").read_text(encoding="utf-8"))["documents"]
        questions: list[ExampleQuestion] = json.loads((root / "questions.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandFailed(
            f"the examples are not at {root} ({error.strerror}: {error.filename}); the demo needs a clone of it"
        ) from None
    documents = [
        Upload(root / "corpus" / entry["filename"], entry["filename"], json.dumps(entry["metadata"]))
        for entry in listed
    ]
    return Examples(documents, questions)
