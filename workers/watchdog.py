"""The watchdog: a process that computes without ever letting its other threads run is ended, and started again.

Python cannot interrupt a call into C that keeps the interpreter's lock, and every thread of the process waits for it:
those that renew leases, look for deadlines and take messages, too. So the kernel watches: a timer of the CPU time that
this process uses ends it, unless a thread winds the timer up again, which it cannot while it waits for the lock. A
process that is stopped, or has to wait for its turn on a busy machine, uses none.
"""

import faulthandler
import signal
import threading

MOST_CPU_S = 30.0
"""Of the whole process, while none of its other threads ran for a moment."""
_WIND_UP_EVERY_S = 1.0


def start_watchdog(most_cpu_s: float = MOST_CPU_S, wind_up_every_s: float = _WIND_UP_EVERY_S) -> threading.Event:
    """Watch this process from now on, until the event that is returned is set; its end tells where each thread was."""
    stopped = threading.Event()
    # In C, so that it needs no lock; behind it the signal does what it does by itself: it ends the process.
    faulthandler.register(signal.SIGPROF, file=2, all_threads=True, chain=True)
    threading.Thread(target=_wind_up, args=(most_cpu_s, wind_up_every_s, stopped), name="watchdog", daemon=True).start()
    return stopped


def _wind_up(most_cpu_s: float, every_s: float, stopped: threading.Event) -> None:
    while not stopped.is_set():
        signal.setitimer(signal.ITIMER_PROF, most_cpu_s)
        stopped.wait(every_s)
    signal.setitimer(signal.ITIMER_PROF, 0)
