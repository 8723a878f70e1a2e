"""Webhooks: event filters, the body of a message, the outcome of an attempt, and the time of the next one (A6)."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from domain.errors.requests import EventTypeUnknown


class EventType(StrEnum):
    """Values of `type` in messages."""

    QUERY_SUCCEEDED = "query.succeeded"
    QUERY_FAILED = "query.failed"
    VERIFICATION_SUCCEEDED = "verification.succeeded"
    VERIFICATION_FAILED = "verification.failed"
    DOCUMENT_READY = "document.ready"
    DOCUMENT_FAILED = "document.failed"
    BATCH_COMPLETED = "batch.completed"
    REVIEW_REQUESTED = "review.requested"
    ANSWER_STALE = "answer.stale"
    ANSWER_INVALIDATED = "answer.invalidated"
    ANSWER_REVALIDATED = "answer.revalidated"


TEST_EVENT = "webhook.test"
"""The type of a test message. It goes to the tested endpoint regardless of its filters."""


MAILTO = "mailto:"
"""The beginning of the URL of a delivery that is an e-mail; all of these share one limit of deliveries in flight."""


LANGFUSE = "langfuse:scores"
"""The URL of a delivery that is a score for the Langfuse of the settings."""


class Outcome(StrEnum):
    """The consequence of an attempt's result for the delivery."""

    DELIVERED = "delivered"
    RETRY = "retry"
    GONE = "gone"
    """The receiver answered 410: nothing more is sent to this endpoint."""
    FAILED = "failed"
    """The last attempt of the schedule failed."""


RETRY_AFTER_MAX_S = 86400.0

_ALL = "*"
_HTTP_GONE = 410


def outcome(status: int | None, attempt: int, schedule: Sequence[float]) -> Outcome:
    """Judge attempt number `attempt` (the first is 1); `status` is None when there was no answer. `schedule` has the
    seconds before each attempt.

    Only 2xx counts as delivered: a redirect is not followed, so it has delivered nothing.
    """
    if status is not None and 200 <= status < 300:
        return Outcome.DELIVERED
    if status == _HTTP_GONE:
        return Outcome.GONE
    return Outcome.RETRY if attempt < len(schedule) else Outcome.FAILED


def next_delay_s(
    attempt: int,
    schedule: Sequence[float],
    *,
    jitter: float,
    random01: float = 0.0,
    retry_after_s: float | None = None,
) -> float | None:
    """Seconds between the end of attempt `attempt` (0: none yet) and the next one, or None if there is none.

    `jitter` is the share by which a delay may grow, `random01` how much of that share this one grows by.
    `retry_after_s` is the receiver's request: the next attempt is not before it, but it counts as one day at most.
    """
    if attempt >= len(schedule):
        return None
    # The jitter is added to the receiver's request; otherwise all messages that it deferred would return at once.
    asked = min(retry_after_s or 0.0, RETRY_AFTER_MAX_S)
    return max(schedule[attempt], asked) * (1 + jitter * random01)


def matches(pattern: str, event_type: str) -> bool:
    """True if a filter matches an event type; a filter is `*`, a family such as `query.*`, or one type."""
    if pattern.endswith(".*"):
        return event_type.startswith(pattern.removesuffix("*"))
    return pattern in (_ALL, event_type)


def checked_filters(patterns: Sequence[str]) -> tuple[str, ...]:
    """The filters without repetitions, in order. Raises EventTypeUnknown for none, or one that matches no event."""
    if not patterns:
        raise EventTypeUnknown(f"Name at least one event type: {_choices()}.")
    for pattern in patterns:
        if not any(matches(pattern, known) for known in EventType):
            raise EventTypeUnknown(f"There are no events {pattern!r}; use {_choices()}.")
    return tuple(dict.fromkeys(patterns))


def _choices() -> str:
    families = dict.fromkeys(known.split(".")[0] + ".*" for known in EventType)
    return ", ".join([*EventType, *families, _ALL])


MAX_BYTES = 20_000

_LONG_FIELD = "answer"
_CUT_CHARS = 500
_ELLIPSIS = "…"


def message_body(type_: str, timestamp: str, data: Mapping[str, Any]) -> str:
    """The body as JSON, fewer than MAX_BYTES bytes in UTF-8. `timestamp` is the time of the event, in ISO 8601.

    Overlong data loses its `answer` and, if that is not enough, the end of every long text; `truncated` is then true.
    Raises ValueError for data that is too long even so.
    """
    shorter = {**data, "truncated": True} | ({_LONG_FIELD: None} if _LONG_FIELD in data else {})
    cut = {name: _cut(value) for name, value in shorter.items()}
    for version in (data, shorter, cut):
        body = json.dumps(
            {"type": type_, "timestamp": timestamp, "data": version}, ensure_ascii=False, separators=(",", ":")
        )
        if len(body.encode()) < MAX_BYTES:
            return body
    raise ValueError(f"the data of {type_} is too long for a webhook")


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _CUT_CHARS:
        return value[:_CUT_CHARS] + _ELLIPSIS
    if isinstance(value, Mapping):
        return {name: _cut(part) for name, part in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return value
