"""Opens the place that a source names, as far as the operator's settings allow it."""

import re
import socket
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Protocol

from clients.sources.addresses import PagePolicy, check_page_url, page_policy, parse_page_url
from clients.sources.bucket import BucketReader
from clients.sources.feed import FeedReader
from clients.sources.folder import FolderReader
from clients.sources.git import GitReader, check_branch, clone_folder, pin_options, remove_clone
from clients.sources.sitemap import SitemapReader
from clients.sources.web import WebReader
from config.settings import Settings
from domain.documents.sources import Fetched, Listed, SourceOptions, Wanted
from domain.errors import DocumentSourceInvalid, PlaceForbidden, PlaceUnreachable


class Reader(Protocol):
    """An open place. Every method raises CitewellError with the reason."""

    @property
    def lists_all(self) -> bool:
        """A feed lists only its newest entries: what it does not list need not be gone."""
        ...

    def listed(self) -> Iterator[Listed]:
        """All items; those that cannot become documents have a reason."""
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
    """The place of a source of the tenant with this name; without an id nothing is fetched from it.

    Raises DocumentSourceInvalid, PlaceForbidden, PlaceUnreachable.
    """
    match kind:
        case "folder":
            root, below = allowed_folder(location, settings, tenant)
            return FolderReader(root, below, settings.ingestion.max_bytes)
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
    """Remove what a run left on this machine."""
    if kind == "git":
        remove_clone(clone_folder(source_id))


def _repository(
    location: str, options: SourceOptions, settings: Settings, tenant: str, source_id: uuid.UUID
) -> GitReader:
    limits = settings.sources
    check_branch(options.branch)
    address, pinned = _address_of(location, settings, tenant)
    return GitReader(
        source_id,
        address,
        options.branch,
        pinned=pinned,
        max_bytes=settings.ingestion.max_bytes,
        git_max_bytes=limits.git_max_bytes,
        git_s=limits.git_s,
    )


def _address_of(location: str, settings: Settings, tenant: str) -> tuple[str, Callable[[], Sequence[str]]]:
    """What git fetches from, and the options that keep its connection to checked addresses."""
    if "://" in location:
        policy = page_policy(settings.sources.allowed_networks, settings.sources.allowed_ports)
        check_page_url(location, policy)
        return location, lambda: _pinned(location, policy)
    root, below = allowed_folder(location, settings, tenant)
    # Opened once to see that no link leads to it.
    FolderReader(root, below, 0).close()
    return str(root / below), list


def _pinned(url: str, policy: PagePolicy) -> list[str]:
    endpoint = parse_page_url(url)
    try:
        found = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise PlaceUnreachable(f"The name {endpoint.host} was not resolved: {error.strerror or error}.") from None
    addresses = list(dict.fromkeys(str(address) for *_, (address, *_rest) in found))
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
    most, deadline_s = settings.ingestion.max_bytes, settings.sources.fetch_s
    return BucketReader(bucket, prefix, store, max_bytes=most, deadline_s=deadline_s)


def allowed_folder(location: str, settings: Settings, tenant: str) -> tuple[Path, PurePosixPath]:
    """The allowed folder that `NAME/and/more` begins with, and the way below it. Raises PlaceForbidden."""
    name, _, below = location.strip("/").partition("/")
    allowed = settings.sources.folders.get(name)
    if allowed is None or not _may(tenant, allowed.tenants):
        raise PlaceForbidden(
            f"There is no folder {name!r} that sources may read. The operator allows one in the configuration, as in "
            """CITEWELL_SOURCES__FOLDERS='{"handbook": {"path": "/srv/handbook"}}'; the location of a source is then """
            "`handbook`, or `handbook/part` for a folder in it."
        )
    way = PurePosixPath(below)
    if ".." in way.parts:
        raise PlaceForbidden("The location leads out of the folder; name one in it, without `..`.")
    return allowed.path, way


def _may(tenant: str, tenants: Sequence[str] | None) -> bool:
    return tenants is None or tenant in tenants
