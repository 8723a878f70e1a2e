"""The OpenAPI document is true: whatever a client sends, the response is one that it describes."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.e2e.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_no_request_gets_a_server_error_or_an_undescribed_answer(offline: Stack, tmp_path: Path) -> None:  # A3
    offline.add_text("policy.md", "All returns must be made within 30 days of purchase.", workspace="default")
    # Keys that are made up would all be refused at the door.
    wanted = {"name": "contract", "scopes": ["admin"], "requests_per_minute": 1_000_000}
    key = httpx.post(f"{offline.supervisor.url}/v1/keys", json=wanted).json()["key"]
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{offline.supervisor.url}/openapi.json"),
            *("--header", f"Authorization: Bearer {key}"),
            *("--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "5", "--max-time", "40"),
            *("--request-timeout", "130", "--generation-database", "none", "--no-color"),
        ],
        env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.e2e.contract_hooks", "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,  # it keeps notes where it runs
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-8000:]
    assert "Coverage" in ran.stdout, ran.stdout[-8000:]
