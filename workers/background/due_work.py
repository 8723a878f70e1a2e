"""Starts work that has become due: webhook deliveries, sources of documents, the revalidation of answers (N7)."""

from config.settings import Settings, WebhookSettings, settings
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
"""The number of runs of sources at a time; a tenant's second run waits for other tenants."""


def dispatch(limits: WebhookSettings) -> int:
    """Start due webhook deliveries; return their number. Does nothing when another process leads."""
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


def run_sources(current: Settings) -> int:
    """Start due runs of sources; return their number. Does nothing when another process leads."""
    with system_transaction() as session:
        if not try_leader_lock(session, Leader.SOURCES):
            return 0
        due = admit_sources(session, at_a_time=_SOURCES_AT_A_TIME, again_s=current.recovery.lease_s)
    for started, (source_id, tenant_id) in enumerate(due):
        with acting_for(tenant_id):
            if not launch_source(source_id):
                return started
    return len(due)


def start_dispatcher() -> None:
    current = settings()
    limits = current.webhooks
    Periodic("dispatcher", _LOOK_EVERY_S, lambda: dispatch(limits), failed="dispatch_failed").start()
    Periodic("sources", _LOOK_EVERY_S, lambda: run_sources(current), failed="sources_failed").start()


def start_revalidation() -> None:
    if settings().standing.enabled:
        Periodic("standing", settings().standing.check_s, revalidate, failed="standing_failed").start()


def revalidate() -> None:
    if process_changes(settings_without_model()):
        launcher().queries()
