"""Questions, in the async client."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from citewell_client._calls import Pages, without_none
from citewell_client._requests import queries as requests
from citewell_client._sse import EventDecoder
from citewell_client._stream import AsyncAnswerStream, EventsJoined
from citewell_client._transport import AsyncTransport
from citewell_client._waiting import PATIENCE_S
from citewell_client.errors import ApiProblem, ServerUnreachable, problem_of
from citewell_client.types import (
    Accepted,
    History,
    Quality,
    Query,
    QueryHead,
    QueryListed,
    Share,
    ShareCreated,
    StreamEvent,
)


class AsyncQueries(AsyncTransport):
    """Questions, in the async client."""

    async def submit(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> Accepted:
        """Ask a question; `options` are further fields of the request, e.g. `workspace`, `mode` or `retrieval={"k":
        20}`.

        The same `idempotency_key` never asks twice; without one a key is generated, so that retries are safe.
        """
        return await self.send(requests.submit(question, idempotency_key, options))

    async def query(self, query_id: str, *, wait: float = 0) -> Query:
        """Return the query as far as it is known; with `wait` the server waits that many seconds (≤ 60) for the end."""
        return await self.send(requests.query(query_id, wait))

    async def wait(
        self, query_id: str, seconds: float = PATIENCE_S, on_look: Callable[[Query], None] | None = None
    ) -> Query:
        """Wait for a final state, at most `seconds`; `on_look` receives the query about once per second.

        While the server's database is down, the request is repeated until the time is up.
        """
        return await self.until_final(partial(requests.query, query_id), seconds, on_look)

    async def ask(self, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """Ask and wait for the answer, at most `wait` seconds; `options` as for `submit`."""
        return await self.wait((await self.submit(question, **options))["id"], wait)

    async def queries(
        self,
        workspace: str | None = None,
        *,
        status: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[QueryListed]:
        """Yield all queries, the newest first, or the first `limit` of them; dates are in ISO 8601."""
        filters = without_none(
            workspace=workspace, status=status, created_after=created_after, created_before=created_before
        )
        pages = Pages(partial(requests.queries, filters), limit)
        while not pages.over:
            for head in pages.take(await self.send(pages.next())):
                yield head

    async def cancel(self, query_id: str) -> QueryHead:
        """Stop working on a question."""
        return await self.send(requests.cancel(query_id))

    async def replay(self, query_id: str, *, idempotency_key: str | None = None) -> Accepted:
        """Ask a question again that failed, was cancelled or has parked steps, as a new one whose id is returned.

        Finished work is not paid for again.
        """
        return await self.send(requests.replay(query_id, idempotency_key))

    async def stream(self, question: str, **options: Any) -> AsyncAnswerStream:
        """Ask a question, and iterate over the sentences as each of them is verified; `options` as for `submit`."""
        query_id = (await self.submit(question, **options))["id"]
        return AsyncAnswerStream(query_id, self.events(query_id))

    async def events(self, query_id: str, last_event_id: int | None = None) -> AsyncGenerator[StreamEvent]:
        """Yield the events of a question as they happen, up to `final`, `failed` or `cancelled`.

        A broken connection is resumed where it broke; with `last_event_id` the stream starts after that event.
        """
        joined = EventsJoined(query_id, last_event_id)
        while not joined.over:
            error = None
            try:
                async with aclosing(self._events(joined)) as events:
                    async for event in events:
                        yield event
            except (ApiProblem, ServerUnreachable) as broken:
                error = broken
            if not joined.over:
                await asyncio.sleep(joined.pause_after(error))

    async def export(self, query_id: str, format: requests.ExportFormat = "markdown") -> bytes:
        """Return a finished answer as a file, with its references and the verdict on each sentence."""
        return await self.send(requests.export(query_id, format))

    async def share(self, query_id: str, hours: float = 24) -> ShareCreated:
        """Create a link that opens a finished answer without a key; its `url` is returned only here."""
        return await self.send(requests.share(query_id, hours))

    async def shares(self, query_id: str) -> list[Share]:
        """Return all links to an answer, the newest first."""
        return await self.send(requests.shares(query_id))

    async def revoke_share(self, query_id: str, share_id: str) -> None:
        """Revoke a link at once."""
        await self.send(requests.revoke_share(query_id, share_id))

    async def history(self, query_id: str) -> History:
        """Return the whole verification history of a query."""
        return await self.send(requests.history(query_id))

    async def quality(
        self, workspace: str | None = None, limit: int = 1000, labels: Sequence[Mapping[str, Any]] = ()
    ) -> Quality:
        """Return the metrics over the newest `limit` verified queries; `labels` are objects of query_id and
        grounded."""
        return await self.send(requests.quality(workspace, limit, labels))

    async def _events(self, joined: EventsJoined) -> AsyncGenerator[StreamEvent]:
        with self.reaching():
            async with self.http.stream(**self.arguments(joined.call())) as response:
                if not response.is_success:
                    await response.aread()
                    raise problem_of(response)
                joined.opened(response)
                if joined.over:
                    return
                decoder = EventDecoder()
                async with aclosing(cast("AsyncGenerator[bytes]", response.aiter_bytes())) as pieces:
                    async for piece in pieces:
                        for sent in decoder.take(piece):
                            if event := joined.take(response, sent):
                                yield event
                            if joined.over:
                                return
