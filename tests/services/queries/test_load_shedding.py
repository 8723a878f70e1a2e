"""The questions that this process has admitted since it last measured the backlog."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from db.models import DEFAULT_TENANT
from db.session import acting_for
from services.queries import load_shedding

pytestmark = pytest.mark.usefixtures("database")


def test_no_question_that_was_let_through_at_once_with_others_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A counter's `+= 1` is several steps; other threads may run between them."""
    threads, each = 8, 400
    monkeypatch.setattr("services.queries.load_shedding.REMEMBERED_S", 3600.0)
    for limit in ("MAX_QUEUED_PER_TENANT", "MAX_QUEUED", "MAX_WAIT_S"):
        monkeypatch.setenv(f"CITEWELL_ADMISSION__{limit}", "100000")
    load_shedding.reset()

    def ask(_: int) -> None:
        with acting_for(DEFAULT_TENANT):
            for _ in range(each):
                load_shedding.check_questions(deadline_s=1e9)

    with acting_for(DEFAULT_TENANT):
        load_shedding.check_questions(deadline_s=1e9)
    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(ask, range(threads)))
        seen = load_shedding._memory.current(load_shedding.settings().admission)  # pyright: ignore[reportPrivateUsage]
        assert seen.passed.total() == threads * each + 1
    finally:
        sys.setswitchinterval(switching)
        load_shedding.reset()
