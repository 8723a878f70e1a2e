"""A Celery transport over Redis that keeps unacknowledged messages in memory only.

kombu's own transport writes every message that a worker holds into two keys and removes it again: eight of ten commands
per message, and nearly half of a message's cost for the worker. In return it redelivers a dead worker's messages after
the visibility timeout; here the reconciler restarts that work from Postgres much earlier (`recovery.lease_s`). A live
worker puts back the messages that it cannot finish.
"""

from typing import Any, cast

import structlog
from kombu.transport import redis, virtual
from kombu.utils.json import dumps

log = structlog.get_logger()


class HeldInMemory(virtual.QoS):
    """The messages that this process holds, put back as far as possible when it ends or loses its connection."""

    def restore_unacked(self) -> Any:
        """Put the messages back. The base class would save those that cannot be put back in a file; Postgres already
        records the work."""
        if lost := cast("list[object] | None", super().restore_unacked()):
            log.warning("messages_not_put_back", count=len(lost))
        return []


class Channel(redis.Channel):
    """Keeps unacknowledged messages in memory, and marks those that it puts back as redelivered."""

    ack_emulation = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # kombu's own constructor also sets the attribute without bookkeeping; its types name the class with it.
        self.QoS = cast("Any", HeldInMemory)

    def _restore(self, message: Any, leftmost: bool = False) -> None:
        message.properties["delivery_info"]["redelivered"] = True
        payload = dumps(message.serializable())
        with self.conn_or_acquire() as client:
            for queue in self._lookup(message.delivery_info["exchange"], message.delivery_info["routing_key"]):
                # The message goes to the end that is taken from next, because it has waited before.
                client.rpush(queue, payload)


class Transport(redis.Transport):
    """The class that `broker_transport` names."""

    Channel = Channel
