"""Processes on a laptop share the memory that each of them needs."""

import sys

import psutil
import pytest

from tests.e2e.stack import Stack

pytestmark = pytest.mark.slow


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each has everything for itself")
def test_api_and_workers_have_most_of_their_memory_in_common(offline: Stack) -> None:
    offline.add_text("shared.md", "Whatever all processes load is loaded once.", workspace="shared")
    offline.ask("How often is what all processes load loaded?", workspace="shared")
    apps = {
        name: pid for name, pid in offline.supervisor.pids.items() if name.startswith(("api", "queries", "webhooks"))
    }
    assert len(apps) >= 3
    for name, pid in apps.items():
        assert pid is not None
        memory = psutil.Process(pid).memory_full_info()
        assert memory.uss < memory.rss / 2, (name, memory)
