"""The exact body of a webhook message: `{type, timestamp, data}`, under the 20 KB of Standard Webhooks (A6)."""

import json
from collections.abc import Mapping
from typing import Any

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
