"""Celery's messages over Redis without the broker's bookkeeping of unacknowledged messages.

kombu writes every message that a worker holds into two keys and removes it again: eight of ten commands per message,
and nearly half of a message's cost for the worker. It would redeliver a dead worker's message after the visibility
timeout; the reconciler has restarted that work from Postgres long before (`recovery.lease_s`). A live worker itself
puts back what it cannot finish.
"""

from typing import Any, cast

import structlog
from kombu.transport import redis, virtual
from kombu.utils.json import dumps

log = structlog.get_logger()


class HeldInMemory(virtual.QoS):
    """The messages that this process holds. When it ends or loses its connection, they are put back as far as
    possible."""

    def restore_unacked(self) -> Any:
        # The base class would write messages that cannot be put back to a file; the rows already record the work.
        if lost := cast("list[object] | None", super().restore_unacked()):
            log.warning("messages_not_put_back", count=len(lost))
        return []


class Channel(redis.Channel):
    """Holds messages in memory, and marks those that it puts back."""

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
                # The end where the next message is taken: this one has waited before.
                client.rpush(queue, payload)


class Transport(redis.Transport):
    """The class that `broker_transport` names."""

    Channel = Channel
