"""A process that has imported everything once, and forks a process of Citewell for whoever asks.

A test that kills thirty workers cannot wait for thirty imports: a worker starts in a fraction of a second this way.
Whoever asks is `tests.faults.stub`, which the supervisor watches in the place of the forked process.
"""

import array
import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from clients.embeddings import default_embedder
from tests.faults import hooks
from tests.faults.failpoints import FOLDER, NURSERY_READY
from tests.faults.stub import SOCKET

_PR_SET_PDEATHSIG = 1
_IMPORTED = (
    "workers.celery_app",
    "workers.tasks",
    "workers.lifecycle",
    "celery.bin.celery",
    "celery.apps.worker",
    "celery.worker.consumer",
    "celery.worker.components",
    "celery.worker.autoscale",
    "workers.pool",
    "celery.concurrency.prefork",
    "celery.backends.redis",
    "kombu.transport.redis",
    "uvicorn.main",
    "uvicorn.protocols.http.auto",
    "uvicorn.loops.auto",
    "uvicorn.lifespan.on",
    "api.app",
)


def serve() -> None:
    """Fork for everybody who connects, one after another, for ever."""
    folder = Path(os.environ[FOLDER])
    for name in _IMPORTED:
        import_module(name)
    hooks.install()
    default_embedder().warm()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody here waits for them
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(folder / SOCKET))
        listener.listen(64)
        sys.stdout.write(f"{NURSERY_READY}\n")
        sys.stdout.flush()
        while True:
            connection, _ = listener.accept()
            arguments, output = _request(connection)
            if os.fork() == 0:
                listener.close()
                _become(arguments, output, connection)
            connection.close()
            os.close(output)


def _request(connection: socket.socket) -> tuple[list[str], int]:
    """The arguments that a stub sends, and the descriptor that its output goes to."""
    descriptors = array.array("i")
    message, [(_, _, raw)], *_ = connection.recvmsg(65_536, socket.CMSG_SPACE(descriptors.itemsize))
    descriptors.frombytes(raw)
    return json.loads(message), descriptors[0]


def _become(arguments: list[str], output: int, connection: socket.socket) -> NoReturn:
    # In a group of its own, which the stub ends; and none outlives the nursery.
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for descriptor in (1, 2):
        os.dup2(output, descriptor)
    os.close(output)
    connection.sendall(str(os.getpid()).encode())
    threading.Thread(target=_die_with, args=(connection,), name="stub", daemon=True).start()
    sys.argv = arguments
    code: Any = 0
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


def _die_with(connection: socket.socket) -> None:
    # Descriptors are copied by a fork: it is an end only when the stub has closed its own.
    connection.recv(1)
    os.killpg(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    serve()
