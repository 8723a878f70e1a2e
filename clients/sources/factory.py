"""Opens the place that a source names, as far as the operator's settings allow it."""

from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from clients.sources.folder import FolderReader
from clients.sources.protocol import Reader
from clients.sources.web import SitemapReader, WebReader
from config.settings import Settings
from domain.documents.sources import SourceOptions
from domain.errors import DocumentSourceInvalid, PlaceForbidden


def open_reader(kind: str, location: str, options: SourceOptions, settings: Settings, tenant: str) -> Reader:
    """The place of a source of the tenant with this name.

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
        case _:
            raise DocumentSourceInvalid(f"There is no kind of source {kind!r}.")


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
