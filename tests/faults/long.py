"""The faults of the long version: for minutes, with real settings, on rigs of their own."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.faults.catalogue import BROKER, POSTGRES, accepting
from tests.faults.failpoints import Act, Order, Point
from tests.faults.kills import kill_everything
from tests.faults.rig import IN_PLACE, POOLS, QUICK, Rig, running_rig
from tests.faults.runner import Fault
from tests.faults.trial import Allowed, Trial, Window
from tests.simulators.groq.limits import Limits
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import KEY, GroqSimulator

STORM_QUERIES = 120
_STORM_S = 100
"""The longest that so many may take; what has not ended then counts as lost a little later."""
_CLIENTS, _PAUSE_S = 12, 3.0
"""Who asks while something breaks: about as many questions as two cores answer."""
_LEAST = 6
"""The questions that must be under way when something breaks."""


@dataclass(frozen=True, slots=True)
class Case:
    """Faults that need a rig of their own. `cannot_run` says why this machine cannot, or nothing."""

    name: str
    faults: Sequence[Fault]
    rig: Callable[[], AbstractContextManager[Rig]] = running_rig
    cannot_run: Callable[[], str] = lambda: ""


def storm(rig: Rig, window: Window) -> list[Trial]:
    """A worker of any kind is killed every five seconds."""
    calm = Trial(f"{STORM_QUERIES} queries in peace", rig, window)
    calm.strike()
    peace = _rate(rig, calm, lambda: None)
    trial = Trial(f"{STORM_QUERIES} queries, kill -9 every 5 s", rig, window)
    last = time.monotonic()

    def kill() -> None:
        nonlocal last
        if time.monotonic() - last >= 5:
            last = time.monotonic()
            trial.strike(rig.signal(random.choice((*POOLS, "forkserver"))))

    stormy = _rate(rig, trial, kill)
    trial.notes.append(f"{stormy:.1f} queries/s, {peace:.1f} in peace: {stormy / peace:.0%}")
    # Both are read from one ledger: what the storm lost is no fault of the peace before it.
    calm.moments += trial.moments
    return [calm, trial]


def _rate(rig: Rig, trial: Trial, disturb: Callable[[], None]) -> float:
    started = time.monotonic()
    submitted = trial.load.start(STORM_QUERIES, threads=8)

    def is_over() -> bool:
        disturb()
        return submitted.done() and trial.is_over()

    rig.pump(is_over, _STORM_S)
    submitted.result(0)
    ended = STORM_QUERIES - rig.books.unfinished(trial.load.ids)
    return ended / (time.monotonic() - started)


def broker_away(rig: Rig, window: Window, seconds: float = 60) -> list[Trial]:
    """The broker is down for a minute; questions come all the time."""
    trial = Trial(f"Redis down for {seconds:g} s", rig, window, BROKER)
    trial.strike(rig.signal("valkey"))
    submitted = trial.load.start(int(seconds * 2), threads=4, pause_s=1.7)
    rig.idle(seconds, revive=False)
    trial.notes.append(accepting(trial))
    back = time.time()
    trial.strike(back)
    rig.pump(submitted.done, 60)
    submitted.result(0)
    rig.pump(trial.is_over, 90)
    trial.notes.append(f"everything had ended {time.time() - back:.1f} s after it came back")
    return [trial]


def restless_postgres(rig: Rig, window: Window, seconds: float = 60) -> list[Trial]:
    """Postgres is restarted every five seconds."""
    trial = Trial("Postgres restarted every 5 s", rig, window, POSTGRES)
    submitted = trial.load.start(threads=_CLIENTS, pause_s=_PAUSE_S)
    for _ in range(int(seconds / 5)):
        trial.strike_work(_LEAST)
        rig.signal("postgres", signal.SIGQUIT)
        rig.idle(5)
    _end_load(trial, submitted)
    trial.notes.append(accepting(trial))
    return [trial]


def full_broker(rig: Rig, window: Window) -> list[Trial]:
    """The broker has no memory left and refuses every write."""
    trial = Trial("Redis full for 8 s", rig, window, BROKER)
    submitted = trial.load.start(threads=_CLIENTS, pause_s=_PAUSE_S)
    with rig.broker() as broker:
        trial.strike_work(_LEAST)
        broker.config_set("maxmemory", 1)
        rig.idle(8)
        broker.config_set("maxmemory", 0)
    _end_load(trial, submitted)
    trial.notes.append(accepting(trial))
    return [trial]


def empty_broker(rig: Rig, window: Window) -> list[Trial]:
    """The broker comes back without its file."""
    trial = Trial("Redis restarted empty", rig, window, BROKER)
    submitted = trial.load.start(threads=_CLIENTS, pause_s=_PAUSE_S)
    trial.strike_work(_LEAST)
    rig.signal("valkey")
    for path in (rig.folder.parent / "valkey").glob("appendonly*"):
        shutil.rmtree(path)
    rig.idle(3)
    _end_load(trial, submitted)
    return [trial]


def rolling_restart(rig: Rig, window: Window) -> list[Trial]:
    """Every process is asked to end, one after another, and started again."""
    trial = Trial("rolling restart of every process", rig, window)
    submitted = trial.load.start(threads=_CLIENTS, pause_s=_PAUSE_S)
    for name in (*POOLS, "api"):
        trial.strike_work(_LEAST)
        rig.signal(name, signal.SIGTERM)
        rig.idle(3)
    _end_load(trial, submitted)
    trial.notes.append(accepting(trial))
    return [trial]


def _end_load(trial: Trial, submitted: Future[None]) -> None:
    """Let what is being asked be accepted, and ask nothing more."""
    trial.load.enough.set()
    trial.rig.pump(submitted.done, 60)
    submitted.result(0)


def postgres_in_the_middle(rig: Rig, window: Window) -> list[Trial]:
    """Postgres is restarted in the middle of 50 questions."""

    def strike(trial: Trial) -> None:
        trial.strike_work(_least_of_many(rig))
        rig.signal("postgres", signal.SIGQUIT)

    return [
        _in_the_middle(rig, Trial("Postgres restarted in the middle of 50 questions", rig, window, POSTGRES), strike)
    ]


def broker_in_the_middle(rig: Rig, window: Window) -> list[Trial]:
    """Everything in the broker is gone in the middle of 50 questions."""

    def strike(trial: Trial) -> None:
        with rig.broker() as broker:
            trial.strike_work(_least_of_many(rig))
            broker.flushall()

    return [_in_the_middle(rig, Trial("Redis emptied in the middle of 50 questions", rig, window, BROKER), strike)]


def kills_in_the_middle(rig: Rig, window: Window) -> list[Trial]:
    """Workers and the fork server are killed in the middle of 50 questions: no call that had ended is lost."""
    allowed = Allowed(stored_within_s=0.05)
    return _struck_in_turn(rig, window, allowed, signal.SIGKILL, "reranking", "generation", "verification")


def kills_in_place(rig: Rig, window: Window) -> list[Trial]:
    """The same where each process does all steps."""
    return _struck_in_turn(rig, window, Allowed(stored_within_s=0.05), signal.SIGKILL, "queries-1", "queries-2")


def ends_in_place(rig: Rig, window: Window) -> list[Trial]:
    """Both processes are asked to end in the middle of 50 questions, which wait for the fork server, too."""
    return _struck_in_turn(rig, window, Allowed(), signal.SIGTERM, "queries-1", "queries-2")


def _struck_in_turn(rig: Rig, window: Window, allowed: Allowed, number: signal.Signals, *names: str) -> list[Trial]:
    def strike(trial: Trial) -> None:
        rig.signal("forkserver")
        for name in names:
            trial.strike_work(_least_of_many(rig))
            rig.signal(name, number)
            rig.idle(0.3)

    what = "kill -9" if number is signal.SIGKILL else "ended"
    return [_in_the_middle(rig, Trial(f"{what} in the middle of 50 questions", rig, window, allowed), strike)]


def _least_of_many(rig: Rig) -> int:
    # A process that does all steps on a busy machine has few places.
    return _LEAST if "queries-1" in rig.supervisor.pids else 2 * _LEAST


def _in_the_middle(rig: Rig, trial: Trial, strike: Callable[[Trial], None]) -> Trial:
    trial.name += ", in place" if "queries-1" in rig.supervisor.pids else ""
    submitted = trial.load.start(50, threads=25)
    rig.pump(lambda: len(trial.load.ids) >= 25, 60)
    rig.idle(0.7)
    strike(trial)
    rig.pump(submitted.done, 90)
    submitted.result(0)
    rig.pump(trial.is_over, 90)
    return trial


def poison(rig: Rig, window: Window) -> list[Trial]:
    """A step ends its worker each time that it is tried; what else is asked is answered."""
    trial = Trial("a step that always ends its worker", rig, window, Allowed(failed=True, degraded=True))
    well = Trial("others beside it", rig, window)
    rig.signal("retrieval", signal.SIGSTOP)
    poisoned = trial.load.submit()
    trial.arm(Point.BEFORE_CALL, "check_statement", Order(Act.KILL, poisoned, again=True))
    rig.signal("retrieval", signal.SIGCONT)
    rig.idle(6)
    well.strike()
    for _ in range(3):
        well.load.submit()
    rig.pump(trial.is_over, 150)
    trial.note_fired()
    row = rig.books.queries([poisoned])[poisoned]
    trial.notes.append(f"{len(trial.moments)} workers died of it; it is {row['status']}: {row['error']}")
    return [trial, well]


def wrong_clocks(rig: Rig, window: Window) -> list[Trial]:
    """Two workers live five minutes before and after the others; one of them dies."""
    trial = Trial("clocks five minutes wrong", rig, window)
    trial.arm(Point.BEFORE_CALL, "check_statement")
    trial.strike()
    for _ in range(8):
        trial.load.submit()
    return [trial]


def full_disk(rig: Rig, window: Window) -> list[Trial]:
    """Nothing can be written for a while: Postgres, the broker's file and the logs share a disk without room."""
    trial = Trial("disk full for 6 s", rig, window, POSTGRES)
    submitted = trial.load.start(threads=_CLIENTS, pause_s=_PAUSE_S)
    ballast = rig.folder.parent / "ballast"
    trial.strike_work(_LEAST)
    _fill(ballast)
    rig.idle(6)
    ballast.unlink()
    _end_load(trial, submitted)
    trial.notes.append(accepting(trial))
    return [trial]


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            try:
                while file.write(b"\0" * size):
                    pass
            except OSError:
                continue


@contextmanager
def _on_a_small_disk() -> Generator[Rig]:
    with tempfile.TemporaryDirectory(prefix="citewell-disk-") as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600m,mode=0755", "tmpfs", folder], check=True)  # noqa: S607
        try:
            with running_rig(simulator=_slow_models(), root=Path(folder)) as rig:
                yield rig
        finally:
            subprocess.run(["umount", folder], check=True)  # noqa: S607


def _no_small_disk() -> str:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return "a disk of limited size can only be mounted by root"
    with tempfile.TemporaryDirectory() as folder:
        tried = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True, text=True, check=False)  # noqa: S607
        if tried.returncode == 0:
            subprocess.run(["umount", folder], check=True)  # noqa: S607
    return tried.stderr.strip()


def _with_real_settings() -> AbstractContextManager[Rig]:
    # The leases of the defaults; one query dies more often than is parked elsewhere.
    return running_rig({"CITEWELL_RECOVERY__MAX_ATTEMPTS": "40"})


def _with_few_launches() -> AbstractContextManager[Rig]:
    return running_rig({**QUICK, "CITEWELL_RECOVERY__MAX_LAUNCHES": "6", "CITEWELL_RECOVERY__MAX_ATTEMPTS": "3"})


def _without_hurry() -> AbstractContextManager[Rig]:
    # All of them come at once: with the usual deadline the last ones would be refused or ended, not answered.
    patience = {"CITEWELL_BUDGET__DEADLINE_S": "3600", "CITEWELL_ADMISSION__MAX_WAIT_S": "3600"}
    return running_rig({**QUICK, **patience}, simulator=_slow_models())


def _with_slow_models() -> AbstractContextManager[Rig]:
    return running_rig(simulator=_slow_models())


def _in_place() -> AbstractContextManager[Rig]:
    return running_rig({**QUICK, "CITEWELL_POOLS": json.dumps(IN_PLACE)}, simulator=_slow_models())


def _slow_models() -> GroqSimulator:
    # With models that answer at once questions are over before anything can hit them.
    return GroqSimulator(accounts={KEY: Account("org_faults", Limits.none())}, time_scale=1)


def _with_wrong_clocks() -> AbstractContextManager[Rig]:
    return running_rig(clocks={"verification": 300, "webhooks": -300, "maintenance": -300})


_IN_THE_MIDDLE = (
    Fault("postgres-in-the-middle", postgres_in_the_middle),
    Fault("redis-in-the-middle", broker_in_the_middle),
    Fault("kills-in-the-middle", kills_in_the_middle),
)
_MIDDLE_OF_ALL_STEPS = (
    Fault("postgres-in-place", postgres_in_the_middle),
    Fault("redis-in-place", broker_in_the_middle),
    Fault("kills-in-place", kills_in_place),
    Fault("ends-in-place", ends_in_place),
)
LONG = (
    Case("kills-default", (Fault("kills-default", kill_everything, 300),), _with_real_settings),
    Case("storm", (Fault("storm", storm, 60),), _without_hurry),
    Case("redis-down", (Fault("redis-down", broker_away, 90),)),
    Case("postgres-loop", (Fault("postgres-loop", restless_postgres, 90),), _with_slow_models),
    Case("redis-full", (Fault("redis-full", full_broker),), _with_slow_models),
    Case("redis-empty", (Fault("redis-empty", empty_broker),), _with_slow_models),
    Case("in-the-middle", _IN_THE_MIDDLE, _with_slow_models),
    Case("in-place", _MIDDLE_OF_ALL_STEPS, _in_place),
    Case("rolling", (Fault("rolling", rolling_restart),), _with_slow_models),
    Case("poison", (Fault("poison", poison),), _with_few_launches),
    Case("clocks", (Fault("clocks", wrong_clocks),), _with_wrong_clocks),
    Case("disk-full", (Fault("disk-full", full_disk, 90),), _on_a_small_disk, _no_small_disk),
)
