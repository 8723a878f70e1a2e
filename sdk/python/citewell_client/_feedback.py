"""Feedback of people: `client.feedback` of both clients."""

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from typing import Any

from citewell_client._calls import (
    JSON_TYPE,
    Call,
    Page,
    Pages,
    at,
    json_body,
    nothing_of,
    object_of,
    page_of,
    without_none,
)
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Feedback as Given


def _give(query_id: str, fields: Mapping[str, Any]) -> Call[Given]:
    body = json_body({"query_id": query_id, **fields})
    return Call("POST", at("feedback"), object_of, headers=JSON_TYPE, body=body)


def _listed(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[Given]]:
    return Call("GET", at("feedback"), page_of("feedback"), without_none(**filters, limit=limit, cursor=cursor))


def _read(feedback_id: str) -> Call[Given]:
    return Call("GET", at("feedback", feedback_id), object_of)


def _review(feedback_id: str, fields: Mapping[str, Any]) -> Call[Given]:
    return Call("PATCH", at("feedback", feedback_id), object_of, headers=JSON_TYPE, body=json_body(fields))


def _delete(feedback_id: str) -> Call[None]:
    return Call("DELETE", at("feedback", feedback_id), nothing_of)


class Feedback:
    """Judgements of answers and verifications by people."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def give(self, query_id: str, **fields: Any) -> Given:
        """Store a judgement: `rating`, `verdict`, `relevant`, `reason`, `corrected_answer`, `author`. It is about one
        `sentence` or `citation` (its position from 0) if given, else about the whole answer."""
        return self._transport.send(_give(query_id, fields))

    def list(
        self, *, status: str | None = None, query_id: str | None = None, limit: int | None = None
    ) -> Iterator[Given]:
        """Yield all feedback, the newest first, or the first `limit`; `status="open"` is the queue to review."""
        pages = Pages(partial(_listed, without_none(status=status, query_id=query_id)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def get(self, feedback_id: str) -> Given:
        """Return one judgement."""
        return self._transport.send(_read(feedback_id))

    def review(self, feedback_id: str, *, status: str = "reviewed", **fields: Any) -> Given:
        """Decide on a judgement (`verdict`, `reason`, `corrected_answer`, `reviewer`; for a held answer the `decision`)
        and take it out of the queue."""
        return self._transport.send(_review(feedback_id, {"status": status, **fields}))

    def delete(self, feedback_id: str) -> None:
        """Delete a judgement."""
        self._transport.send(_delete(feedback_id))


class AsyncFeedback:
    """Judgements of answers and verifications by people."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def give(self, query_id: str, **fields: Any) -> Given:
        """Store a judgement: `rating`, `verdict`, `relevant`, `reason`, `corrected_answer`, `author`. It is about one
        `sentence` or `citation` (its position from 0) if given, else about the whole answer."""
        return await self._transport.send(_give(query_id, fields))

    async def list(
        self, *, status: str | None = None, query_id: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Given]:
        """Yield all feedback, the newest first, or the first `limit`; `status="open"` is the queue to review."""
        pages = Pages(partial(_listed, without_none(status=status, query_id=query_id)), limit)
        while not pages.over:
            for given in pages.take(await self._transport.send(pages.next())):
                yield given

    async def get(self, feedback_id: str) -> Given:
        """Return one judgement."""
        return await self._transport.send(_read(feedback_id))

    async def review(self, feedback_id: str, *, status: str = "reviewed", **fields: Any) -> Given:
        """Decide on a judgement (`verdict`, `reason`, `corrected_answer`, `reviewer`; for a held answer the `decision`)
        and take it out of the queue."""
        return await self._transport.send(_review(feedback_id, {"status": status, **fields}))

    async def delete(self, feedback_id: str) -> None:
        """Delete a judgement."""
        await self._transport.send(_delete(feedback_id))
