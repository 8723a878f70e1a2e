"""Standing verification (N7): a thread of every process that serves the maintenance queue looks for documents that
changed, and for the answers that cite them. A change is worked on by one of them at a time."""

import threading

import structlog

from config.settings import settings
from domain.errors import CitewellError
from services.standing_changes import work_off_changes
from workers.launcher import launcher

log = structlog.get_logger()


def start_standing() -> None:
    """Look every `standing.check_s` seconds, in a daemon thread."""
    if settings().standing.enabled:
        threading.Thread(target=_run, name="standing", daemon=True).start()


def _run() -> None:
    pause = threading.Event()
    while True:
        pause.wait(settings().standing.check_s)
        try:
            look()
        except CitewellError as error:
            # Postgres is away or restarting: the next look will do.
            log.warning("standing_failed", error=type(error).__name__)
        except Exception:
            # Nobody would start this thread again.
            log.exception("standing_failed")


def look() -> None:
    """Look once, and have the verifications that were made started."""
    if work_off_changes(settings()):
        launcher().queries()
