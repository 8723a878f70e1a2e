"""The processes of one home: launched, awaited, revived and stopped together."""

import signal
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

from citewell.supervisor.errors import StartFailed
from citewell.supervisor.processes.forkserver import ForkServer
from citewell.supervisor.processes.guard import Guard
from citewell.supervisor.processes.process import Begin, Child, ManagedProcess, OnLine, Output, ProcessSpec, execute

_TICK_S = 0.02


class Fleet:
    """Processes for the main thread. A context manager that stops those that still run, the last launched first."""

    def __init__(self, logs: Path, on_line: OnLine | None = None) -> None:
        self.processes: list[ManagedProcess] = []
        self.interrupted = False
        self.stopping = False
        self._logs = logs
        self._on_line = on_line
        self._guard = Guard()
        self._forks = ForkServer()
        self._forking: ManagedProcess | None = None

    def launch(self, spec: ProcessSpec) -> ManagedProcess:
        return self._launch(spec, self._fork if spec.forked else execute)

    def launch_fork_server(self, spec: ProcessSpec) -> ManagedProcess:
        self._forking = self._launch(spec, self._forks.begin)
        return self._forking

    def _launch(self, spec: ProcessSpec, begin: Begin) -> ManagedProcess:
        process = ManagedProcess(spec, Output(spec.name, self._logs, self._on_line), self._guard, begin)
        self.processes.append(process)
        process.start()
        return process

    def _fork(self, spec: ProcessSpec) -> Child:
        if self._forking is not None and self._forking.is_ready():
            # A failed or dead fork server must not keep anything from running.
            with suppress(OSError):
                return self._forks.fork(spec)
        return execute(spec)

    def await_ready(self, processes: Sequence[ManagedProcess], *, within: float, deaths: int) -> None:
        """Wait until all are ready. Raises StartFailed after `deaths` deaths of one of them, or after `within`
        seconds."""
        deadline = time.monotonic() + within
        waiting = list(processes)
        while waiting:
            self._raise_if_interrupted()
            for process in waiting:
                process.revive()
                if process.deaths >= deaths:
                    raise StartFailed(_failure(process, "does not come up"))
            if time.monotonic() > deadline:
                raise StartFailed(_failure(waiting[0], f"was not ready after {within:g} s"))
            waiting = [process for process in waiting if not process.is_ready()]
            time.sleep(_TICK_S if waiting else 0)

    def revive(self, *, at_once: bool = False) -> None:
        self._raise_if_interrupted()
        self._forks.reap()
        for process in self.processes:
            process.revive(at_once=at_once)

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """While the block runs, SIGTERM and SIGHUP interrupt the main thread as Ctrl-C does; a signal during the stop
        kills all processes."""
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # nohup stays effective
                signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, *_: object) -> None:
        if self.stopping:
            self.kill()
        else:
            self.stopping = self.interrupted = True
            raise KeyboardInterrupt

    def _raise_if_interrupted(self) -> None:
        # An exception raised by a signal handler is lost when it lands in a callback that Python shields.
        if self.interrupted:
            raise KeyboardInterrupt

    def stop(self, processes: Sequence[ManagedProcess]) -> None:
        with ThreadPoolExecutor(max_workers=max(len(processes), 1)) as pool:
            stopping = [pool.submit(process.stop) for process in processes]
            # The waits are short: a signal that arrives just before a wait begins does not interrupt it, and Python
            # calls its handler only after the wait.
            while wait(stopping, timeout=_TICK_S).not_done:
                pass
        for future in stopping:
            future.result()
        for process in processes:
            process.output.close()
            self.processes.remove(process)

    def kill(self) -> None:
        for process in self.processes:
            process.kill()

    def close(self) -> None:
        while self.processes:
            self.stop(self.processes[-1:])
        self._forks.close()
        self._guard.close()


def _failure(process: ManagedProcess, what: str) -> str:
    last_lines = "\n  ".join(process.output.tail)
    return f"{process.spec.name} {what}; its log is {process.output.path} and ends with:\n  {last_lines}"
