"""Stores and lists finished evaluations."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from db.base import row_json
from db.models import Evaluation
from db.queries.reports.quality import add_evaluation, list_evaluations
from db.session import reading, transaction
from services.evaluation.labelled_data import Files


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The record of a run with its usage; `n` counts pairs or questions, and `results` is the printed JSON."""

    kind: Literal["verification", "retrieval"]
    verifier: str
    provider: str
    files: Files
    n: int
    results: dict[str, Any]


def store_run(run: FinishedRun) -> str:
    row = Evaluation(**asdict(run))
    with transaction() as session:
        add_evaluation(session, row)
    return str(row.id)


def list_runs(limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        rows = list_evaluations(session, limit)
        return [row_json(row, "id kind verifier provider created_at files n results") for row in rows]
