"""Errors on starting Citewell; every message says what to do.

SupervisorError (503)
├── HomeUnusable      the folder, the disk or the permissions
├── ServersMissing    the wheels of the two servers are not installed
├── AlreadyRunning    another supervisor works on the same home
├── PortBusy          the API cannot listen where it was told to
├── StartFailed       a process does not come up; the message ends with its last lines
├── NothingToJoin     no server runs where workers should join
└── UnknownQueue      a queue that no pool serves
"""

from domain.errors.service import NotReady


class SupervisorError(NotReady):
    """Citewell could not be started on this machine."""


class HomeUnusable(SupervisorError):
    """The folder for Citewell's data cannot be used; set CITEWELL_HOME to another one."""


class ServersMissing(SupervisorError):
    """The embedded servers are not installed: pip install 'citewell[embedded]'."""


class AlreadyRunning(SupervisorError):
    """Citewell already runs on this home."""


class PortBusy(SupervisorError):
    """The port is in use; choose another one with --port."""


class StartFailed(SupervisorError):
    """A process of Citewell does not come up."""


class NothingToJoin(SupervisorError):
    """There is no server that worker processes could join."""


class UnknownQueue(SupervisorError):
    """No pool serves this queue."""
