"""Standing verification (N7): a thread of every process that serves the maintenance queue looks for changed
documents, and for the answers that cite them. Only one process handles a change at a time."""

from config.settings import settings
from services.audit.invalidation import work_off_changes
from workers.processes.periodic import Periodic
from workers.starting.launch_thread import launcher


def start_standing() -> None:
    if settings().standing.enabled:
        Periodic("standing", settings().standing.check_s, look, failed="standing_failed").start()


def look() -> None:
    """Look once, and start the verifications that this created."""
    if work_off_changes(settings()):
        launcher().queries()
