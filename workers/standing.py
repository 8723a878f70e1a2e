"""Standing verification (N7): a thread of every process that serves the maintenance queue looks for documents that
changed, and for the answers that cite them. A change is worked on by one of them at a time."""

from config.settings import settings
from services.standing_changes import work_off_changes
from workers.launcher import launcher
from workers.periodic import Periodic


def start_standing() -> None:
    """Look every `standing.check_s` seconds."""
    if settings().standing.enabled:
        Periodic("standing", settings().standing.check_s, look, failed="standing_failed").start()


def look() -> None:
    """Look once, and have the verifications that were made started."""
    if work_off_changes(settings()):
        launcher().queries()
