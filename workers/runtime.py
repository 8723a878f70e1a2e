"""What one worker process holds: its name, an event loop for model calls, the models, the embedder, its leases.

Everything is made on first use, so in a prefork pool each child has its own.
"""

import asyncio
import os
import secrets
import socket
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from clients.embeddings import default_embedder
from clients.llm.factory import make_model
from clients.llm.gateway import ModelGateway
from config.settings import settings
from domain.calibration import calibrations
from services.step import Tools
from services.verifier import verifier_version
from workers.leases import LeaseRenewer

T = TypeVar("T")


@cache
def worker_name() -> str:
    """Unique per process and start: a restarted worker must not renew what its predecessor held."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


@cache
def event_loop() -> asyncio.AbstractEventLoop:
    """The process's one event loop, running in a daemon thread: all model calls of all its tasks share it."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="model-calls", daemon=True).start()
    return loop


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run `coroutine` on the process's loop and wait for it; deadlines are the coroutine's own affair."""
    return asyncio.run_coroutine_threadsafe(coroutine, event_loop()).result()


@cache
def tools() -> Tools:
    """The models and the embedder of this process."""
    models = ModelGateway(make_model(settings()), settings().models)
    # The calibrations that come with the program are those of its own verifiers, not of a judge beside them.
    calibration = None if settings().models.judge else calibrations().get(models.provider)
    return Tools(models, default_embedder(), verifier_version(models, settings()), calibration)


@cache
def leases() -> LeaseRenewer:
    """This process's lease renewer."""
    return LeaseRenewer(settings().recovery.heartbeat_s)
