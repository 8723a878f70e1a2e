"""A child process that runs steps over long texts. `workers.processes.children` starts it as `python -m
workers.processes.child PARENT`.

It runs at low priority, exits with its parent, and ignores signals to its process group: the parent decides when it
ends. The offline model runs in the child itself.
"""

import asyncio
import inspect
import itertools
import os
import pickle
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import structlog

from citewell_documents.parsing.sandbox.confinement import bind_to
from citewell_verify.judging.statement import Failure
from clients.embeddings.factory import configured_embedder
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.llm.protocol import CallLog
from config.logging import configure_logging
from config.settings import Settings, settings
from db.session import acting_for
from services.core.context import PassageCache, StepContext, StepResult
from services.core.model_choice import settings_of
from workers.processes.children import LENGTH, Body


class ParentGateway:
    """Forwards model calls to the parent, whose gateway makes and records them."""

    def __init__(self, current: Settings, worker: "Worker") -> None:
        self.provider, self.judges_offline = current.provider, current.judges_offline
        self._worker = worker

    async def ask(
        self, judgement: Any, fields: Mapping[str, object], *, log: CallLog, item: str = "", model: str | None = None
    ) -> Any:
        del log, model
        reply = await self._worker.ask_parent(judgement, dict(fields), item)
        if isinstance(reply, Exception):
            raise reply
        return reply


class LocalGateway:
    """Calls the offline model in this process, one question at a time: the time of each starts when its turn comes."""

    def __init__(self, current: Settings) -> None:
        self._gateway = ModelGateway(make_model(current), current.models)
        self._lock = asyncio.Lock()
        self.provider, self.judges_offline = self._gateway.provider, self._gateway.judges_offline

    async def ask(
        self, judgement: Any, fields: Mapping[str, object], *, log: CallLog, item: str = "", model: str | None = None
    ) -> Any | Failure:
        async with self._lock:
            return await self._gateway.ask(judgement, fields, log=log, item=item, model=model)


class Worker:
    """Processes one step at a time."""

    def __init__(self, answer: IO[bytes]) -> None:
        self._answer = answer
        self._numbers = itertools.count()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._inbox: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self._passage_cache: tuple[Any, PassageCache] = None, PassageCache()
        self._local: dict[int | None, LocalGateway] = {}

    async def serve(self) -> None:
        threading.Thread(target=self._listen, args=(asyncio.get_running_loop(),), daemon=True).start()
        while True:
            body, context, tenant, bound = await self._inbox.get()
            context = self._with_tools(context)
            with acting_for(tenant), structlog.contextvars.bound_contextvars(**bound):
                outcome = await _outcome(body, context)
            self._pending.clear()
            self._send(("done", outcome, context.log.records))

    async def ask_parent(self, judgement: Any, fields: dict[str, object], item: str) -> Any:
        number, reply = next(self._numbers), asyncio.get_running_loop().create_future()
        self._pending[number] = reply
        self._send(("ask", number, judgement, fields, item))
        return await reply

    def _with_tools(self, context: StepContext) -> StepContext:
        models: Any = self._models(context.query.options.model_choice)
        query_id, passage_cache = self._passage_cache
        if query_id != context.query.id:
            # The steps of a query come one after the other and need the same sources.
            self._passage_cache = context.query.id, (passage_cache := PassageCache())
        tools = replace(context.tools, models=models, embedder=configured_embedder())
        return replace(context, tools=tools, passage_cache=passage_cache)

    def _models(self, choice: int | None) -> ParentGateway | LocalGateway:
        chosen = settings_of(choice)
        if not chosen.judges_offline or chosen.models.judge:
            return ParentGateway(chosen, self)
        if choice not in self._local:
            self._local[choice] = LocalGateway(chosen)
        return self._local[choice]

    def _send(self, message: tuple[Any, ...]) -> None:
        try:
            packed = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
            pickle.loads(packed)  # noqa: S301 - just written; some exceptions can be packed but not unpacked
        except Exception as error:  # noqa: BLE001 - pickling runs code of the pickled objects
            failure = RuntimeError(f"{type(error).__name__}: {error}; the message was {message[1]!r:.200}")
            packed = pickle.dumps(("done", failure, []), pickle.HIGHEST_PROTOCOL)
        self._answer.write(LENGTH.pack(len(packed)) + packed)
        self._answer.flush()

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        source = sys.stdin.buffer
        while head := source.read(LENGTH.size):
            kind, *content = pickle.loads(source.read(*LENGTH.unpack(head)))  # noqa: S301 - written by our own parent
            deliver = self._resolve if kind == "reply" else self._inbox.put_nowait
            loop.call_soon_threadsafe(deliver, tuple(content))
        os._exit(0)

    def _resolve(self, content: tuple[int, Any]) -> None:
        number, reply = content
        # The caller no longer waits if another call of the step was deferred.
        if (waiting := self._pending.pop(number, None)) is not None and not waiting.done():
            waiting.set_result(reply)


async def _outcome(body: Body, context: StepContext) -> StepResult | Exception:
    try:
        result = body(context)
        return await result if inspect.iscoroutine(result) else result  # pyright: ignore[reportReturnType]
    except Exception as error:  # noqa: BLE001 - the parent raises it
        return error


def main() -> None:
    """Serve the parent on standard input and output, under low priority and without its signals."""
    # Text that a step prints must not get between the messages.
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if sys.platform == "linux":
        bind_to(int(sys.argv[1]))
        # When memory runs out, the kernel should end this process first.
        Path("/proc/self/oom_score_adj").write_text("1000")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    configure_logging(settings().log_level, "worker", settings().log_format)
    asyncio.run(_serve(answer))


async def _serve(answer: IO[bytes]) -> None:
    await Worker(answer).serve()


if __name__ == "__main__":
    main()
