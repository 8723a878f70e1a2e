"""Full-text matches, for the words that a vector (db.queries.nearest) misses."""

import re

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentStatus
from domain.words import words

_HANGUL = re.compile(r"^[가-힣]+$")


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
