"""Stands for a process that the nursery forked: hands on signals, notes its pid, and ends with it.

`python -I -S stub.py FOLDER NAME MODULE ARGUMENT…`; the standard library alone, so that it starts at once.
"""

import array
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress

SOCKET = "nursery"


def main(folder: str, name: str, *arguments: str) -> None:
    connection = _connect(os.path.join(folder, SOCKET))
    output = array.array("i", [1])
    message = json.dumps(arguments).encode()
    connection.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, output.tobytes())])
    pid = int(connection.recv(32))
    draft = os.path.join(folder, f".{name}.pid")
    with open(draft, "w") as file:
        file.write(str(pid))
    os.rename(draft, os.path.join(folder, f"{name}.pid"))
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
        signal.signal(number, lambda number, _: _send(pid, number))
    # Its end, not that of what it forked, which may still hold the connection.
    ended = select.poll()
    ended.register(os.pidfd_open(pid), select.POLLIN)
    ended.poll()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _connect(path: str) -> socket.socket:
    deadline = time.monotonic() + 120
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(path)
        except OSError:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return connection


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


if __name__ == "__main__":
    main(*sys.argv[1:])
