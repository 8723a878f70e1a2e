"""Real processes are killed, stopped, emptied and lied to: nothing accepted is lost, and nothing happens twice.

`make faults` is the long form of this. Every fault strikes the same rig, because each one heals by itself.
"""

from collections.abc import Generator

import pytest

from tests.faults.auditor import Verdict, audit
from tests.faults.catalogue import SHORT
from tests.faults.rig import Rig, running_rig
from tests.faults.runner import Fault, run_fault, settle
from tests.faults.table import print_table

pytestmark = [pytest.mark.drill, pytest.mark.timeout(500), pytest.mark.xdist_group("killing")]


@pytest.fixture(scope="module")
def rig() -> Generator[Rig]:
    with running_rig() as running:
        yield running


@pytest.fixture(scope="module")
def verdicts() -> Generator[list[Verdict]]:
    found: list[Verdict] = []
    yield found
    print_table("Faults", found)


# `make faults` has the others, too: those of the model's server and of receivers stand in tests/e2e.
_OURS = ("kills", "flushall", "redis-restart", "postgres-restart", "duplicates", "zombie", "cut")


@pytest.mark.parametrize("fault", [fault for fault in SHORT if fault.name in _OURS], ids=lambda fault: fault.name)
def test_nothing_is_lost_and_nothing_happens_twice(rig: Rig, verdicts: list[Verdict], fault: Fault) -> None:  # A5, N4
    trials = run_fault(rig, fault)
    settle(rig, trials)
    found = [audit(trial) for trial in trials]
    verdicts += found
    assert [problem for verdict in found for problem in verdict.problems] == []
    assert all(verdict.is_good for verdict in found)
