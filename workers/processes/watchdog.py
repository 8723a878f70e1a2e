"""The watchdog: ends a process that computes without ever letting its other threads run, so that it is started again.

Python cannot interrupt a C call that keeps the interpreter's lock, and every thread of the process waits for it,
including those that renew leases, check deadlines and take messages. So the kernel watches: a timer on the CPU time of
this process ends it unless a thread resets the timer, which it cannot do while it waits for the lock. A process that is
stopped, or waits for its turn on a busy machine, uses no CPU time.
"""

import faulthandler
import signal
import threading

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
