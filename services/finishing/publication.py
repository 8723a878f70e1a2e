"""The last step of a query: its result is published, or held back for a reviewer."""

from typing import Any

from sqlalchemy.orm import Session

from db.models import QueryStatus
from domain.query.outcomes import CONCLUDE, Concluded
from services.core.context import StepContext, StepResult
from services.finishing.completion import finish
from services.finishing.review import send_to_review


def publish(context: StepContext) -> StepResult:
    concluded = context.read(CONCLUDE) or Concluded(status="failed")
    failed = concluded["status"] != "answered"
    code = concluded.get("code", "generation_failed")
    error = {"code": code, "message": concluded.get("reason", "")} if failed else None

    def save(session: Session) -> None:
        status = QueryStatus.FAILED if failed else QueryStatus.SUCCEEDED
        event: dict[str, Any] = {"reason": error["message"]} if error else {"abstained": concluded.get("abstained")}
        reasons = [] if failed else send_to_review(session, context)
        if reasons and context.query.options.review.holds:
            status, event = QueryStatus.HELD, {"reasons": reasons}
        is_batch_item = context.query.batch_id is not None
        finish(session, context.query.id, status, error=error, event=event, is_batch_item=is_batch_item)

    return StepResult.single({"status": "done"}, save)
