"""Retrieval: nearest vectors, and full-text matches for the words that a vector misses."""

import re
from collections.abc import Sequence

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentStatus
from domain.words import words

_HANGUL = re.compile(r"^[가-힣]+$")


def search_vector(session: Session, workspace_id: int, embedding: Sequence[float], k: int) -> list[tuple[int, float]]:
    """The `k` nearest chunks of ready documents as (chunk id, cosine similarity), the nearest first (S1.1)."""
    # Filtered approximate search returns too few rows unless the index scan goes on until enough of them match.
    session.execute(text("SET LOCAL hnsw.iterative_scan = 'strict_order'"))
    distance = Chunk.embedding.cosine_distance(embedding)
    rows = session.execute(
        select(Chunk.id, distance)
        .join(Document, Document.id == Chunk.document_id)
        .where(Chunk.workspace_id == workspace_id, Document.status == DocumentStatus.READY)
        .order_by(distance)
        .limit(k)
    )
    return [(chunk_id, 1.0 - float(value)) for chunk_id, value in rows]


def search_text(session: Session, workspace_id: int, question: str, k: int) -> list[int]:
    """The `k` best full-text matches for any word of the question, the best first; empty without usable words."""
    expression = text_query(question)
    if not expression:
        return []
    query = func.to_tsquery("english", expression)
    rank = func.ts_rank_cd(Chunk.search, query, 1)
    return list(
        session.scalars(
            select(Chunk.id)
            .join(Document, Document.id == Chunk.document_id)
            .where(
                Chunk.workspace_id == workspace_id,
                Document.status == DocumentStatus.READY,
                Chunk.search.op("@@")(query),
            )
            .order_by(rank.desc(), Chunk.id)
            .limit(k)
        )
    )


def text_query(question: str) -> str:
    """A tsquery that matches any word. Korean words also match without their last syllables: 검색을 finds 검색."""
    terms = [term for word in words(question) for term in _terms(word)]
    return " | ".join(dict.fromkeys(terms))


def _terms(word: str) -> list[str]:
    quoted = [f"'{word}'"]
    if _HANGUL.match(word) and len(word) > 1:
        stems = {word, word[: max(2, len(word) - 1)], word[: max(2, len(word) - 2)]}
        quoted = [f"'{stem}':*" for stem in sorted(stems)]
    return quoted
