"""Sources on a whole stack: everything once, whatever ends the processes, and another tenant is not delayed."""

from pathlib import Path

import pytest

from benchmarks.load.sources import measure

pytestmark = [pytest.mark.drill, pytest.mark.timeout(900)]


def test_four_places_are_followed_through_killed_processes_beside_another_tenant(tmp_path: Path) -> None:  # N3, A7, F1
    # Reading a document takes a process of its own, some 0.3 s. So there are few, and as many at a time: what waits is
    # to be many times more than what may wait, and a run is to take many slices.
    few = {"CITEWELL_SOURCES__QUEUED": "10", "CITEWELL_SOURCES__SLICE_S": "1"}
    result = measure(tmp_path, files=80, pages=20, others=15, **few)
    assert {name.partition("-")[0] for name in result.killed} == {"webhooks", "ingestion"}
    # A place is kept for it; what is left is that both share the machine with everything else.
    assert result.ratio < 3, result.table()
