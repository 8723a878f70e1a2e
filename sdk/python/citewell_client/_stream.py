"""Joins the events of a question from several connections where one breaks, and reads the verified answer from them."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing, closing
from typing import Any, cast

import httpx

from citewell_client._calls import Call, at, nothing_of
from citewell_client._sse import ServerSentEvent
from citewell_client._waiting import Retries
from citewell_client.errors import ApiProblem, ServerUnreachable, not_citewell
from citewell_client.types import ENDS, PassedSentence, Query, StreamEvent

# The server sends a comment every 15 s; a connection that is silent for longer is dead, whatever its state.
_SILENCE_S = 30.0
_PAUSE_S = 0.5
_NO_CONTENT = 204
_PASSED = frozenset({"sentence.verified", "sentence.repaired"})


class EventsJoined:
    """The state of a stream across its connections: every event comes once, in order, without gaps.

    For each connection: `call`, `opened`, `take` for the data that arrives, `pause_after` when it breaks. `over` is
    true after the event that ends the stream.
    """

    def __init__(self, query_id: str, last_event_id: int | None) -> None:
        self.over = False
        self._query_id = query_id
        self._last = self._resumed_after = last_event_id
        self._pause_s = _PAUSE_S
        self._retries = Retries(repeatable=True)
        self._response: httpx.Response | None = None

    def call(self) -> Call[None]:
        """Return the request that begins or resumes the stream."""
        self._resumed_after, self._response = self._last, None
        resume = {} if self._last is None else {"Last-Event-ID": str(self._last)}
        headers = {"Accept": "text/event-stream", "Cache-Control": "no-store", **resume}
        return Call("GET", at("queries", self._query_id, "events"), nothing_of, headers=headers, wait=_SILENCE_S)

    def opened(self, response: httpx.Response) -> None:
        """Check the head of a successful response. Raises ApiProblem when it is not a stream of events."""
        self._response = response
        # 204 means that no more events will come.
        self.over = response.status_code == _NO_CONTENT
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if not self.over and kind != "text/event-stream":
            raise not_citewell(response)

    def take(self, response: httpx.Response, sent: ServerSentEvent) -> StreamEvent | None:
        """Return the event for the caller; None for heartbeats and repeated events. Raises ApiProblem."""
        if sent.retry is not None:
            self._pause_s = sent.retry / 1000
        if not sent.data:
            return None
        event = _event(response, sent)
        number = event["id"]
        if number is not None and self._resumed_after is not None and number <= self._resumed_after:
            return None
        self._last = self._last if number is None else number
        self.over = event["type"] in ENDS
        return event

    def pause_after(self, error: ApiProblem | ServerUnreachable | None) -> float:
        """Return the seconds until the next connection. Raises the error when another connection will not help.

        A connection that brought any data counts as good: only consecutive ones without data are counted.
        """
        if self._response is None or not self._response.num_bytes_downloaded:
            reason = f"the server ends the events of {self._query_id} without the last one; ask for the query itself"
            return self._retries.pause_after(error or ServerUnreachable(reason, passing=True))
        if isinstance(error, ApiProblem):
            raise error
        self._retries = Retries(repeatable=True)
        return self._pause_s


def _event(response: httpx.Response, sent: ServerSentEvent) -> StreamEvent:
    try:
        number, data = int(sent.id) if sent.id else None, json.loads(sent.data)
    except ValueError:
        raise not_citewell(response) from None
    if not isinstance(data, dict):
        raise not_citewell(response)
    return cast("StreamEvent", {"id": number, "type": sent.event or "message", "data": cast("dict[str, Any]", data)})


class _Read:
    """The part of an answer that was read; after the last sentence `query` is the finished question."""

    def __init__(self, query_id: str) -> None:
        self.id = query_id
        self.query: Query | None = None

    def take(self, event: StreamEvent) -> PassedSentence | None:
        if event["type"] in ENDS:
            self.query = cast("Query | None", event["data"].get("query"))
        return cast("PassedSentence", event["data"]) if event["type"] in _PASSED else None


class AnswerStream(_Read):
    """The sentences of an answer, each as soon as it is verified; afterwards `query` is the finished question.

    `id` is that of the question. A reader who stops does not stop the question: `client.cancel(stream.id)` does.
    """

    def __init__(self, query_id: str, events: Generator[StreamEvent]) -> None:
        super().__init__(query_id)
        self._events = events

    def __iter__(self) -> Iterator[PassedSentence]:
        with closing(self._events) as events:
            yield from filter(None, map(self.take, events))


class AsyncAnswerStream(_Read):
    """AnswerStream, for `async for`."""

    def __init__(self, query_id: str, events: AsyncGenerator[StreamEvent]) -> None:
        super().__init__(query_id)
        self._events = events

    async def __aiter__(self) -> AsyncIterator[PassedSentence]:
        async with aclosing(self._events) as events:
            async for event in events:
                if sentence := self.take(event):
                    yield sentence
