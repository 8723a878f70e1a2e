"""Where every process does all steps of a question, as on a laptop: the same promises as with a process per queue."""

import json
import signal
from collections.abc import Generator

import pytest

from tests.faults.auditor import audit
from tests.faults.failpoints import Order, Point
from tests.faults.rig import IN_PLACE, QUICK, Rig, running_rig
from tests.faults.runner import Fault, run_fault, settle
from tests.faults.trial import Allowed, Trial, Window

pytestmark = [pytest.mark.drill, pytest.mark.timeout(500), pytest.mark.xdist_group("killing")]

_POINTS = (
    (Point.BEFORE_CALL, "embed_query"),
    (Point.BEFORE_CALL, "rerank_chunk"),
    (Point.START, "query.select"),
    (Point.BEFORE_CALL, "generate_answer"),
    (Point.BEFORE_CALL, "extract_citations"),
    (Point.BEFORE_CALL, "check_statement"),
    (Point.BEFORE_CALL, "check_alignment"),
    (Point.START, "query.assess"),
    (Point.START, "query.publish"),
    (Point.BEFORE_ACK, "query.retrieve"),
)


@pytest.fixture(scope="module")
def rig() -> Generator[Rig]:
    with running_rig({**QUICK, "CITEWELL_POOLS": json.dumps(IN_PLACE)}) as running:
        yield running


def kill_at_every_point(rig: Rig, window: Window) -> list[Trial]:
    """One query after another, each killed at a point of its own; the others are hit by its process's death."""
    trial = Trial("kill -9 at every step", rig, window)
    rig.signal("queries-1", signal.SIGSTOP)
    rig.signal("queries-2", signal.SIGSTOP)
    try:
        for point, name in _POINTS:
            trial.arm(point, name, Order(subject=trial.load.submit()))
    finally:
        rig.signal("queries-1", signal.SIGCONT)
        rig.signal("queries-2", signal.SIGCONT)
    return [trial]


def kill_both(rig: Rig, window: Window) -> list[Trial]:
    """Both processes die again and again while questions come."""
    trial = Trial("both killed while questions come", rig, window)
    submitted = trial.load.start(10, threads=2, pause_s=0.1)
    for name in ("queries-1", "queries-2", "queries-1"):
        rig.idle(0.5)
        trial.strike(rig.signal(name))
        rig.pump(rig.all_up, 60)
    rig.pump(submitted.done, 90)
    submitted.result(0)
    return [trial]


def stop_past_lease(rig: Rig, window: Window) -> list[Trial]:
    """One is stopped for longer than its leases last, and goes on when the other has taken over."""
    # What it was asking for when it was stopped, it asks for when it goes on.
    trial = Trial("stopped past its leases", rig, window, Allowed(extra=12))
    submitted = trial.load.start(6, threads=2, pause_s=0.1)
    rig.idle(0.6)
    trial.strike(rig.signal("queries-1", signal.SIGSTOP))
    try:
        rig.idle(5)
    finally:
        rig.signal("queries-1", signal.SIGCONT)
    rig.pump(submitted.done, 90)
    submitted.result(0)
    return [trial]


@pytest.mark.parametrize(
    "fault",
    [
        Fault("points", kill_at_every_point),
        Fault("both", kill_both),
        Fault("zombie", stop_past_lease),
    ],
    ids=lambda fault: fault.name,
)
def test_nothing_is_lost_and_nothing_happens_twice_in_place(rig: Rig, fault: Fault) -> None:  # A5, N4
    trials = run_fault(rig, fault)
    settle(rig, trials)
    found = [audit(trial) for trial in trials]
    assert [problem for verdict in found for problem in verdict.problems] == []
    assert all(verdict.is_good for verdict in found)
