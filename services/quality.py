"""How well the system did over its latest answers: the seeds' metrics from the stored history (S2.7, S3.7)."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from db.queries import quality as rows
from db.queries.quality import VerifiedRow
from db.session import reading
from domain import quality
from domain.verdicts import SentenceStatus, Verdict


@dataclass(frozen=True, slots=True)
class Label:
    """What people say of one answer: is it grounded in its sources."""

    query_id: uuid.UUID
    grounded: bool


def read_quality(workspace: str | None, limit: int, labels: Sequence[Label] = ()) -> dict[str, Any]:
    """The metrics over the newest `limit` verified queries; those that need labels have none without."""
    with reading() as session:
        queries = rows.newest_queries(session, workspace, limit)
        verified = rows.list_verified(session, queries)
        published = {row.query_id: row for row in verified if row.kind == "published"}
        found = {
            **_reranking(session, queries),
            **_answerability(published, labels),
            **_citations(session, published),
            **_hallucinations(session, published),
            **_corrections(verified, published),
            "confidence_accuracy": quality.confidence_accuracy(_rated(published, labels)),
        }
    return {"queries": len(queries), "metrics": {name: metric.as_json() for name, metric in found.items()}}


def _reranking(session: Session, queries: Sequence[uuid.UUID]) -> dict[str, quality.Metric]:
    scores: dict[uuid.UUID, dict[str, float | None]] = defaultdict(dict)
    selected: dict[uuid.UUID, list[int]] = defaultdict(list)
    for query_id, step, item, outcome in rows.list_rerankings(session, queries):
        if step == "score_chunks":
            scores[query_id][item] = outcome["score"]
        else:
            selected[query_id] = outcome["selected"]
    rerankings = [
        quality.Reranking(tuple(found.values()), tuple(found.get(str(key)) for key in selected[query_id]))
        for query_id, found in scores.items()
    ]
    return {
        "rerank_score_gain": quality.score_gain(rerankings),
        "selection_rate": quality.selection_rate(rerankings),
    }


def _answerability(published: Mapping[uuid.UUID, VerifiedRow], labels: Sequence[Label]) -> dict[str, quality.Metric]:
    truth = {label.query_id: label.grounded for label in labels}
    checks = [
        quality.AnswerabilityCheck(_answerable(row.checks), truth.get(query_id))
        for query_id, row in published.items()
        if "check_answerability" in row.checks
    ]
    return {
        "answerability_rejection_rate": quality.rejection_rate(checks),
        "answerability_false_positive_rate": quality.false_positive_rate(checks),
        "answerability_false_negative_rate": quality.false_negative_rate(checks),
    }


def _answerable(checks: Mapping[str, Any]) -> bool | None:
    """The last verdict: that of the repaired answer when there is one."""
    again = checks.get("recheck_answerability", {}).get("supported")
    return checks["check_answerability"].get("supported") if again is None else again


def _citations(session: Session, published: Mapping[uuid.UUID, VerifiedRow]) -> dict[str, quality.Metric]:
    ids = [row.verification_id for row in published.values()]
    states = rows.list_citation_states(session, ids)
    cited = [has for state, has in rows.list_cited(session, ids) if state != SentenceStatus.NO_CLAIM]
    return {
        "citation_accuracy": quality.citation_accuracy(None if s == "not_checked" else Verdict(s) for s in states),
        "citation_coverage": quality.cited_claims(cited),
    }


def _hallucinations(session: Session, published: Mapping[uuid.UUID, VerifiedRow]) -> dict[str, quality.Metric]:
    answers: dict[int, list[SentenceStatus]] = defaultdict(list)
    for verification, state in rows.list_states(session, [row.verification_id for row in published.values()]):
        answers[verification].append(SentenceStatus(state))
    return {
        "hallucination_rate": quality.hallucination_rate(answers.values()),
        "unsupported_claim_rate": quality.unsupported_claim_rate(answers.values()),
    }


def _corrections(
    verified: Sequence[VerifiedRow], published: Mapping[uuid.UUID, VerifiedRow]
) -> dict[str, quality.Metric]:
    first: dict[uuid.UUID, float | None] = {}
    for row in verified:
        first.setdefault(row.query_id, row.confidence if row.kind == "attempt" else row.draft_confidence)
    corrections = [
        quality.Correction(row.attempts, first[query_id], row.draft_confidence) for query_id, row in published.items()
    ]
    return {
        "crag_trigger_rate": quality.trigger_rate(corrections),
        "crag_success_rate": quality.success_rate(corrections),
    }


def _rated(published: Mapping[uuid.UUID, VerifiedRow], labels: Sequence[Label]) -> list[quality.RatedAnswer]:
    rated = [(published.get(label.query_id), label.grounded) for label in labels]
    return [quality.RatedAnswer(row.confidence, grounded) for row, grounded in rated if row]
