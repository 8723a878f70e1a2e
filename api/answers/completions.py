"""Chat completions: a query that belongs to one client, and ends when that client disconnects (N9)."""

import time
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from api.adapters import completions
from api.answers.chat import OwnedStream, content_of, in_text, links_of, passed, read_answered, start
from api.answers.one_request import location_of, succeeded
from api.answers.waiting import read_after_wait
from api.http.errors import Unanswered, error_object
from api.http.sse import HEADERS, MEDIA_TYPE, data_event
from api.schemas.formats.completion_replies import CompletionProof
from api.schemas.formats.completions import CompletionCreate, ConversationNamed
from citewell_verify.errors import CitewellError
from domain.answers.continuous_text import ContinuousText, Link
from services.queries import results
from services.queries.workspaces import read_model

_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


async def completed(
    request: Request, response: Response, asked: CompletionCreate, named: ConversationNamed | None
) -> dict[str, Any]:
    """Return the whole completion, as a turn of the conversation `named`, if there is one. Raises Unanswered, and the
    errors of starting the query."""
    query_id = await run_in_threadpool(start, asked, named)
    response.headers["Location"] = location_of(query_id)
    query = await read_answered(request, query_id)
    if query["status"] == "held":
        return completions.held_completion(query, asked.model)
    link = links_of(request, asked)
    read = ContinuousText(in_text(asked, link), relabelled=False).finished(succeeded(query))
    return completions.completion(
        read, asked.model, content_of(read, asked.citewell, link, is_json=asked.is_json), link
    )


async def completed_in_chunks(
    request: Request, response: Response, asked: CompletionCreate, named: ConversationNamed | None
) -> Response:
    """Return the completion as a stream. Errors before its first chunk are raised."""
    query_id = await run_in_threadpool(start, asked, named)
    head = await run_in_threadpool(results.read_head, query_id)
    # Headers set by dependencies do not reach a response that is created here.
    headers = {**response.headers, **HEADERS, "Location": location_of(query_id)}
    whole = asked.is_json or await run_in_threadpool(results.answers_by_schema, query_id)
    return OwnedStream(_Chunks(query_id, head, asked, links_of(request, asked), whole=whole), headers)


class _Chunks:
    """The stream of one completion: each sentence as soon as it and all before it have passed their checks."""

    def __init__(
        self, query_id: UUID, head: Mapping[str, Any], asked: CompletionCreate, link: Link, *, whole: bool
    ) -> None:
        self.query_id = query_id
        self.ended = False
        self._asked = asked
        self._whole = whole
        self._link = link
        self._text = ContinuousText(in_text(asked, link))
        self._with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
        self._head = completions.head_of(head, asked.model, "chat.completion.chunk")
        if self._with_usage:
            self._head["usage"] = None

    async def encoded(self) -> AsyncIterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})
        try:
            async for piece in passed(self.query_id, self._text, whole=self._whole):
                yield self._chunk({"content": piece}) if piece else KEEPALIVE_COMMENT
            query = await read_after_wait(results.read_query, self.query_id)
            if query["status"] == "held":
                self.ended = True
                yield self._chunk({"content": completions.notice_of(query)})
                yield data_event(completions.chunk(self._head, {}, completions.HELD_REASON))
                yield format_sse_event(data_str="[DONE]")
                return
            succeeded(query)
        except (Unanswered, CitewellError) as error:
            self.ended = True
            yield data_event({"error": error_object(error.status, error.code, str(error))})
            return
        self.ended = True
        for answer in self._answer(query):
            yield answer

    def _answer(self, query: Mapping[str, Any]) -> list[bytes]:
        read = self._text.finished(query, korean=completions.in_korean(query))
        rest = (content_of(read, self._asked.citewell, self._link, is_json=self._asked.is_json) or "").removeprefix(
            self._text.shown
        )
        proof = CompletionProof.model_validate(completions.proof_of(read))
        annotations = completions.annotations_of(read, self._link)
        end = completions.chunk(self._head, {"annotations": annotations} if annotations else {}, "stop")
        last = end | {"citewell": proof.model_dump(mode="json", exclude_unset=True)}
        usage: dict[str, Any] = {**self._head, "choices": [], "usage": completions.usage_of(query)}
        return [
            *(self._chunk({"content": piece}) for piece in completions.pieces_of(rest)),
            *([self._chunk({"refusal": refusal})] if (refusal := completions.refusal_of(query)) else []),
            data_event(last),
            *([data_event(usage)] if self._with_usage else []),
            format_sse_event(data_str="[DONE]"),
        ]

    def _chunk(self, delta: Mapping[str, Any]) -> bytes:
        return data_event(completions.chunk(self._head, delta))


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
