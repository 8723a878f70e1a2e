"""Models chosen on the page answer at once in all processes, and a question under way ends with those that it began
with."""

import os
import subprocess
import sys
import time
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from citewell.supervisor.apps import child_environment
from citewell.supervisor.servers.endpoints import free_port
from tests.e2e.stack import Stack, running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.server import KEY, GroqSimulator
from tests.waiting import until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("switch")]

MODEL, OTHER = "openai/gpt-oss-20b", "qwen/qwen3.6-27b"
TEXT = "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for returns."
QUESTION = "Within how many days are returns accepted?"
HERE = "/v1/model-servers"
WITHIN_S = 2.0


@contextmanager
def second_api(stack: Stack) -> Generator[httpx.Client]:
    """Another process of the API on the stack's servers."""
    supervisor = stack.supervisor
    environment = child_environment(supervisor.home, supervisor.database_url, supervisor.redis_url)
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "api.app:app", "--port", str(port), "--ws", "none"]
    process = subprocess.Popen(command, env=environment)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=90) as http:
            until(lambda: _answers(http))
            yield http
    finally:
        process.terminate()
        process.wait(20)


def _answers(http: httpx.Client) -> bool:
    try:
        return http.get("/readyz").is_success
    except httpx.TransportError:
        return False


def choose(http: httpx.Client, simulator: GroqSimulator, model: str) -> dict[str, Any]:
    asked = {"address": f"{simulator.base_url}/openai/v1", "key": KEY, "model": model, "preset": "small"}
    trial = http.post(f"{HERE}/trials", json=asked).raise_for_status().json()
    path = f"{HERE}/trials/{trial['id']}"
    until(lambda: http.get(path).raise_for_status().json()["status"] == "passed", 120)
    return http.put(f"{HERE}/current", json={"trial_id": trial["id"]}).raise_for_status().json()


def test_a_switch_reaches_every_process_and_no_question_under_way() -> None:
    with (
        GroqSimulator() as simulator,
        running_stack(CITEWELL_RERANK__CONTEXT_TOKENS="400") as stack,
        second_api(stack) as beside,
    ):
        stack.add_text("returns.md", TEXT, workspace="switch")
        assert stack.ask(QUESTION, workspace="switch")["provider"] == "offline"
        assert beside.get("/healthz").json()["provider"] == "offline"

        chosen = choose(stack.http, simulator, MODEL)
        began = time.monotonic()
        until(lambda: beside.get("/healthz").json()["provider"] == "openai_compatible")
        assert time.monotonic() - began < WITHIN_S
        assert beside.get(f"{HERE}/current").json() == chosen

        # Many at once run in both worker processes.
        simulator.reset()

        def ask(number: int) -> str:
            body = {"question": f"{QUESTION} {number}", "workspace": "switch"}
            return beside.post("/v1/queries", json=body).raise_for_status().json()["id"]

        with ThreadPoolExecutor(6) as threads:
            accepted = list(threads.map(ask, range(6)))
        answers = [stack.wait(id_) for id_ in accepted]
        assert {(answer["status"], answer["provider"]) for answer in answers} == {("succeeded", "openai_compatible")}
        assert {entry.model for entry in simulator.ledger.billed} == {MODEL}
        assert stack.history(accepted[0])["model_calls"][0]["cost_usd"] is not None

        # This one stops in the middle of its answer, while the model is switched twice.
        simulator.fail(Fault(kind=FaultKind.SAYING, quote="Returns are accepted within 30 days of the purchase. [†1]"))
        paused = stack.submit("Up to what day are returns accepted?", workspace="switch")
        until(lambda: simulator.ledger.entries[-1].fault == FaultKind.SAYING)
        choose(beside, simulator, OTHER)
        assert stack.http.get(f"{HERE}/current").json()["main"] == OTHER
        until(lambda: stack.http.get("/healthz").json()["provider"] == "openai_compatible")
        assert beside.delete(f"{HERE}/current").status_code == 204
        time.sleep(WITHIN_S)
        after = stack.ask("Is a receipt required?", workspace="switch")
        assert after["provider"] == "offline"
        simulator.go_on()
        ended = stack.wait(paused)
        assert (ended["status"], ended["provider"], ended["model"]) == ("succeeded", "openai_compatible", MODEL)
        calls = stack.history(paused)["model_calls"]
        assert {call["model"] for call in calls} == {MODEL, "offline"}

        # No line of a log has the key.
        logs = [path for path in Path(os.environ["CITEWELL_HOME"]).rglob("*.log") if path.is_file()]
        assert logs
        assert [path.name for path in logs if KEY.encode() in path.read_bytes()] == []
