"""A small pool of child processes for steps: started when needed, and ended when idle.

A child (workers.processes.child) reads its input from the database and asks this process to call the models, so that
limits, retries and records stay in one place. Both sides send length-prefixed pickles over pipes.
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

from citewell_verify.errors import CitewellError
from clients.llm.protocol import CallDeferred
from db.session import current_tenant
from services.core.context import StepContext, StepResult

log = structlog.get_logger()

Body = Callable[[StepContext], StepResult | Coroutine[Any, Any, StepResult]]

LENGTH = struct.Struct("!Q")

_MAX_CHILDREN = 2
"""The number of children at work at a time: only steps over other long texts have to wait."""
_MAX_WAITING = 16
"""The number of steps that may wait for a child at a time; further ones are deferred."""
_RETRY_AFTER_S = 2.0
_IDLE_S = 60.0
_NICE = 10
_MAX_BYTES = 550_000_000
_RECYCLED_BYTES = 350_000_000
_POLL_S = 0.25
_ROOT = Path(__file__).resolve().parents[2]


class ChildLost(CitewellError):
    """The process that worked on a long text ended before it was done."""


class TooMuchMemory(CitewellError):
    """Processing a text of this length takes more memory than is allowed; send a shorter one."""


class Children:
    """The pool; use it on a single event loop."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(_MAX_CHILDREN)
        self._idle: list[Child] = []
        self._waiting = 0

    async def work(self, body: Body, context: StepContext) -> StepResult:
        """Return the result of `body`, a module-level function. Cancellation kills the child.

        Raises the body's errors, ChildLost, TooMuchMemory, and CallDeferred when too many steps wait already.
        """
        if self._waiting >= _MAX_WAITING:
            raise CallDeferred(_RETRY_AFTER_S, "other long texts are being processed")
        self._waiting += 1
        try:
            await self._places.acquire()
        finally:
            self._waiting -= 1
        try:
            try:
                return await self._work(body, context)
            except ChildLost:
                # Retry once: the kill may have nothing to do with this step, for example on a system short of memory.
                return await self._work(body, context)
        finally:
            self._places.release()

    async def _work(self, body: Body, context: StepContext) -> StepResult:
        while self._idle and not self._idle[-1].memory():
            # the child died while it was idle
            self._idle.pop()
        child = self._idle.pop() if self._idle else await Child.start()
        try:
            result = await child.work(body, context)
        except BaseException:
            child.kill()
            raise
        if child.memory() > _RECYCLED_BYTES:
            child.kill()
        else:
            self._idle.append(child)
            asyncio.get_running_loop().call_later(_IDLE_S, self._end_if_idle, child, child.works)
        if isinstance(result, Exception):
            raise result
        return result

    def _end_if_idle(self, child: "Child", works: int) -> None:
        if child in self._idle and child.works == works:
            self._idle.remove(child)
            child.kill()


class Child:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._asks: set[asyncio.Task[None]] = set()
        self.works = 0
        """The number of steps started so far."""

    @classmethod
    async def start(cls) -> "Child":
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "workers.processes.child", str(os.getpid()),
            cwd=_ROOT, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        # Immediately, because its imports take a second of CPU time.
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
        return cls(process)

    async def work(self, body: Body, context: StepContext) -> StepResult | Exception:
        """Return the body's result or exception. Raises ChildLost, TooMuchMemory. After an error or cancellation the
        caller must kill the child."""
        self.works += 1
        too_large = asyncio.ensure_future(self._wait_until_too_large())
        try:
            bound = structlog.contextvars.get_contextvars()
            await self._send(("work", body, context.portable(), current_tenant(), bound))
            return await self._until_done(context)
        except (OSError, asyncio.IncompleteReadError) as error:
            if too_large.done():
                raise TooMuchMemory from error
            raise ChildLost from error
        finally:
            too_large.cancel()

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
            kind, *content = await self._receive()
            if kind == "ask":
                task = asyncio.ensure_future(ask(*content))
                self._asks.add(task)
                task.add_done_callback(self._asks.discard)
            else:
                outcome, records = content
                context.log.records.extend(records)
                # Pending model calls continue, so that their cost is recorded.
                return deferred or outcome

    async def _send(self, message: object) -> None:
        packed = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        stdin = self._process.stdin
        if stdin is None:
            raise ChildLost
        stdin.write(LENGTH.pack(len(packed)) + packed)
        await stdin.drain()

    async def _receive(self) -> Any:
        stdout = self._process.stdout
        if stdout is None:
            raise ChildLost
        (length,) = LENGTH.unpack(await stdout.readexactly(LENGTH.size))
        return pickle.loads(await stdout.readexactly(length))  # noqa: S301 - written by our own child

    async def _wait_until_too_large(self) -> None:
        while self.memory() < _MAX_BYTES:
            await asyncio.sleep(_POLL_S)
        log.warning("child_too_large", pid=self._process.pid)
        self._kill_process()

    def memory(self) -> int:
        try:
            return psutil.Process(self._process.pid).memory_info().rss
        except psutil.Error:
            return 0

    def kill(self) -> None:
        for task in self._asks:
            task.cancel()
        self._kill_process()

    def _kill_process(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
