"""`python -m tests.again STATUS`: after a run of all tests that ended with STATUS, runs the few failed tests again.

With 7,700 tests and hundreds of real processes on two busy cores, a test that waits for the wrong thing, or finds what
another one left, fails in one run of twenty and says nothing about the program. Here it runs alone in a fresh process.
If it passes it is reported as unsteady, which is a fault of its own to be fixed; if it fails again, or if more than
`MOST` failed, the suite has failed.
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

MOST = 3
_FAILED = Path(".pytest_cache/v/cache/lastfailed")
_GROUP = re.compile(r"(?<=[\w\]])@[\w.-]+$")
"""The suffix that pytest-xdist adds to the name of a test in a group."""


def main(status: int) -> int:
    """Return the exit status of the whole: 0 if every test has passed in the end."""
    if status != pytest.ExitCode.TESTS_FAILED or not _FAILED.exists():
        return status
    failed = named(json.loads(_FAILED.read_text(encoding="utf-8")))
    if not 0 < len(failed) <= MOST:
        return status
    _say("asked once more, alone", failed)
    again = int(pytest.main(["-q", "-p", "no:cacheprovider", *failed]))
    if again == pytest.ExitCode.OK:
        _say("UNSTEADY, to be mended: failed among the others and passed alone", failed)
    return again


def named(failed: Iterable[str]) -> list[str]:
    """The tests' names in the form that pytest accepts."""
    return sorted({_GROUP.sub("", name) for name in failed})


def _say(what: str, tests: list[str]) -> None:
    sys.stdout.write("\n".join([f"\n{what}:", *(f"  {test}" for test in tests), ""]))
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1])))
