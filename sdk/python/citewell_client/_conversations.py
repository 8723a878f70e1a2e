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
    """Questions of one workspace, each understood from those before it."""

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
        """Begin a conversation, with `query_id` one whose first turn is that question; without a title it takes
        one from its first question.
        """
        fields = without_none(workspace=workspace, title=title, query_id=query_id)
        return self._transport.send(requests.create(fields, idempotency_key))

    def begin(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> TurnAccepted:
        """Begin a conversation with its first question; `options` as for `client.submit`, for one workspace."""
        return self._transport.send(requests.begin(question, idempotency_key, options))

    def branch(
        self, conversation_id: str, turn: str, title: str | None = None, *, idempotency_key: str | None = None
    ) -> Conversation:
        """Begin a conversation that keeps the turns of this one up to `turn`; this one stays as it is."""
        fields = without_none(turn=turn, title=title)
        return self._transport.send(requests.branch(conversation_id, fields, idempotency_key))

    def list(
        self, workspace: str | None = None, *, search: str | None = None, limit: int | None = None
    ) -> Iterator[Conversation]:
        """All conversations, the last asked first; `search` looks into titles and questions."""
        pages = Pages(partial(requests.listed, without_none(workspace=workspace, search=search)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def threads(self, *, search: str | None = None, limit: int | None = None) -> Iterator[Thread]:
        """Conversations, and questions that belong to none, the last asked first."""
        pages = Pages(partial(requests.threads, without_none(search=search)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def get(self, conversation_id: str) -> Conversation:
        """One conversation, without its turns."""
        return self._transport.send(requests.read(conversation_id))

    def rename(self, conversation_id: str, title: str | None) -> Conversation:
        """Give it a title; None takes one from its first question again."""
        return self._transport.send(requests.rename(conversation_id, title))

    def delete(self, conversation_id: str) -> None:
        """Delete it; its questions stay in the history."""
        self._transport.send(requests.delete(conversation_id))

    def submit(
        self, conversation_id: str, question: str, *, idempotency_key: str | None = None, **options: Any
    ) -> TurnAccepted:
        """Ask the next question, or with `replaces` an earlier one in another way; `options` as for
        `client.submit`, without the workspace.
        """
        return self._transport.send(requests.submit(conversation_id, question, idempotency_key, options))

    def ask(self, conversation_id: str, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """`submit`, and wait for the answer, at most `wait` seconds."""
        accepted = self.submit(conversation_id, question, **options)
        return self._transport.until_final(partial(queries.query, accepted["id"]), wait)

    def turns(self, conversation_id: str, *, set_aside: bool = False, limit: int | None = None) -> Iterator[Turn]:
        """The turns in order, with `set_aside` those that were replaced, too."""
        pages = Pages(partial(requests.turns, conversation_id, set_aside), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def export(self, conversation_id: str, format: requests.TurnsFormat = "markdown") -> bytes:
        """All answers of the conversation as one file."""
        return self._transport.send(requests.export(conversation_id, format))


class AsyncConversations:
    """Questions of one workspace, each understood from those before it."""

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
        """Begin a conversation, with `query_id` one whose first turn is that question; without a title it takes
        one from its first question.
        """
        fields = without_none(workspace=workspace, title=title, query_id=query_id)
        return await self._transport.send(requests.create(fields, idempotency_key))

    async def begin(self, question: str, *, idempotency_key: str | None = None, **options: Any) -> TurnAccepted:
        """Begin a conversation with its first question; `options` as for `client.submit`, for one workspace."""
        return await self._transport.send(requests.begin(question, idempotency_key, options))

    async def branch(
        self, conversation_id: str, turn: str, title: str | None = None, *, idempotency_key: str | None = None
    ) -> Conversation:
        """Begin a conversation that keeps the turns of this one up to `turn`; this one stays as it is."""
        fields = without_none(turn=turn, title=title)
        return await self._transport.send(requests.branch(conversation_id, fields, idempotency_key))

    async def list(
        self, workspace: str | None = None, *, search: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Conversation]:
        """All conversations, the last asked first; `search` looks into titles and questions."""
        pages = Pages(partial(requests.listed, without_none(workspace=workspace, search=search)), limit)
        while not pages.over:
            for conversation in pages.take(await self._transport.send(pages.next())):
                yield conversation

    async def threads(self, *, search: str | None = None, limit: int | None = None) -> AsyncIterator[Thread]:
        """Conversations, and questions that belong to none, the last asked first."""
        pages = Pages(partial(requests.threads, without_none(search=search)), limit)
        while not pages.over:
            for thread in pages.take(await self._transport.send(pages.next())):
                yield thread

    async def get(self, conversation_id: str) -> Conversation:
        """One conversation, without its turns."""
        return await self._transport.send(requests.read(conversation_id))

    async def rename(self, conversation_id: str, title: str | None) -> Conversation:
        """Give it a title; None takes one from its first question again."""
        return await self._transport.send(requests.rename(conversation_id, title))

    async def delete(self, conversation_id: str) -> None:
        """Delete it; its questions stay in the history."""
        await self._transport.send(requests.delete(conversation_id))

    async def submit(
        self, conversation_id: str, question: str, *, idempotency_key: str | None = None, **options: Any
    ) -> TurnAccepted:
        """Ask the next question, or with `replaces` an earlier one in another way; `options` as for
        `client.submit`, without the workspace.
        """
        return await self._transport.send(requests.submit(conversation_id, question, idempotency_key, options))

    async def ask(self, conversation_id: str, question: str, *, wait: float = PATIENCE_S, **options: Any) -> Query:
        """`submit`, and wait for the answer, at most `wait` seconds."""
        accepted = await self.submit(conversation_id, question, **options)
        return await self._transport.until_final(partial(queries.query, accepted["id"]), wait)

    async def turns(
        self, conversation_id: str, *, set_aside: bool = False, limit: int | None = None
    ) -> AsyncIterator[Turn]:
        """The turns in order, with `set_aside` those that were replaced, too."""
        pages = Pages(partial(requests.turns, conversation_id, set_aside), limit)
        while not pages.over:
            for turn in pages.take(await self._transport.send(pages.next())):
                yield turn

    async def export(self, conversation_id: str, format: requests.TurnsFormat = "markdown") -> bytes:
        """All answers of the conversation as one file."""
        return await self._transport.send(requests.export(conversation_id, format))
