"""The walk through the API with curl and the independent webhook library, as a new user makes it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from citewell.supervisor.servers.endpoints import free_port
from tests.e2e.stack import Stack

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "walkthrough.sh"


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl here")
def test_every_endpoint_answers_to_curl(offline: Stack) -> None:  # A3, A6, N2, N9, S1.8, S2.4, S3.6, S4.3, S4.4, S5.6
    # Outside the range from which the connections of all those processes are given their ports meanwhile.
    port = free_port()
    env = {"CITEWELL_URL": offline.supervisor.url, "PYTHON": sys.executable, "RECEIVER_PORT": str(port)}
    walked = subprocess.run(
        [str(SCRIPT)], env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=150
    )
    assert walked.returncode == 0, walked.stdout + walked.stderr
    assert "verified: query.succeeded" in walked.stdout
    assert walked.stdout.endswith("done\n")
