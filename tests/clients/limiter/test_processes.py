"""Real processes that share one allowance, and one of them killed (A5, A7)."""

import subprocess
import sys
from contextlib import ExitStack
from itertools import accumulate, islice
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
LIMIT, TOKENS = 120_000, 400
PROCESSES = 4


class Sharer:
    """A process of `tests.clients.limiter.sharer`, ready to begin; killed at the end if it still runs."""

    def __init__(self, url: str, account: str, seconds: float, *, lease_s: float = 60) -> None:
        command = [sys.executable, "-m", "tests.clients.limiter.sharer", url, account]
        command += [str(each) for each in (seconds, LIMIT, TOKENS, lease_s)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin, self._process.stdout

    def await_ready(self) -> None:
        assert self._out.readline() == "ready\n"

    def begin(self) -> None:
        self._in.write("go\n")
        self._in.flush()

    def granted(self, most: int | None = None) -> list[tuple[float, float]]:
        """When it asked for tokens and when it got them: the first `most`, or all until its end."""
        return [(float(asked), float(got)) for asked, got in map(str.split, islice(self._out, most))]

    def __enter__(self) -> "Sharer":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._in.close()
        self._out.close()


# A7
def test_four_processes_use_all_of_the_allowance_and_no_more(redis_url: str) -> None:
    with ExitStack() as stack:
        sharers = [stack.enter_context(Sharer(redis_url, "together", 3)) for _ in range(PROCESSES)]
        for each in sharers:
            each.await_ready()
        for each in sharers:
            each.begin()
        each_granted = [each.granted() for each in sharers]
    # Whoever runs first may take what was saved up, and one of four may get none of the rest.
    assert len([each for each in each_granted if each]) > 1
    asked = min(asked for each in each_granted for asked, _ in each)
    granted = sorted(got for each in each_granted for _, got in each)
    first, last = granted[0], granted[-1]
    total = [TOKENS] * len(granted)
    # Redis decides after a process has asked and before it writes down what it got.
    for at, so_far in zip(granted, accumulate(total), strict=True):
        assert so_far <= LIMIT + (at - asked) * LIMIT / 60 + PROCESSES * TOKENS
    assert sum(total) >= 0.97 * (LIMIT + (last - first) * LIMIT / 60) - PROCESSES * TOKENS


# A5
def test_what_a_killed_process_held_comes_back(redis_url: str) -> None:
    all_of_it = LIMIT // TOKENS
    with Sharer(redis_url, "killed", 4) as heir:
        with Sharer(redis_url, "killed", 30, lease_s=0.5) as killed:
            killed.await_ready()
            killed.begin()
            killed.granted(most=all_of_it - 10)
        heir.await_ready()
        heir.begin()
        # A call of this model usually uses a 400th of what it reserves; all else comes back, where only 8,000 drain.
        assert len(heir.granted()) > all_of_it / 2
