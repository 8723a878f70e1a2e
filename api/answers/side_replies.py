"""Replies to requests of chat programs about a conversation: nothing is stored, searched for or verified (N9)."""

import time
import uuid
from typing import Any

from fastapi import Response
from fastapi.sse import format_sse_event

from api.adapters import completions
from api.http.sse import HEADERS, MEDIA_TYPE, data_event
from api.schemas.formats.completions import CompletionCreate
from services.queries.workspaces import read_model

_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def said_aside(asked: CompletionCreate, reply: str) -> dict[str, Any] | Response:
    """Return `reply` as a completion, or as a stream, without proof, because it states nothing. Raises
    WorkspaceNotFound."""
    read_model(asked.model)
    head = {"id": f"chatcmpl-{uuid.uuid4()}", "created": int(time.time()), "model": asked.model}
    if not asked.stream:
        said = completions.completion_of(head | {"object": "chat.completion"}, completions.message(reply, []))
        return said | {"usage": _USAGE, "citewell": None}
    head["object"] = "chat.completion.chunk"
    with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
    events = [
        data_event(completions.chunk(head, {"role": "assistant", "content": reply})),
        data_event(completions.chunk(head, {}, "stop")),
        *([data_event({**head, "choices": [], "usage": _USAGE})] if with_usage else []),
        format_sse_event(data_str="[DONE]"),
    ]
    return Response(b"".join(events), media_type=MEDIA_TYPE, headers=HEADERS)
