"""Sources of documents for their owners: set up, watched, changed, paused, deleted."""

import uuid
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy.orm import Session

from clients.sources.factory import open_reader
from config.settings import Settings
from db.base import row_json
from db.models import DocumentStatus, ItemOutcome, Source, SourceItem, SourcePhase, SourceStatus
from db.queries.access.workspaces import get_open_workspace, get_or_add_workspace, workspace_name_of
from db.queries.documents import source_items, sources
from db.queries.paging import Place
from db.session import is_limited, reading, transaction
from domain.documents.sources import Kind, SourceOptions, check_options
from domain.errors.requests import DocumentSourceInvalid
from domain.errors.state import DocumentSourceDeleting, DocumentSourceNameTaken

Json = dict[str, Any]

_REASONS = 50


@dataclass(frozen=True, slots=True)
class NewSource:
    """A source to set up; its documents are named `name/…`. `every_s` is None for a source that runs only on
    request."""

    name: str
    kind: Kind
    location: str
    workspace: str = "default"
    every_s: int | None = None
    options: SourceOptions = field(default_factory=SourceOptions)


def create_source(new: NewSource, settings: Settings) -> Json:
    """Set up a source; its first run is due at once.

    Raises DocumentSourceInvalid, PlaceForbidden, PlaceUnreachable, DocumentSourceNameTaken, WorkspaceNameInvalid.
    """
    with reading() as session:
        tenant = sources.tenant_name(session)
        if is_limited():
            get_open_workspace(session, new.workspace)
    _check(new.kind, new.location, new.options, settings, tenant)
    with transaction() as session:
        workspace = get_or_add_workspace(session, new.workspace)
        source = sources.add_source(
            session,
            workspace.id,
            name=new.name,
            kind=new.kind,
            location=new.location,
            every_s=new.every_s,
            settings=new.options.stored(),
        )
        if source is None:
            raise DocumentSourceNameTaken
        return _whole(session, source)


def read_source(source_id: uuid.UUID) -> Json:
    """Return the source with the progress of its current or last run. Raises DocumentSourceNotFound."""
    with reading() as session:
        return _whole(session, sources.get_source(session, source_id))


def read_sources(workspace: str | None, *, after: Place | None = None, limit: int) -> list[Json]:
    with reading() as session:
        return [_head(*source) for source in sources.list_sources(session, workspace, after=after, limit=limit)]


def read_items(source_id: uuid.UUID, outcome: str | None, *, after: str, limit: int) -> list[Json]:
    """Return the items that the source lists or listed, by key. Raises DocumentSourceNotFound."""
    with reading() as session:
        sources.get_source(session, source_id)
        rows = source_items.page_of_items(session, source_id, outcome, after=after, limit=limit)
        return [_item(*row) for row in rows]


def change_source(source_id: uuid.UUID, changes: Json, settings: Settings) -> Json:
    """Change the schedule (`every_s`), the state (`status`) or options; others stay. The changes apply from the next
    run on.

    Raises DocumentSourceNotFound, DocumentSourceDeleting, DocumentSourceInvalid.
    """
    with reading() as session:
        source, tenant = sources.get_source(session, source_id), sources.tenant_name(session)
    own = {name: changes[name] for name in ("every_s", "status") if name in changes}
    others = {name: value for name, value in changes.items() if name not in own}
    options = replace(SourceOptions.of(source.settings), **others)
    if others:
        _check(source.kind, source.location, options, settings, tenant)
    with transaction() as session:
        source = _lock(session, source_id)
        values = {**own, "settings": options.stored()} if others else own
        sources.change_source(session, source_id, values)
        session.refresh(source)
        if (source.phase == SourcePhase.IDLE and "every_s" in own) or own.get("status") == SourceStatus.ACTIVE:
            sources.reschedule(session, source_id)
            session.refresh(source)
        return _whole(session, source)


def ask_for_a_run(source_id: uuid.UUID) -> Json:
    """Have the source run now; if it is already running, it continues. Raises DocumentSourceNotFound,
    DocumentSourceInvalid, DocumentSourceDeleting."""
    with transaction() as session:
        source = _lock(session, source_id)
        if source.status == SourceStatus.PAUSED:
            raise DocumentSourceInvalid("The source is paused; set its status to active first.")
        sources.make_due(session, source_id)
        session.refresh(source)
        return _whole(session, source)


def remove_source(source_id: uuid.UUID, documents: Literal["keep", "delete"]) -> bool:
    """Delete the source, and keep its documents or have them deleted; False while they are being deleted.

    Raises DocumentSourceNotFound.
    """
    with transaction() as session:
        sources.lock_source(session, source_id)
        if documents == "keep" or not source_items.some_documents(session, source_id, 1):
            source_items.delete_source(session, source_id)
            return True
        sources.change_source(session, source_id, {"status": SourceStatus.DELETING, "lease_until": None})
        sources.make_due(session, source_id)
        return False


def _check(kind: str, location: str, options: SourceOptions, settings: Settings, tenant: str) -> None:
    check_options(kind, options)
    if options.max_items > settings.sources.max_items:
        raise DocumentSourceInvalid(f"A source has at most {settings.sources.max_items:,} items (`sources.max_items`).")
    with closing(open_reader(kind, location, options, settings, tenant)):
        pass


def _lock(session: Session, source_id: uuid.UUID) -> Source:
    source = sources.lock_source(session, source_id)
    if source.status == SourceStatus.DELETING:
        raise DocumentSourceDeleting
    return source


def _whole(session: Session, source: Source) -> Json:
    counts = source_items.count_outcomes(session, source)
    documents = source_items.count_documents(session, source.id)
    listed = sum(count for outcome, count in counts.items() if outcome != ItemOutcome.GONE)
    return {
        **_head(source, workspace_name_of(session, source)),
        "options": SourceOptions.of(source.settings).stored(),
        "items": {"listed": listed, **{outcome.value: counts[outcome] for outcome in ItemOutcome}},
        "documents": {status.value: documents[status] for status in DocumentStatus},
        "reasons": [reason._asdict() for reason in source_items.list_reasons(session, source, _REASONS)],
    }


def _head(source: Source, workspace: str) -> Json:
    is_idle = source.phase == SourcePhase.IDLE and source.status == SourceStatus.ACTIVE
    return {
        **row_json(source, "id name kind location every_s status phase run error created_at started_at finished_at"),
        "workspace": workspace,
        "next_run_at": source.due_at.isoformat() if is_idle and source.due_at else None,
    }


def _item(item: SourceItem, status: str | None) -> Json:
    return {
        **row_json(item, "key outcome document_id code message seen_at gone_at"),
        "document_status": status,
    }
