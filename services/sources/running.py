"""A run of a source: everything is listed, new and changed items become documents, missing items are marked.

A run is done in slices, each by any worker. Every item's outcome is stored by itself, so a run that is interrupted
continues where it stopped; a file that was accepted before its outcome was stored is recognised by its bytes.
"""

import time
import uuid
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import structlog

from citewell_verify.errors import CitewellError
from clients.sources.factory import Reader, open_reader, remove_leftovers
from config.settings import Settings
from db.models import Source, SourcePhase, SourceStatus
from db.queries.access.workspaces import workspace_name_of
from db.queries.documents import source_items as items
from db.queries.documents import sources as rows
from db.session import transaction
from domain.documents.sources import Listed, SourceOptions
from domain.errors.service import DatabaseUnavailable
from services.documents.ingestion import Hold
from services.documents.leases import Lease, LeaseLost
from services.sources.items import Place, give_up_missing, remove_documents, take

log = structlog.get_logger()

MAX_STRIKES = 3
_LISTED_AT_ONCE = 500
_FETCHED_AT_ONCE = 20
_ROOM_AGAIN_S = 1.0  # the time after which a source that waited checks whether documents were read

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Job:
    source: Source
    options: SourceOptions
    place: Place
    attempt: int
    settings: Settings
    until: float
    lease: Lease


def run_source(source_id: uuid.UUID, settings: Settings, hold: Hold, accepted: Callable[[], object]) -> None:
    """Continue a run for a while, or begin one; `accepted` is called after each document that is to be read.

    Raises DatabaseUnavailable (try again later).
    """
    job = _claim(source_id, settings, accepted)
    if job is None:
        return

    again_s: float | None = settings.recovery.lease_s
    try:
        with hold(job.lease.renew):
            again_s = _delete(job) if job.source.status == SourceStatus.DELETING else _continue_run(job)
    except LeaseLost:
        again_s = None
        log.info("source_left", source_id=str(source_id))
    finally:
        with suppress(DatabaseUnavailable), transaction() as session:
            rows.release_source(session, source_id, job.attempt, again_s=again_s)


def _claim(source_id: uuid.UUID, settings: Settings, accepted: Callable[[], object]) -> _Job | None:
    with transaction() as session:
        attempt = rows.claim_source(session, source_id, settings.recovery.lease_s)
        if attempt is None:
            return None
        source = rows.get_source(session, source_id)
        place = Place(workspace_name_of(session, source), rows.tenant_name(session), accepted)
    until = time.monotonic() + settings.sources.slice_s
    lease = Lease(partial(rows.advance_source, claimed=source, attempt=attempt), settings.recovery.lease_s)
    job = _Job(source, SourceOptions.of(source.settings), place, attempt, settings, until, lease)
    if source.strikes > MAX_STRIKES and source.status == SourceStatus.ACTIVE:
        _end(job, _error("source_gave_up", f"The run ended {MAX_STRIKES} workers without any progress."))
        return None
    return job


def _continue_run(job: _Job) -> float | None:
    """List and fetch for a while; return after how many seconds the run continues, None once it has ended."""
    source = job.source
    try:
        opened = open_reader(source.kind, source.location, job.options, job.settings, job.place.tenant, source.id)
        with closing(opened) as reader:
            if source.phase == SourcePhase.LISTING:
                _list(job, reader)
            return _fetch(job, reader)
    except DatabaseUnavailable:
        raise
    except CitewellError as error:
        return _end(job, _error(error.code, error.message))
    except LeaseLost:
        raise
    except Exception:
        # The run is tried again, MAX_STRIKES times without progress.
        log.exception("source_broke", source_id=str(source.id), attempt=job.attempt)
        return job.settings.recovery.lease_s


def _list(job: _Job, reader: Reader) -> None:
    most = min(job.options.max_items, job.settings.sources.max_items)
    wanted = (listed for listed in reader.listed() if job.options.takes(listed.key))
    left, error = most, None
    while batch := list(islice(wanted, min(_LISTED_AT_ONCE, left + 1))):
        if len(batch) > left:
            error = _error("source_too_large", f"It has more than {most:,} items; the rest is left out.")
        job.lease.check()
        once: dict[str, Listed] = {listed.key: listed for listed in batch[:left]}
        with transaction() as session:
            items.list_items(session, job.source.id, job.source.run, list(once.values()))
        _advance(job, strikes=0)
        left -= len(batch)
        if left < 0 or (error := error or _out_of_time(job)):
            break
    _advance(job, phase=SourcePhase.FETCHING, error=error)
    job.source.error = error


def _fetch(job: _Job, reader: Reader) -> float | None:
    limits = job.settings.sources
    while True:
        with transaction() as session:
            room = limits.queued - rows.count_unread(session, limits.queued)
            few = min(room, _FETCHED_AT_ONCE)
            pending = items.list_pending(session, job.source.id, job.source.run, max(few, 1))
        if not pending:
            return _finish(job, reader)
        if room <= 0:
            # The tenant has other documents that wait; a large source adds documents no faster than they are read.
            _advance(job, strikes=0)
            return _ROOM_AGAIN_S
        for item in pending:
            job.lease.check()
            take(job.source, job.options, job.place, item, reader, job.settings)
            _advance(job, strikes=0)
            # The time is checked after an item, so that every slice makes some progress.
            if time.monotonic() > job.until:
                return 0.0
        if late := _out_of_time(job):
            return _end(job, late)


def _finish(job: _Job, reader: Reader) -> float | None:
    source = job.source
    with transaction() as session:
        items.forget_unlisted(session, source.id, source.run)
        torn = items.hides_any(session, source, by_links=job.options.depth > 0)
        nothing = items.lists_nothing(session, source.id, source.run)
    if reader.lists_all and not torn and source.error is None:
        if nothing:
            return _end(job, _error("source_empty", "Nothing is there any more; what was there is not marked as gone."))
        job.lease.check()
        while give_up_missing(source, job.options):
            _advance(job, strikes=0)
            if time.monotonic() > job.until:
                return 0.0
        return _end(job, None)
    return _end(job, source.error)


def _delete(job: _Job) -> float | None:
    """Delete the documents and then the source; return 0.0 if more is to be deleted, None once the source is gone."""
    while remove_documents(job.source.id):
        job.lease.check()
        if time.monotonic() > job.until:
            return 0.0
    with transaction() as session:
        items.delete_source(session, job.source.id)
    return None


def _out_of_time(job: _Job) -> Json | None:
    most = job.settings.sources.max_run_s
    with transaction() as session:
        if rows.running_s(session, job.source.id) < most:
            return None
    return _error("source_too_slow", f"The run took longer than {most:g} s; the next one goes on.")


def _advance(job: _Job, **values: Any) -> None:
    with transaction() as session:
        job.lease.advance(session, **values)


def _end(job: _Job, error: Json | None) -> None:
    with suppress(CitewellError):
        remove_leftovers(job.source.kind, job.source.id)
    with transaction() as session:
        rows.end_run(session, job.source.id, job.attempt, error)


def _error(code: str, message: str) -> Json:
    return {"code": code, "message": message}
