"""Questions over passages with answers that people gave, and the rule that decides whether an answer is right."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell_verify.offline.passages import Meaning
from citewell_verify.prompting.numbered_sources import Sources
from clients.llm.offline.model import chunk_relevance

_SHOWN = 3  # the number of passages that an answer is written from by default


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question about a document; `passages` are the whole document's texts, `label` its name."""

    set_name: str
    id: str
    text: str
    answers: tuple[str, ...]
    answerable: bool
    label: str
    passages: tuple[str, ...]


def read_questions(folder: Path) -> list[AskedQuestion]:
    """Read every NAME_passages.jsonl with its NAME_questions.jsonl, except for questions whose answer is computed."""
    found: list[AskedQuestion] = []
    for file in sorted(folder.glob("*_passages.jsonl")):
        documents: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for passage in _records(file):
            documents[passage["doc"]].append(passage)
        document_of = {passage["id"]: name for name, members in documents.items() for passage in members}
        for record in _records(file.with_name(file.name.replace("_passages", "_questions"))):
            if record["meta"].get("answer_type", "span") == "span":
                name = document_of[record["gold"][0]]
                found.append(_question(record, name, [passage["text"] for passage in documents[name]]))
    return found


def _question(record: dict[str, Any], document: str, passages: Sequence[str]) -> AskedQuestion:
    return AskedQuestion(
        set_name=record["dataset"],
        id=record["id"],
        text=record["question"],
        answers=tuple(record["answers"]),
        answerable=record["answerable"],
        label=document,
        passages=tuple(passages),
    )


def _records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def is_fitted_on(question: AskedQuestion) -> bool:
    """Return whether the question belongs to the half that weights are fitted on."""
    return is_in_fitted_half(question.id)


def is_in_fitted_half(question_id: str) -> bool:
    """Return the same for a question's id: by a hash, so that the result never changes."""
    return int(hashlib.sha256(question_id.encode()).hexdigest(), 16) % 2 == 0


def is_right(question: AskedQuestion, answer: str) -> bool:
    """Return whether the question has an answer and `answer` contains it, ignoring case and punctuation."""
    said = f" {_plain(answer)} "
    return question.answerable and any(f" {wanted} " in said for each in question.answers if (wanted := _plain(each)))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w.%]+", text.casefold())).replace(". ", " ").rstrip(".")


def ranked_sources(question: AskedQuestion, meaning: Meaning) -> Sources:
    """Return the passages of the question's document that its answer is written from, the most relevant first."""
    scored = sorted(question.passages, key=lambda text: -chunk_relevance(question.text, text, meaning))
    return Sources.numbered((question.label, text) for text in scored[:_SHOWN])
