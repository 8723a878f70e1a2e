"""The distributed form: the commands and health checks of docker-compose.yml, run by hand, and a pool that grows."""

import json
import os
import signal
import time
from collections.abc import Generator
from itertools import count

import httpx
import psutil
import pytest
from sqlalchemy import Engine, create_engine, text

from tests.e2e.distributed import Site, distributed
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.waiting import until
from workers.queues import Queue

pytestmark = [pytest.mark.slow, pytest.mark.timeout(500), pytest.mark.xdist_group("distributed")]

VERIFYING = ("verification", "verification-2", "verification-3")
# Dead processes are found sooner than in production.
RECOVERY = {"LEASE_S": "2", "HEARTBEAT_S": "0.5", "CHECK_S": "0.5"}
DOCUMENT = """Returns must be made within 30 days of the purchase date. A receipt is required for every return.
Refunds are paid to the original payment method within 10 business days. Gift cards cannot be returned.
Restocking fees of 15 percent are deducted for opened electronics. Shoes must be unworn and in their original box."""

Running = tuple[Site, httpx.Client]


@pytest.fixture(scope="module")
def running() -> Generator[Running]:
    recovery = {f"CITEWELL_RECOVERY__{name}": value for name, value in RECOVERY.items()}
    # At the real provider's speed: a process is to be killed in the middle of its work.
    with GroqSimulator(time_scale=1.0) as simulator:
        outside = {"GROQ_API_KEY": KEY, "GROQ_BASE_URL": simulator.base_url, "CITEWELL_GRAPH__EXTRACTOR": "local"}
        with distributed(**outside, **recovery) as (site, http):
            body = {"filename": "returns.md", "text": DOCUMENT}
            document = http.post("/v1/documents", json=body).raise_for_status().json()["links"]["self"]
            until(lambda: http.get(document).json()["status"] == "ready")
            yield site, http


@pytest.fixture
def database(running: Running) -> Generator[Engine]:
    engine = create_engine(running[0].servers.database_url, isolation_level="AUTOCOMMIT")
    yield engine
    engine.dispose()


def pids_of_steps(database: Engine, *, unfinished: bool = False) -> set[int]:
    """The processes that verified something, or are doing so."""
    with database.connect() as connection:
        connection.execute(text("SET citewell.system = 'on'"))
        rows = connection.scalars(
            text(
                "SELECT DISTINCT split_part(worker, ':', 3)::int FROM step_outcomes "
                "WHERE step LIKE 'check%' AND worker <> '' AND (value IS NULL OR NOT :unfinished)"
            ),
            {"unfinished": unfinished},
        )
        return set(rows)


NUMBERS = count()


def ask(http: httpx.Client, many: int) -> list[str]:
    """Different questions, so that no kept reply answers any; return their ids."""
    bodies = [{"question": f"Within how many days must return no. {next(NUMBERS)} be made?"} for _ in range(many)]
    return [http.post("/v1/queries", json=body).raise_for_status().json()["id"] for body in bodies]


def results(http: httpx.Client, ids: list[str]) -> list[str]:
    return [http.get(f"/v1/queries/{each}", params={"wait": 60}).raise_for_status().json()["status"] for each in ids]


def test_a_process_per_service_does_the_whole_work(running: Running) -> None:  # A1, A10
    site, http = running
    assert httpx.get(f"{site.url}/v1/documents").status_code == 401
    assert results(http, ask(http, 1)) == ["succeeded"]
    told = json.loads(site.run("citewell.cli.main", "workers", "--json"))["processes"]
    alive = {queue for process in told if process["alive"] for queue in process["queues"]}
    assert alive == {queue.value for queue in Queue}
    # Several tries, as Compose makes them: on a busy machine a pulse may be late.
    until(lambda: all(map(site.is_healthy, site.processes)), 240)


@pytest.mark.drill
def test_a_pool_grows_and_loses_a_process_and_no_work(running: Running, database: Engine) -> None:  # A1, A5, A10
    site, http = running
    site.start(*VERIFYING[1:])
    pids = {name: site.processes[name].pid for name in VERIFYING}
    told = json.loads(site.run("citewell.cli.main", "workers", "--json"))["processes"]
    assert {process["pid"] for process in told if process["queues"] == ["verification"]} == set(pids.values())
    deadline = time.monotonic() + 90
    while not set(pids.values()) <= pids_of_steps(database):
        assert time.monotonic() < deadline
        assert set(results(http, ask(http, 6))) == {"succeeded"}
    victim = pids["verification-2"]
    assert victim is not None
    asked = ask(http, 8)
    until(lambda: victim in pids_of_steps(database, unfinished=True))
    os.kill(victim, signal.SIGKILL)
    assert set(results(http, asked)) == {"succeeded"}
    # A process that is told to end does so in order.
    leaving = psutil.Process(pids["verification-3"])
    leaving.terminate()
    assert leaving.wait(timeout=60) in {0, None}
