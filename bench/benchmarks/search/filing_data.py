"""Whole filings with questions about their pages, read and split as ingestion does; the results are stored in a
folder."""

import hashlib
import json
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from citewell_documents.chunking import split_document
from citewell_documents.document import ParsedDocument, TextChunk
from citewell_documents.parsing import ParseLimits, parse
from citewell_documents.parsing.language import with_findings
from citewell_verify.embeddings.protocol import Vectors
from citewell_verify.embeddings.wheel import UseEmbedder
from citewell_verify.errors import CitewellError
from config.settings import IngestionSettings

_LIMITS = ParseLimits(max_pages=5_000, max_chars=20_000_000)
_QUESTIONS = "financebench_open_source.jsonl"
_BATCH = 256
_ROOT = Path(__file__).parents[3]
_PARSER = (_ROOT / "clients" / "parsing", _ROOT / "domain" / "documents")

CACHE = Path.home() / ".cache" / "citewell-benchmarks"
"""Only the owner may write here, because loading a pickle can run code that is in it."""


class Place(NamedTuple):
    """The passage or page `number` of a document."""

    document: str
    number: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about one document, and the pages, from 1, that answer it."""

    text: str
    document: str
    pages: frozenset[int]


@dataclass(frozen=True, slots=True)
class Filing:
    """A document as ingested, and the CPU seconds that reading it took."""

    name: str
    parsed: ParsedDocument
    chunks: Sequence[TextChunk]
    seconds: float

    @property
    def empty_pages(self) -> int:
        return sum(not self.parsed.text[page.start : page.end].strip() for page in self.parsed.pages)


def read_asked(folder: Path) -> list[Asked]:
    """Return the questions of `data/`; the pages of their evidence count from 0 there."""
    lines = (folder / "data" / _QUESTIONS).read_text(encoding="utf-8").splitlines()
    return [_asked(json.loads(line)) for line in lines if line.strip()]


def _asked(record: dict[str, Any]) -> Asked:
    pages = frozenset(each["evidence_page_num"] + 1 for each in record["evidence"])
    return Asked(record["question"], record["doc_name"], pages)


def read_filings(folder: Path, names: Sequence[str], cache: Path) -> Iterator[Filing | str]:
    """Yield each document of `pdfs/`, or why it cannot be used."""
    limits = IngestionSettings()
    for name in names:
        parsed, seconds = _parsed(folder / "pdfs" / f"{name}.pdf", cache)
        if isinstance(parsed, str):
            yield f"{name}: {parsed}"
            continue
        found = with_findings(parsed, f"{name}.pdf")
        chunks = split_document(found, chunk_tokens=limits.chunk_tokens, overlap_tokens=limits.overlap_tokens)
        yield Filing(name, found, chunks, seconds)


def _parsed(path: Path, cache: Path) -> tuple[ParsedDocument | str, float]:
    if not path.is_file():
        return "is not in the folder", 0.0
    read_from = hashlib.sha256(_parser() + path.read_bytes()).hexdigest()
    kept = cache / f"{path.stem}-{read_from}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(_read(path)))
    return pickle.loads(kept.read_bytes())  # noqa: S301 - written by this module


@lru_cache
def _parser() -> bytes:
    """Return a hash of the sources that decide the result of reading a file: another parser reads it again."""
    files = [Path(__file__), *(file for folder in _PARSER for file in sorted(folder.rglob("*.py")))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).digest()


def _read(path: Path) -> tuple[ParsedDocument | str, float]:
    data, began = path.read_bytes(), time.process_time()
    try:
        parsed = parse(data, path.name, _LIMITS)
    except CitewellError as error:
        return error.message, time.process_time() - began
    return parsed, time.process_time() - began


def vectors_of(texts: Sequence[str], embedder: UseEmbedder, cache: Path) -> Vectors:
    """Return each text's vector; new ones are added to the stored ones, a batch at a time."""
    known: dict[str, Any] = {}
    for file in sorted(cache.glob("vectors-*.npz")):
        with np.load(file) as held:
            known |= dict(zip(held["keys"].tolist(), held["vectors"], strict=True))
    keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    for first in range(0, len(new), _BATCH):
        batch = list(new)[first : first + _BATCH]
        made = embedder.encode_documents([new[key] for key in batch])
        np.savez(cache / f"vectors-{batch[0]}.npz", keys=np.array(batch), vectors=made.astype(np.float16))
        known |= dict(zip(batch, made, strict=True))
    return np.array([known[key] for key in keys], dtype=np.float32)
