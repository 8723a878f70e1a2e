"""`preset: small` through whole processes: the model writes, the rules judge, and the record can be replayed."""

import json
import subprocess
import sys
from collections import Counter

import pytest

from tests.e2e.stack import running_stack
from tests.simulators.groq.faults import Fault, FaultKind
from tests.simulators.groq.provider import Account
from tests.simulators.groq.server import GroqSimulator

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("small")]

MODEL = "openai/gpt-oss-20b"
TEXT = "Returns policy. Returns are accepted within 30 days of the purchase date. A receipt is required for returns."
QUESTION = "Within how many days are returns accepted?"


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command on the stack's home, which is in the environment while the stack runs."""
    program = [sys.executable, "-m", "citewell.cli.main", *arguments]
    return subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)


def test_one_call_writes_and_the_rules_judge() -> None:
    with (
        GroqSimulator(accounts={"": Account("local")}) as simulator,
        running_stack(
            CITEWELL_PRESET="small",
            CITEWELL_MODELS__PROVIDER="openai_compatible",
            CITEWELL_MODELS__BASE_URL=f"{simulator.base_url}/openai/v1",
            CITEWELL_MODELS__MAIN=MODEL,
            CITEWELL_MODELS__FAST=MODEL,
        ) as stack,
    ):
        stack.add_text("returns.md", TEXT, workspace="small")
        good = stack.ask(QUESTION, workspace="small")
        calls = stack.history(good["id"])["model_calls"]
        assert Counter(entry.kind for entry in simulator.ledger.billed) == {"generate_answer": 1}
        assert good["provider"] == "openai_compatible"
        assert "30 days" in good["answer"]
        assert [each["status"] for each in good["verification"]["sentences"]] == ["supported"]
        models = {call["prompt"]: call["model"] for call in calls}
        assert models.pop("generate_answer") == MODEL
        assert set(models.values()) == {"offline"}
        replayed = command("audit", "replay", good["id"], "--json")
        assert json.loads(replayed.stdout) == {"equal": True, "differences": []}, replayed.stderr
        # What a small model makes up is found without it.
        simulator.fail(
            Fault(kind=FaultKind.SAYING, quote="Returns are accepted within 90 days of the purchase date. [†1]")
        )
        simulator.go_on()
        wrong = stack.ask("Up to what day are returns accepted?", workspace="small")
        assert "90" not in wrong["answer"]
        examined = command("doctor", "--json")
        found = {check["check"]: check for check in map(json.loads, examined.stdout.splitlines())}
        assert examined.returncode == 0, examined.stdout
        assert f"{MODEL} answered a short question" in found["model"]["found"]
