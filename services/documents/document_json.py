"""Documents as JSON: their state and progress, what reading them took, and their graph."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.orm import Session

from citewell_documents.errors import PERMANENT
from db.base import row_json
from db.models import Document
from db.queries.documents.fingerprints import NearDuplicate, near_duplicates
from db.queries.documents.graph_jobs import GraphState, graph_states
from db.queries.documents.reingestions import digest_of


def documents_json(session: Session, documents: Sequence[tuple[Document, str]]) -> list[dict[str, Any]]:
    ids = [document.id for document, _ in documents]
    graphs, near = graph_states(session, ids), near_duplicates(session, ids)
    return [
        _document_json(document, name, graphs.get(document.id), near.get(document.id)) for document, name in documents
    ]


def _document_json(
    document: Document, workspace: str, graph: GraphState | None, near: NearDuplicate | None
) -> dict[str, Any]:
    return {
        **row_json(document, "id doc_id filename source size_bytes version status stage chunks_excluded error"),
        **row_json(document, "corrected_from created_at ready_at superseded_by superseded_at"),
        "workspace": workspace,
        "metadata": document.details,
        "sha256": digest_of(document),
        "progress": row_json(document, "chunks_done chunks_total pages_recognised pages_to_recognise"),
        "pages": len(document.pages or []),
        "reading": _reading_json(document),
        "graph": _graph_json(graph),
        "near_duplicate_of": near and {**near._asdict(), "id": str(near.id), "similarity": round(near.similarity, 2)},
        "can_retry": document.error is not None and document.error["code"] not in PERMANENT,
    }


def _reading_json(document: Document) -> dict[str, Any] | None:
    if document.read_s is None:
        return None
    pages, cost = len(document.pages or []), document.read_usd
    return {
        "seconds": round(document.read_s, 3),
        "ms_per_page": round(1000 * document.read_s / pages, 1) if pages else None,
        "cost_usd": None if cost is None else float(cost),
    }


def _graph_json(graph: GraphState | None) -> dict[str, Any]:
    row = graph.row if graph else None
    return {
        "status": row.status if row else "off",
        "chunks_done": row.done if row else 0,
        "chunks_failed": row.failed if row else 0,
        "entities": graph.entities if graph else 0,
        "relations": graph.relations if graph else 0,
        "reason": row.reason if row else None,
        "llm_calls": row.llm_calls if row else 0,
        "prompt_tokens": row.prompt_tokens if row else 0,
        "completion_tokens": row.completion_tokens if row else 0,
        "cost_usd": float(row.cost_usd) if row else 0.0,
    }


def page_json(page: list[int], size: tuple[float, float] | None) -> dict[str, Any]:
    width, height = size or (None, None)
    return {**dict(zip(("number", "start", "end"), page, strict=True)), "width": width, "height": height}
