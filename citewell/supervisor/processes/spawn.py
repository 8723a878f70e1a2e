"""Starts children that do not outlive this process."""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from citewell.supervisor.home import Account

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 1, 36, 37
# Linux only. Elsewhere (macOS) only the guard process ends the children of a killed supervisor.
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    account: Account | None = None,
    death_signal: signal.Signals = signal.SIGKILL,
    cwd: Path | None = None,
    stdin: int = subprocess.DEVNULL,
) -> subprocess.Popen[bytes]:
    """Start `argv` in a session of its own, output and errors in one pipe; it gets `death_signal` when this process
    dies.

    To be called from the main thread, because the kernel sends the signal when the *thread* that started the child
    ends.
    """
    return subprocess.Popen(  # noqa: S603 - argv comes from our own specifications
        argv,
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C in the terminal must reach only the supervisor
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=() if account else None,
        umask=0o077 if account else -1,
        # This runs after the change of user, which would clear the setting.
        preexec_fn=partial(bind_to, os.getpid(), death_signal),
    )


def bind_to(parent: int, death_signal: signal.Signals) -> None:
    """In a child: have the kernel send the signal when `parent` dies; exit now if it is dead already."""
    if _prctl is not None:
        _prctl(_PR_SET_PDEATHSIG, death_signal.value)
    if os.getppid() != parent:  # the parent died before the setting took effect
        os._exit(1)


@contextmanager
def adopting_orphans() -> Generator[None]:
    """On Linux, make descendants whose parents die meanwhile children of this process's main thread."""
    if _prctl is None:
        raise NotImplementedError(sys.platform)
    before = ctypes.c_int()
    _prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(before))
    if _prctl(_PR_SET_CHILD_SUBREAPER, 1) != 0:
        raise OSError("this system lets no process adopt orphans")
    try:
        yield
    finally:
        _prctl(_PR_SET_CHILD_SUBREAPER, before.value)
