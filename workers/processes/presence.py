"""Which queues live processes serve, as this process learned with its last heartbeat."""

from collections.abc import Iterable, Mapping

from db.queries.admission.processes import ServedQueue

_served: Mapping[str, ServedQueue] = {}


def learn(served: Iterable[ServedQueue]) -> None:
    """Replace what is known until the next call."""
    global _served
    _served = {queue.name: queue for queue in served}


def processes_of(queue: str) -> int:
    """How many live processes serve the queue; at least 1, since a message needs one in any case."""
    return max(1, _served[queue].processes) if queue in _served else 1


def is_helped(queue: str) -> bool:
    """Whether a live process that serves only some of this process's queues serves this one."""
    return queue in _served and _served[queue].helpers > 0
