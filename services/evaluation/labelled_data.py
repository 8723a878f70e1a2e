"""Labelled data for evaluations: JSON Lines, read as a whole or refused with file and line.

Verification: {"source", "claim", "label": 0 or 1, "dataset"?}. Retrieval: NAME_passages.jsonl with {"id", "text",
"doc"?, "page"?}, NAME_questions.jsonl with {"question", "gold": [passage ids], "answerable"?}. Other fields are
ignored.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from citewell_verify.errors import BadInput

PASSAGES, QUESTIONS = "_passages.jsonl", "_questions.jsonl"

T = TypeVar("T")
Record = dict[str, Any]
Files = list[dict[str, object]]
"""The name and SHA-256 of each file; no path, because a path means nothing on another machine."""


class EvaluationDataInvalid(BadInput):
    """The labelled data cannot be used."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """One claim and its source; `label` is 1 where people found the claim supported by the source, otherwise 0."""

    dataset: str
    source: str
    claim: str
    label: int


@dataclass(frozen=True, slots=True)
class LabelledPassage:
    """A passage to be found; passages with the same `doc` become one document."""

    id: str
    doc: str
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question; `gold` are the ids of the passages that answer it, and mean nothing if it is not answerable."""

    question: str
    answerable: bool
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """All pairs by set, in the order of the files."""

    sets: dict[str, list[LabelledPair]]
    files: Files


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Passages and the questions about them."""

    name: str
    passages: list[LabelledPassage]
    questions: list[LabelledQuestion]


@dataclass(frozen=True, slots=True)
class QuestionSets:
    """All sets of a folder, by name."""

    sets: list[QuestionSet]
    files: Files


def read_pairs(paths: Iterable[Path], limit: int | None = None) -> LabelledPairs:
    """Read the files, and all `*.jsonl` in folders; keep `limit` pairs of each set, evenly spread.

    Raises EvaluationDataInvalid.
    """
    sets: dict[str, list[LabelledPair]] = {}
    files: Files = []
    for file in dict.fromkeys(file for path in paths for file in _files_at(path)):
        content = _content(file)
        files.append(_identity(file, content))
        for pair in _parsed(file, content, partial(_pair, file.stem)):
            sets.setdefault(pair.dataset, []).append(pair)
    return LabelledPairs({name: spread(pairs, limit) for name, pairs in sets.items()}, files)


def read_question_sets(folder: Path, limit: int | None = None) -> QuestionSets:
    """Read every NAME_passages.jsonl with its NAME_questions.jsonl; keep `limit` questions of each set, evenly spread.

    Raises EvaluationDataInvalid.
    """
    if not folder.is_dir():
        raise EvaluationDataInvalid(f"{folder} is not a folder; name one with NAME{PASSAGES} and NAME{QUESTIONS}.")
    names = sorted(
        file.name.removesuffix(ending)
        for ending in (PASSAGES, QUESTIONS)
        for file in folder.iterdir()
        if file.name.endswith(ending)
    )
    if not names:
        raise EvaluationDataInvalid(f"{folder} has no NAME{PASSAGES}; name a folder with that and NAME{QUESTIONS}.")
    sets: list[QuestionSet] = []
    files: Files = []
    for name in dict.fromkeys(names):
        question_set, identities = _question_set(folder, name, limit)
        sets.append(question_set)
        files += identities
    return QuestionSets(sets, files)


def spread(items: Sequence[T], limit: int | None) -> list[T]:
    """Return `limit` items at even distances, so that a file sorted by label keeps both labels."""
    if limit is None or limit >= len(items):
        return list(items)
    return [items[place * len(items) // limit] for place in range(limit)]


def _files_at(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.glob("*.jsonl") if file.is_file())
    if not files:
        raise EvaluationDataInvalid(f"{path} has no .jsonl file; name a labelled file, or a folder of them.")
    return files


def _question_set(folder: Path, name: str, limit: int | None) -> tuple[QuestionSet, Files]:
    passages_file, questions_file = folder / f"{name}{PASSAGES}", folder / f"{name}{QUESTIONS}"
    contents = _content(passages_file), _content(questions_file)
    passages = _parsed(passages_file, contents[0], _passage)
    known = {passage.id for passage in passages}
    if len(known) < len(passages):
        raise EvaluationDataInvalid(f"{passages_file} has two passages with the same id; every id must be its own.")
    questions = _parsed(questions_file, contents[1], partial(_question, known))
    files = [_identity(passages_file, contents[0]), _identity(questions_file, contents[1])]
    return QuestionSet(name, passages, spread(questions, limit)), files


def _pair(stem: str, record: Record) -> LabelledPair:
    label = record.get("label")
    if label not in (0, 1):
        raise ValueError('"label" must be 1 (supported) or 0 (not supported)')
    dataset = record.get("dataset")
    name = _text(record, "dataset") if dataset not in (None, "") else stem
    return LabelledPair(name, _text(record, "source"), _text(record, "claim"), int(label))


def _passage(record: Record) -> LabelledPassage:
    identity, page = _text(record, "id"), record.get("page")
    doc = _text(record, "doc") if record.get("doc") is not None else identity
    return LabelledPassage(identity, doc, page if isinstance(page, int) else None, _text(record, "text"))


def _question(known: set[str], record: Record) -> LabelledQuestion:
    answerable = record.get("answerable", True)
    if not isinstance(answerable, bool):
        raise ValueError('"answerable" must be true or false')
    gold: object = record.get("gold", [])
    if not isinstance(gold, list) or (answerable and not gold):
        raise ValueError('"gold" must list the ids of the passages that answer the question')
    ids = tuple(dict.fromkeys(str(passage_id) for passage_id in cast("list[object]", gold)))
    unknown = [passage_id for passage_id in ids if passage_id not in known]
    if unknown:
        raise ValueError(f'"gold" names {unknown[0]!r}, which is no passage of this set; correct the id or add it')
    return LabelledQuestion(_text(record, "question"), answerable, ids)


def _text(record: Record, name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f'"{name}" must be a text that is not empty')
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError(f'"{name}" has characters that are no text (NUL or half of a pair); remove them')
    return value


def _parsed(path: Path, content: bytes, read: Callable[[Record], T]) -> list[T]:
    records: list[T] = []
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            try:
                records.append(read(_record(line)))
            except ValueError as error:
                raise EvaluationDataInvalid(f"{path}:{number}: {error}.") from None
    if not records:
        raise EvaluationDataInvalid(f"{path} is empty; it needs one JSON object per line.")
    return records


def _record(line: bytes) -> Record:
    try:
        value: object = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("the line is not text in UTF-8; save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the line is not JSON ({error}); write one JSON object per line") from None
    if not isinstance(value, dict):
        raise ValueError("the line is not a JSON object; write one per line")
    return cast("Record", value)


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise EvaluationDataInvalid(
            f"{path} cannot be read ({error.strerror}); check the path and its permissions."
        ) from None


def _identity(path: Path, content: bytes) -> dict[str, object]:
    return {"name": path.name, "sha256": hashlib.sha256(content).hexdigest()}
