"""Questions, in the sync client."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from citewell_client._calls import Pages, without_none
from citewell_client._requests import queries as requests
from citewell_client._sse import EventDecoder
from citewell_client._stream import AnswerStream, EventsJoined
from citewell_client._transport import Transport
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


class Queries(Transport):
    """Questions, in the sync client."""

    def submit(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> Accepted:
        """Ask a question; `options` are further fields of the request, e.g. `workspace`, `mode` or `retrieval={"k":
        20}`.

        The same `idempotency_key` never asks twice; without one a key is generated, so that retries are safe.
        """
        return self.send(requests.submit(question, idempotency_key, options))

    def query(self, query_id: str, *, wait: float = 0) -> Query:
        """Return the query as far as it is known; with `wait` the server waits that many seconds (≤ 60) for the end."""
        return self.send(requests.query(query_id, wait))

    def wait(self, query_id: str, seconds: float = PATIENCE_S, on_look: Callable[[Query], None] | None = None) -> Query:
        """Wait for a final state, at most `seconds`; `on_look` receives the query about once per second.

        While the server's database is down, the request is repeated until the time is up.
        """
        return self.until_final(partial(requests.query, query_id), seconds, on_look)

    def ask(self, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """Ask and wait for the answer, at most `wait` seconds; `options` as for `submit`."""
        return self.wait(self.submit(question, **options)["id"], wait)

    def queries(
        self,
        workspace: str | None = None,
        *,
        status: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> Iterator[QueryListed]:
        """Yield all queries, the newest first, or the first `limit` of them; dates are in ISO 8601."""
        filters = without_none(
            workspace=workspace, status=status, created_after=created_after, created_before=created_before
        )
        pages = Pages(partial(requests.queries, filters), limit)
        while not pages.over:
            yield from pages.take(self.send(pages.next()))

    def cancel(self, query_id: str) -> QueryHead:
        """Stop working on a question."""
        return self.send(requests.cancel(query_id))

    def replay(self, query_id: str, *, idempotency_key: str | None = None) -> Accepted:
        """Ask a question again that failed, was cancelled or has parked steps, as a new one whose id is returned.

        Finished work is not paid for again.
        """
        return self.send(requests.replay(query_id, idempotency_key))

    def stream(self, question: str, **options: Any) -> AnswerStream:
        """Ask a question, and iterate over the sentences as each of them is verified; `options` as for `submit`."""
        query_id = self.submit(question, **options)["id"]
        return AnswerStream(query_id, self.events(query_id))

    def events(self, query_id: str, last_event_id: int | None = None) -> Generator[StreamEvent]:
        """Yield the events of a question as they happen, up to `final`, `failed` or `cancelled`.

        A broken connection is resumed where it broke; with `last_event_id` the stream starts after that event.
        """
        joined = EventsJoined(query_id, last_event_id)
        while not joined.over:
            error = None
            try:
                yield from self._events(joined)
            except (ApiProblem, ServerUnreachable) as broken:
                error = broken
            if not joined.over:
                time.sleep(joined.pause_after(error))

    def export(self, query_id: str, format: requests.ExportFormat = "markdown") -> bytes:
        """Return a finished answer as a file, with its references and the verdict on each sentence."""
        return self.send(requests.export(query_id, format))

    def share(self, query_id: str, hours: float = 24) -> ShareCreated:
        """Create a link that opens a finished answer without a key; its `url` is returned only here."""
        return self.send(requests.share(query_id, hours))

    def shares(self, query_id: str) -> list[Share]:
        """Return all links to an answer, the newest first."""
        return self.send(requests.shares(query_id))

    def revoke_share(self, query_id: str, share_id: str) -> None:
        """Revoke a link at once."""
        self.send(requests.revoke_share(query_id, share_id))

    def history(self, query_id: str) -> History:
        """Return the whole verification history of a query."""
        return self.send(requests.history(query_id))

    def quality(
        self, workspace: str | None = None, limit: int = 1000, labels: Sequence[Mapping[str, Any]] = ()
    ) -> Quality:
        """Return the metrics over the newest `limit` verified queries; `labels` are objects of query_id and
        grounded."""
        return self.send(requests.quality(workspace, limit, labels))

    def _events(self, joined: EventsJoined) -> Generator[StreamEvent]:
        with self.reaching(), self.http.stream(**self.arguments(joined.call())) as response:
            if not response.is_success:
                response.read()
                raise problem_of(response)
            joined.opened(response)
            if joined.over:
                return
            decoder = EventDecoder()
            for piece in response.iter_bytes():
                for sent in decoder.take(piece):
                    if event := joined.take(response, sent):
                        yield event
                    if joined.over:
                        return
