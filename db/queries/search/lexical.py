"""Lexical search: the passages that hold the question's rarest words, in the order of domain.retrieval.bm25."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, case, cast, literal, select, text
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentStatus
from db.queries.documents.lexicon import collection
from domain.retrieval.bm25 import Collection, Occurrences, lexical_scores
from domain.retrieval.lexemes import lexemes

# Limits on the work of a search: the lexemes used (the question's rarest), the passages scanned for them, and the
# passages scored (those with the highest total rarity of shared lexemes).
_LEXEMES = 32
_LOOKED_AT = 20_000
_SCORED = 200

_PLACES = text("""
    SELECT chunks.id, chunks.length, held.lexeme, held.positions
    FROM chunks CROSS JOIN LATERAL unnest(chunks.search) AS held
    WHERE chunks.id = ANY(:keys) AND held.lexeme = ANY(:lexemes)
""")


def search_text(
    session: Session, workspace_id: int, question: str, k: int, where: Sequence[ColumnElement[bool]] = ()
) -> list[int]:
    """The `k` passages of ready documents that match the question's words best, the best first; `where` holds
    conditions on their documents. Empty if no passage has any of the words.
    """
    return [key for key, _ in search_scored(session, workspace_id, question, k, where)]


def search_scored(
    session: Session,
    workspace_id: int,
    question: str,
    k: int,
    where: Sequence[ColumnElement[bool]] = (),
    *,
    excluded: bool = False,
) -> list[tuple[int, float]]:
    """The same with their scores; with `excluded` over what people took out of the search instead."""
    asked = lexemes(question)
    known = collection(session, workspace_id, list(dict.fromkeys(asked)))
    rarest = sorted(known.frequencies, key=lambda lexeme: known.frequencies[lexeme])[:_LEXEMES]
    if not rarest:
        return []
    keys = _candidates(session, workspace_id, rarest, known, [*where, Chunk.excluded.is_(excluded)])
    return lexical_scores(asked, _occurrences(session, keys, rarest), known)[:k]


def _candidates(
    session: Session, workspace_id: int, rarest: list[str], known: Collection, where: Sequence[ColumnElement[bool]]
) -> list[int]:
    looked_up = _affordable(rarest, known.frequencies)
    shared = sum((case((_has([each]), known.rarity(each)), else_=0.0) for each in rarest), literal(0.0))
    return list(
        session.scalars(
            select(Chunk.id)
            .join(Document, Document.id == Chunk.document_id)
            .where(Chunk.workspace_id == workspace_id, Document.status == DocumentStatus.READY, *where)
            .where(_has(looked_up))
            .order_by(shared.desc(), Chunk.id)
            .limit(_SCORED)
        )
    )


def _affordable(rarest: list[str], frequencies: Mapping[str, int]) -> list[str]:
    """The rarest lexemes that together occur in no more passages than may be scanned; at least one."""
    chosen, passages = rarest[:1], frequencies[rarest[0]]
    for lexeme in rarest[1:]:
        passages += frequencies[lexeme]
        if passages > _LOOKED_AT:
            break
        chosen.append(lexeme)
    return chosen


def any_of(wanted: Sequence[str]) -> ColumnElement[str]:
    # No lexeme holds a quotation mark or a backslash (domain.retrieval.lexemes).
    return cast(" | ".join(f"'{lexeme}'" for lexeme in wanted), TSQUERY)


def _has(wanted: Sequence[str]) -> ColumnElement[bool]:
    return Chunk.search.op("@@", is_comparison=True)(any_of(wanted))


def _occurrences(session: Session, keys: list[int], wanted: list[str]) -> list[Occurrences[int]]:
    places: dict[int, dict[str, list[int]]] = {key: {} for key in keys}
    lengths: dict[int, int] = {}
    for key, length, lexeme, positions in session.execute(_PLACES, {"keys": keys, "lexemes": wanted}):
        places[key][lexeme], lengths[key] = positions, length
    return [Occurrences(key, lengths[key], held) for key, held in places.items() if held]
