"""The demo corpus in a running stack, and what must hold for every answer from it."""

import json
from pathlib import Path
from typing import Any

from tests.e2e.stack import Stack

EXAMPLES = Path(__file__).resolve().parents[2] / "api" / "dashboard" / "example"
QUESTIONS: list[dict[str, Any]] = json.loads((EXAMPLES / "questions.json").read_text(encoding="utf-8"))


def ingest_corpus(stack: Stack, workspace: str) -> dict[str, str]:
    """Ingest every document of the corpus with its metadata; return filename → document id."""
    documents: list[dict[str, Any]] = json.loads((EXAMPLES / "corpus.json").read_text())["documents"]
    return {
        entry["filename"]: stack.add_file(EXAMPLES / entry["filename"], workspace=workspace, metadata=entry["metadata"])
        for entry in documents
    }


def assert_exact(stack: Stack, query: dict[str, Any]) -> None:
    """N3: every span slices back, from the answer and from the stored text, and the numbers run 1..n."""
    answer = query["answer"]
    for citation in query["citations"]:
        text = stack.stored_text(citation["document_id"])
        assert text[citation["source_start"] : citation["source_end"]] == citation["text_span"]
        assert answer[citation["answer_start"] : citation["answer_end"]] == citation["claim_text"]
        assert citation["text"] == citation["text_span"]
    numbers = sorted({citation["number"] for citation in query["citations"]})
    assert numbers == list(range(1, len(numbers) + 1))
    assert [reference.split()[0] for reference in query["references"]] == [f"[{number}]" for number in numbers]
    verification: dict[str, Any] = query["verification"]
    for sentence in verification["sentences"]:
        assert answer[sentence["start"] : sentence["end"]] == sentence["text"]
