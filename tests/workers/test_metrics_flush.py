"""The counts of all processes are added up, and no count is lost or counted twice (A9)."""

import pytest
from sqlalchemy import text

from clients.telemetry.meter import CIRCUIT_OPENED, MOST_SERIES, QUERIES_RELAUNCHED, STEP_SECONDS, Meter
from db.queries.reports import meters
from db.session import system_transaction
from tests.waiting import until
from workers.background.heartbeat import Reporter

pytestmark = pytest.mark.usefixtures("database")
RELAUNCHED = QUERIES_RELAUNCHED.name


def total(name: str = RELAUNCHED, labels: str = "[]", place: str = "") -> float:
    with system_transaction() as session:
        return meters.sum_meters(session).get(name, {}).get(labels, {}).get(place, 0.0)


def change(statement: str) -> None:
    with system_transaction() as session:
        session.execute(text(statement))


@pytest.fixture
def meter() -> Meter:
    """The meter of a process that begins now; that of this process has reported already, and must not go back."""
    return Meter()


@pytest.fixture
def reporter(meter: Meter) -> Reporter:
    return Reporter(meter)


def test_counts_stay_when_their_process_ends(reporter: Reporter, meter: Meter) -> None:
    meter.count(QUERIES_RELAUNCHED, by=2)
    meter.observe(STEP_SECONDS, 0.2, "generate")
    meter.observe(STEP_SECONDS, 100.0, "generate")
    reporter.report()
    meter.count(QUERIES_RELAUNCHED)
    reporter.report()
    assert total() == 3
    reporter.end()
    change("DELETE FROM process_meters")
    labels = '["generate"]'
    assert total() == 3
    assert [total(STEP_SECONDS.name, labels, place) for place in ("0.25", "+Inf", "sum")] == [
        1,
        1,
        pytest.approx(100.2),
    ]
    # Counts made after its end count once.
    meter.count(QUERIES_RELAUNCHED)
    reporter.report()
    assert total() == 4


def test_one_that_was_taken_for_dead_and_comes_back_counts_once(reporter: Reporter, meter: Meter) -> None:
    meter.count(QUERIES_RELAUNCHED, by=5)
    reporter.report()
    for silent, left in (("290 s", 1), ("301 s", 0)):
        change(f"UPDATE process_meters SET seen_at = clock_timestamp() - interval '{silent}'")
        with system_transaction() as session:
            meters.fold_dead_meters(session)
            assert session.scalar(text("SELECT count(*) FROM process_meters")) == left
        assert total() == 5
    meter.count(QUERIES_RELAUNCHED, by=2)
    reporter.report()
    reporter.report()
    assert total() == 7
    reporter.end()
    assert total() == 7


def test_what_goes_up_and_down_is_that_of_living_processes(reporter: Reporter, meter: Meter) -> None:
    with meter.within("citewell_sse_watchers"), meter.within("citewell_sse_watchers"):
        reporter.report()
    another = Reporter(meter)
    meter.set("citewell_open_circuits", 1.0, "m")
    another.report()
    with system_transaction() as session:
        assert meters.sum_gauges(session) == {
            "citewell_sse_watchers": {"[]": 2.0},
            "citewell_open_circuits": {'["m"]': 1.0},
        }
    change("UPDATE process_meters SET seen_at = clock_timestamp() - interval '31 s'")
    with system_transaction() as session:
        assert meters.sum_gauges(session) == {}


def test_a_reporter_tells_by_itself_and_once_more_when_it_stops(
    reporter: Reporter, meter: Meter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITEWELL_METRICS__REPORT_S", "0.01")
    monkeypatch.setattr("workers.processes.runtime.JOIN_S", 60.0)
    meter.count(QUERIES_RELAUNCHED)
    reporter.start()
    until(lambda: total() == 1)
    meter.count(QUERIES_RELAUNCHED)
    reporter.stop()
    assert total() == 2
    with system_transaction() as session:
        assert session.scalar(text("SELECT count(*) FROM process_meters")) == 0


def test_labels_that_never_end_are_put_together() -> None:
    meter = Meter()
    for number in range(MOST_SERIES + 5):
        meter.count(CIRCUIT_OPENED, f"model-{number}")
    series = meter.counts()[CIRCUIT_OPENED.name]
    assert len(series) == MOST_SERIES + 1
    assert series['["other"]'] == {"": 5.0}
