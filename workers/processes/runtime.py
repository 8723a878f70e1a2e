"""The resources of a worker process: its name, event loop, models, embedder, webhook sender and leases.

All are created on first use, so each child of a prefork pool has its own.
"""

import asyncio
import os
import secrets
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from clients.embeddings.factory import configured_embedder
from clients.limiter.limiter import make_limiter
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from clients.reranking import make_reranker
from clients.webhooks.addresses import AddressPolicy
from clients.webhooks.sending import WebhookSender
from config.settings import Settings, settings
from services.core.context import Tools
from services.core.model_choice import settings_of
from services.core.reply_store import StoredReplies
from services.core.verifier import calibration_of, verifier_version
from services.webhooks.outbox import address_policy
from workers.processes.leases import LeaseRenewer
from workers.processes.notifying import process_notifier
from workers.processes.once import once
from workers.processes.presence import processes_of

T = TypeVar("T")

_OUTGOING = 64
"""The most concurrent webhook requests; the threads of a process usually limit them to fewer."""


@once
def worker_name() -> str:
    """Unique per process and start: a restarted worker must not renew its predecessor's leases."""
    return f"{worker_prefix()}{os.getpid()}:{secrets.token_hex(4)}"


@once
def worker_prefix() -> str:
    """The common prefix of the names of a worker and its children: a worker that ends hands back all claims with it.

    So it is created before the pool forks its children, but after the worker itself was forked
    (citewell.supervisor.processes.forkserver).
    """
    return f"{socket.gethostname()}:{secrets.token_hex(4)}:"


@once
def event_loop() -> asyncio.AbstractEventLoop:
    """The event loop of the process, in a daemon thread; all messages and model calls share it."""
    loop = asyncio.new_event_loop()
    # DNS look-ups run in threads. With the few by default a handful of dead name servers would block all webhooks.
    loop.set_default_executor(ThreadPoolExecutor(_OUTGOING, thread_name_prefix="blocking"))
    threading.Thread(target=loop.run_forever, name="loop", daemon=True).start()
    return loop


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the process's loop and wait for it, without a time limit. Must not be called on the loop."""
    return asyncio.run_coroutine_threadsafe(coroutine, event_loop()).result()


@once
def tools() -> Tools:
    """The tools with the models of the configuration."""
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
    """The tools for work that was accepted with this choice of models. Raises DatabaseUnavailable."""
    if choice is None:
        return tools()
    chosen = settings_of(choice)
    with _choosing:
        # Work of an earlier choice may still run, so none is closed; people rarely switch.
        if choice not in _of_choices:
            _of_choices[choice] = _with_models(replace(tools(), models=_gateway(chosen)), chosen)
        return _of_choices[choice]


def is_crowded() -> bool:
    """Whether a further model call would wait for one of this process's slots. May create the tools."""
    with _choosing:
        return not all(made.models.has_room(1) for made in (tools(), *_of_choices.values()))


_of_choices: dict[int, Tools] = {}
_choosing = threading.Lock()


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
    """Its address is the operator's choice, so it may be anywhere."""
    anywhere = AddressPolicy(("0.0.0.0/0", "::/0"))
    return WebhookSender(anywhere, settings().webhooks.deadline_s, max_connections=_OUTGOING)


@once
def leases() -> LeaseRenewer:
    return LeaseRenewer(settings().recovery.heartbeat_s)
