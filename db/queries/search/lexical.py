"""Lexical search: the passages that hold the question's rarest words, in the order of domain.retrieval.bm25."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, case, cast, func, literal, select
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from db.models import Chunk, Document, DocumentStatus
from db.queries.documents.lexicon import collection
from domain.retrieval.bm25 import FURTHER, Collection, Occurrences, lexical_scores
from domain.retrieval.questions import searched_question

# Limits on the work of a search: the lexemes used (the question's rarest), the passages scanned for them, and the
# passages scored (those with the highest total weight of shared lexemes).
_LEXEMES = 32
_LOOKED_AT = 20_000
_SCORED = 200


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
    """Like `search_text`, with scores; with `excluded` over the chunks that people took out of the search instead."""
    asked = searched_question(question)
    known = collection(session, workspace_id, list(dict.fromkeys((*asked.own, *asked.further))))
    rarest = sorted(
        (frequency for frequency in known.frequencies if frequency in asked.own), key=known.frequencies.__getitem__
    )
    if not rarest:
        return []
    weights = {lexeme: known.weight(lexeme) for lexeme in rarest[:_LEXEMES]}
    weights |= {lexeme: FURTHER * known.weight(lexeme) for lexeme in asked.further if lexeme in known.frequencies}
    searched = [*where, Chunk.excluded.is_(excluded)]
    candidates = _candidates(session, workspace_id, weights, known, searched)
    return lexical_scores(asked.own, candidates, known, asked.further)[:k]


def _candidates(
    session: Session,
    workspace_id: int,
    weights: Mapping[str, float],
    known: Collection,
    where: Sequence[ColumnElement[bool]],
) -> list[Occurrences[int]]:
    """The passages to be scored, those that share most first, with the places of the lexemes in them.

    `weights` are those of the lexemes, the question's rarest first.
    """
    looked_up = _affordable(list(weights), known.frequencies)
    shared = sum((case((_has([lexeme]), weight), else_=0.0) for lexeme, weight in weights.items()), literal(0.0))
    best = (
        select(Chunk.id, Chunk.length, Chunk.search, shared.label("shared"))
        .join(Document, Document.id == Chunk.document_id)
        .where(Chunk.workspace_id == workspace_id, Document.status == DocumentStatus.READY, *where)
        .where(_has(looked_up))
        .order_by(shared.desc(), Chunk.id)
        .limit(_SCORED)
        .subquery()
    )
    held = func.unnest(best.c.search).table_valued("lexeme", "positions", "weights", name="held").render_derived()
    rows = session.execute(
        select(best.c.id, best.c.length, held.c.lexeme, held.c.positions)
        .join(held, held.c.lexeme.in_(list(weights)))
        .order_by(best.c.shared.desc(), best.c.id)
    )
    places: dict[tuple[int, int], dict[str, Sequence[int]]] = {}
    for key, length, lexeme, positions in rows:
        places.setdefault((key, length), {})[lexeme] = positions
    return [Occurrences(*passage, held) for passage, held in places.items()]


def _affordable(rarest: list[str], frequencies: Mapping[str, int]) -> list[str]:
    """The first lexemes that together occur in no more passages than may be scanned; at least one."""
    chosen, passages = rarest[:1], frequencies[rarest[0]]
    for lexeme in rarest[1:]:
        passages += frequencies[lexeme]
        if passages > _LOOKED_AT:
            break
        chosen.append(lexeme)
    return chosen


def any_of(wanted: Sequence[str]) -> ColumnElement[str]:
    # No lexeme holds a quotation mark or a backslash (domain.retrieval.lexemes), so none needs escaping.
    return cast(" | ".join(f"'{lexeme}'" for lexeme in wanted), TSQUERY)


def _has(wanted: Sequence[str]) -> ColumnElement[bool]:
    return Chunk.search.op("@@", is_comparison=True)(any_of(wanted))
