"""Stored rows as the JSON of the public interface: a query, its answer, its verification, and the checks."""

from collections.abc import Mapping, Sequence
from typing import Any

from citewell_documents.formats import has_pages_to_see
from citewell_verify.evidence.passages import GIVEN
from citewell_verify.question.question_parts import is_greeting, whole_asked
from citewell_verify.question.relevance import question_of
from citewell_verify.safety.prompt_injection import without_orders
from citewell_verify.text.quotes import locate_quote
from db.base import row_json
from db.models import Answer, Citation, CitationCheck, ModelCall, Query, Verification, VerificationSentence
from db.queries.runs import results, steps
from db.queries.runs.results import StoredVerification
from domain.documents.cells import Cells
from domain.documents.text_marks import TextMarks
from domain.question.nearest import closest
from services.reporting.assessment import confidence_json

UNTOUCHED = {"state": "valid", "reason": None, "since": None, "verification": None}
NO_ANSWER: dict[str, Any] = {
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


def head_json(query: Query, workspace: str, searched: Mapping[int, str]) -> dict[str, Any]:
    several = [searched[option] for option in query.options.get("workspaces", ()) if option in searched]
    return {
        **row_json(query, "id status stage question mode provider error replay_of created_at finished_at"),
        "workspace": workspace,
        "workspaces": several or [workspace],
        "preset": query.options.get("preset", "standard"),
        "run": query.options.get("run", "structured"),
    }


def elapsed_ms(query: Query) -> float | None:
    if query.finished_at is None:
        return None
    return round((query.finished_at - query.created_at).total_seconds() * 1000, 1)


def origin_json(document_id: str, added: Mapping[str, tuple[str, str]]) -> dict[str, str | None]:
    at, workspace = added.get(document_id, (None, None))
    return {"timestamp": at, "workspace": workspace}


def source_json(source: Mapping[str, Any], added: Mapping[str, tuple[str, str]], marks: TextMarks) -> dict[str, Any]:
    start = source["start_index"]
    place = (source["document_id"], source["page_number"], start, start + len(source["text"]))
    return {**source, **origin_json(source["document_id"], added), **marks.of(*place)}


def answer_json(
    answer: Answer,
    citations: list[Citation],
    added: Mapping[str, tuple[str, str]],
    marks: TextMarks,
    cells: Mapping[int, Cells],
    copies: Mapping[int, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:
    return {
        "answer": answer.text,
        "original_answer": answer.original_text,
        **row_json(answer, "model abstained abstain_reason references removed_citations edits"),
        "citations": [
            {
                **_citation_json(citation, added, marks),
                "cells": cells.get(citation.position),
                "also_in": [*copies.get(citation.position, ())],
            }
            for citation in citations
        ],
    }


def object_json(filled: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "value": filled["value"],
        "withheld": filled.get("reason") or filled.get("degraded") if filled["value"] is None else None,
        "values": filled["values"],
    }


def _citation_json(citation: Citation, added: Mapping[str, tuple[str, str]], marks: TextMarks) -> dict[str, Any]:
    origin = origin_json(str(citation.document_id), added)
    metadata = row_json(citation, "chunk_id doc_id chunk_index start_index source")
    return {
        **row_json(citation, "number document_name doc_id chunk_id chunk_index start_index source page_number section"),
        **row_json(citation, "text_span source_start source_end claim_text answer_start answer_end citation_type"),
        **row_json(citation, "confidence_score status explanation"),
        **marks.of(citation.document_id, citation.page_number, citation.source_start, citation.source_end),
        "document_id": str(citation.document_id),
        "workspace": origin["workspace"],
        # S3.3 in the form of the seed: the cited text beside its metadata.
        "text": citation.text_span,
        "filename": citation.document_name,
        "metadata": {**metadata, "filename": citation.document_name, "timestamp": origin["timestamp"]},
        "links": _links(citation),
    }


def _links(citation: Citation) -> dict[str, str | None]:
    """Return links to the original and, for pages of PDFs and for pictures, to the picture and the boxes of the
    words."""
    document = f"/v1/documents/{citation.document_id}"
    # A text that came with the question has no file.
    original = "text" if citation.source == GIVEN else "original"
    links: dict[str, str | None] = {"original": f"{document}/{original}", "image": None, "boxes": None}
    if citation.page_number and has_pages_to_see(citation.document_name):
        links["image"] = f"{document}/pages/{citation.page_number}/image"
        links["boxes"] = f"{document}/boxes?start={citation.source_start}&end={citation.source_end}"
    return links


def verification_json(stored: StoredVerification, options: dict[str, Any], marks: TextMarks) -> dict[str, Any] | None:
    if "broken" in stored.verification.checks:
        return None  # S1.6: the answer is returned without it; the reason is in the history
    return {
        **scores_json(stored, options),
        "sentences": [_published_sentence(sentence, marks) for sentence in stored.sentences],
    }


def _published_sentence(sentence: VerificationSentence, marks: TextMarks) -> dict[str, Any]:
    stated = _sentence_json(sentence)
    if not (at := stated["source"]):
        return stated
    place = (at["document_id"], at["page_number"], at["source_start"], at["source_end"])
    return {**stated, "source": {**at, **marks.of(*place)}}


def scores_json(stored: StoredVerification, options: dict[str, Any]) -> dict[str, Any]:
    verification = stored.verification
    return {
        **_scored(verification),
        "question": question_of(verification.checks),
        "crag_attempts": verification.attempts,
        "attempts": verification.attempts,
        "additional_context_used": verification.additional_context_used,
        **(_claims_json(stored) if options.get("show_claims") else {}),
    }


def _scored(verification: Verification) -> dict[str, Any]:
    """Return the answer's confidence (V9), the seed's score of its claims now and before repairs (S2.2), and the other
    scores of the verification.
    """
    return {
        **confidence_json(verification),
        "claims_score": verification.confidence,
        "draft_claims_score": verification.draft_confidence,
        **row_json(verification, "overall_score answer_source_alignment citation_coverage fact_verification_score"),
        **row_json(verification, "issues verified_sources unverified_claims calibration is_grounded claims_checked"),
        **row_json(verification, "claims_supported accuracy_rate suggested_corrections checks"),
    }


def _claims_json(stored: StoredVerification) -> dict[str, Any]:
    """S2.4: return the claims of S2.1 and, as `facts`, the key claims of S1.4."""
    facts = stored.verification.checks.get("check_facts", {}).get("claims", [])
    return {
        "claims": [row_json(claim, "claim status evidence source reasoning") for claim in stored.claims],
        "facts": facts,
    }


def attempt_json(stored: StoredVerification) -> dict[str, Any]:
    verification: Verification = stored.verification
    return {
        **row_json(verification, "id round kind verifier answer created_at"),
        **_scored(verification),
        "question": question_of(verification.checks),
        "sentences": [_sentence_json(sentence) for sentence in stored.sentences],
        **_claims_json(stored),
        "citation_checks": [check_json(check) for check in stored.citation_checks],
    }


def _sentence_json(sentence: VerificationSentence) -> dict[str, Any]:
    return row_json(sentence, "start end text status reason support evidence source")


def check_json(check: CitationCheck) -> dict[str, Any]:
    return {
        **row_json(check, "item statement citation_number chunk_id source_file source_page is_accurate relation"),
        **row_json(check, "confidence explanation evidence decided_by second_look status"),
    }


def call_json(call: ModelCall) -> dict[str, Any]:
    return {
        **row_json(call, "id round step item provider model prompt prompt_version prompt_sha256 attempt status error"),
        **row_json(call, "finish_reason request_id prompt_tokens cached_tokens completion_tokens reasoning_tokens"),
        **row_json(call, "estimated duration_ms reply_text kept hedged unknown created_at"),
        "cost_usd": float(call.cost_usd),
    }


def steps_json(rounds: Mapping[int, steps.Outcomes]) -> list[dict[str, Any]]:
    return [
        {"round": number, "step": step, "item": item, "outcome": value}
        for number, outcomes in sorted(rounds.items())
        for (step, item), value in sorted(outcomes.items())
    ]


def closest_json(question: str, whole: results.Whole, *, in_doubt: bool) -> list[dict[str, Any]]:
    """V8: return the closest passages, shown beside a refusal; beside an answer `in_doubt` those that it does not
    cite."""
    if whole.answer is None or is_greeting(question):
        return []
    answer, citations, *_ = whole.answer
    if not (answer.abstained or (in_doubt and whole_asked(question) is None)):
        return []
    cited = {citation.chunk_id for citation in citations}
    sources = [source for source in whole.sources if source["chunk_id"] not in cited]
    quoted = closest(question, [without_orders(source["text"]) for source in sources])
    return [{**_place_of(sources[number], quote), "quote": quote} for number, quote in quoted]


def _place_of(source: Mapping[str, Any], quote: str) -> dict[str, Any]:
    located = locate_quote(quote, source["text"])
    start, end = (located.start, located.end) if located else (0, len(source["text"]))
    return {
        "document": source["document_name"],
        "document_id": source["document_id"],
        "page": source["page_number"],
        "section": source["section"],
        "chunk_id": source["chunk_id"],
        "source_start": source["start_index"] + start,
        "source_end": source["start_index"] + end,
    }
