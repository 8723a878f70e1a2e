"""Results as JSON: the query of the public interface, and the verification history behind it."""

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from db.models import (
    Answer,
    Citation,
    CitationCheck,
    ModelCall,
    Query,
    QueryKind,
    QueryStatus,
    Verification,
    VerificationSentence,
)
from db.queries.paging import Place
from db.queries.runs import events, model_calls, queries, results, steps
from db.queries.runs.parking import parked_of_query
from db.queries.runs.queries import QueryFilter
from db.queries.runs.results import StoredVerification
from db.session import reading
from domain.errors import QueryUnfinished
from domain.question import is_greeting, mentions, question_of
from domain.safety.prompt_injection import without_orders
from services.finishing.completion import LAST_EVENTS
from services.queries.question_rewriting import restated_question
from services.reporting.answer_confidence import confidence_json
from services.reporting.comparison import read_reverifications

FINAL = frozenset({"succeeded", "failed", "cancelled"})


def read_status(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> str:
    """The query's status alone, for waiting. Raises QueryNotFound, VerificationNotFound."""
    with reading() as session:
        return queries.get_status(session, query_id, kind)


def read_succeeded(query_id: uuid.UUID) -> dict[str, Any]:
    """The query with its answer. Raises QueryNotFound, and QueryUnfinished when it has none."""
    query = read_query(query_id)
    if query["status"] != "succeeded":
        raise QueryUnfinished(f"The question is {query['status']}; only one that has succeeded has an answer to show.")
    return query


def read_query(query_id: uuid.UUID) -> dict[str, Any]:
    """The query with everything known of it so far. Raises QueryNotFound."""
    with reading() as session:
        query, workspace = queries.get_named_query(session, query_id, QueryKind.ANSWER)
        whole = results.read_whole(session, query_id, query.round)
        restated = restated_question(session, query)
        searched = queries.searched_workspaces(session, [query])
    if query.status == QueryStatus.CANCELLED:
        # It may have been concluded, but was never published.
        whole = whole._replace(answer=None, published=None)
    return {
        **_head(query, workspace, searched),
        "restated_question": restated,
        "conversation_id": str(whole.conversation_id) if whole.conversation_id else None,
        **(_answer_json(*whole.answer, whole.added) if whole.answer else _NO_ANSWER),
        "mentions": _mentions(restated or query.question, whole),
        "sources": [{**source, **_origin(source["document_id"], whole.added)} for source in whole.sources],
        "verification": _verification_json(whole.published, query.options) if whole.published else None,
        "usage": whole.usage,
        "timings": {**whole.timings, "total": _elapsed_ms(query)},
        "degraded": whole.degraded,
        "audit": whole.audit,
        "standing": whole.standing or (_UNTOUCHED if query.status == QueryStatus.SUCCEEDED else None),
    }


def usage_json(session: Session, query_id: uuid.UUID) -> dict[str, Any]:
    usage = model_calls.usage_of_query(session, query_id)
    return {
        "llm_calls": usage.llm_calls,
        "unknown_calls": usage.unknown_calls,
        "prompt_tokens": usage.prompt_tokens,
        "cached_tokens": usage.cached_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost_usd": float(usage.cost_usd),
    }


def timings_json(session: Session, query: Query) -> dict[str, Any]:
    """Milliseconds per step, and from acceptance to the end."""
    return {**steps.stage_timings(session, query.id), "total": _elapsed_ms(query)}


def read_queries(wanted: QueryFilter, *, after: Place | None, limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        rows = queries.list_queries(session, wanted, after=after, limit=limit)
        searched = queries.searched_workspaces(session, [query for query, _ in rows])
        return [_head(query, name, searched) for query, name in rows]


def read_head(query_id: uuid.UUID) -> dict[str, Any]:
    """The query without its answer. Raises QueryNotFound."""
    with reading() as session:
        query, workspace = queries.get_named_query(session, query_id)
        return _head(query, workspace, queries.searched_workspaces(session, [query]))


def read_history(query_id: uuid.UUID, kind: QueryKind = QueryKind.ANSWER) -> dict[str, Any]:
    """Everything that was checked, asked and decided, in order (A4). Raises QueryNotFound, VerificationNotFound."""
    with reading() as session:
        query = queries.get_query(session, query_id, kind)
        return {
            **_head(query, queries.workspace_name_of(session, query), queries.searched_workspaces(session, [query])),
            "verifications": [_attempt_json(v) for v in results.list_verifications(session, query_id)],
            "parked": parked_of_query(session, query_id),
            "reverifications": read_reverifications(session, query_id),
            "steps": _steps_json(steps.list_outcomes(session, query_id)),
            "model_calls": [_call_json(call) for call in model_calls.list_model_calls(session, query_id)],
            "events": [
                {"id": event.seq, "type": event.type, "data": event.data, "at": event.created_at.isoformat()}
                for event in events.list_events(session, query_id)
            ],
        }


def read_citation_checks(query_id: uuid.UUID) -> list[dict[str, Any]]:
    """S5.4: the check of each (statement, number) pair of the original answer, in the order of its statements."""
    with reading() as session:
        published = results.find_published_verification(session, query_id)
        checks = published.citation_checks if published else []
        cited = [check for check in checks if check.citation_number and not check.item.endswith(":repair")]
        # Items are `s0:c1`, `s10:c2`; sorted as text they would not be in the order of the statements.
        return [_check_json(check) for check in sorted(cited, key=_place)]


def _place(check: CitationCheck) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", check.item)]


class StreamedEvent(NamedTuple):
    """One event of a query; `seq` counts up from 1."""

    seq: int
    type: str
    data: dict[str, Any]


def read_events(query_id: uuid.UUID, after: int, kind: QueryKind | None = None) -> tuple[list[StreamedEvent], bool]:
    """The events after number `after`, and whether these are the last.

    A replay from the start leaves out drafts, because their result is known. Raises QueryNotFound, and
    VerificationNotFound when there is none of that `kind`.
    """
    with reading() as session:
        # Read the state first: whatever is stored between the two reads is in the second.
        was_finished = queries.get_status(session, query_id, kind) in FINAL
        rows = events.list_events(session, query_id, after)
    found = [
        StreamedEvent(row.seq, row.type, row.data)
        for row in rows
        if after or not was_finished or row.type != events.DRAFT
    ]
    return found, was_finished or bool(found and found[-1].type in LAST_EVENTS)


def _mentions(question: str, whole: results.Whole) -> list[dict[str, Any]]:
    """V8: the places where the documents mention what was asked, shown beside a refusal."""
    if whole.answer is None or not whole.answer[0].abstained or is_greeting(question):
        return []
    found = mentions(question, [without_orders(source["text"]) for source in whole.sources])
    return [{**_place_of(whole.sources[number]), "quote": quote} for number, quote in found]


def _place_of(source: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "document": source["document_name"],
        "document_id": source["document_id"],
        "page": source["page_number"],
        "chunk_id": source["chunk_id"],
    }


_UNTOUCHED = {"state": "valid", "reason": None, "since": None, "verification": None}
_NO_ANSWER: dict[str, Any] = {
    "answer": None,
    "original_answer": None,
    "model": None,
    "abstained": None,
    "abstain_reason": None,
    "references": [],
    "citations": [],
    "removed_citations": [],
    "edits": [],
}


def _head(query: Query, workspace: str, searched: Mapping[int, str]) -> dict[str, Any]:
    several = [searched[each] for each in query.options.get("workspaces", ()) if each in searched]
    return {
        "id": str(query.id),
        "status": query.status,
        "stage": query.stage,
        "workspace": workspace,
        "workspaces": several or [workspace],
        "question": query.question,
        "mode": query.mode,
        "preset": query.options.get("preset", "standard"),
        "run": query.options.get("run", "structured"),
        "provider": query.provider,
        "error": query.error,
        "replay_of": str(query.replay_of) if query.replay_of else None,
        "created_at": query.created_at.isoformat(),
        "finished_at": query.finished_at.isoformat() if query.finished_at else None,
    }


def _elapsed_ms(query: Query) -> float | None:
    if query.finished_at is None:
        return None
    return round((query.finished_at - query.created_at).total_seconds() * 1000, 1)


def _origin(document_id: str, added: Mapping[str, tuple[str, str]]) -> dict[str, str | None]:
    """When the document was added, and to which workspace; null for a deleted one."""
    at, workspace = added.get(document_id, (None, None))
    return {"timestamp": at, "workspace": workspace}


def _answer_json(answer: Answer, citations: list[Citation], added: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "original_answer": answer.original_text,
        "model": answer.model,
        "abstained": answer.abstained,
        "abstain_reason": answer.abstain_reason,
        "references": answer.references,
        "citations": [_citation_json(citation, added) for citation in citations],
        "removed_citations": answer.removed_citations,
        "edits": answer.edits,
    }


_CITATION_FIELDS = (
    "number document_name doc_id chunk_id chunk_index start_index source page_number section text_span source_start "
    "source_end claim_text answer_start answer_end citation_type confidence_score status explanation"
).split()
_SCORE_FIELDS = (
    "overall_score answer_source_alignment citation_coverage fact_verification_score issues verified_sources "
    "unverified_claims calibration is_grounded claims_checked claims_supported accuracy_rate suggested_corrections "
    "checks"
).split()
_SENTENCE_FIELDS = "start end text status reason support evidence source".split()
_CLAIM_FIELDS = "claim status evidence source reasoning".split()
_CHECK_FIELDS = (
    "item statement citation_number chunk_id source_file source_page is_accurate relation confidence explanation "
    "evidence decided_by status"
).split()
_CALL_FIELDS = (
    "id round step item provider model prompt prompt_version prompt_sha256 attempt status error finish_reason "
    "request_id prompt_tokens cached_tokens completion_tokens reasoning_tokens estimated duration_ms reply_text "
    "kept hedged unknown"
).split()


def _fields(row: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _citation_json(citation: Citation, added: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    origin = _origin(str(citation.document_id), added)
    metadata = _fields(citation, ["chunk_id", "doc_id", "chunk_index", "start_index", "source"])
    return {
        **_fields(citation, _CITATION_FIELDS),
        "document_id": str(citation.document_id),
        "workspace": origin["workspace"],
        # S3.3 as the seed writes it: the cited text beside its metadata.
        "text": citation.text_span,
        "filename": citation.document_name,
        "metadata": {**metadata, "filename": citation.document_name, "timestamp": origin["timestamp"]},
        "links": _links(citation),
    }


def _links(citation: Citation) -> dict[str, str | None]:
    """Where the cited document can be seen as it looks; only pages of PDFs have pictures, and places on them."""
    document = f"/v1/documents/{citation.document_id}"
    links: dict[str, str | None] = {"original": f"{document}/original", "image": None, "boxes": None}
    if citation.page_number and citation.document_name.lower().endswith(".pdf"):
        links["image"] = f"{document}/pages/{citation.page_number}/image"
        links["boxes"] = f"{document}/boxes?start={citation.source_start}&end={citation.source_end}"
    return links


def _verification_json(stored: StoredVerification, options: dict[str, Any]) -> dict[str, Any] | None:
    if "broken" in stored.verification.checks:
        return None  # S1.6: the answer is returned without it; the reason is in the history
    return {
        **scores_json(stored, options),
        "sentences": [_sentence_json(sentence) for sentence in stored.sentences],
    }


def scores_json(stored: StoredVerification, options: dict[str, Any]) -> dict[str, Any]:
    verification = stored.verification
    return {
        **_confidences(verification),
        **_fields(verification, _SCORE_FIELDS),
        "question": question_of(verification.checks),
        "crag_attempts": verification.attempts,
        "attempts": verification.attempts,
        "additional_context_used": verification.additional_context_used,
        **(_claims_json(stored) if options.get("show_claims") else {}),
    }


def _confidences(verification: Verification) -> dict[str, Any]:
    """The confidence of the answer (V9), and the seed's score of its claims now and before repairs (S2.2)."""
    return {
        **confidence_json(verification),
        "claims_score": verification.confidence,
        "draft_claims_score": verification.draft_confidence,
    }


def _claims_json(stored: StoredVerification) -> dict[str, Any]:
    """S2.4: the claims of S2.1 and, as `facts`, the key claims of S1.4."""
    facts = stored.verification.checks.get("check_facts", {}).get("claims", [])
    return {"claims": [_fields(claim, _CLAIM_FIELDS) for claim in stored.claims], "facts": facts}


def _attempt_json(stored: StoredVerification) -> dict[str, Any]:
    verification: Verification = stored.verification
    return {
        "id": verification.id,
        "round": verification.round,
        "kind": verification.kind,
        "verifier": verification.verifier,
        "answer": verification.answer,
        **_confidences(verification),
        **_fields(verification, _SCORE_FIELDS),
        "question": question_of(verification.checks),
        "sentences": [_sentence_json(sentence) for sentence in stored.sentences],
        **_claims_json(stored),
        "citation_checks": [_check_json(check) for check in stored.citation_checks],
        "created_at": verification.created_at.isoformat(),
    }


def _sentence_json(sentence: VerificationSentence) -> dict[str, Any]:
    return _fields(sentence, _SENTENCE_FIELDS)


def _check_json(check: CitationCheck) -> dict[str, Any]:
    return _fields(check, _CHECK_FIELDS)


def _call_json(call: ModelCall) -> dict[str, Any]:
    return {
        **_fields(call, _CALL_FIELDS),
        "cost_usd": float(call.cost_usd),
        "created_at": call.created_at.isoformat(),
    }


def _steps_json(rounds: Mapping[int, steps.Outcomes]) -> list[dict[str, Any]]:
    return [
        {"round": number, "step": step, "item": item, "outcome": value}
        for number, outcomes in sorted(rounds.items())
        for (step, item), value in sorted(outcomes.items())
    ]
