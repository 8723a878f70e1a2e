"""The guard's proxy: another model writes, and only verified text reaches the client."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.types import Receive, Scope, Send

from api.answers.guarded_gateway import policy_of
from api.answers.guarding import Guard, Unverifiable
from api.http.errors import error_object, problem
from api.http.sse import HEADERS, MEDIA_TYPE, data_event
from api.schemas.formats.guard import GuardedCreate
from citewell_verify.answers.refusals import refusal_for
from clients.addresses import endpoint
from clients.llm.servers import ask_server
from clients.llm.upstream import UpstreamFailed, answering
from config.settings import settings
from domain.answers.guarded_text import ClosedText, Piece, Removed, passed, removed_from
from domain.answers.offered_sources import offered_sources, storable
from domain.errors.missing import NoUpstream
from services.operations.workspaces import workspace_to_work_in

Json = Mapping[str, Any]
_HANDED_ON = ("role", "tool_calls", "function_call")
"""The fields of a message that are handed on. All others, such as the model's reasoning, were not verified."""
_WHOLE = ("id", "object", "created", "model", "usage", "service_tier", "system_fingerprint")
_BLOCKED = "content_filter"


async def guarded(request: Request, response: Response, asked: GuardedCreate) -> Response:
    """Return the completion, or its stream. Raises NoUpstream, WorkspaceForbidden, WorkspaceNotFound."""
    guard, url = settings().guard, settings().guard.upstream_url
    if url is None:
        raise NoUpstream
    home = await run_in_threadpool(workspace_to_work_in, asked.citewell.workspace)
    body = {name: value for name, value in (await request.json()).items() if name != "citewell"}
    key = guard.upstream_key.get_secret_value() if guard.upstream_key else ""
    answer = answering(url, key, body, guard.upstream_silence_s)
    documents = [*asked.citewell.documents, *(asked.documents or [])]
    sources = offered_sources(asked.messages, documents, guard.source_tools, attached=guard.attached_texts)
    call = f"guard-{uuid4()}"
    checks = Guard(request, home, sources, policy_of(settings()), asked.citewell.workspace, call)
    if not asked.stream:
        return await _whole(request, checks, answer)
    stream = _Stream(checks, answer)
    try:
        first = await stream.opened()
    except UpstreamFailed as error:
        return _failed(request, error)
    return _GuardedStream(stream, first, {**response.headers, **HEADERS})


def upstream_models(request: Request) -> Mapping[str, Any] | Response:
    """Return the models of the operator's server to a caller who may use them. Raises NoUpstream,
    WorkspaceForbidden."""
    guard, url = settings().guard, settings().guard.upstream_url
    if url is None:
        raise NoUpstream
    workspace_to_work_in(None)
    key = guard.upstream_key.get_secret_value() if guard.upstream_key else ""
    told = ask_server(endpoint(url, "models"), key, "")
    if told.state != "ok":
        return _failed(request, UpstreamFailed("The model's server does not list its models; name one by hand."))
    models = [{"id": name, "object": "model", "created": 0, "owned_by": "upstream"} for name in told.models]
    return {"object": "list", "data": models}


async def _whole(request: Request, guard: Guard, answer: Any) -> Response:
    try:
        async with answer as values:
            sent = await anext(aiter(values))
            choices = [cast("dict[str, Any]", choice) for choice in sent["choices"]]
            messages = [cast("dict[str, Any]", choice["message"]) for choice in choices]
    except UpstreamFailed as error:
        return _failed(request, error)
    except (LookupError, TypeError, StopAsyncIteration):
        return _failed(request, UpstreamFailed("The model's server sent something else than a chat completion."))
    ended = await asyncio.gather(*(_Text(guard).finished(_text_of(message)) for message in messages))
    told = [choice.told(guard) for choice in ended]
    worst = max(told, key=lambda one: ("none", "repaired", "blocked").index(one["action"]))
    content = {
        **{name: sent[name] for name in _WHOLE if name in sent},
        "choices": [
            {
                "index": index,
                "message": {**_handed_on(message), "content": one.text or (None if message.get("tool_calls") else "")},
                "logprobs": None,
                "finish_reason": _BLOCKED if one.blocked else choice.get("finish_reason"),
            }
            for index, (choice, message, one) in enumerate(zip(choices, messages, ended, strict=True))
        ],
        "citewell": {**worst, "removed": [entry for one in told for entry in one["removed"]]},
    }
    return JSONResponse(content)


def _text_of(message: Json) -> str:
    """Return the text of the message: its content, which may be parts, and the text of its refusal."""
    content: Any = message.get("content")
    if isinstance(content, list):
        parts = cast("list[Any]", content)
        texts = (cast("dict[str, Any]", part).get("text") for part in parts if isinstance(part, dict))
        content = "".join(text for text in texts if isinstance(text, str))
    return storable("".join(text for text in (content, message.get("refusal")) if isinstance(text, str)))


def _handed_on(message: Json) -> dict[str, Any]:
    return {name: message[name] for name in _HANDED_ON if name in message}


def _failed(request: Request, error: UpstreamFailed) -> Response:
    headers = {"Retry-After": error.retry_after} if error.retry_after else None
    return problem(request.url.path, error.status, "upstream_failed", error.message, headers=headers)


class _Text:
    """The text of one choice while it grows, with the part that has passed and the words that were removed."""

    def __init__(self, guard: Guard) -> None:
        self.text = ""
        self.blocked: str | None = None
        self._guard = guard
        self._removed: list[Removed] = []
        self._given = ""
        self._read = 0
        self._closed = ClosedText(max(1, len(guard.sources)))

    @property
    def has_closed(self) -> bool:
        """Return whether some complete sentences are not checked yet."""
        return self._closed.end > self._read

    def write(self, text: str) -> None:
        self._given += text
        self._closed.read(self._given)

    async def finished(self, text: str) -> "_Text":
        self._given += text
        await self.more(is_end=True)
        return self

    async def more(self, *, is_end: bool = False) -> str:
        """Check the complete sentences, at the end all of the text; return what may be delivered."""
        until = len(self._given) if is_end else self._closed.end
        rest, self._read = self._given[self._read : until], until
        try:
            pieces = await self._guard.check(rest)
        except Unverifiable as error:
            pieces = [Piece(len(rest), "", blocked=str(error))]
        passing: list[Piece] = []
        for piece in pieces:
            if piece.blocked:
                self.blocked = piece.blocked
                break
            passing.append(piece)
        self._removed += removed_from(passing)
        out = passed(passing) if self.text else passed(passing).lstrip()
        is_empty = not any(map(str.isalnum, self.text + out))
        if is_end and is_empty and any(map(str.isalnum, self._given)):
            out = "" if self.blocked else refusal_for(self._given)
        self.text += out
        return out

    def told(self, guard: Guard) -> dict[str, Any]:
        return {
            "action": "blocked" if self.blocked else "repaired" if self._removed else "none",
            "reason": self.blocked,
            "removed": [
                {"text": entry.text, "reason": entry.reason, "instead": entry.instead} for entry in self._removed
            ],
            "verifications": [str(query_id) for query_id in guard.verifications],
        }


class _Stream:
    """The chunks of the model's stream with verified text. While a check runs, the model continues to write."""

    def __init__(self, guard: Guard, answer: Any) -> None:
        self.guard = guard
        self._answer = answer
        self._text = _Text(guard)
        self._head: dict[str, Any] = {"object": "chat.completion.chunk", "created": int(time.time())}
        self._finish: str | None = None
        self._last: list[Json] = []
        self._events: asyncio.Queue[bytes | UpstreamFailed | None] = asyncio.Queue()
        self._news = asyncio.Event()
        self._is_read = False

    async def opened(self) -> Json:
        """Return the first chunk. Raises UpstreamFailed while an error can still become a status."""
        self._values: AsyncIterator[Json] = aiter(await self._answer.__aenter__())
        try:
            return await anext(self._values)
        except StopAsyncIteration:
            await self.close()
            raise UpstreamFailed("The model's server sent nothing.") from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        await cast("AsyncGenerator[Json]", self._values).aclose()
        with suppress(UpstreamFailed):
            await self._answer.__aexit__(None, None, None)

    async def encoded(self, first: Json) -> AsyncIterator[bytes]:
        self._take(first)
        tasks = [asyncio.create_task(work) for work in (self._read(), self._check())]
        try:
            while (event := await self._event()) is not None:
                if isinstance(event, UpstreamFailed):
                    # Unchecked text is not sent.
                    yield data_event({"error": error_object(event.status, "upstream_failed", event.message)})
                    return
                yield event
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for event in self._end():
            yield event

    async def _event(self) -> bytes | UpstreamFailed | None:
        try:
            return await asyncio.wait_for(self._events.get(), settings().stream.heartbeat_s)
        except TimeoutError:
            return KEEPALIVE_COMMENT

    async def _read(self) -> None:
        """Continue to read while a check runs: the sentences that are completed meanwhile are checked together."""
        try:
            async for value in self._values:
                self._take(value)
        except UpstreamFailed as error:
            self._events.put_nowait(error)
            return
        self._is_read = True
        self._news.set()

    async def _check(self) -> None:
        try:
            while self._text.blocked is None:
                await self._news.wait()
                self._news.clear()
                while self._text.has_closed and self._text.blocked is None:
                    self._put(await self._text.more())
                if self._is_read:
                    if self._text.blocked is None:
                        self._put(await self._text.more(is_end=True))
                    break
        except Exception:
            self._events.put_nowait(UpstreamFailed("The answer could not be verified: something broke.", 500))
            raise
        self._events.put_nowait(None)

    def _put(self, out: str) -> None:
        if out:
            self._events.put_nowait(self._chunk({"content": out}))

    def _take(self, chunk: Json) -> None:
        self._head |= {name: chunk[name] for name in _WHOLE if name in chunk and name not in ("usage", "object")}
        choices = cast("list[Any]", chunk.get("choices") or [])
        if not choices:
            self._last.append({name: chunk[name] for name in _WHOLE if name in chunk})
            return
        choice = cast("dict[str, Any]", choices[0]) if isinstance(choices[0], dict) else {}
        delta = cast("dict[str, Any]", choice.get("delta") or {})
        self._finish = choice.get("finish_reason") or self._finish
        self._text.write(_text_of(delta))
        if told := _handed_on(delta):
            # Tool calls are no text, so they need no check.
            self._events.put_nowait(self._chunk(told))
        self._news.set()

    def _end(self) -> list[bytes]:
        is_blocked = self._text.blocked is not None
        end = self._with_choice({}, _BLOCKED if is_blocked else self._finish or "stop")
        return [
            data_event(end | {"citewell": self._text.told(self.guard)}),
            *(data_event({**chunk, "choices": []}) for chunk in self._last),
            format_sse_event(data_str="[DONE]"),
        ]

    def _chunk(self, delta: Json) -> bytes:
        return data_event(self._with_choice(delta, None))

    def _with_choice(self, delta: Json, finish: str | None) -> dict[str, Any]:
        return {**self._head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]}


class _GuardedStream(StreamingResponse):
    """A response that ends with its stream, or as soon as its client disconnects; then the model and the checks are
    stopped."""

    def __init__(self, stream: _Stream, first: Json, headers: Mapping[str, str]) -> None:
        super().__init__(stream.encoded(first), media_type=MEDIA_TYPE, headers=headers)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._stream.close()
            await run_in_threadpool(self._stream.guard.abandon)
