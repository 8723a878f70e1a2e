"""Stored replies in Postgres. One database query per reply would cost more than many replies are worth, so they are
batched.

For one event loop.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Generic, TypeVar

import structlog

from clients.llm.calling.reply_cache import Begun, CachedReply
from db.queries.runs import replies
from db.round_trips import Refused
from db.session import acting_for, current_tenant
from domain.errors.service import DatabaseUnavailable

log = structlog.get_logger()

LOOK_UP_WITHIN_S = 0
STORE_WITHIN_S = 0.02
"""A killed process loses unstored replies; those paid for within this time are stored with one statement."""
LONGEST_LOOK_UP_S = 1.0
AGAIN_S = 0.25
MOST_HELD = 2_000
"""The replies that a process holds while Postgres is unreachable."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class StoredReplies:
    """A ReplyStore. It ignores replies that are older than `keep_s` seconds, and replies from another `origin`, the
    answering system.

    Lookups that begin together share one SELECT, and replies that arrive within 20 ms one INSERT, per tenant.
    """

    def __init__(self, keep_s: float, origin: str = "") -> None:
        self._keep_s = keep_s
        self._origin = hashlib.sha256(origin.encode()).digest()
        self._look_up = _Batcher(self._find, LOOK_UP_WITHIN_S)
        self._stored = _Batcher(self._store, STORE_WITHIN_S)
        self._unstored: dict[tuple[int, bytes], CachedReply] = {}
        self._sent: dict[tuple[int, bytes], asyncio.Task[bool | None]] = {}
        self._again: asyncio.Task[None] | None = None

    async def get(self, keys: Sequence[bytes], begun: Begun = None) -> Mapping[bytes, CachedReply]:
        """Return the stored replies for `keys`; when Postgres is unreachable or slow, those that this process holds.

        The `begun` calls of missing keys are recorded by the same database query.
        """
        tenant = current_tenant()
        held = {key: self._unstored[tenant, key] for key in keys if (tenant, key) in self._unstored}
        if len(held) == len(keys):
            return held
        try:
            async with asyncio.timeout(LONGEST_LOOK_UP_S):
                stored = await self._look_up.add({key: begun for key in keys if key not in held})
        except TimeoutError:
            return held
        return held | {key: stored[key] for key in keys if key in stored} if stored else held

    async def put(self, key: bytes, reply: CachedReply) -> None:
        """Store a reply. Return when it is stored, or could not be; in the latter case it is held and stored with the
        next one."""
        tenant = current_tenant()
        if sent := self._sent.get((tenant, key)):
            # If another reply to the same prompt is stored already, it stays.
            await asyncio.shield(sent)
            return
        self._unstored[tenant, key] = reply
        if len(self._unstored) > MOST_HELD:
            self._unstored.pop(next(iter(self._unstored)))
            log.error("reply_dropped", reason="Postgres has been away for long", held=MOST_HELD)
        await asyncio.shield(self._send(tenant))

    def _send(self, tenant: int) -> "asyncio.Task[bool | None]":
        owned = {key: held for (owner, key), held in self._unstored.items() if owner == tenant}
        batch = {key: reply for key, reply in owned.items() if (tenant, key) not in self._sent}
        sent = self._stored.start(batch)
        self._sent |= {(tenant, key): sent for key in batch}

        def ended(work: "asyncio.Task[bool | None]") -> None:
            for key in batch:
                self._sent.pop((tenant, key), None)
                if not work.cancelled() and work.result() is not None:
                    self._unstored.pop((tenant, key), None)
            if not work.cancelled() and work.result() is None and (self._again is None or self._again.done()):
                self._again = asyncio.create_task(self._store_again())

        # A waiting caller may be cancelled; a store that has begun completes all the same.
        sent.add_done_callback(ended)
        return sent

    async def _store_again(self) -> None:
        """Send the first held reply until Postgres is back: another process may be about to ask the same question."""
        while self._unstored:
            await asyncio.sleep(AGAIN_S)
            for (tenant, key), reply in list(self._unstored.items())[:1]:
                with acting_for(tenant):
                    await self.put(key, reply)

    async def _store(self, kept: Mapping[bytes, CachedReply]) -> bool:
        rows = self._rows(kept)
        try:
            await replies.add_replies(rows, self._keep_s)
        except Refused as error:
            # A reply that cannot be stored must not delay those beside it or after it.
            if len(kept) == 1:
                log.error("reply_not_stored", key=next(iter(rows)).hex(), error=type(error.__cause__).__name__)
                return False
            single = [await self._store({key: reply}) for key, reply in kept.items()]
            return all(single)
        return True

    def _row(self, key: bytes) -> bytes:
        return hashlib.sha256(self._origin + key).digest()

    def _rows(self, kept: Mapping[bytes, CachedReply]) -> dict[bytes, replies.Reply]:
        return {self._row(key): replies.Reply(reply.text, reply.model, reply.ended) for key, reply in kept.items()}

    async def _find(self, keys: Mapping[bytes, Begun]) -> Mapping[bytes, CachedReply]:
        begun = {self._row(key): call for key, call in keys.items()}
        # Replies that wait to be stored are sent in the same database query.
        with self._stored.take_over() as waiting:
            try:
                rows = await replies.find_replies(begun, self._keep_s, self._rows(waiting.items))
                waiting.result = True
            except Refused:
                waiting.result = await self._store(waiting.items) if waiting.items else True
                rows = await self._find_only(begun)
        stored = {key: rows[self._row(key)] for key in keys if self._row(key) in rows}
        return {key: CachedReply(reply.text, reply.model) for key, reply in stored.items()}

    async def _find_only(self, begun: Mapping[bytes, Begun]) -> Mapping[bytes, replies.Reply]:
        try:
            return await replies.find_replies(begun, self._keep_s)
        except Refused:
            # Finding replies is worth more than recording calls.
            log.exception("calls_not_begun")
            return await replies.find_replies(dict.fromkeys(begun), self._keep_s)


class _Batch(Generic[_T, _R]):
    """Items that are handled together, and their result; `taken_over` is done when another call that took the items is
    done."""

    def __init__(self) -> None:
        self.items: dict[bytes, _T] = {}
        self.result: _R | None = None
        self.taken_over: asyncio.Future[None] | None = None


class _Batcher(Generic[_T, _R]):
    """Calls `work` with everything that was added within `within_s` seconds, separately for each tenant."""

    def __init__(self, work: Callable[[Mapping[bytes, _T]], Awaitable[_R]], within_s: float) -> None:
        self._work = work
        self._within_s = within_s
        self._waiting: dict[int, tuple[_Batch[_T, _R], asyncio.Task[_R | None]]] = {}

    async def add(self, items: Mapping[bytes, _T]) -> _R | None:
        """Return the result for these and other items; None when Postgres is unreachable or the work failed."""
        # A caller that is cancelled while it waits must not stop the others' work.
        return await asyncio.shield(self.start(items))

    def start(self, items: Mapping[bytes, _T]) -> "asyncio.Task[_R | None]":
        tenant = current_tenant()
        if tenant not in self._waiting:
            batch = _Batch[_T, _R]()
            self._waiting[tenant] = batch, asyncio.create_task(self._soon(tenant, batch))
        batch, work = self._waiting[tenant]
        batch.items.update(items)
        return work

    @contextmanager
    def take_over(self) -> Generator[_Batch[_T, _R]]:
        batch, _ = self._waiting.pop(current_tenant(), (_Batch[_T, _R](), None))
        batch.taken_over = asyncio.get_running_loop().create_future()
        try:
            yield batch
        finally:
            batch.taken_over.set_result(None)

    async def _soon(self, tenant: int, batch: _Batch[_T, _R]) -> _R | None:
        await asyncio.sleep(self._within_s)
        if batch.taken_over is not None:
            await batch.taken_over
            return batch.result
        del self._waiting[tenant]
        try:
            with acting_for(tenant):
                return await self._work(batch.items)
        except DatabaseUnavailable as error:
            log.warning("replies_not_reached", error=type(error).__name__)
        except Exception:
            # Callers continue without stored replies: no reply is worth failing a question.
            log.exception("replies_not_reached")
        return None
