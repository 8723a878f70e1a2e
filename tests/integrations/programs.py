"""Runs a program of `examples/` with packages that are not in the environment of developers; returns what it printed.

Together they are larger than that environment, and some want other versions. `make test-integrations` installs them.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.node import node

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
BIN = ROOT / ".venv-integrations" / "bin"
PYTHON = BIN / "python"
MODULES = EXAMPLES / "javascript" / "node_modules"
# A framework of agents takes some seconds only to be imported, and promptfoo starts a Python for each answer.
PATIENCE_S = 300
MARKS = [pytest.mark.slow, pytest.mark.xdist_group("integrations"), pytest.mark.timeout(2 * PATIENCE_S)]


def needs_programs() -> None:
    """Skip the test where other people's programs are not installed."""
    if not PYTHON.exists():
        pytest.skip("other people's programs are not installed: `make test-integrations`")


def run_python(example: str, *arguments: str, **environment: str) -> str:
    """The output of `examples/EXAMPLE` with the packages of the group `integrations`."""
    needs_programs()
    return run_program(PYTHON, EXAMPLES / example, *arguments, **environment)


def run_javascript(example: str, *arguments: str, **environment: str) -> str:
    """The output of `examples/javascript/EXAMPLE` with the packages of the package.json beside it."""
    if not MODULES.exists():
        pytest.skip("the programs of npm are not installed: `make test-integrations`")
    return run_program(node(), EXAMPLES / "javascript" / example, *arguments, **environment)


def run_program(*command: str | Path, **environment: str) -> str:
    """The output of a program that knows nothing of this machine's settings; a failed one fails the test."""
    return run_ending_with(0, *command, **environment)


def run_ending_with(status: int, /, *command: str | Path, **environment: str) -> str:
    """The same of a program that ends with this exit status."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    given = {**kept, "PYTHONWARNINGS": "ignore", **environment}
    line = [str(part) for part in command]
    ran = subprocess.run(line, cwd=EXAMPLES, env=given, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert ran.returncode == status, f"{ran.stdout[-4000:]}\n{ran.stderr[-8000:]}"
    return ran.stdout
