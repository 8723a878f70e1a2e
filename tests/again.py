"""`python -m tests.again STATUS`: after a run of all tests that ended with STATUS, ask the few that failed once more.

7,700 tests with hundreds of real processes on two busy cores: one that waits for the wrong thing, or finds what another
has left, fails in one run of twenty and says nothing about the program. Here it runs alone in a fresh process. When it
passes it is named as unsteady, which is a fault of its own, to be mended; when it fails again, or when more than
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
"""What pytest-xdist puts behind the name of a test that belongs to a group."""


def main(status: int) -> int:
    """The exit status of the whole: 0 when every test has passed at last."""
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
    """The tests' names as pytest takes them."""
    return sorted({_GROUP.sub("", name) for name in failed})


def _say(what: str, tests: list[str]) -> None:
    sys.stdout.write("\n".join([f"\n{what}:", *(f"  {test}" for test in tests), ""]))
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1])))
