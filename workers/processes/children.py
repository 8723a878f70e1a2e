"""Runs steps in child processes: few, started when needed and ended when idle.

A child (workers.processes.child) reads its input from the database itself and has this process call the models, so that
limits, retries and records are in one place. Both sides send pickles with a length prefix over pipes.
"""

import asyncio
import os
import pickle
import struct
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import structlog

from clients.llm.protocol import CallDeferred
from db.session import current_tenant
from domain.errors import CitewellError
from services.core.context import StepContext, StepResult

log = structlog.get_logger()

Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]

LENGTH = struct.Struct("!Q")

_COUNT = 2
"""Children at work at a time: long texts wait for other long texts, and nothing else does."""
_MOST_WAITING = 16
"""Threads of this process that may wait for a child; the others are for small steps."""
_COME_AGAIN_S = 2.0
_IDLE_S = 60.0
_NICE = 10
_MOST_BYTES = 550_000_000
_RECYCLED_BYTES = 350_000_000
_LOOK_EVERY_S = 0.25
_ROOT = Path(__file__).resolve().parents[2]


class ChildLost(CitewellError):
    """The process that worked on much text ended before it was done."""


class TooMuchMemory(CitewellError):
    """Working on so much text takes more memory than is allowed; send less of it at a time."""


class Children:
    """To be used on one event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_COUNT)
        self._idle: list[Child] = []
        self._waiting = 0

    async def work(self, body: Body, context: StepContext) -> StepResult:
        """Return the result of `body`, a function of a module; if this is cancelled, the child is killed.

        Raises what the body raises, ChildLost, TooMuchMemory, and CallDeferred when too many wait already.
        """
        if self._waiting >= _MOST_WAITING:
            raise CallDeferred(_COME_AGAIN_S, "other long texts are being worked on")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            try:
                return await self._work(body, context)
            except ChildLost:
                # Retry once: being killed, for example by a system short of memory, says nothing about this work.
                return await self._work(body, context)
        finally:
            self._places.release()

    async def _work(self, body: Body, context: StepContext) -> StepResult:
        while self._idle and not self._idle[-1].memory():
            # It died while idle.
            self._idle.pop()
        child = self._idle.pop() if self._idle else await Child.start()
        try:
            result = await child.work(body, context)
        except BaseException:
            child.kill()
            raise
        self._keep(child)
        if isinstance(result, Exception):
            raise result
        return result

    def _keep(self, child: "Child") -> None:
        if child.memory() > _RECYCLED_BYTES:
            child.kill()
            return
        self._idle.append(child)
        asyncio.get_running_loop().call_later(_IDLE_S, self._let_go, child, child.works)

    def _let_go(self, child: "Child", works: int) -> None:
        if child in self._idle and child.works == works:
            self._idle.remove(child)
            child.kill()


class Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asked: set[asyncio.Task[None]] = set()
        self.works = 0
        """The number of steps it has begun."""

    @classmethod
    async def start(cls) -> "Child":
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "workers.processes.child", str(os.getpid()),
            cwd=_ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        # From the start: its imports take a second of CPU.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
        return cls(process)

    async def work(self, body: Body, context: StepContext) -> StepResult | Exception:
        """Return the body's result or exception. Raises ChildLost, TooMuchMemory; then, or when cancelled, kill it."""
        self.works += 1
        heavy = asyncio.ensure_future(self._grown())
        try:
            bound = structlog.contextvars.get_contextvars()
            await self._send(("work", body, context.portable(), current_tenant(), bound))
            return await self._until_done(context)
        except (OSError, asyncio.IncompleteReadError) as error:
            if heavy.done():
                raise TooMuchMemory from error
            raise ChildLost from error
        finally:
            heavy.cancel()

    async def _until_done(self, context: StepContext) -> StepResult | Exception:
        deferred: CallDeferred | None = None

        async def ask(number: int, judgement: Any, fields: Mapping[str, object], item: str) -> None:
            nonlocal deferred
            try:
                reply: object = await context.tools.models.ask(judgement, fields, log=context.log, item=item)
            except CallDeferred as error:
                deferred, reply = error, ChildLost()
            except Exception as error:  # noqa: BLE001 - the child raises it
                reply = error
            await self._send(("reply", number, reply))

        while True:
            kind, *told = await self._receive()
            if kind == "ask":
                task = asyncio.ensure_future(ask(*told))
                self._asked.add(task)
                task.add_done_callback(self._asked.discard)
            else:
                outcome, records = told
                context.log.records.extend(records)
                # Model calls still under way continue, so that their cost is recorded.
                return deferred or outcome

    async def _send(self, message: object) -> None:
        packed = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        to = self._process.stdin
        if to is None:
            raise ChildLost
        to.write(LENGTH.pack(len(packed)) + packed)
        await to.drain()

    async def _receive(self) -> Any:
        from_ = self._process.stdout
        if from_ is None:
            raise ChildLost
        (length,) = LENGTH.unpack(await from_.readexactly(LENGTH.size))
        return pickle.loads(await from_.readexactly(length))  # noqa: S301 - written by our own child

    async def _grown(self) -> None:
        while self.memory() < _MOST_BYTES:
            await asyncio.sleep(_LOOK_EVERY_S)
        log.warning("child_too_large", pid=self._process.pid)
        self._end()

    def memory(self) -> int:
        """Its resident memory in bytes; 0 when it has ended."""
        try:
            return psutil.Process(self._process.pid).memory_info().rss
        except psutil.Error:
            return 0

    def kill(self) -> None:
        """End it, and the model calls made for it."""
        for task in self._asked:
            task.cancel()
        self._end()

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
