"""An answer that is read while it is being verified, in both clients."""

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing, closing
from typing import cast

from citewell_client.types import ENDS, PassedSentence, Query, StreamEvent

_PASSED = frozenset({"sentence.verified", "sentence.repaired"})


class _Read:
    """What was read of an answer; after the last sentence `query` is the finished question."""

    def __init__(self, query_id: str) -> None:
        self.id = query_id
        self.query: Query | None = None

    def take(self, event: StreamEvent) -> PassedSentence | None:
        if event["type"] in ENDS:
            self.query = cast("Query | None", event["data"].get("query"))
        return cast("PassedSentence", event["data"]) if event["type"] in _PASSED else None


class AnswerStream(_Read):
    """The sentences of an answer, each as soon as it is verified; afterwards `query` is the finished question.

    `id` is that of the question. Who stops reading does not stop the question: `client.cancel(stream.id)` does.
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
