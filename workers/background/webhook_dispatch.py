"""The dispatcher: starts webhook deliveries that are due.

It runs in every process that serves the webhooks queue; a Postgres advisory lock lets one of them work at a time. A
start is only a hint: claiming the delivery decides, so starting one twice is harmless.
"""

from config.settings import WebhookSettings, settings
from db.queries.admission.locks import Leader, try_leader_lock
from db.queries.webhooks.deliveries import list_due
from db.session import acting_for, system_transaction
from workers.processes.periodic import Periodic
from workers.starting.launch import launch_delivery


def dispatch(limits: WebhookSettings) -> int:
    """Start due deliveries once; return how many. Does nothing when another process leads."""
    with system_transaction() as session:
        if not try_leader_lock(session, Leader.DISPATCHER):
            return 0
        due = list_due(session, limits.in_flight)
    for started, (delivery_id, tenant_id) in enumerate(due):
        with acting_for(tenant_id):
            if not launch_delivery(delivery_id):
                # The broker is unreachable, and each further delivery would wait for it.
                return started
    return len(due)


def start_dispatcher() -> None:
    limits = settings().webhooks
    Periodic("dispatcher", limits.check_s, lambda: dispatch(limits), failed="dispatch_failed").start()
