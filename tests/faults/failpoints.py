"""Points of a worker process at which it can be told to die or to stop: installed by `tests.faults.hooks`.

A point is armed by a file and fires once: the file's rename is the latch, and its new name says when, in which process
and for which row it fired. The program itself knows nothing of all this.
"""

import json
import os
import signal
import time
import uuid
from dataclasses import asdict, dataclass
from enum import StrEnum, auto
from pathlib import Path

FOLDER = "CITEWELL_TESTS_FAILPOINTS"
"""The variable that names the folder; `armed` and `fired` are in it."""


class Point(StrEnum):
    """`name` is a prompt, `webhook`, `embed` or `embed_query` for calls, and a task for the others."""

    START = auto()
    """A task has been received and is about to be executed."""
    BEFORE_CALL = auto()
    """The first byte of a call to somebody else is about to be sent."""
    AFTER_CALL = auto()
    """What was asked for is there, and nothing of it is stored: the body of a step, a delivery, vectors."""
    BEFORE_ACK = auto()
    """Everything is stored, and the message is still the worker's."""


class Act(StrEnum):
    KILL = auto()
    KILL_PARENT = auto()
    STOP = auto()


@dataclass(frozen=True, slots=True)
class Order:
    """What to do; only for the row `subject` if there is one, and each time if `again`."""

    act: Act = Act.KILL
    subject: str = ""
    again: bool = False


@dataclass(frozen=True, slots=True)
class Fired:
    """A failpoint that was reached; `at` is in Unix seconds, `subject` the first argument of the task."""

    at: float
    pid: int
    point: str
    name: str
    subject: str


class Failpoints:
    """The armed and the fired points of one folder, seen from both sides."""

    def __init__(self, folder: Path) -> None:
        self._armed, self._fired = folder / "armed", folder / "fired"
        self._armed.mkdir(parents=True, exist_ok=True)
        self._fired.mkdir(exist_ok=True)

    def arm(self, point: Point, name: str, order: Order | None = None) -> None:
        """Let the next process that comes by do as ordered."""
        draft = self._armed / f".{uuid.uuid4()}"
        draft.write_text(json.dumps(asdict(order or Order())))
        draft.rename(self._armed / f"{point}@{name}")

    def disarm(self) -> None:
        """Take back what has not fired."""
        for path in self._armed.iterdir():
            path.unlink(missing_ok=True)

    def armed(self) -> list[str]:
        """What has not fired yet."""
        return sorted(path.name for path in self._armed.iterdir())

    def fired(self) -> list[Fired]:
        """Everything that has fired, in order of time."""
        parts = [path.name.split("@") for path in self._fired.iterdir()]
        found = [Fired(int(at) / 1e9, int(pid), point, name, subject) for at, pid, point, name, subject in parts]
        return sorted(found, key=lambda fired: fired.at)

    def reach(self, point: Point, name: str, subject: str) -> None:
        """Called by the process: do what is ordered for this point, if anything."""
        path = self._armed / f"{point}@{name}"
        try:
            order = Order(**json.loads(path.read_text()))
        except FileNotFoundError:
            return
        if order.subject not in ("", subject):
            return
        trace = self._fired / f"{time.time_ns()}@{os.getpid()}@{point}@{name}@{subject}"
        try:
            trace.touch() if order.again else path.rename(trace)
        except FileNotFoundError:
            return  # another process was first
        _do(Act(order.act))


def _do(act: Act) -> None:
    if act is Act.STOP:
        os.kill(os.getpid(), signal.SIGSTOP)
    else:
        os.kill(os.getppid() if act is Act.KILL_PARENT else os.getpid(), signal.SIGKILL)
        time.sleep(3600)  # nothing more happens here: a child dies a moment after its parent
