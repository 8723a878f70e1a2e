"""One item of a source: fetched, compared, and stored as a document or with the reason why not."""

import hashlib
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from citewell_documents.errors import DocumentTypeUnknown
from citewell_verify.errors import CitewellError
from clients.sources.factory import Reader
from config.settings import Settings
from db.models import ItemOutcome, Source
from db.queries.documents import source_items as rows
from db.queries.documents.source_items import KnownItem
from db.session import transaction
from domain.documents.sources import (
    Content,
    Gone,
    Listed,
    Refusal,
    SourceOptions,
    Unchanged,
    document_name,
    refusal_of_type,
)
from domain.errors.missing import DocumentNotFound
from domain.errors.service import DatabaseUnavailable, OriginalUnavailable
from domain.errors.state import WorkspaceDeleting
from services.documents.documents import Accepted, NewDocument, accept_document, remove_document

_NOTHING = Refusal("not_of_the_source", "There is nothing at its place.")
_REMOVED_AT_ONCE = 20
_MISSING_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Place:
    """The workspace that the documents join; `accepted` is called after each document that is to be read."""

    workspace: str
    tenant: str
    accepted: Callable[[], object]


def take(
    source: Source, options: SourceOptions, place: Place, item: KnownItem, reader: Reader, settings: Settings
) -> None:
    """Fetch an item and store its outcome.

    Raises DatabaseUnavailable, OriginalUnavailable, WorkspaceDeleting.
    """
    key = item.wanted.key
    try:
        match reader.fetch(item.wanted):
            case Unchanged(tag):
                _unchanged(source, item, tag)
            case Gone():
                if item.was_there or item.document_id is not None:
                    _gone(source, options, key, item.document_id)
                else:
                    # Skipped rather than failed, so that a dead link does not keep other items from being marked as
                    # gone.
                    with transaction() as session:
                        rows.refuse(session, source.id, key, ItemOutcome.SKIPPED, _NOTHING)
            case Content() as content:
                _keep(source, options, place, item, content, settings)
    except (DatabaseUnavailable, OriginalUnavailable, WorkspaceDeleting):
        raise
    except DocumentTypeUnknown as error:
        with transaction() as session:
            rows.refuse(session, source.id, key, ItemOutcome.SKIPPED, Refusal(error.code, error.message))
    except CitewellError as error:
        with transaction() as session:
            rows.refuse(session, source.id, key, ItemOutcome.FAILED, Refusal(error.code, error.message))


def give_up_missing(source: Source, options: SourceOptions) -> bool:
    """Mark some of the items that the run did not list; False if there are no more."""
    with transaction() as session:
        missing = rows.list_missing(session, source.id, source.run, _MISSING_AT_ONCE)
    for key, document_id in missing:
        _gone(source, options, key, document_id)
    return bool(missing)


def remove_documents(source_id: uuid.UUID) -> bool:
    """Delete some documents of the source; False if there are no more."""
    with transaction() as session:
        documents = rows.some_documents(session, source_id, _REMOVED_AT_ONCE)
    for document_id in documents:
        _remove(document_id)
    return bool(documents)


def _unchanged(source: Source, item: KnownItem, tag: str | None) -> None:
    with transaction() as session:
        rows.set_outcome(session, source.id, item.wanted.key, ItemOutcome.UNCHANGED, tag=tag)


def _gone(source: Source, options: SourceOptions, key: str, document_id: uuid.UUID | None) -> None:
    if document_id is not None and options.when_gone == "delete":
        _remove(document_id)
    with transaction() as session:
        if document_id is not None and options.when_gone == "mark":
            rows.mark_document(session, document_id, gone=True)
        rows.mark_gone(session, source.id, source.run, key)


def _remove(document_id: uuid.UUID) -> None:
    with suppress(DocumentNotFound):  # the document was deleted meanwhile
        remove_document(document_id, all_versions=True)


def _keep(
    source: Source, options: SourceOptions, place: Place, item: KnownItem, content: Content, settings: Settings
) -> None:
    digest = hashlib.sha256(content.data).hexdigest()
    if item.sha256 == digest:
        # A document that a person deleted stays deleted until its original changes.
        _unchanged(source, item, content.tag)
        _follow(source, options, item, content, settings)
        return
    name = _name(source, item, content)
    if refused := refusal_of_type(name):
        with transaction() as session:
            rows.refuse(session, source.id, item.wanted.key, ItemOutcome.SKIPPED, refused)
        return
    metadata = {**options.metadata, **item.wanted.details, **content.details}
    accepted = accept_document(NewDocument(name, content.data, place.workspace, source.name, metadata), settings)
    with transaction() as session:
        _record(session, source, item, content.tag, digest, accepted)
    if accepted.needs_work:
        place.accepted()
    _follow(source, options, item, content, settings)


def _record(
    session: Session, source: Source, item: KnownItem, tag: str | None, digest: str, accepted: Accepted
) -> None:
    outcome = ItemOutcome.NEW if item.sha256 is None else ItemOutcome.CHANGED
    values: dict[str, Any] = {"tag": tag, "sha256": digest, "document_id": accepted.document_id}
    rows.set_outcome(session, source.id, item.wanted.key, outcome, **values)
    if not accepted.created:
        rows.mark_document(session, accepted.document_id, gone=False)


def _name(source: Source, item: KnownItem, content: Content) -> str:
    """Return the document's name, which stays the same as long as its file type does."""
    if item.filename and item.filename.lower().endswith(content.suffix):
        return item.filename
    name = document_name(source.name, item.wanted.key, content.suffix)
    with transaction() as session:
        is_free = rows.is_name_free(session, source.id, item.wanted.key, name)
    return name if is_free else document_name(source.name, item.wanted.key, content.suffix, distinct=True)


def _follow(source: Source, options: SourceOptions, item: KnownItem, content: Content, settings: Settings) -> None:
    """List the pages that an item links to, as deep as the source is set to follow links."""
    depth = item.wanted.depth + 1
    linked = {key: Listed(key, depth=depth) for key in content.links if options.takes(key)}
    if depth > options.depth or not linked:
        return
    most = min(options.max_items, settings.sources.max_items)
    with transaction() as session:
        left = max(0, most - rows.count_listed(session, source.id, source.run))
        rows.list_items(session, source.id, source.run, rows.not_listed(session, source, list(linked.values()))[:left])
