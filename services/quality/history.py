"""Quality of the latest answers: the seeds' metrics from the stored history (S2.7, S3.7)."""

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from citewell_verify.verdicts.states import SentenceStatus, Verdict
from db.queries.reports import quality as rows
from db.queries.reports.quality import VerifiedRow
from db.session import reading
from domain.quality import answer_quality
from domain.quality.answer_quality import Metric
from services.quality.counts import answerable, count_ratings

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Label:
    """A human verdict on one answer: whether it is grounded in its sources."""

    query_id: uuid.UUID
    grounded: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """The stored history of some queries; rows that belong to a verification begin with its id."""

    verified: list[VerifiedRow]
    rerankings: list[tuple[uuid.UUID, str, str, dict[str, Any]]]
    states: list[tuple[int, str]]
    cited: list[tuple[int, str, bool]]
    citation_states: list[tuple[int, str]]


def read_quality(workspace: str | None, limit: int, labels: Sequence[Label] = ()) -> dict[str, Any]:
    with reading() as session:
        queries = rows.newest_queries(session, workspace, limit)
        measured = metrics(read_rows(session, queries), labels)
    if labels:
        count_ratings(measured["confidence_accuracy"])
    return {"queries": len(queries), "metrics": {name: metric.as_json() for name, metric in measured.items()}}


def read_rows(session: Session, queries: Collection[uuid.UUID]) -> Rows:
    verified = rows.list_verified(session, queries)
    published = [row.verification_id for row in published_of(verified).values()]
    return Rows(
        verified=verified,
        rerankings=rows.list_rerankings(session, queries),
        states=rows.list_states(session, published),
        cited=rows.list_cited(session, published),
        citation_states=rows.list_citation_states(session, published),
    )


def published_of(verified: Sequence[VerifiedRow]) -> dict[uuid.UUID, VerifiedRow]:
    return {row.query_id: row for row in verified if row.kind == "published"}


def metrics(stored: Rows, labels: Sequence[Label] = ()) -> dict[str, Metric]:
    published = published_of(stored.verified)
    copied = {row.verification_id for row in stored.verified if row.provider == "offline"}
    rated = [(published.get(label.query_id), label.grounded) for label in labels]
    return {
        **_reranking(stored.rerankings),
        **_answerability(published, labels),
        "citation_accuracy": _with_copies(stored.citation_states, copied, _accuracy),
        "citation_coverage": _with_copies([(row[0], row) for row in stored.cited], copied, _coverage),
        **_hallucinations(stored.states, copied),
        **_corrections(stored.verified, published),
        "mean_confidence": answer_quality.mean_confidence(row.confidence for row in published.values()),
        "confidence_accuracy": answer_quality.confidence_accuracy(
            [answer_quality.RatedAnswer(row.confidence, grounded) for row, grounded in rated if row]
        ),
    }


def _reranking(rerankings: Sequence[tuple[uuid.UUID, str, str, dict[str, Any]]]) -> dict[str, Metric]:
    scores: dict[uuid.UUID, dict[str, float | None]] = defaultdict(dict)
    selected: dict[uuid.UUID, list[int]] = defaultdict(list)
    for query_id, step, item, outcome in rerankings:
        if step == "score_chunks":
            scores[query_id][item] = outcome["score"]
        else:
            selected[query_id] = outcome["selected"]
    reranked = [
        answer_quality.Reranking(tuple(scored.values()), tuple(scored.get(str(key)) for key in selected[query_id]))
        for query_id, scored in scores.items()
    ]
    return {
        "rerank_score_gain": answer_quality.score_gain(reranked),
        "selection_rate": answer_quality.selection_rate(reranked),
    }


def _answerability(published: Mapping[uuid.UUID, VerifiedRow], labels: Sequence[Label]) -> dict[str, Metric]:
    truth = {label.query_id: label.grounded for label in labels}
    checks = [
        answer_quality.AnswerabilityCheck(answerable(row.checks), truth.get(query_id))
        for query_id, row in published.items()
        if "check_answerability" in row.checks
    ]
    return {
        "answerability_rejection_rate": answer_quality.rejection_rate(checks),
        "answerability_false_positive_rate": answer_quality.false_positive_rate(checks),
        "answerability_false_negative_rate": answer_quality.false_negative_rate(checks),
    }


def _accuracy(states: Iterable[str]) -> Metric:
    return answer_quality.citation_accuracy(None if state == "not_checked" else Verdict(state) for state in states)


def _coverage(sentences: Iterable[tuple[int, str, bool]]) -> Metric:
    return answer_quality.cited_claims([has for _, state, has in sentences if state != SentenceStatus.NO_CLAIM])


def _hallucinations(states: Sequence[tuple[int, str]], copied: Collection[int]) -> dict[str, Metric]:
    answers: dict[int, list[SentenceStatus]] = defaultdict(list)
    for verification, state in states:
        answers[verification].append(SentenceStatus(state))
    said = list(answers.items())
    return {
        "hallucination_rate": _with_copies(said, copied, answer_quality.hallucination_rate),
        "unsupported_claim_rate": _with_copies(said, copied, answer_quality.unsupported_claim_rate),
    }


def _with_copies(
    rows_: Sequence[tuple[int, T]], copied: Collection[int], measure: Callable[[Iterable[T]], Metric]
) -> Metric:
    """Return a metric of a writer's mistakes with the number of copied cases, which had no chance of such a mistake.

    The first column of each row is its verification.
    """
    copies = measure(value for verification, value in rows_ if verification in copied)
    return measure(value for _, value in rows_).with_copies(copies.count)


def _corrections(verified: Sequence[VerifiedRow], published: Mapping[uuid.UUID, VerifiedRow]) -> dict[str, Metric]:
    first: dict[uuid.UUID, float | None] = {}
    for row in verified:
        first.setdefault(row.query_id, row.draft_confidence)
    corrections = [
        answer_quality.Correction(row.attempts, first[query_id], row.draft_confidence)
        for query_id, row in published.items()
    ]
    return {
        "crag_trigger_rate": answer_quality.trigger_rate(corrections),
        "crag_success_rate": answer_quality.success_rate(corrections),
    }
