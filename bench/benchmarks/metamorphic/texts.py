"""The real texts that cases are made from: a folder of labelled data, and the project's own examples."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from benchmarks.metamorphic.cases import Text
from benchmarks.verdicts.planted_passages import read_passages

_ROOT = Path(__file__).parents[3]
_EXAMPLES = (_ROOT / "api" / "dashboard" / "example", _ROOT / "examples")
_SHORTEST, _LONGEST = 40, 6_000
_HANGUL = re.compile(r"[가-힣]")


def project_texts() -> list[Text]:
    """Return the passages of the benchmark of planted errors and the Markdown files of the example documents."""
    texts = [Text(passage.language, passage.text) for passage in read_passages()]
    return [*texts, *(text for folder in _EXAMPLES for text in _documents(folder))]


def folder_texts(folder: Path) -> list[Text]:
    """Return every source of `folder`: from its `*.jsonl`, the passages in `qa/`, and the files in `documents/`."""
    found = dict.fromkeys(
        (
            *_rows(folder.glob("*.jsonl"), "source"),
            *_rows((folder / "qa").glob("*_passages.jsonl"), "text"),
            *_documents(folder / "documents"),
        )
    )
    return list(found)


def _rows(paths: Iterator[Path], field: str) -> Iterator[Text]:
    for path in sorted(paths):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = cast("dict[str, object]", json.loads(line))
            text = str(row.get(field, ""))
            if _SHORTEST <= len(text) <= _LONGEST or (text and row.get("lang") == "ko"):
                yield Text(str(row.get("lang", "en")), text)


def _documents(folder: Path) -> Iterator[Text]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".md", ".txt", ".csv") and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            yield from (Text(_language(part), part) for part in _parts(text))


def _parts(text: str) -> Iterator[str]:
    """Yield runs of whole paragraphs that are no longer than a source may be."""
    part = ""
    for paragraph in re.split(r"\n\s*\n", text):
        if part and len(part) + len(paragraph) > _LONGEST:
            yield part
            part = ""
        part = f"{part}\n\n{paragraph}" if part else paragraph[:_LONGEST]
    if len(part) >= _SHORTEST:
        yield part


def _language(text: str) -> str:
    return "ko" if len(_HANGUL.findall(text)) > len(text) / 10 else "en"
