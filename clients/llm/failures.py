"""Failures that callers get instead of a reply."""

import time

from citewell_verify.judging.statement import Failure, FailureKind
from clients.llm.calling.attempt import RetryBudget
from clients.llm.protocol import (
    CallDeferred,
    ModelError,
    ModelGone,
    ModelRateLimited,
    ModelRefused,
    ModelReplyInvalid,
    ModelUnavailable,
    NotJudged,
    Terms,
)

_KINDS: dict[type[ModelError], FailureKind] = {
    ModelUnavailable: "unavailable",
    ModelRateLimited: "rate_limited",
    ModelReplyInvalid: "invalid_reply",
    ModelGone: "gone",
    ModelRefused: "refused",
}


def after_error(error: ModelError, model: str, budget: RetryBudget) -> Failure:
    if isinstance(error, NotJudged):
        return Failure(str(error), "refused")
    tries = "1 try" if budget.tries == 1 else f"{budget.tries} tries"
    reason = f"{model} gave no usable reply in {tries}: {error}"
    if budget.out_of_time and not isinstance(error, ModelRateLimited):
        return Failure(f"{reason} (no time left for another)", "deadline")
    return Failure(reason, next(kind for error_type, kind in _KINDS.items() if isinstance(error, error_type)))


def without_call(deferred: CallDeferred, terms: Terms) -> Failure:
    """The failure of a question when the limits permit no call in time. Raises `deferred` instead if the caller wants
    to retry and can.
    """
    if terms.patience_s is None:
        return Failure(str(deferred), "rate_limited")
    if terms.ends_at is not None and time.monotonic() + deferred.wait_s >= terms.ends_at:
        return Failure(f"{deferred}, which is too late", "deadline")
    raise deferred
