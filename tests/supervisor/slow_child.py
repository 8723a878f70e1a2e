"""Loaded by a fork server whose children take longer to report than any test waits."""

import os
import time

PATIENCE_S, TAKES_S = 0.2, 1.0
_SERVER = os.getpid()


def _forked() -> None:
    if os.getppid() != _SERVER:
        time.sleep(TAKES_S)


os.register_at_fork(after_in_child=_forked)
