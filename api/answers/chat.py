"""A question from an OpenAI client: started, followed while its answer is checked, and cancelled when the client leaves
(N9)."""

import time
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol
from uuid import UUID

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from api.adapters import completions
from api.answers.one_request import MAX_WAIT_S, start_query
from api.answers.waiting import follow, read_when_final
from api.http.downloads import page_url
from api.http.sse import MEDIA_TYPE
from api.schemas.formats.completions import Asked, CompletionOptions, ConversationNamed
from clients.notifications import notify_end
from config.settings import settings
from domain.answers.continuous_text import ContinuousText, Link, no_link, without_links
from domain.errors.missing import QueryNotFound
from domain.errors.requests import TextAttached
from domain.errors.state import QueryFinished
from domain.query.conversation import last_turns
from services.core.model_choice import current_settings
from services.queries import conversations, results
from services.queries.cancel_and_retry import cancel_query
from services.queries.given_texts import given_rows
from services.queries.submission import NewQuery
from services.queries.workspaces import read_model
from workers.starting.launch import launcher


def as_query(asked: Asked) -> NewQuery:
    """Convert the request to a question. Raises WorkspaceNotFound and ModeUnknown if `model` does not name one, and
    TextAttached."""
    model = read_model(asked.model)
    if asked.question is None:
        raise TextAttached
    return NewQuery(
        asked.question,
        workspace=model.workspace,
        mode=model.mode,
        answer_schema=asked.answer_schema,
        sources=given_rows(asked.sources, current_settings()),
    )


def start(asked: Asked, named: ConversationNamed | None, beside: dict[str, Any] | None = None) -> UUID:
    """Start the question, as a turn of the conversation `named`, if there is one; `beside` as in NewQuery. Raises the
    errors of submitting the question."""
    new = replace(as_query(asked), beside=beside)
    if named is None:
        before = last_turns([(role, without_links(text)) for role, text in asked.before])
        return start_query(replace(new, conversation=before))
    if named == "new":
        query_id = conversations.ask_first(new, current_settings()).query_id
    else:
        query_id = conversations.ask(named, new, current_settings(), workspace=new.workspace).query_id
    launcher().queries()
    return query_id


async def read_answered(request: Request, query_id: UUID) -> dict[str, Any]:
    """Return the query at its end, or after MAX_WAIT_S seconds. If the client disconnects before, the query is
    cancelled."""
    query = await read_when_final(request, query_id, MAX_WAIT_S, results.read_query)
    if query["status"] not in results.FINAL and await request.is_disconnected():
        await run_in_threadpool(abandon, query_id)
    return query


def abandon(query_id: UUID) -> None:
    """Cancel the query, if it has not ended."""
    with suppress(QueryFinished, QueryNotFound):
        cancel_query(query_id)
        notify_end(query_id)


def links_of(request: Request, asked: Asked) -> Link:
    return completions.places_at(page_url(request)) if asked.citewell.links else no_link


def in_text(asked: Asked, link: Link) -> Link:
    # The text of an object has no links: the addresses are fields of their own.
    return no_link if asked.is_json else link


def content_of(read: Mapping[str, Any], options: CompletionOptions, link: Link, *, is_json: bool) -> str | None:
    if read["answer_object"]:
        return completions.filled_object(read)
    if is_json:
        return completions.object_of(read, link)
    return completions.content_of(read, options.append, link if options.links else no_link)


async def passed(query_id: UUID, text: ContinuousText, *, whole: bool) -> AsyncIterator[str]:
    """Yield each sentence as soon as it and all before it have passed their checks, until the end or MAX_WAIT_S
    seconds; an empty text means that nothing has happened for a while.

    A `whole` answer yields no sentences: half an object is not valid JSON, so an object is sent whole, at the end.
    """
    started = spoke = time.monotonic()
    async for events in follow(query_id, 0):
        now = time.monotonic()
        if now - started >= MAX_WAIT_S:
            return
        piece = "" if whole else "".join(text.take(event.type, event.data) for event in events)
        if piece or now - spoke >= settings().stream.heartbeat_s:
            yield piece
            spoke = now


class Encoded(Protocol):
    """The encoded events of one answer; `ended` once nothing is left that a client could wait for."""

    query_id: UUID
    ended: bool

    def encoded(self) -> AsyncIterator[bytes]: ...


class OwnedStream(StreamingResponse):
    """A response that ends with its stream, or as soon as its client disconnects; then it cancels the query."""

    def __init__(self, events: Encoded, headers: Mapping[str, str]) -> None:
        super().__init__(events.encoded(), media_type=MEDIA_TYPE, headers=headers)
        self._events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            if not self._events.ended:
                await run_in_threadpool(abandon, self._events.query_id)
