"""Server-sent events: JSON in a `data:` line, with an optional name and number."""

import json
from typing import Any

from fastapi.sse import format_sse_event

MEDIA_TYPE = "text/event-stream"
# Proxies must neither cache a stream nor buffer it.
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
# The standard ends a line only at CR and LF, but many clients also split lines at these characters; JSON has them only
# in strings.
_LINE_ENDS = {ord(character): json.dumps(character)[1:-1] for character in "\x85\u2028\u2029"}


def data_event(value: Any, *, name: str | None = None, number: int | None = None) -> bytes:
    """Return `value` as one event on one line; OpenAI and S4 stream their events without a name."""
    data = json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS)
    return format_sse_event(event=name, data_str=data, id=None if number is None else str(number))


_FIELDS = {
    "data": {"type": "string", "description": "JSON."},
    "event": {"type": "string", "description": "The type of the event."},
    "id": {"type": "string", "description": "The number of the event."},
}


def described(description: str, example: str, *named: str) -> dict[str, Any]:
    """Describe the stream for OpenAPI, as the content of a 200; `named` are the fields that an event has besides its
    data.

    OpenAPI 3.1 has no keyword for a single event; programs take the schema of a stream for that of each event.
    """
    fields = {name: _FIELDS[name] for name in ("data", *named)}
    event = {
        "type": "object",
        "description": "One of the server-sent events.",
        "properties": fields,
        "required": list(fields),
    }
    return {"description": description, "content": {MEDIA_TYPE: {"schema": event, "example": example}}}
