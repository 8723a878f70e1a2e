"""Events without a name: JSON in a `data:` line, as OpenAI and S4 stream them."""

import json
from typing import Any

from fastapi.sse import format_sse_event

MEDIA_TYPE = "text/event-stream"
# Proxies must neither keep a stream nor wait for more of it.
HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
# The standard ends a line at CR and LF only, but many a client cuts here too; inside JSON they only stand in strings.
_LINE_ENDS = {ord(character): json.dumps(character)[1:-1] for character in "\x85\u2028\u2029"}


def data_event(value: Any) -> bytes:
    """`value` as one event on one line."""
    return format_sse_event(data_str=json.dumps(value, ensure_ascii=False).translate(_LINE_ENDS))


_EVENT: dict[str, Any] = {
    "type": "object",
    "properties": {"data": {"type": "string", "description": "JSON."}},
    "required": ["data"],
}


def described(description: str, example: str) -> dict[str, Any]:
    """The stream for OpenAPI, as the content of a 200; `itemSchema` is OpenAPI 3.2's word for each event."""
    return {"description": description, "content": {MEDIA_TYPE: {"itemSchema": _EVENT, "example": example}}}
