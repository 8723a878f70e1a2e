"""Opens the place of files that a row names."""

from typing import Protocol

from clients.object_store.folder import FolderObjects
from clients.object_store.s3 import BucketObjects
from config.documents import OriginalsSettings
from domain.errors.service import OriginalUnavailable

_DEADLINE_S = 30.0
"""The limit of one request to the bucket."""


class Objects(Protocol):
    """A place of files. Every method raises OriginalUnavailable when the place is away."""

    def put(self, key: str, content: bytes) -> None:
        """Write a file, and replace one that may be there already; the new file is there whole, or not at all."""
        ...

    def get(self, key: str) -> bytes: ...

    def delete(self, key: str) -> None:
        """Delete a file, which may be gone already. This is quick enough for a transaction."""
        ...

    def tidy(self) -> None: ...


def open_objects(place: str, settings: OriginalsSettings) -> Objects:
    """The place with that name in `originals.store`. Raises OriginalUnavailable when it is not set up."""
    match place:
        case "folder":
            return FolderObjects(settings.folder)
        case "s3":
            return BucketObjects(settings.s3, _DEADLINE_S)
        case _:
            raise OriginalUnavailable(f"The file lies in {place!r}, a kind of place that this version does not know.")
