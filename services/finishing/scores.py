"""Scores of an answer for where its users watch: OpenTelemetry and Langfuse. What is down there delays nothing here."""

import uuid
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from clients.telemetry import tracing
from config.settings import settings
from db.models import Query, QueryKind
from db.queries.runs import queries, results
from db.session import after_commit
from services.reporting.signal import confidence_json, stored_signal
from services.webhooks.outbox import write_langfuse_scores


class Score(NamedTuple):
    """A number from 0 to 1 or a `label`, and why, in words that quote nothing."""

    name: str
    value: float | None
    label: str | None
    reason: str


def tell_scores(session: Session, query_id: uuid.UUID) -> None:
    """Tell the scores of an answer that has just succeeded, after the commit; does nothing where nobody wants them."""
    if not (settings().langfuse.host or tracing.tells_events()):
        return
    query = queries.get_query(session, query_id)
    scores = list(_scores(session, query))
    after_commit(session, partial(_tell_events, query_id, query.traceparent, scores))
    if settings().langfuse.host and (trace_id := tracing.trace_id_of(query.traceparent)):
        write_langfuse_scores(session, query_id, [_langfuse_json(query_id, trace_id, score) for score in scores])


def _scores(session: Session, query: Query) -> Iterator[Score]:
    find = (
        results.find_draft_verification if query.kind == QueryKind.VERIFICATION else results.find_published_verification
    )
    judged = find(session, query.id)
    signal = stored_signal(query, results.find_answer(session, query.id), judged)
    yield Score("citewell.signal", None, signal["word"], signal["reason"])
    if judged is not None:
        numbers: Mapping[str, float | None] = {
            "citewell.confidence": confidence_json(judged.verification)["confidence"],
            "citewell.accuracy": judged.verification.accuracy_rate,
        }
        for name, number in numbers.items():
            if number is not None:
                yield Score(name, number, signal["word"], signal["reason"])


def _tell_events(query_id: uuid.UUID, traceparent: str | None, scores: list[Score]) -> None:
    """The event of OpenTelemetry's conventions for generative AI, one for each score, in the trace of the request."""
    with tracing.following(traceparent, query_id):
        for score in scores:
            attributes: dict[str, tracing.Value] = {
                "gen_ai.evaluation.name": score.name,
                "gen_ai.evaluation.explanation": score.reason,
                "gen_ai.response.id": str(query_id),
            }
            if score.label is not None:
                attributes["gen_ai.evaluation.score.label"] = score.label
            if score.value is not None:
                attributes["gen_ai.evaluation.score.value"] = score.value
            tracing.event("gen_ai.evaluation.result", attributes)


def _langfuse_json(query_id: uuid.UUID, trace_id: str, score: Score) -> dict[str, Any]:
    """What `POST /api/public/scores` takes; the same id sent again replaces the score."""
    return {
        "id": f"{query_id}-{score.name}",
        "traceId": trace_id,
        "name": score.name,
        "value": score.label if score.value is None else score.value,
        "dataType": "CATEGORICAL" if score.value is None else "NUMERIC",
        "comment": score.reason,
    }
