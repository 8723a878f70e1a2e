"""Watches the event loop of a process: whatever blocks it blocks every message of the process.

The loop reports every second. If it does not, the log shows its stack; if it does not for long, the process is ended,
and its supervisor starts it again. Only seconds in which the watching thread itself ran count, so a process that is
stopped or waits for a core is not taken for a hanging one.
"""

import asyncio
import os
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
