"""The faults of the short version: each strikes once, on a rig that all of them share."""

import os
import signal
import time

from tests.faults.auditor import percentile
from tests.faults.failpoints import Act, Order, Point
from tests.faults.kills import kill_everything
from tests.faults.rig import Rig
from tests.faults.runner import Fault
from tests.faults.trial import Allowed, Trial, Window
from tests.simulators.groq.faults import Fault as Spoilt
from tests.simulators.groq.faults import FaultKind
from tests.simulators.sink import Answer, Manner

_PROVIDER = Allowed(failed=True, degraded=True)
BROKER = Allowed(extra=4)
"""A query is started again when its messages are gone, and then takes over what older messages still work on."""
POSTGRES = Allowed(resent=True, extra=4)
"""What was sent and could not be noted is sent again; a reply that could not be stored is held by the process that
asked, and another that is faster asks again."""


def flush_broker(rig: Rig, window: Window) -> list[Trial]:
    """Everything that waits in the broker is gone."""
    trial = Trial("FLUSHALL with work in the queues", rig, window)
    rig.signal("reranking", signal.SIGSTOP)
    try:
        for _ in range(6):
            trial.load.submit()
        broker = rig.broker()
        rig.pump(lambda: broker.llen("reranking") > 0, 30)
        trial.strike()
        broker.flushall()
        broker.close()
    finally:
        rig.signal("reranking", signal.SIGCONT)
    return [trial]


def restart_broker(rig: Rig, window: Window) -> list[Trial]:
    """The broker is killed while questions come, and started again."""
    trial = Trial("Redis killed and restarted", rig, window, BROKER)
    submitted = trial.load.start(8, threads=2, pause_s=0.1)
    rig.idle(0.4)
    trial.strike(rig.signal("valkey"))
    # Before anybody starts it again: accepting needs no broker.
    trial.load.submit()
    rig.pump(submitted.done, 90)
    submitted.result(0)
    trial.notes.append(accepting(trial))
    return [trial]


def pause_broker(rig: Rig, window: Window, seconds: float = 5) -> list[Trial]:
    """The broker takes connections and answers nothing."""
    trial = Trial(f"Redis paused for {seconds:g} s", rig, window, BROKER)
    submitted = trial.load.start(8, threads=2, pause_s=0.1)
    rig.idle(0.3)
    trial.strike(rig.signal("valkey", signal.SIGSTOP))
    try:
        rig.idle(seconds)
    finally:
        rig.signal("valkey", signal.SIGCONT)
    rig.pump(submitted.done, 90)
    submitted.result(0)
    trial.notes.append(accepting(trial))
    return [trial]


def restart_postgres(rig: Rig, window: Window) -> list[Trial]:
    """Postgres ends at once, without a checkpoint, and recovers."""
    trial = Trial("Postgres restarted (immediate)", rig, window, POSTGRES)
    submitted = trial.load.start(8, threads=2, pause_s=0.1)
    rig.idle(0.6)
    trial.strike(rig.signal("postgres", signal.SIGQUIT))
    rig.pump(submitted.done, 90)
    submitted.result(0)
    trial.notes.append(accepting(trial))
    return [trial]


def deliver_twice(rig: Rig, window: Window) -> list[Trial]:
    """Every message is in its queue twice."""
    # Both are taken at the same time, and neither can know that the other is alive.
    trial = Trial("every message twice", rig, window)
    rig.duplicate(wanted=True)
    trial.strike()
    try:
        for _ in range(4):
            trial.load.submit()
        rig.pump(trial.is_over, 30)
    finally:
        rig.duplicate(wanted=False)
    return [trial]


def stop_past_lease(rig: Rig, window: Window) -> list[Trial]:
    """A worker is stopped in the middle of a step, and goes on when somebody else has done it."""
    # What it was asking for when it was stopped, it asks for when it goes on.
    trial = Trial("SIGSTOP past the lease, then SIGCONT", rig, window, Allowed(extra=12))
    trial.arm(Point.BEFORE_CALL, "check_statement", Order(Act.STOP))
    trial.load.submit()
    rig.pump(lambda: not rig.points.armed(), 60)
    rig.pump(trial.is_over, 90)
    stopped = rig.points.fired()[-1].pid
    os.kill(stopped, signal.SIGCONT)
    trial.strike()
    rig.idle(1.5)
    return [trial]


def storm_429(rig: Rig, window: Window, seconds: float = 4) -> list[Trial]:
    """The provider refuses everything for a while."""
    return _provider(rig, window, f"429 to every call for {seconds:g} s", seconds, Spoilt(
        kind=FaultKind.RATE_LIMITED, times=None, retry_after=1
    ))  # fmt: skip


def errors_5xx(rig: Rig, window: Window) -> list[Trial]:
    """A third of the calls fails."""
    return _provider(rig, window, "30 % of calls answered with 500", 2, Spoilt(
        kind=FaultKind.SERVER_ERROR, times=None, probability=0.3
    ))  # fmt: skip


def hang(rig: Rig, window: Window) -> list[Trial]:
    """Calls that are never answered."""
    kinds = ("generate_answer", "rerank_chunk", "check_statement")
    faults = [Spoilt(kind=FaultKind.HANG, match=f"\n{kind}\n") for kind in kinds]
    return _provider(rig, window, "calls that hang", 1, *faults)


def cut(rig: Rig, window: Window) -> list[Trial]:
    """Answers that end in the middle."""
    kinds = (FaultKind.CUT, FaultKind.RESET, FaultKind.STREAM_ERROR, FaultKind.LENGTH)
    faults = [Spoilt(kind=kind, match="\ngenerate_answer\n") for kind in kinds]
    faults += [Spoilt(kind=kind, match="\ncheck_statement\n") for kind in (FaultKind.CUT, FaultKind.BAD_JSON)]
    return _provider(rig, window, "cut streams and replies", 1, *faults)


def dead_receiver(rig: Rig, window: Window) -> list[Trial]:
    """Receivers that hang, close, refuse, and answer at last; others are told as soon as ever."""
    dead = Trial("webhook receivers that are dead for a while", rig, window, Allowed(resent=True))
    well = Trial("others meanwhile", rig, window)
    dead.strike()
    well.strike()
    for manner in (Manner.HANG, Manner.CLOSE, Manner.CUT):
        dead.load.submit(Answer(manner=manner), Answer(500), Answer())
        well.load.submit()
    return [dead, well]


def accepting(trial: Trial) -> str:
    """How long it took to be accepted, and what else was answered; 0 is a connection that broke."""
    took = trial.load.took
    times = f"p50 {percentile(took, 0.5):.2f}, p99 {percentile(took, 0.99):.2f}, at most {max(took):.2f} s"
    return f"accepting took {times}; answers by status {dict(trial.load.answers)}"


def _provider(rig: Rig, window: Window, name: str, seconds: float, *faults: Spoilt) -> list[Trial]:
    trial = Trial(name, rig, window, _PROVIDER)
    rig.simulator.fail(*faults)
    trial.strike(time.time())
    for _ in range(4):
        trial.load.submit()
    rig.idle(seconds)
    if any(fault.times is None for fault in faults):
        rig.simulator.faults.faults.clear()
    return [trial]


SHORT = (
    Fault("kills", kill_everything, 150),
    Fault("flushall", flush_broker),
    Fault("redis-restart", restart_broker),
    Fault("redis-pause", pause_broker),
    Fault("postgres-restart", restart_postgres),
    Fault("duplicates", deliver_twice),
    Fault("zombie", stop_past_lease),
    Fault("429", storm_429),
    Fault("5xx", errors_5xx),
    Fault("hang", hang),
    Fault("cut", cut),
    Fault("receiver", dead_receiver),
)
