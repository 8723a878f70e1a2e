"""Celery's messages over Redis without the broker's books of what is being worked on.

kombu writes every message that a worker holds into two keys and takes it out again: eight of ten commands per message,
and nearly half of what a message costs the worker. It would give a message of a dead worker to another one after the
visibility timeout; the reconciler has started that work again long before, from Postgres (`recovery.lease_s`). What a
living worker holds and cannot finish it puts back itself.
"""

from typing import Any, cast

import structlog
from kombu.transport import redis, virtual
from kombu.utils.json import dumps

log = structlog.get_logger()


class HeldInMemory(virtual.QoS):
    """What this process holds. At its end, and when its connection is lost, that goes back as far as it can."""

    def restore_unacked(self) -> Any:
        # The base class would write messages that cannot be put back to a file: their rows know of the work.
        if lost := cast("list[object] | None", super().restore_unacked()):
            log.warning("messages_not_put_back", count=len(lost))
        return []


class Channel(redis.Channel):
    """Holds messages in memory, and marks those that it puts back."""

    ack_emulation = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # kombu's own sets the attribute here, too, when it keeps no books; its types name the class that does.
        self.QoS = cast("Any", HeldInMemory)

    def _restore(self, message: Any, leftmost: bool = False) -> None:
        message.properties["delivery_info"]["redelivered"] = True
        payload = dumps(message.serializable())
        with self.conn_or_acquire() as client:
            for queue in self._lookup(message.delivery_info["exchange"], message.delivery_info["routing_key"]):
                # Where the next one is taken from: it has waited before.
                client.rpush(queue, payload)


class Transport(redis.Transport):
    """What `broker_transport` names."""

    Channel = Channel
