"""What `make test` runs twice, and what it does not accept."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.again import named

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
_FAILS_FIRST = """
import pathlib
def test_first_time_fails():
    seen = pathlib.Path("seen")
    if not seen.exists():
        seen.touch()
        raise AssertionError
"""
_FAILS = "def test_fails_always():\n    raise AssertionError\n"
_MANY = "import pytest\n@pytest.mark.parametrize('n', range(4))\ndef test_one_of_many(n):\n    raise AssertionError\n"


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    python = [sys.executable, "-m", *command]
    environment = {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": "-p no:randomly"}
    return subprocess.run(python, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def _twice(folder: Path, tests: str) -> tuple[int, str]:
    (folder / "test_it.py").write_text(tests, encoding="utf-8")
    first = _run(folder, "pytest", "--cache-clear", "-q").returncode
    again = _run(folder, "tests.again", str(first))
    return again.returncode, again.stdout


def test_one_that_passes_alone_is_named_and_passes(tmp_path: Path) -> None:
    status, told = _twice(tmp_path, _FAILS_FIRST)
    assert status == 0
    assert told.rstrip().endswith("passed alone:\n  test_it.py::test_first_time_fails")


def test_one_that_fails_again_fails(tmp_path: Path) -> None:
    status, told = _twice(tmp_path, _FAILS_FIRST + _FAILS)
    assert status == pytest.ExitCode.TESTS_FAILED
    assert "UNSTEADY" not in told


def test_many_failures_are_asked_nothing(tmp_path: Path) -> None:
    assert _twice(tmp_path, _MANY) == (pytest.ExitCode.TESTS_FAILED, "")


def test_a_run_that_did_not_end_by_itself_stays_failed(tmp_path: Path) -> None:
    assert _twice(tmp_path, "raise KeyboardInterrupt") == (pytest.ExitCode.INTERRUPTED, "")
    assert _twice(tmp_path, "1 / 0") == (pytest.ExitCode.INTERRUPTED, "")
    assert _twice(tmp_path, "") == (pytest.ExitCode.NO_TESTS_COLLECTED, "")


def test_names_of_grouped_tests_are_those_that_pytest_takes() -> None:
    assert named({"a.py::f@killing": True, "a.py::g[x@y]": True, "a.py::h[1]@stacks": True, "b.py": True}) == [
        "a.py::f",
        "a.py::g[x@y]",
        "a.py::h[1]",
        "b.py",
    ]
