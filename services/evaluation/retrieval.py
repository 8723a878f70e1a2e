"""Measures retrieval (N8): stores passages in a temporary workspace, then searches and reranks without answering.

Each passage is stored as one chunk, so that results can be compared with the labels.
"""

import asyncio
import hashlib
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from citewell_documents.document import Page, ParsedDocument
from citewell_verify.embeddings.protocol import Embedder
from citewell_verify.evidence.passages import Passage
from clients.llm.protocol import CallLog, CallRecord
from config.settings import RetrievalSettings
from db.queries.access.workspaces import delete_workspace, get_or_add_workspace
from db.queries.documents import ingestion as rows
from db.queries.documents.chunks import get_passages
from db.queries.documents.documents import add_document
from db.queries.documents.spaces import Space, add_vectors
from db.queries.documents.versions import mark_document_ready
from db.session import reading, transaction
from domain.quality.metrics import Score, found, mean, reciprocal_rank, roc_auc
from domain.query.options import Preset
from domain.retrieval.ranking import Scored, rank
from services.core import model_choice
from services.core.context import Tools
from services.evaluation.labelled_data import LabelledPassage, LabelledQuestion
from services.evaluation.statements import Measures, bounded
from services.retrieval.candidates import Search, find_candidates
from services.retrieval.reranking import score_passages

CUTS = (1, 5, 10)

_BETWEEN = "\n\n"
_LEASE_S = 60.0


@dataclass(frozen=True, slots=True)
class Collection:
    """A workspace filled with passages; `ids` maps the database's chunk ids to the ids of the labels."""

    workspace_id: int
    ids: dict[str, str]


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """The results: passage ids of the labels in the order `retrieved` and, after reranking, `ranked`.

    `evidence` is the best relevance of any of them, None when none could be scored; `reason` then says why.
    """

    labelled: LabelledQuestion
    retrieved: list[str]
    ranked: list[str]
    evidence: Score
    reason: str
    calls: tuple[CallRecord, ...]


@contextmanager
def temporary_collection(
    passages: Sequence[LabelledPassage], embedder: Embedder, on_done: Callable[[int], None]
) -> Generator[Collection]:
    name = f"evaluation-{uuid.uuid4().hex}"
    try:
        with transaction() as session:
            workspace_id = get_or_add_workspace(session, name).id
        space = model_choice.ensure_space(workspace_id, embedder)
        ids: dict[str, str] = {}
        documents: dict[str, list[LabelledPassage]] = {}
        for passage in passages:
            documents.setdefault(passage.doc, []).append(passage)
        for doc, members in documents.items():
            ids |= _store_document(workspace_id, doc, members, (space, embedder))
            on_done(len(members))
        yield Collection(workspace_id, ids)
    finally:
        with transaction() as session:
            delete_workspace(session, name)


async def ask_questions(
    collection: Collection,
    questions: Sequence[LabelledQuestion],
    tools: Tools,
    *,
    settings: RetrievalSettings,
    concurrency: int,
    on_done: Callable[[], None],
    preset: Preset = "standard",
) -> list[AskedQuestion]:
    """Search and rerank for every question as the pipeline does, with at most about `concurrency` model calls at a
    time."""
    search = Search(collection.workspace_id, settings.method, settings.k, dense_weight=settings.dense_weight)

    async def ask(question: LabelledQuestion) -> AskedQuestion:
        asked = await _ask(question, collection, search, tools, shares_calls=preset == "cheap")
        on_done()
        return asked

    return await bounded(ask, questions, max(1, concurrency // settings.k))


def measured_questions(asked: Sequence[AskedQuestion]) -> dict[str, object]:
    """Measure one set: recall and MRR of the answerable questions after and before reranking, and how well the evidence
    separates answerable questions from others."""
    answerable = [question for question in asked if question.labelled.answerable]
    labels = [int(question.labelled.answerable) for question in asked]
    return {
        "n": len(asked),
        "answerable": len(answerable),
        **_order_measured(answerable, lambda question: question.ranked),
        "answerability_auc": roc_auc(labels, [question.evidence for question in asked]),
        "not_scored": mean(question.evidence is None for question in asked),
        "before_reranking": _order_measured(answerable, lambda question: question.retrieved),
    }


def _order_measured(asked: Sequence[AskedQuestion], order: Callable[[AskedQuestion], list[str]]) -> Measures:
    recalls = {
        f"recall@{k}": mean(found(question.labelled.gold, order(question), k) for question in asked) for k in CUTS
    }
    return {**recalls, "mrr": mean(reciprocal_rank(question.labelled.gold, order(question)) for question in asked)}


async def _ask(
    labelled: LabelledQuestion, collection: Collection, search: Search, tools: Tools, *, shares_calls: bool
) -> AskedQuestion:
    log = CallLog()

    def candidates() -> list[Passage]:
        found_places = find_candidates([labelled.question], search, tools.embedder)[: search.k]
        with reading() as session:
            return get_passages(session, [key for key, _ in found_places])

    passages = await asyncio.to_thread(candidates)
    scores = await score_passages(tools, labelled.question, passages, log, shares_calls=shares_calls)
    ranked = rank(
        [
            Scored(collection.ids[passage.chunk_id], place, score["score"])
            for place, (passage, score) in enumerate(zip(passages, scores, strict=True))
        ]
    )
    return AskedQuestion(
        labelled=labelled,
        retrieved=[collection.ids[passage.chunk_id] for passage in passages],
        ranked=[chunk.key for chunk in ranked],
        evidence=max((chunk.score for chunk in ranked if chunk.score is not None), default=None),
        reason=next((score["reason"] for score in scores if "reason" in score), ""),
        calls=tuple(log.records),
    )


def _store_document(
    workspace_id: int, name: str, passages: Sequence[LabelledPassage], vectors_by: tuple[Space, Embedder]
) -> dict[str, str]:
    parsed, starts = _joined(passages)
    space, texts = vectors_by[0], [passage.text for passage in passages]
    vectors = model_choice.embed(*vectors_by, texts)
    content = parsed.text.encode()
    with transaction() as session:
        document = add_document(
            session,
            workspace_id,
            filename=name,
            content=content,
            sha256=hashlib.sha256(content).hexdigest(),
            source="evaluation",
            details={},
        )
        chunk_ids = [f"{document.doc_id}::chunk_{index}" for index in range(len(passages))]
        owner = {"document_id": document.id, "section": None, "context": None}
        chunks = [
            {**owner, "chunk_id": chunk_id, "chunk_index": index, **_slice(*where)}
            for index, (chunk_id, where) in enumerate(zip(chunk_ids, zip(passages, starts, strict=True), strict=True))
        ]
        # All in one transaction: no ingestion worker ever sees the document unfinished.
        claim = rows.claim_document(session, document.id, _LEASE_S)
        attempt = claim.attempt if claim else 0
        rows.store_parsed(session, document.id, attempt, parsed, chunks, lease_s=_LEASE_S)
        keys = rows.add_chunks(session, workspace_id, chunks)
        add_vectors(session, space, list(zip(keys, texts, vectors, strict=True)))
        rows.advance_document(session, document.id, attempt, lease_s=_LEASE_S, chunks_done=len(chunks))
        mark_document_ready(session, document.id, attempt)
    return dict(zip(chunk_ids, (passage.id for passage in passages), strict=True))


def _joined(passages: Sequence[LabelledPassage]) -> tuple[ParsedDocument, list[int]]:
    starts, pages, length = list[int](), list[Page](), 0
    for passage in passages:
        starts.append(length)
        end = length + len(passage.text)
        if passage.page is not None:
            pages.append(Page(passage.page, length, end))
        length = end + len(_BETWEEN)
    return ParsedDocument(_BETWEEN.join(passage.text for passage in passages), tuple(pages)), starts


def _slice(passage: LabelledPassage, start: int) -> dict[str, Any]:
    return {
        "page": passage.page,
        "start_index": start,
        "end_index": start + len(passage.text),
        "text": passage.text,
        "sha256": hashlib.sha256(passage.text.encode()).hexdigest(),
    }
