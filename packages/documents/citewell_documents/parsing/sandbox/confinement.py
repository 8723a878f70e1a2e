"""Restrictions that the parsing child imposes on itself before it reads a byte of the file.

Not restricted: the network, and reading files that its user may read; root could lift the limits again. On macOS the
kernel does not enforce RLIMIT_AS, and a child whose parent was killed ends only through its CPU limit.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_OPEN_FILES = 64
_NICE = 2
# Seconds between SIGXCPU, which identifies the cause, and SIGKILL, which cannot be caught.
_GRACE_S = 2


def confine(*, memory_mb: int, cpu_s: int) -> None:
    if sys.platform == "linux":
        # When the machine runs out of memory, the kernel kills this process first.
        Path("/proc/self/oom_score_adj").write_text("1000")
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _limit(resource.RLIMIT_NPROC, 0)
    _limit(resource.RLIMIT_CPU, cpu_s, cpu_s + _GRACE_S)
    # macOS rejects values below what is already mapped, which is a lot.
    with suppress(*(() if sys.platform == "linux" else (ValueError, OSError))):
        _limit(resource.RLIMIT_AS, memory_mb * 1024 * 1024)
    # This comes last: it shows an observer that all limits are in force.
    os.nice(_NICE)


def bind_to(parent: int) -> None:
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL.value)
    if os.getppid() != parent:  # the parent died before the setting took effect
        os._exit(1)


def _limit(kind: int, soft: int, hard: int | None = None) -> None:
    _, highest = resource.getrlimit(kind)
    hard = soft if hard is None else hard
    if highest != resource.RLIM_INFINITY:
        soft, hard = min(soft, highest), min(hard, highest)
    resource.setrlimit(kind, (soft, hard))
