"""What one worker process holds: its name, an event loop for model calls, the models, the embedder, its leases.

Everything is made on first use, so in a prefork pool each child has its own.
"""

import asyncio
import os
import secrets
import socket
import threading
import uuid
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Generic, TypeVar

from clients.bell import ringer
from clients.embeddings import configured_embedder
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.reranking import make_reranker
from clients.webhooks.sending import WebhookSender
from config.settings import settings
from domain.calibration import Calibration, calibrations
from services.step import Tools
from services.verifier import verifier_version
from services.webhooks import address_policy
from workers.leases import LeaseRenewer

T = TypeVar("T")

_OUTGOING = 64
"""Webhooks on their way at a time; the threads of a process, which are what really limits them, should be fewer."""


@cache
def worker_name() -> str:
    """Unique per process and start: a restarted worker must not renew what its predecessor held."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """The process's one event loop, running in a daemon thread: all model calls of all its tasks share it."""
    loop = asyncio.new_event_loop()
    # Names are looked up in threads, few by default: a handful of dead name servers would hold up every webhook.
    loop.set_default_executor(ThreadPoolExecutor(_OUTGOING, thread_name_prefix="lookup"))
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop


class Running(Generic[T]):
    """A coroutine on the process's loop; deadlines are its own affair. It may be stopped from any thread."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._task: asyncio.Task[T] | None = None
        self._stopped = False
        self._future = asyncio.run_coroutine_threadsafe(self._supervised(coroutine), event_loop())

    def result(self) -> T:
        """Wait for its end. Raises CancelledError when it was stopped."""
        return self._future.result()

    def stop(self) -> None:
        """Cancel it; `result` returns when it has cleaned up."""
        event_loop().call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _supervised(self, coroutine: Coroutine[Any, Any, T]) -> T:
        self._task = asyncio.ensure_future(coroutine)
        if self._stopped:
            self._task.cancel()
        return await self._task


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the process's loop and wait for it."""
    return Running(coroutine).result()


@cache
def tools() -> Tools:
    """The models, the embedder and the reranker of this process."""
    models = ModelGateway(make_model(settings()), settings().models)
    return Tools(
        models,
        configured_embedder(),
        verifier_version(models, settings()),
        _calibration(models.provider),
        settings().stream.draft_every_s,
        make_reranker(settings().rerank),
    )


def ring(query_id: uuid.UUID) -> None:
    """Tell those who wait for the query that something happened."""
    ringer(settings().redis_url.get_secret_value()).ring(query_id)


def _calibration(provider: str) -> Calibration | None:
    """The one that was measured for this verifier: as configured, else that which comes with the program's own."""
    if own := settings().verification.calibration:
        return Calibration(**own.model_dump())
    return None if settings().models.judge else calibrations().get(provider)


@cache
def webhook_sender() -> WebhookSender:
    """Sends this process's webhooks, on its event loop."""
    limits = settings().webhooks
    return WebhookSender(
        address_policy(limits), limits.deadline_s, limits.max_response_bytes, max_connections=_OUTGOING
    )


@cache
def leases() -> LeaseRenewer:
    """This process's lease renewer."""
    return LeaseRenewer(settings().recovery.heartbeat_s)
