"""Conversations: `client.conversations` of both clients."""

from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

from citewell_client._calls import Pages, without_none
from citewell_client._requests import conversations as requests
from citewell_client._requests import queries
from citewell_client._transport import AsyncTransport, Transport
from citewell_client._waiting import PATIENCE_S
from citewell_client.types import Conversation, Query, Thread, Turn, TurnAccepted


class Conversations:
    """Questions to one workspace, each understood from the questions before it."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        workspace: str | None = None,
        title: str | None = None,
        *,
        query_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Conversation:
        """Begin a conversation; `query_id` is a question that becomes its first turn. Without a title the conversation
        takes one from its first question."""
        fields = without_none(workspace=workspace, title=title, query_id=query_id)
        return self._transport.send(requests.create(fields, idempotency_key))

    def begin(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> TurnAccepted:
        """Begin a conversation with its first question; `options` as for `client.submit`, for one workspace."""
        return self._transport.send(requests.begin(question, idempotency_key, options))

    def branch(
        self, conversation_id: str, turn: str, title: str | None = None, *, idempotency_key: str | None = None
    ) -> Conversation:
        """Begin a conversation that keeps the turns of this one up to `turn`; this one stays unchanged."""
        fields = without_none(turn=turn, title=title)
        return self._transport.send(requests.branch(conversation_id, fields, idempotency_key))

    def list(
        self, workspace: str | None = None, *, search: str | None = None, limit: int | None = None
    ) -> Iterator[Conversation]:
        """Yield all conversations, ordered by their last question, newest first; `search` looks into titles and
        questions."""
        pages = Pages(partial(requests.listed, without_none(workspace=workspace, search=search)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def threads(self, *, search: str | None = None, limit: int | None = None) -> Iterator[Thread]:
        """Yield conversations, and questions outside conversations, ordered by their last question, newest first."""
        pages = Pages(partial(requests.threads, without_none(search=search)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def get(self, conversation_id: str) -> Conversation:
        """Return one conversation, without its turns."""
        return self._transport.send(requests.read(conversation_id))

    def rename(self, conversation_id: str, title: str | None) -> Conversation:
        """Give a conversation a title; None takes one from its first question again."""
        return self._transport.send(requests.rename(conversation_id, title))

    def delete(self, conversation_id: str) -> None:
        """Delete a conversation; its questions stay in the history."""
        self._transport.send(requests.delete(conversation_id))

    def submit(
        self, conversation_id: str, question: str, *, idempotency_key: str | None = None, **options: Any
    ) -> TurnAccepted:
        """Ask the next question; the option `replaces` is the id of an earlier question to ask differently. `options`
        as for `client.submit`, without the workspace."""
        return self._transport.send(requests.submit(conversation_id, question, idempotency_key, options))

    def ask(self, conversation_id: str, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """Call `submit`, and wait for the answer, at most `wait` seconds."""
        accepted = self.submit(conversation_id, question, **options)
        return self._transport.until_final(partial(queries.query, accepted["id"]), wait)

    def turns(self, conversation_id: str, *, set_aside: bool = False, limit: int | None = None) -> Iterator[Turn]:
        """Yield the turns in order; `set_aside` includes the turns that were replaced."""
        pages = Pages(partial(requests.turns, conversation_id, set_aside), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def export(self, conversation_id: str, format: requests.TurnsFormat = "markdown") -> bytes:
        """Return all answers of the conversation as one file."""
        return self._transport.send(requests.export(conversation_id, format))


class AsyncConversations:
    """Questions to one workspace, each understood from the questions before it."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        workspace: str | None = None,
        title: str | None = None,
        *,
        query_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Conversation:
        """Begin a conversation; `query_id` is a question that becomes its first turn. Without a title the conversation
        takes one from its first question."""
        fields = without_none(workspace=workspace, title=title, query_id=query_id)
        return await self._transport.send(requests.create(fields, idempotency_key))

    async def begin(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> TurnAccepted:
        """Begin a conversation with its first question; `options` as for `client.submit`, for one workspace."""
        return await self._transport.send(requests.begin(question, idempotency_key, options))

    async def branch(
        self, conversation_id: str, turn: str, title: str | None = None, *, idempotency_key: str | None = None
    ) -> Conversation:
        """Begin a conversation that keeps the turns of this one up to `turn`; this one stays unchanged."""
        fields = without_none(turn=turn, title=title)
        return await self._transport.send(requests.branch(conversation_id, fields, idempotency_key))

    async def list(
        self, workspace: str | None = None, *, search: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Conversation]:
        """Yield all conversations, ordered by their last question, newest first; `search` looks into titles and
        questions."""
        pages = Pages(partial(requests.listed, without_none(workspace=workspace, search=search)), limit)
        while not pages.over:
            for conversation in pages.take(await self._transport.send(pages.next())):
                yield conversation

    async def threads(self, *, search: str | None = None, limit: int | None = None) -> AsyncIterator[Thread]:
        """Yield conversations, and questions outside conversations, ordered by their last question, newest first."""
        pages = Pages(partial(requests.threads, without_none(search=search)), limit)
        while not pages.over:
            for thread in pages.take(await self._transport.send(pages.next())):
                yield thread

    async def get(self, conversation_id: str) -> Conversation:
        """Return one conversation, without its turns."""
        return await self._transport.send(requests.read(conversation_id))

    async def rename(self, conversation_id: str, title: str | None) -> Conversation:
        """Give a conversation a title; None takes one from its first question again."""
        return await self._transport.send(requests.rename(conversation_id, title))

    async def delete(self, conversation_id: str) -> None:
        """Delete a conversation; its questions stay in the history."""
        await self._transport.send(requests.delete(conversation_id))

    async def submit(
        self, conversation_id: str, question: str, *, idempotency_key: str | None = None, **options: Any
    ) -> TurnAccepted:
        """Ask the next question; the option `replaces` is the id of an earlier question to ask differently. `options`
        as for `client.submit`, without the workspace."""
        return await self._transport.send(requests.submit(conversation_id, question, idempotency_key, options))

    async def ask(self, conversation_id: str, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """Call `submit`, and wait for the answer, at most `wait` seconds."""
        accepted = await self.submit(conversation_id, question, **options)
        return await self._transport.until_final(partial(queries.query, accepted["id"]), wait)

    async def turns(
        self, conversation_id: str, *, set_aside: bool = False, limit: int | None = None
    ) -> AsyncIterator[Turn]:
        """Yield the turns in order; `set_aside` includes the turns that were replaced."""
        pages = Pages(partial(requests.turns, conversation_id, set_aside), limit)
        while not pages.over:
            for turn in pages.take(await self._transport.send(pages.next())):
                yield turn

    async def export(self, conversation_id: str, format: requests.TurnsFormat = "markdown") -> bytes:
        """Return all answers of the conversation as one file."""
        return await self._transport.send(requests.export(conversation_id, format))
