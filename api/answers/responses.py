"""Responses of OpenAI's API: the same answers as chat completions, which can also be read and followed later (N9)."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import KEEPALIVE_COMMENT

from api.adapters import completions
from api.adapters import responses as adapter
from api.answers import chat
from api.answers.one_request import succeeded
from api.answers.waiting import read_after_wait
from api.http.downloads import page_url
from api.http.errors import Unanswered, error_object
from api.http.sse import HEADERS, data_event
from api.schemas.formats.completions import CompletionOptions
from api.schemas.formats.responses import ResponseCreate, response_id
from citewell_verify.errors import CitewellError
from domain.answers.continuous_text import ContinuousText, Link, no_link
from services.core.model_choice import current_settings
from services.queries import responses, results
from workers.starting.launch import launcher

Json = Mapping[str, Any]


async def created(request: Request, response: Response, asked: ResponseCreate) -> dict[str, Any] | Response:
    """Return the whole response, its stream, or with `background` what is known so far. Raises Unanswered, and the
    errors of starting the query."""
    query_id = await run_in_threadpool(_start, asked)
    response.headers["Location"] = f"/v1/responses/{response_id(query_id)}"
    beside = asked.beside
    if asked.stream:
        stream = await run_in_threadpool(lambda: _stream(request, query_id, beside, is_owned=not asked.background))
        # Headers set by dependencies do not reach a response that is created here.
        headers = {**response.headers, **HEADERS}
        return chat.OwnedStream(stream, headers)
    if asked.background:
        return adapter.unanswered(await run_in_threadpool(results.read_head, query_id), beside)
    query = await chat.read_answered(request, query_id)
    if query["status"] == "held":
        return adapter.unanswered(query, beside)
    return _answered(succeeded(query), beside, ContinuousText(_in_text(request, beside)), _place(request))


def read(request: Request, query_id: UUID) -> dict[str, Any]:
    """Return the response as it is now. Raises ResponseNotFound."""
    beside = responses.said_beside(query_id)
    query = results.read_query(query_id)
    if query["status"] != "succeeded":
        return adapter.unanswered(query, beside)
    return _answered(query, beside, ContinuousText(_in_text(request, beside)), _place(request))


def streamed(request: Request, query_id: UUID) -> Response:
    """Return the response as a stream from its beginning; the query continues when the client leaves. Raises
    ResponseNotFound."""
    beside = responses.said_beside(query_id)
    return chat.OwnedStream(_stream(request, query_id, beside, is_owned=False), HEADERS)


def cancelled(request: Request, query_id: UUID) -> dict[str, Any]:
    """Return the response after its cancellation; a response that had ended is unchanged. Raises ResponseNotFound."""
    responses.said_beside(query_id)
    chat.abandon(query_id)
    return read(request, query_id)


def deleted(query_id: UUID) -> dict[str, Any]:
    """Delete the response. Raises ResponseNotFound."""
    responses.forget(query_id)
    chat.abandon(query_id)
    return {"id": response_id(query_id), "object": "response", "deleted": True}


def _start(asked: ResponseCreate) -> UUID:
    beside = asked.beside if asked.beside["store"] else None
    if asked.previous is None:
        return chat.start(asked, asked.conversation_named, beside)
    new = replace(chat.as_query(asked), beside=beside)
    query_id = responses.ask_after(asked.previous, new, current_settings())
    launcher().queries()
    return query_id


def _place(request: Request) -> Link:
    return completions.places_at(page_url(request))


def _in_text(request: Request, beside: Json) -> Link:
    return no_link if beside["is_json"] or not beside["citewell"]["links"] else _place(request)


def _answered(query: Json, beside: Json, text: ContinuousText, place: Link) -> dict[str, Any]:
    shown = text.finished(query, korean=completions.in_korean(query))
    options = CompletionOptions.model_validate(beside["citewell"])
    content = chat.content_of(shown, options, place, is_json=beside["is_json"])
    return adapter.response(shown, beside, content, place)


def _stream(request: Request, query_id: UUID, beside: Json, *, is_owned: bool) -> "_Events":
    events = _Events(results.read_head(query_id), beside, ContinuousText(_in_text(request, beside)), _place(request))
    events.whole = beside["is_json"] or results.answers_by_schema(query_id)
    # A response that does not belong to this request alone continues when its client leaves.
    events.ended = not is_owned
    return events


class _Events:
    """The stream of one response, with the names and the order of OpenAI's events."""

    def __init__(self, head: Json, beside: Json, text: ContinuousText, place: Link) -> None:
        self.query_id = UUID(head["id"])
        self.ended = self.whole = False
        self._head, self._beside, self._text, self._place = head, beside, text, place
        self._item: dict[str, Any] = {"item_id": f"msg_{self.query_id}", "output_index": 0, "content_index": 0}
        self._number = -1

    async def encoded(self) -> AsyncIterator[bytes]:
        begun = adapter.unanswered(self._head, self._beside) | {"status": "in_progress"}
        yield self._event("response.created", response=begun)
        yield self._event("response.in_progress", response=begun)
        try:
            is_open = False
            async for piece in chat.passed(self.query_id, self._text, whole=self.whole):
                if not piece:
                    yield KEEPALIVE_COMMENT
                    continue
                if not is_open:
                    yield self._opened()
                    is_open = True
                yield self._delta(piece)
            self._head = query = await read_after_wait(results.read_query, self.query_id)
            if query["status"] == "held":
                self.ended = True
                yield self._event("response.incomplete", response=adapter.unanswered(query, self._beside))
                return
            succeeded(query)
        except (Unanswered, CitewellError) as error:
            self.ended = True
            yield self._failed(error)
            return
        self.ended = True
        shown = self._text.shown
        made = _answered(query, self._beside, self._text, self._place)
        if not is_open:
            yield self._opened(made["output"][0]["content"][0]["type"])
        for event in self._closing(made, shown):
            yield event

    def _opened(self, type_: str = "output_text") -> bytes:
        item = adapter.output_message(self._head, [], "in_progress")
        part = adapter.output_text("", []) if type_ == "output_text" else {"type": "refusal", "refusal": ""}
        return self._event("response.output_item.added", output_index=0, item=item) + self._event(
            "response.content_part.added", **self._item, part=part
        )

    def _delta(self, piece: str) -> bytes:
        return self._event("response.output_text.delta", **self._item, delta=piece, logprobs=[])

    def _closing(self, made: Json, shown: str) -> list[bytes]:
        (item,) = made["output"]
        (part,) = item["content"]
        if part["type"] == "refusal":
            said = [
                self._event("response.refusal.delta", **self._item, delta=part["refusal"]),
                self._event("response.refusal.done", **self._item, refusal=part["refusal"]),
            ]
        else:
            annotated = enumerate(part["annotations"])
            name = "response.output_text.annotation.added"
            said = [
                *(self._delta(piece) for piece in completions.pieces_of(part["text"].removeprefix(shown))),
                *(
                    self._event(name, **self._item, annotation_index=place, annotation=cited)
                    for place, cited in annotated
                ),
                self._event("response.output_text.done", **self._item, text=part["text"], logprobs=[]),
            ]
        return [
            *said,
            self._event("response.content_part.done", **self._item, part=part),
            self._event("response.output_item.done", output_index=0, item=item),
            self._event("response.completed", response=made),
        ]

    def _failed(self, error: Unanswered | CitewellError) -> bytes:
        if self._head["status"] == "failed":
            return self._event("response.failed", response=adapter.unanswered(self._head, self._beside))
        # Cancelled, or not finished yet: the response itself has not failed.
        told = error_object(error.status, error.code, str(error))
        return self._event("error", code=told["code"], message=told["message"], param=None)

    def _event(self, type_: str, **fields: Any) -> bytes:
        self._number += 1
        return data_event({"type": type_, "sequence_number": self._number, **fields}, name=type_)
