"""Watchdogs of a process: they end it when its event loop is blocked, or when a thread starves all others."""

import asyncio
import faulthandler
import os
import signal
import sys
import threading
import traceback

import structlog

log = structlog.get_logger()

_CHECK_EVERY_S = 1.0
_MAX_CHECKS = 30
_EXIT_CODE = 70
"""EX_SOFTWARE of sysexits.h."""


def watch_loop(
    loop: asyncio.AbstractEventLoop, check_every_s: float = _CHECK_EVERY_S, max_checks: int = _MAX_CHECKS
) -> threading.Event:
    stopped = threading.Event()
    thread = threading.Thread(target=_watch, args=(loop, check_every_s, max_checks, stopped), name="loop watch")
    thread.daemon = True
    thread.start()
    return stopped


def _watch(loop: asyncio.AbstractEventLoop, every_s: float, max_checks: int, stopped: threading.Event) -> None:
    runs_in: list[int] = []
    while not stopped.is_set():
        turned, checks = threading.Event(), 0

        def turn(turned: threading.Event = turned) -> None:
            runs_in[:] = [threading.get_ident()]
            turned.set()

        loop.call_soon_threadsafe(turn)
        while not (turned.wait(every_s) or stopped.is_set()):
            checks += 1
            if checks == 1:
                log.warning("loop_is_late", at=_stack_of(runs_in))
            if checks >= max_checks:
                log.critical("loop_hangs", seconds=checks * every_s, at=_stack_of(runs_in))
                os._exit(_EXIT_CODE)
        stopped.wait(every_s)


def _stack_of(thread: list[int]) -> list[str]:
    """Return the files, lines and functions of a thread's stack, never its values."""
    # `_current_frames` is documented, and meant for debugging, despite its name.
    frame = vars(sys)["_current_frames"]().get(thread[0]) if thread else None
    return [f"{call.filename}:{call.lineno} {call.name}" for call in traceback.extract_stack(frame)] if frame else []


MAX_CPU_S = 30.0
"""The CPU time that the process may use while the thread of this watchdog does not get to run."""
_REARM_EVERY_S = 1.0


def start_watchdog(max_cpu_s: float = MAX_CPU_S, rearm_every_s: float = _REARM_EVERY_S) -> threading.Event:
    """Watch this process until the returned event is set; if it is ended, the log has the stack of each thread."""
    stopped = threading.Event()
    # The stacks are written by C code that needs no interpreter lock; then the signal's default action ends the
    # process.
    faulthandler.register(signal.SIGPROF, file=2, all_threads=True, chain=True)
    threading.Thread(target=_rearm, args=(max_cpu_s, rearm_every_s, stopped), name="watchdog", daemon=True).start()
    return stopped


def _rearm(max_cpu_s: float, every_s: float, stopped: threading.Event) -> None:
    while not stopped.is_set():
        signal.setitimer(signal.ITIMER_PROF, max_cpu_s)
        stopped.wait(every_s)
    signal.setitimer(signal.ITIMER_PROF, 0)
