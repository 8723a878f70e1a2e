"""Runs a fault of the catalogue on a rig."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.faults.rig import Rig
from tests.faults.trial import Trial, Window

Strike = Callable[[Rig, Window], list[Trial]]


@dataclass(frozen=True, slots=True)
class Fault:
    """`strike` submits work, breaks something while it runs, mends it, and says what was tried.

    Everything accepted must end within `within_s` seconds of that, or it counts as lost.
    """

    name: str
    strike: Strike
    within_s: float = 120.0


def run_fault(rig: Rig, fault: Fault) -> list[Trial]:
    """Strike, and keep everything running until what was accepted has ended, or the time is over."""
    window = Window(len(rig.simulator.ledger.entries))
    trials = fault.strike(rig, window)
    rig.pump(lambda: all(trial.is_over() for trial in trials), fault.within_s)
    for trial in trials:
        trial.note_fired()
    rig.points.disarm()
    rig.simulator.faults.faults.clear()
    rig.pump(rig.all_up, 60)
    window.end = len(rig.simulator.ledger.entries)
    window.queries = sum(len(trial.load.ids) for trial in trials)
    return trials


def settle(rig: Rig, trials: list[Trial], seconds: float = 90) -> None:
    """Wait until receivers have been told of everything, as far as they ever will be."""
    ids = [one for trial in trials for one in trial.load.ids]
    rig.pump(lambda: all(row["status"] != "pending" for row in rig.books.messages(ids)), seconds)
