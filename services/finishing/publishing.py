"""Publishing: the query enters its final state, once."""

from typing import Any

from sqlalchemy.orm import Session

from db.models import QueryStatus
from services.core.context import StepContext, StepResult
from services.finishing.completion import finish


def publish(context: StepContext) -> StepResult:
    """End the query as succeeded, or as failed with the reason that `conclude` left."""
    concluded = context.outcome("conclude") or {}
    failed = concluded.get("status") != "answered"
    code = concluded.get("code", "generation_failed")
    error = {"code": code, "message": concluded.get("reason", "")} if failed else None
    event: dict[str, Any] = {"reason": error["message"]} if error else {"abstained": concluded["abstained"]}

    def save(session: Session) -> None:
        status = QueryStatus.FAILED if failed else QueryStatus.SUCCEEDED
        finish(session, context.query.id, status, error=error, event=event)

    return StepResult.single({"status": "done"}, save)
