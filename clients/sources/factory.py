"""Opens the place that a source names, if the operator's settings allow it."""

import os
import re
import socket
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from citewell_documents.errors import PathForbidden
from citewell_documents.paths import is_relative
from clients.sources.addresses import PagePolicy, check_page_url, page_policy, parse_page_url
from clients.sources.bucket import BucketReader
from clients.sources.feed import FeedReader
from clients.sources.folder import FolderReader, open_allowed
from clients.sources.git import GitReader, Origin, allowing, check_branch, clone_folder, pin_options, remove_clone
from clients.sources.git_copy import copy_repository
from clients.sources.sitemap import SitemapReader
from clients.sources.web import WebReader
from config.settings import Settings
from domain.documents.sources import Fetched, Listed, SourceOptions, Wanted
from domain.errors.requests import DocumentSourceInvalid, PlaceForbidden
from domain.errors.service import PlaceUnreachable


class Reader(Protocol):
    """An open place. Every method raises CitewellError with the reason."""

    @property
    def lists_all(self) -> bool:
        """True if items that the place does not list are gone. A feed, in contrast, lists only its newest entries."""
        ...

    def listed(self) -> Iterator[Listed]:
        """All items; an item that cannot become a document comes with the reason."""
        ...

    def fetch(self, wanted: Wanted) -> Fetched: ...

    def close(self) -> None: ...


def open_reader(
    kind: str,
    location: str,
    options: SourceOptions,
    settings: Settings,
    tenant: str,
    source_id: uuid.UUID | None = None,
) -> Reader:
    """Open the place of a source that belongs to the tenant with this name; without the source's id nothing is fetched
    from the place. Raises DocumentSourceInvalid, PlaceForbidden, PlaceUnreachable.
    """
    match kind:
        case "folder":
            return FolderReader(_allowed_folder(location, settings, tenant), settings.ingestion.max_bytes)
        case "web":
            return WebReader([location, *options.urls], options.depth, settings)
        case "sitemap":
            return SitemapReader(location, settings)
        case "feed":
            return FeedReader(location, settings, entries=options.entries)
        case "git":
            return _repository(location, options, settings, tenant, source_id or uuid.uuid4())
        case "bucket":
            return _bucket(location, options, settings, tenant)
        case _:
            raise DocumentSourceInvalid(f"There is no kind of source {kind!r}.")


def remove_leftovers(kind: str, source_id: uuid.UUID) -> None:
    """Remove the files that a run of the source left on this machine."""
    if kind == "git":
        remove_clone(clone_folder(source_id))


def _repository(
    location: str, options: SourceOptions, settings: Settings, tenant: str, source_id: uuid.UUID
) -> GitReader:
    limits = settings.sources
    check_branch(options.branch)
    origin = _remote(location, settings) if "://" in location else _copied(location, settings, tenant)
    return GitReader(
        source_id,
        origin,
        options.branch,
        max_bytes=settings.ingestion.max_bytes,
        git_max_bytes=limits.git_max_bytes,
        git_s=limits.git_s,
    )


def _remote(url: str, settings: Settings) -> Origin:
    policy = page_policy(settings.sources.allowed_networks, settings.sources.allowed_ports)
    check_page_url(url, policy)
    return lambda _: (url, [*allowing(parse_page_url(url).scheme), *_pinned(url, policy)])


def _copied(location: str, settings: Settings, tenant: str) -> Origin:
    # The folder is opened here to check that it exists and may be opened.
    os.close(_allowed_folder(location, settings, tenant))

    def copied(to: Path) -> tuple[str, Sequence[str]]:
        folder = _allowed_folder(location, settings, tenant)
        try:
            copy_repository(folder, to, max_bytes=settings.sources.git_max_bytes, max_s=settings.sources.git_s)
        finally:
            os.close(folder)
        return str(to), allowing("file")

    return copied


def _pinned(url: str, policy: PagePolicy) -> list[str]:
    endpoint = parse_page_url(url)
    try:
        resolved = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise PlaceUnreachable(f"The name {endpoint.host} was not resolved: {error.strerror or error}.") from None
    addresses = list(dict.fromkeys(str(address) for *_, (address, *_rest) in resolved))
    for address in addresses:
        policy.check(address, endpoint.port, endpoint.scheme)
    return pin_options(url, addresses)


def _bucket(location: str, options: SourceOptions, settings: Settings, tenant: str) -> BucketReader:
    name = options.store or ""
    store = settings.sources.stores.get(name)
    if store is None or not _may(tenant, store.tenants):
        raise PlaceForbidden(
            f"There is no store {name!r} that sources may read. The operator sets one up in the configuration "
            "(`sources.stores`); name it in the option `store`."
        )
    bucket, _, prefix = location.removeprefix("s3://").partition("/")
    if not re.fullmatch("[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}", bucket):
        raise DocumentSourceInvalid(f"{bucket[:100]!r} is no name of a bucket; the location is `BUCKET/prefix`.")
    if prefix and not is_relative(prefix.removesuffix("/")):
        raise PlaceForbidden(f"The location cannot be used. {PathForbidden.__doc__}")
    most, deadline_s = settings.ingestion.max_bytes, settings.sources.fetch_s
    return BucketReader(bucket, prefix, store, max_bytes=most, deadline_s=deadline_s)


def _allowed_folder(location: str, settings: Settings, tenant: str) -> int:
    """The folder that `NAME/and/more` stands for, as a descriptor that the caller closes.

    Raises PlaceForbidden, DocumentSourceInvalid, PlaceUnreachable.
    """
    # A name may end with a slash, as shells complete the name of a folder.
    name, *below = location.removesuffix("/").split("/")
    allowed = settings.sources.folders.get(name)
    if allowed is None or not _may(tenant, allowed.tenants):
        raise PlaceForbidden(
            f"There is no folder {name or location!r} that sources may read. The operator allows one in the "
            "configuration, as in "
            """CITEWELL_SOURCES__FOLDERS='{"handbook": {"path": "/srv/handbook"}}'; the location of a source is then """
            "`handbook`, or `handbook/part` for a folder in it."
        )
    return open_allowed(allowed.path, below)


def _may(tenant: str, tenants: Sequence[str] | None) -> bool:
    return tenants is None or tenant in tenants
