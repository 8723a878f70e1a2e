"""Starts work that has become due: webhook deliveries, sources of documents, the revalidation of answers (N7)."""

from config.settings import WebhookSettings, settings
from db.queries.admission.processes import Leader, try_leader_lock
from db.queries.documents.sources import admit_sources
from db.queries.webhooks.deliveries import list_due
from db.session import acting_for, system_transaction
from services.audit.invalidation import process_changes
from services.core.model_choice import settings_without_model
from workers.processes.runtime import Periodic
from workers.starting.launch import launch_delivery, launch_source, launcher

_LOOK_EVERY_S = 1.0
_SOURCES_AT_A_TIME = 4
"""Runs of sources at a time; a tenant's second one waits for other tenants."""


def dispatch(limits: WebhookSettings) -> int:
    """Start due webhook deliveries and runs of sources; return how many. Does nothing when another process leads."""
    with system_transaction() as session:
        if not try_leader_lock(session, Leader.DISPATCHER):
            return 0
        deliveries = list_due(session, limits.in_flight)
        sources = admit_sources(session, at_a_time=_SOURCES_AT_A_TIME, again_s=settings().recovery.lease_s)
    started = 0
    for launch, due in ((launch_delivery, deliveries), (launch_source, sources)):
        for row_id, tenant_id in due:
            with acting_for(tenant_id):
                if not launch(row_id):
                    # The broker is unreachable, and each further one would wait for it.
                    return started
            started += 1
    return started


def start_dispatcher() -> None:
    limits = settings().webhooks
    Periodic("dispatcher", _LOOK_EVERY_S, lambda: dispatch(limits), failed="dispatch_failed").start()


def start_revalidation() -> None:
    if settings().standing.enabled:
        Periodic("standing", settings().standing.check_s, revalidate, failed="standing_failed").start()


def revalidate() -> None:
    if process_changes(settings_without_model()):
        launcher().queries()
