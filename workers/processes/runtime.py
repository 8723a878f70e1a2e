"""The resources of a worker process: its name, event loop, models, embedder, webhook sender, leases and periodic jobs,
and the queues that other processes serve.

A child inherits the objects created before the fork, and resets those that it must not share (workers.lifecycle). Locks
are reset automatically, because another thread of the parent may have held one.

All are created on first use, so each child of a prefork pool has its own.
"""

import asyncio
import gc
import os
import random
import secrets
import socket
import threading
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import replace
from functools import cache
from itertools import count
from typing import Any, Generic, TypeVar

import structlog

from citewell_verify.errors import CitewellError
from clients.embeddings.factory import configured_embedder
from clients.limiter.limiter import make_limiter
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.notifications import process_notifier
from clients.reranking import make_reranker
from clients.telemetry import meter
from clients.telemetry.meter import METER
from clients.webhooks.addresses import AddressPolicy
from clients.webhooks.sending import WebhookSender
from config.settings import Settings, settings
from db.queries.admission.processes import ServedQueue
from db.session import reserved_connection
from domain.errors.service import DatabaseUnavailable
from services.core.context import Tools
from services.core.model_choice import settings_of
from services.core.reply_store import StoredReplies
from services.core.verifier import calibration_of, verifier_version
from services.webhooks.outbox import address_policy

JOIN_S = 2.0
"""How long `stop` waits for the current run."""


_served: Mapping[str, ServedQueue] = {}
T = TypeVar("T")
log = structlog.get_logger()
_OUTGOING = 64
"""The most concurrent webhook requests; the threads of a process usually limit them to fewer."""
_of_choices: dict[int, Tools] = {}
_choosing = threading.Lock()


class Periodic:
    """Runs `job` every `every_s` seconds, or only when it is woken, in a daemon thread."""

    def __init__(
        self,
        name: str,
        every_s: float | None,
        job: Callable[[], object],
        *,
        failed: str,
        at_once: bool = False,
        retry_s: tuple[float, float] | None = None,
        last: Callable[[], object] | None = None,
    ) -> None:
        """`failed` is the event that is logged for a run that raises.

        The first run starts after `every_s`, or immediately with `at_once`. After a failure the next run comes at the
        usual time or, with `retry_s` (first, longest), after a pause that doubles with each failure. `last` runs once,
        after the job was stopped.
        """
        self._name, self._every_s, self._job, self._failed = name, every_s, job, failed
        self._at_once, self._retry_s, self._last = at_once, retry_s, last
        self._stopped, self._woken = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        return self._thread is not None and not self._stopped.is_set()

    def start(self) -> None:
        """Start, also again after `stop`; does nothing while the thread runs."""
        if self.is_running:
            return
        # A previous thread that is still finishing keeps its own events, so it sees that it was stopped.
        self._stopped, self._woken = threading.Event(), threading.Event()
        run = (self._stopped, self._woken)
        self._thread = threading.Thread(target=self._run, args=run, name=self._name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Run now, or as soon as the current run ends; a pause after a failure is still waited out."""
        self._woken.set()

    def leave(self) -> None:
        """Ask the job to stop after the current run; returns at once, so a signal handler may call it."""
        self._stopped.set()
        self._woken.set()

    def stop(self) -> None:
        self.leave()
        if self._thread is not None:
            self._thread.join(JOIN_S)

    def _run(self, stopped: threading.Event, woken: threading.Event) -> None:
        if self._at_once:
            woken.set()
        failures = 0
        while True:
            if failures and self._retry_s is not None:
                first_s, longest_s = self._retry_s
                pause_s = min(first_s * 2.0 ** (min(failures, 32) - 1), longest_s)
                # Jitter, so that not all processes retry at the same moment.
                stopped.wait(pause_s * random.uniform(0.5, 1))  # noqa: S311 - no secret
            else:
                woken.wait(self._every_s)
            woken.clear()
            if stopped.is_set():
                break
            failures = 0 if attempt(self._name, self._job, self._failed) else failures + 1
        if self._last is not None:
            attempt(self._name, self._last, self._failed)


def attempt(name: str, job: Callable[[], object], failed: str) -> bool:
    """Call `job`; if it raises, log `failed`, count it for the thread `name` and return False."""
    try:
        job()
    except CitewellError as error:
        # A service that the job needs is unreachable, often because it restarts: the next run tries again.
        log.warning(failed, error=type(error).__name__)
    except Exception:
        # Nothing restarts this thread, so it must survive.
        log.exception(failed)
    else:
        return True
    METER.count(meter.PERIODIC_FAILURES, name)
    return False


def note_served_queues(served: Iterable[ServedQueue]) -> None:
    """Replace the known queues until the next call."""
    global _served
    _served = {queue.name: queue for queue in served}


def processes_of(queue: str) -> int:
    """Return the number of live processes that serve the queue; at least 1, since a message needs one in any case."""
    return max(1, _served[queue].processes) if queue in _served else 1


def is_helped(queue: str) -> bool:
    """Return whether a live process that serves only some of this process's queues serves this one."""
    return queue in _served and _served[queue].helpers > 0


class once(Generic[T]):  # noqa: N801 - a decorator
    """Like functools.cache, which however may call the function once per thread when several threads call it first.

    Each object has its own lock, so that the process's name is available while its models are loading. Creating an
    object may need others, but never in a cycle.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self.__wrapped__ = make
        self.__doc__ = make.__doc__
        self._made = cache(make)
        self.making = threading.RLock()
        _all.add(self)

    def __call__(self) -> T:
        with self.making:
            return self._made()

    def cache_clear(self) -> None:
        self._made.cache_clear()


_all: weakref.WeakSet[once[Any]] = weakref.WeakSet()


def _after_fork_in_the_child() -> None:
    for made_once in _all:
        made_once.making = threading.RLock()


os.register_at_fork(after_in_child=_after_fork_in_the_child)


class LeaseRenewer:
    """Calls all held renewals every `interval_s` seconds from a daemon thread, started on first use after a fork."""

    def __init__(self, interval_s: float) -> None:
        self._beats = Periodic("leases", interval_s, self._beat, failed="lease_not_renewed")
        self._held: dict[int, Callable[[], object]] = {}
        self._pending: deque[Callable[[], object]] = deque()
        self._ids = count()
        self._lock = threading.Lock()

    @contextmanager
    def hold(self, renew: Callable[[], object]) -> Generator[None]:
        """Renew a lease for the length of the block; `renew` acts for the block's tenant."""
        key = next(self._ids)
        context = copy_context()
        with self._lock:
            self._held[key] = lambda: context.run(_on_own_connection, renew)
            self._beats.start()
        try:
            yield
        finally:
            with self._lock:
                del self._held[key]

    def hold_forever(self, renew: Callable[[], object]) -> None:
        """Call `renew` at every beat for the lifetime of the process, without a tenant."""
        with self._lock:
            self._held[next(self._ids)] = lambda: _on_own_connection(renew)
            self._beats.start()

    def run_when_reachable(self, act: Callable[[], object]) -> None:
        context = copy_context()
        with self._lock:
            self._pending.append(lambda: context.run(_on_own_connection, act))
            self._beats.start()

    @property
    def has_pending(self) -> bool:
        return bool(self._pending)

    def run_pending(self) -> None:
        while self._pending:
            with suppress(IndexError):  # another thread may have taken the last one
                act = self._pending.popleft()
                try:
                    act()
                except DatabaseUnavailable:
                    self._pending.appendleft(act)
                    return
                except Exception:
                    log.exception("claim_not_handed_back")

    def _beat(self) -> None:
        self.run_pending()
        with self._lock:
            held = list(self._held.values())
        for renew in held:
            # A failing renewal must not stop the others. If the lease expires while Postgres is unreachable, another
            # worker takes over and this one is fenced.
            attempt("leases", renew, "lease_not_renewed")


def _on_own_connection(act: Callable[[], object]) -> None:
    """Run `act` on a separate connection, because steps may occupy all others for longer than a lease lasts."""
    with reserved_connection():
        act()


@once
def worker_name() -> str:
    """Return a name that is unique per process and start, because a restarted worker must not renew its predecessor's
    leases."""
    return f"{worker_prefix()}{os.getpid()}:{secrets.token_hex(4)}"


@once
def worker_prefix() -> str:
    """Return the common prefix of the names of a worker and its children: a worker that ends hands back all claims with
    it.

    So it is created before the pool forks its children, but after the worker itself was forked
    (citewell.supervisor.processes.forkserver).
    """
    return f"{socket.gethostname()}:{secrets.token_hex(4)}:"


@once
def event_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of the process, in a daemon thread; all messages and model calls share it."""
    loop = asyncio.new_event_loop()
    # DNS look-ups run in threads. With the small default number, a handful of dead name servers would block all
    # webhooks.
    loop.set_default_executor(ThreadPoolExecutor(_OUTGOING, thread_name_prefix="blocking"))
    threading.Thread(target=loop.run_forever, name="loop", daemon=True).start()
    return loop


_GC_THRESHOLD = 10_000
"""The number of net allocations of containers after which garbage collection starts."""


def collect_new_objects_only() -> None:
    """Exclude all present objects from garbage collection. To be called once a process is ready: objects that are
    loaded by then live as long as the process, and scanning them again and again takes a fifth of a worker's CPU
    time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GC_THRESHOLD)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the process's loop and wait for it, without a time limit. Must not be called on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, event_loop()).result()


@once
def tools() -> Tools:
    """Return the tools with the models of the configuration."""
    return _with_models(
        Tools(
            _gateway(settings()),
            configured_embedder(),
            check_early=settings().stream.check_early,
            stop_ungrounded_after=settings().stream.stop_ungrounded_after,
            reranker=make_reranker(settings().rerank),
            is_watched=process_notifier().is_watched,
            processes_of=processes_of,
        ),
        settings(),
    )


def tools_of(choice: int | None) -> Tools:
    """Return the tools for work that was accepted with this choice of models. Raises DatabaseUnavailable."""
    if choice is None:
        return tools()
    chosen = settings_of(choice)
    with _choosing:
        # Work of an earlier choice may still run, so no tools are closed; people rarely switch.
        if choice not in _of_choices:
            _of_choices[choice] = _with_models(replace(tools(), models=_gateway(chosen)), chosen)
        return _of_choices[choice]


def is_crowded() -> bool:
    """Return whether a further model call would wait for one of this process's slots. May create the tools."""
    with _choosing:
        return not all(made.models.has_room(1) for made in (tools(), *_of_choices.values()))


def _gateway(current: Settings) -> ModelGateway:
    replies, keep_s = None, current.models.keep_replies_s
    if keep_s and current.provider != "offline":
        catalogue = current.models.model_dump_json(include={"catalogue", "fallbacks"})
        replies = StoredReplies(keep_s, f"{current.provider_url} {catalogue}")
    return ModelGateway(make_model(current), current.models, limiter=make_limiter(current), replies=replies)


def _with_models(made: Tools, current: Settings) -> Tools:
    return replace(
        made,
        verifier=verifier_version(made.models, current),
        sharing_verifier=verifier_version(made.models, current, "cheap"),
        calibration=calibration_of(current, made.models.provider),
    )


@once
def webhook_sender() -> WebhookSender:
    limits = settings().webhooks
    return WebhookSender(address_policy(limits), limits.deadline_s, max_connections=_OUTGOING)


@once
def langfuse_sender() -> WebhookSender:
    """Return the sender for Langfuse. The operator chose its address, so it may be anywhere."""
    anywhere = AddressPolicy(("0.0.0.0/0", "::/0"))
    return WebhookSender(anywhere, settings().webhooks.deadline_s, max_connections=_OUTGOING)


@once
def leases() -> LeaseRenewer:
    return LeaseRenewer(settings().recovery.heartbeat_s)
