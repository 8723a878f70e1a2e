"""Steps in real worker processes that are deferred, told to end, stopped or killed."""

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import psutil
import pytest
from celery import chain
from sqlalchemy import text

from db.models import DEFAULT_TENANT
from db.queries.runs import parking, queries, steps
from db.session import reading, system_transaction, transaction
from tests.factories import make_query
from tests.workers.probes import fan_out, probe, starts
from workers.pipeline import Run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

ROOT = Path(__file__).resolve().parents[2]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def start_worker(broker: Any, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Start]:
    """Starts worker processes on the test's servers, and ends them."""
    assert broker is not None
    assert database
    monkeypatch.setenv("PROBE_LOG", str(tmp_path / "probes"))
    running: list[subprocess.Popen[bytes]] = []

    def start(*, pool: str = "custom", **recovery: float) -> subprocess.Popen[bytes]:
        given = {"lease_s": 3.0, "heartbeat_s": 0.5, **recovery}
        environment = {"CELERY_CUSTOM_WORKER_POOL": "workers.pool:LoopPool"}
        environment |= {f"CITEWELL_RECOVERY__{name.upper()}": str(value) for name, value in given.items()}
        log = tmp_path / f"worker{len(running)}.log"
        command = "-m celery -A tests.workers.probes worker -Q verification --without-mingle --without-gossip"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, *command.split(), "--pool", pool, "--concurrency", "4", "-n", f"p{len(running)}@%h"],
                env={**os.environ, **environment, "PYTHONPATH": str(ROOT)},
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        running.append(process)
        until(lambda: b"ready." in log.read_bytes(), "the worker to be ready")
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
        process.wait()


def until(holds: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def again(run: Run) -> Run:
    """The next launch of the query, as the reconciler starts it."""
    with transaction() as session:
        launch = queries.mark_launched(session, uuid.UUID(run.query_id), run.launch)
    assert launch is not None
    return run._replace(launch=launch)


def outcomes(run: Run) -> dict[tuple[str, str], dict[str, Any]]:
    with reading() as session:
        return steps.list_outcomes(session, uuid.UUID(run.query_id)).get(0, {})


def is_done(run: Run, item: str = "", step: str = "after") -> Callable[[], bool]:
    return lambda: (step, item) in outcomes(run)


def claim_of(run: Run, item: str) -> tuple[int, str, float]:
    """(tries, worker, seconds until its lease ends) of an item."""
    with system_transaction() as session:
        row = session.execute(
            text(
                "SELECT tries, worker, extract(epoch FROM lease_until - clock_timestamp()) FROM step_outcomes "
                "WHERE query_id = :q AND item = :i"
            ),
            {"q": run.query_id, "i": item},
        ).one()
    return row[0], row[1], float(row[2])


def stalled() -> list[uuid.UUID]:
    with system_transaction() as session:
        return [each.query_id for each in queries.list_stalled(session, lease_s=3.0, stalled_s=60.0)]


def test_a_step_that_is_put_off_holds_no_worker_and_its_chord_goes_on(run: Run, start_worker: Start) -> None:  # A7
    start_worker()
    # Twice as many as there are threads: all wait at once, and something else gets its turn meanwhile.
    waiting = [f"defer-1-6-{n}" for n in range(8)]
    fan_out(run, [[item] for item in waiting]).apply_async()
    until(lambda: all(starts(item) for item in waiting), "the first tries")
    other = again_for_another()
    probe(other, ["quick"]).apply_async()
    chain(probe(other, ["defer-1-1"]), probe(other, [""], "after")).apply_async()
    until(is_done(other, "quick", "probe"), "what does not wait")
    assert all(len(starts(item)) == 1 for item in waiting)
    until(lambda: claim_of(run, waiting[0])[:2] == (0, ""), "the first to be put off")
    assert 0 < claim_of(run, waiting[0])[2] < 10
    assert stalled() == []
    until(is_done(run), "the end of the chord")
    until(is_done(other), "the end of the chain")
    assert outcomes(run)["after", ""]["seen"] == sorted(waiting)
    assert [len(starts(item)) for item in waiting] == [2] * 8


def again_for_another() -> Run:
    with transaction() as session:
        query_id = make_query(session).id
    return again(Run(str(query_id), 0, 0, DEFAULT_TENANT))


def test_the_death_of_whoever_keeps_a_put_off_step_is_only_a_delay(run: Run, start_worker: Start) -> None:  # A5, A7
    first = start_worker()
    # Longer than the test takes to notice it.
    fan_out(run, [["defer-1-60"], ["plain"]]).apply_async()
    until(lambda: is_done(run, "plain", "probe")() and bool(starts("defer-1-60")), "the first tries")
    until(lambda: claim_of(run, "defer-1-60")[1] == "", "the step to be put off")
    first.kill()
    first.wait()
    assert stalled() == []
    with system_transaction() as session:
        session.execute(text("UPDATE step_outcomes SET lease_until = now() WHERE item = 'defer-1-60'"))
    until(lambda: stalled() == [uuid.UUID(run.query_id)], "the lease to run out")
    start_worker()
    fan_out(relaunched := again(run), [["defer-1-60"], ["plain"]]).apply_async()
    until(is_done(relaunched), "the end")
    assert (len(starts("defer-1-60")), len(starts("plain"))) == (2, 1)


@pytest.mark.parametrize("pool", ["custom", "prefork"])
def test_a_step_that_kills_its_worker_is_tried_three_times_and_parked(
    run: Run, start_worker: Start, pool: str
) -> None:  # A5, N4
    # With it in the same processes: one that is innocent, alone in its task, and another in the task of the culprit.
    batches = [["die", "plain-1"], ["sleep-0.3"], ["plain-2"]]
    current, deaths = run, 0
    fan_out(current, batches).apply_async()
    process = start_worker(pool=pool)
    deadline = time.monotonic() + 300
    while not is_done(run)():
        assert time.monotonic() < deadline
        if process.poll() is not None:
            deaths += 1
            process = start_worker(pool=pool)
        if uuid.UUID(run.query_id) in stalled():
            current = again(current)
            fan_out(current, batches).apply_async()
        time.sleep(0.05)
    found = outcomes(run)
    assert found["probe", "die"] == {
        "status": "not_checked",
        "reason": "parked: it broke its worker 3 times",
        "degraded": "parked: it broke its worker 3 times",
    }
    assert {item: found["probe", item]["status"] for item in ("plain-1", "plain-2", "sleep-0.3")} == {
        "plain-1": "done",
        "plain-2": "done",
        "sleep-0.3": "done",
    }
    assert len(starts("die")) == 3
    assert found["after", ""]["seen"] == sorted(item for batch in batches for item in batch)
    with reading() as session:
        (parked,) = parking.list_parked(session, 10)
    assert (parked.step, parked.item, parked.tenant) == ("probe", "die", "default")
    assert parked.worker
    assert (deaths == 0) == (pool == "prefork")


def test_a_child_of_a_pool_ends_when_it_has_rested_and_another_works(
    run: Run, start_worker: Start, monkeypatch: pytest.MonkeyPatch
) -> None:  # A5
    monkeypatch.setenv("PROBE_REST_S", "0.5")
    parent = psutil.Process(start_worker(pool="prefork").pid)
    unused = {child.pid for child in parent.children()}
    # What takes longer than the rest is no rest.
    fan_out(run, [["sleep-2"]]).apply_async()
    until(is_done(run), "the end")
    used = outcomes(run)["probe", "sleep-2"]["pid"]
    assert used in unused
    until(lambda: not psutil.pid_exists(used), "its end")
    until(lambda: len(parent.children()) == len(unused), "another in its place")
    fan_out(other := again_for_another(), [[f"plain-{n}"] for n in range(8)]).apply_async()
    until(is_done(other), "the end of the other")
    assert len(starts("sleep-2")) == 1


@pytest.mark.parametrize(
    ("pool", "how"),
    [
        ("custom", signal.SIGTERM),
        ("prefork", signal.SIGQUIT),
    ],
)
def test_a_worker_that_is_told_to_end_hands_back_what_it_cannot_finish(
    run: Run, start_worker: Start, broker: Any, pool: str, how: signal.Signals
) -> None:  # A5
    process = start_worker(pool=pool, drain_s=1.0)
    fan_out(run, [["sleep-30"]]).apply_async()
    until(lambda: bool(starts("sleep-30")), "the start")
    process.send_signal(how)
    process.wait(timeout=90)
    tries, worker, lease = claim_of(run, "sleep-30")
    # As if it had never been tried: the next worker may take it at once, and no try is counted.
    assert (tries, worker) == (0, "")
    assert lease <= 0
    assert outcomes(run) == {}
    assert (broker.llen("verification"), broker.hlen("unacked")) == (1, 0)


def test_a_stopped_worker_that_goes_on_later_writes_nothing(run: Run, start_worker: Start) -> None:  # A5
    zombie = start_worker()
    fan_out(run, [["sleep-6"]]).apply_async()
    until(lambda: bool(starts("sleep-6")), "the start")
    zombie.send_signal(signal.SIGSTOP)
    until(lambda: stalled() == [uuid.UUID(run.query_id)], "the lease to run out")
    successor = start_worker()
    fan_out(relaunched := again(run), [["sleep-6"]]).apply_async()
    until(is_done(relaunched), "the end")
    stored = outcomes(run)
    assert stored["probe", "sleep-6"]["pid"] == successor.pid
    zombie.send_signal(signal.SIGCONT)
    time.sleep(3)
    assert outcomes(run) == stored
    assert len(starts("after")) == 1
