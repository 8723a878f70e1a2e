"""Stores and lists finished evaluations."""

from dataclasses import dataclass
from typing import Any, Literal

from db.models import Evaluation
from db.queries.reports.quality import add_evaluation, list_evaluations
from db.session import reading, transaction
from services.evaluation.labelled_data import Files


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """The record of a run; `n` counts pairs or questions, `results` is the printed JSON; and the usage."""

    kind: Literal["verification", "retrieval"]
    verifier: str
    provider: str
    files: Files
    n: int
    results: dict[str, Any]


def store_run(run: FinishedRun) -> str:
    row = Evaluation(
        kind=run.kind, verifier=run.verifier, provider=run.provider, files=run.files, n=run.n, results=run.results
    )
    with transaction() as session:
        add_evaluation(session, row)
    return str(row.id)


def list_runs(limit: int) -> list[dict[str, Any]]:
    with reading() as session:
        return [
            {
                "id": str(row.id),
                "kind": row.kind,
                "verifier": row.verifier,
                "provider": row.provider,
                "created_at": row.created_at.isoformat(),
                "files": row.files,
                "n": row.n,
                "results": row.results,
            }
            for row in list_evaluations(session, limit)
        ]
