"""Chat completions: a query that belongs to one client, and ends when that client disconnects (N9)."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.types import Receive, Scope, Send

from api.adapters import completions
from api.answers.one_request import MAX_WAIT_S, location_of, start_query, succeeded
from api.answers.waiting import follow, read_when_final, require_valid_key
from api.http.downloads import page_url
from api.http.errors import Unanswered, error_object
from api.http.sse import HEADERS, MEDIA_TYPE, data_event
from api.schemas.formats.completions import CompletionCreate, CompletionProof, ConversationNamed
from citewell_verify.errors import CitewellError
from config.settings import settings
from domain.answers.continuous_text import ContinuousText, Link, no_link, without_links
from domain.errors import QueryFinished, QueryNotFound
from domain.query.conversation import last_turns
from services.core.model_choice import current_settings
from services.queries import conversations, results
from services.queries.cancel_and_retry import cancel_query
from services.queries.submission import NewQuery
from services.queries.workspaces import read_model
from workers.processes.notifying import notify_end
from workers.starting.launch_thread import launcher


async def completed(
    request: Request, response: Response, asked: CompletionCreate, named: ConversationNamed | None
) -> dict[str, Any]:
    """Return the whole completion, as a turn of the conversation `named`, if there is one. Raises Unanswered, and what
    starting the query raises.
    """
    query_id = await run_in_threadpool(_start, asked, named)
    response.headers["Location"] = location_of(query_id)
    query = await read_when_final(request, query_id, MAX_WAIT_S, results.read_query)
    if query["status"] not in results.FINAL and await request.is_disconnected():
        await run_in_threadpool(_abandon, query_id)
    if query["status"] == "held":
        return completions.held_completion(query, asked.model)
    link = _links(request, asked)
    read = ContinuousText(_in_text(asked, link), relabelled=False).finished(succeeded(query))
    return completions.completion(read, asked.model, _content(asked, read, link), link)


async def completed_in_chunks(
    request: Request, response: Response, asked: CompletionCreate, named: ConversationNamed | None
) -> Response:
    """Return the completion as a stream; errors before its first chunk are raised."""
    query_id = await run_in_threadpool(_start, asked, named)
    head = await run_in_threadpool(results.read_head, query_id)
    # Headers set by dependencies do not reach a response that is created here.
    headers = {**response.headers, **HEADERS, "Location": location_of(query_id)}
    whole = asked.is_json or await run_in_threadpool(results.answers_by_schema, query_id)
    return _ChunkResponse(_Chunks(query_id, head, asked, _links(request, asked), whole=whole), headers)


def _links(request: Request, asked: CompletionCreate) -> Link:
    if not asked.citewell.links:
        return no_link
    return completions.places_at(page_url(request))


def _in_text(asked: CompletionCreate, link: Link) -> Link:
    # The text of an object has no links: the addresses are fields of their own.
    return no_link if asked.is_json else link


def _content(asked: CompletionCreate, read: Mapping[str, Any], link: Link) -> str | None:
    if read["answer_object"]:
        return completions.filled_object(read)
    if asked.is_json:
        return completions.object_of(read, link)
    return completions.content_of(read, asked.citewell.append, link)


def _start(asked: CompletionCreate, named: ConversationNamed | None) -> UUID:
    model = read_model(asked.model)
    new = NewQuery(asked.question, workspace=model.workspace, mode=model.mode, answer_schema=asked.answer_schema)
    if named is None:
        before = last_turns([(role, without_links(text)) for role, text in asked.before])
        return start_query(replace(new, conversation=before))
    if named == "new":
        query_id = conversations.ask_first(new, current_settings()).query_id
    else:
        query_id = conversations.ask(named, new, current_settings(), workspace=model.workspace).query_id
    launcher().queries()
    return query_id


def _abandon(query_id: UUID) -> None:
    with suppress(QueryFinished, QueryNotFound):
        cancel_query(query_id)
        notify_end(query_id)


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
        self._text = ContinuousText(_in_text(asked, link))
        self._with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
        self._head = completions.head_of(head, asked.model, "chat.completion.chunk")
        if self._with_usage:
            self._head["usage"] = None

    async def encoded(self) -> AsyncIterator[bytes]:
        yield self._chunk({"role": "assistant", "content": ""})
        try:
            async for passed in self._until_final():
                yield passed
            await require_valid_key()
            query = await run_in_threadpool(results.read_query, self.query_id)
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

    async def _until_final(self) -> AsyncIterator[bytes]:
        started = spoke = time.monotonic()
        async for events in follow(self.query_id, 0):
            now = time.monotonic()
            if now - started >= MAX_WAIT_S:
                return
            # Half an object is not valid JSON, so an object is sent whole, at the end.
            if not self._whole and (passed := "".join(self._text.take(event.type, event.data) for event in events)):
                yield self._chunk({"content": passed})
                spoke = now
            elif now - spoke >= settings().stream.heartbeat_s:
                yield KEEPALIVE_COMMENT
                spoke = now

    def _answer(self, query: Mapping[str, Any]) -> list[bytes]:
        read = self._text.finished(query, korean=completions.in_korean(query))
        rest = (_content(self._asked, read, self._link) or "").removeprefix(self._text.shown)
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


class _ChunkResponse(StreamingResponse):
    """Ends with its stream, or as soon as its client disconnects; then it cancels the query."""

    def __init__(self, chunks: _Chunks, headers: Mapping[str, str]) -> None:
        super().__init__(chunks.encoded(), media_type=MEDIA_TYPE, headers=headers)
        self._chunks = chunks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if not self._chunks.ended:
                await run_in_threadpool(_abandon, self._chunks.query_id)
