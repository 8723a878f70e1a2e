"""Measures the speed of ingesting documents: read, split, embedded by the built-in model, stored."""

import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from sqlalchemy import func, select

from citewell_verify.embeddings.wheel import default_embedder
from config.settings import settings
from db.models import Chunk
from db.session import reading
from services.documents.documents import NewDocument, accept_document
from services.documents.ingestion import ingest

_DOCUMENTS, _PARAGRAPHS = 10, 40
_WORDS = "the company reported that revenue from software and services rose in every region while costs fell".split()


def ingested_per_second() -> float:
    """Return the chunks per second of one process."""
    embedder = default_embedder()
    embedder.warm()
    rng = random.Random(5)
    ids = [accept_document(_document(rng, number), settings()).document_id for number in range(_DOCUMENTS)]
    started = time.perf_counter()
    for document_id in ids:
        ingest(document_id, embedder, settings().ingestion, _hold)
    seconds = time.perf_counter() - started
    with reading() as session:
        return (session.scalar(select(func.count(Chunk.id))) or 0) / seconds


def _document(rng: random.Random, number: int) -> NewDocument:
    paragraphs = (" ".join(rng.choices(_WORDS, k=90)).capitalize() + "." for _ in range(_PARAGRAPHS))
    return NewDocument(f"{number}.txt", "\n\n".join(paragraphs).encode(), "ingestion")


@contextmanager
def _hold(renew: Callable[[], None]) -> Generator[None]:
    renew()
    yield
