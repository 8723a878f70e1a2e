"""The watch over a process: over its event loop, which nothing may block, and over its other threads."""

import asyncio
import faulthandler
import os
import signal
import sys
import threading
import traceback

import structlog

log = structlog.get_logger()

_LOOK_EVERY_S = 1.0
_MOST_LOOKS = 30
_EXIT_CODE = 70
"""EX_SOFTWARE of sysexits.h."""


def watch_loop(
    loop: asyncio.AbstractEventLoop, look_every_s: float = _LOOK_EVERY_S, most_looks: int = _MOST_LOOKS
) -> threading.Event:
    """Watch the loop from a daemon thread until the returned event is set."""
    stopped = threading.Event()
    watching = threading.Thread(target=_watch, args=(loop, look_every_s, most_looks, stopped), name="loop watch")
    watching.daemon = True
    watching.start()
    return stopped


def _watch(loop: asyncio.AbstractEventLoop, every_s: float, most: int, stopped: threading.Event) -> None:
    runs_in: list[int] = []
    while not stopped.is_set():
        turned, looks = threading.Event(), 0

        def turn(turned: threading.Event = turned) -> None:
            runs_in[:] = [threading.get_ident()]
            turned.set()

        loop.call_soon_threadsafe(turn)
        while not (turned.wait(every_s) or stopped.is_set()):
            looks += 1
            if looks == 1:
                log.warning("loop_is_late", at=_stack_of(runs_in))
            if looks >= most:
                log.critical("loop_hangs", seconds=looks * every_s, at=_stack_of(runs_in))
                os._exit(_EXIT_CODE)
        stopped.wait(every_s)


def _stack_of(thread: list[int]) -> list[str]:
    """The stack of a thread: files, lines and functions, never values."""
    # Documented, and meant for this use in spite of its name.
    frame = vars(sys)["_current_frames"]().get(thread[0]) if thread else None
    return [f"{each.filename}:{each.lineno} {each.name}" for each in traceback.extract_stack(frame)] if frame else []


MOST_CPU_S = 30.0
"""CPU time of the whole process during which none of its other threads ran at all."""
_WIND_UP_EVERY_S = 1.0


def start_watchdog(most_cpu_s: float = MOST_CPU_S, wind_up_every_s: float = _WIND_UP_EVERY_S) -> threading.Event:
    """Watch this process until the returned event is set; when it is ended, the log shows the stack of each thread."""
    stopped = threading.Event()
    # In C, so that it needs no lock; afterwards the signal's default action ends the process.
    faulthandler.register(signal.SIGPROF, file=2, all_threads=True, chain=True)
    threading.Thread(target=_wind_up, args=(most_cpu_s, wind_up_every_s, stopped), name="watchdog", daemon=True).start()
    return stopped


def _wind_up(most_cpu_s: float, every_s: float, stopped: threading.Event) -> None:
    while not stopped.is_set():
        signal.setitimer(signal.ITIMER_PROF, most_cpu_s)
        stopped.wait(every_s)
    signal.setitimer(signal.ITIMER_PROF, 0)
