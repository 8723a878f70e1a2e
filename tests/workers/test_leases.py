"""Renewal of leases goes on, whatever happens to one of them."""

import threading

from domain.errors import DatabaseUnavailable
from workers.leases import LeaseRenewer


def test_a_renewal_that_breaks_does_not_end_the_others() -> None:  # A5
    renewed, broken = threading.Semaphore(0), threading.Semaphore(0)

    def breaks(error: Exception) -> None:
        broken.release()
        raise error

    leases = LeaseRenewer(interval_s=0.01)
    with (
        leases.hold(lambda: breaks(DatabaseUnavailable())),
        leases.hold(lambda: breaks(ZeroDivisionError())),
        leases.hold(renewed.release),
    ):
        for _ in range(3):
            assert renewed.acquire(timeout=10)
            assert broken.acquire(timeout=10)


def test_what_is_not_held_is_not_renewed() -> None:
    leases, seen = LeaseRenewer(interval_s=0.01), threading.Semaphore(0)
    with leases.hold(seen.release):
        assert seen.acquire(timeout=10)
    with leases.hold(lambda: None):
        while seen.acquire(blocking=False):
            pass
        assert not seen.acquire(timeout=0.1)
