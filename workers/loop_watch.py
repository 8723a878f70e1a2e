"""The watch over the event loop of a process: what blocks it blocks every message that the process has.

The loop says every second that it goes round. When it does not, the log tells where it stands; when it has not for
long, the process is ended, and started again by whoever keeps it. Only seconds in which the watching thread itself had
its turn count, so a process that was stopped, or has to wait for a core, is not taken for one that hangs.
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
    """Watch it from a daemon thread until the event that is returned is set."""
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
    """Where a thread is: files, lines and functions, never what they hold."""
    # Documented, and meant for this in spite of its name.
    frame = vars(sys)["_current_frames"]().get(thread[0]) if thread else None
    return [f"{each.filename}:{each.lineno} {each.name}" for each in traceback.extract_stack(frame)] if frame else []
