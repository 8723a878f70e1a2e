"""Loaded by a fork server that is to be killed as soon as it has forked what it was asked for, the first time."""

import os
import signal

_SERVER = os.getpid()
_between = 0


def _forked() -> None:
    global _between
    if _between:
        os.kill(_SERVER, signal.SIGKILL)
    _between = os.getpid()


os.register_at_fork(after_in_child=_forked)
