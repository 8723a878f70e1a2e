"""Kept replies in Postgres. A call of its own for each would cost more than many a reply is worth: they are gathered.

For one event loop; statements run in threads, because sessions block.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

import structlog
from sqlalchemy.exc import DBAPIError

from clients.llm.kept import Begun, KeptReply
from db.queries import records, replies
from db.session import acting_for, current_tenant, transaction
from domain.errors import DatabaseUnavailable

log = structlog.get_logger()

LOOK_UP_WITHIN_S = 0.001
STORE_WITHIN_S = 0.02
LONGEST_LOOK_UP_S = 1.0
AGAIN_S = 0.25
MOST_HELD = 2_000
"""Replies that a process holds while Postgres is away."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class StoredReplies:
    """A ReplyStore. Replies older than `keep_s` seconds are not found, nor those of another `origin`: what answers.

    Lookups that begin together are one SELECT, replies that arrive within 20 ms one INSERT, per tenant.
    """

    def __init__(self, keep_s: float, origin: str = "") -> None:
        self._keep_s = keep_s
        self._origin = hashlib.sha256(origin.encode()).digest()
        self._found = _Gathered(self._find, LOOK_UP_WITHIN_S)
        # The first goes at once: a process that is killed loses what it has not stored.
        self._stored = _Gathered(self._store, STORE_WITHIN_S, first_at_once=True)
        self._unstored: dict[tuple[int, bytes], KeptReply] = {}
        self._sent: dict[tuple[int, bytes], asyncio.Task[bool | None]] = {}
        self._again: asyncio.Task[None] | None = None

    async def get(self, keys: Sequence[bytes], begun: Begun = None) -> Mapping[bytes, KeptReply]:
        """Those of `keys` that are there; when Postgres is away or takes its time those that this process holds.

        What is `begun` for those that are not there is written down with the same look.
        """
        tenant = current_tenant()
        held = {key: self._unstored[tenant, key] for key in keys if (tenant, key) in self._unstored}
        if len(held) == len(keys):
            return held
        try:
            async with asyncio.timeout(LONGEST_LOOK_UP_S):
                found = await self._found.add({key: begun for key in keys if key not in held})
        except TimeoutError:
            return held
        return held | {key: found[key] for key in keys if key in found} if found else held

    async def put(self, key: bytes, reply: KeptReply) -> None:
        """Keep a reply; return when it is stored, or could not be: then it is held here and stored with the next."""
        tenant = current_tenant()
        if sent := self._sent.get((tenant, key)):
            # The first one stays anyway.
            await asyncio.shield(sent)
            return
        self._hold(tenant, key, reply)
        await asyncio.shield(self._send(tenant))

    def _send(self, tenant: int) -> "asyncio.Task[bool | None]":
        """Store what is held for a tenant and is not on its way already."""
        owned = {each: held for (owner, each), held in self._unstored.items() if owner == tenant}
        together = {key: reply for key, reply in owned.items() if (tenant, key) not in self._sent}
        sent = self._stored.start(together)
        self._sent |= {(tenant, key): sent for key in together}

        def ended(work: "asyncio.Task[bool | None]") -> None:
            for key in together:
                self._sent.pop((tenant, key), None)
                if not work.cancelled() and work.result() is not None:
                    self._unstored.pop((tenant, key), None)
            if not work.cancelled() and work.result() is None and (self._again is None or self._again.done()):
                self._again = asyncio.create_task(self._store_again())

        # Whoever waits may be stopped; what is on its way arrives all the same.
        sent.add_done_callback(ended)
        return sent

    async def _store_again(self) -> None:
        """Until Postgres is back: another process may be about to ask the same."""
        while self._unstored:
            await asyncio.sleep(AGAIN_S)
            for (tenant, key), reply in list(self._unstored.items())[:1]:
                with acting_for(tenant):
                    await self.put(key, reply)

    def _hold(self, tenant: int, key: bytes, reply: KeptReply) -> None:
        self._unstored[tenant, key] = reply
        if len(self._unstored) > MOST_HELD:
            self._unstored.pop(next(iter(self._unstored)))
            log.error("reply_dropped", reason="Postgres has been away for long", held=MOST_HELD)

    def _store(self, kept: Mapping[bytes, KeptReply]) -> bool:
        rows = {self._row(key): replies.Reply(reply.text, reply.model) for key, reply in kept.items()}
        try:
            with transaction() as session:
                replies.add_replies(session, rows, self._keep_s)
        except (DBAPIError, ValueError) as error:
            # One that cannot be stored keeps back neither those beside it nor all that come after it.
            if len(kept) == 1:
                log.error("reply_not_stored", key=next(iter(rows)).hex(), error=type(error).__name__)
                return False
            alone = [self._store({key: reply}) for key, reply in kept.items()]
            return all(alone)
        return True

    def _row(self, key: bytes) -> bytes:
        return hashlib.sha256(self._origin + key).digest()

    def _find(self, keys: Mapping[bytes, Begun]) -> Mapping[bytes, KeptReply]:
        found: dict[bytes, replies.Reply] | None = None
        try:
            with transaction() as session:
                found = replies.find_replies(session, [self._row(key) for key in keys], self._keep_s)
                missing = [begun for key, begun in keys.items() if self._row(key) not in found]
                records.begin_calls(session, [begun for begun in missing if begun is not None])
        except Exception:
            # What was found is worth more than what could not be written down.
            if found is None:
                raise
            log.exception("calls_not_begun")
        stored = {key: found[self._row(key)] for key in keys if self._row(key) in found}
        return {key: KeptReply(reply.text, reply.model) for key, reply in stored.items()}


class _Gathered(Generic[_T, _R]):
    """Does `work` in a thread for all that was added within `within_s` seconds, separately for each tenant.

    With `first_at_once` so long after the last time only: what comes alone does not wait for company.
    """

    def __init__(
        self, work: Callable[[Mapping[bytes, _T]], _R], within_s: float, *, first_at_once: bool = False
    ) -> None:
        self._work = work
        self._within_s = within_s
        self._first_at_once = first_at_once
        self._began: dict[int, float] = {}
        self._waiting: dict[int, tuple[dict[bytes, _T], asyncio.Task[_R | None]]] = {}

    async def add(self, items: Mapping[bytes, _T]) -> _R | None:
        """Return what the work on these items and others came to; None when Postgres is away, or it broke."""
        # Whoever is stopped while it waits must not stop the others' work.
        return await asyncio.shield(self.start(items))

    def start(self, items: Mapping[bytes, _T]) -> "asyncio.Task[_R | None]":
        """The work that these items are part of."""
        tenant = current_tenant()
        if tenant not in self._waiting:
            self._waiting[tenant] = {}, asyncio.create_task(self._soon(tenant))
        together, work = self._waiting[tenant]
        together.update(items)
        return work

    async def _soon(self, tenant: int) -> _R | None:
        await asyncio.sleep(self._wait_s(tenant))
        items, _ = self._waiting.pop(tenant)
        self._began[tenant] = time.monotonic()
        try:
            return await asyncio.to_thread(self._for, tenant, items)
        except DatabaseUnavailable as error:
            log.warning("replies_not_reached", error=type(error).__name__)
        except Exception:
            # Whoever asks goes on without: nothing that is kept is worth a question.
            log.exception("replies_not_reached")
        return None

    def _wait_s(self, tenant: int) -> float:
        if not self._first_at_once:
            return self._within_s
        return max(0.0, self._began.get(tenant, 0.0) + self._within_s - time.monotonic())

    def _for(self, tenant: int, items: Mapping[bytes, _T]) -> _R:
        with acting_for(tenant):
            return self._work(items)
