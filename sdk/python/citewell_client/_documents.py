"""Documents, in both clients."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from citewell_client._calls import Pages, without_none
from citewell_client._passages import AsyncPassages, Passages
from citewell_client._requests import documents as requests
from citewell_client._waiting import DOCUMENT_PATIENCE_S, LOOK_EVERY_S, Deadline, is_read, seconds_of, with_status
from citewell_client.types import Accepted, Document, DocumentBlocks, PageBoxes, Reingestion, ReingestionAccepted


class Documents(Passages):
    """Documents, in the sync client."""

    def upload(
        self,
        path: str | PathLike[str],
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
        wait: bool | float = False,
    ) -> Accepted:
        """Send a file; `metadata` is a JSON object, or its text. Raises OSError when the file cannot be read.

        With `wait` (seconds, or True for as long as `wait_document` waits) the method returns when the document is
        ready or has failed: see `status`.
        """
        named = {"filename": filename or Path(path).name, "workspace": workspace}
        with Path(path).open("rb") as file:
            accepted = self.send(requests.upload(file, **named, metadata=metadata, source=source))
        return with_status(accepted, self.wait_document(accepted["id"], seconds_of(wait))) if wait else accepted

    def wait_document(
        self, document_id: str, seconds: float = DOCUMENT_PATIENCE_S, on_look: Callable[[Document], None] | None = None
    ) -> Document:
        """Wait until a document is ready or has failed, at most `seconds`; `on_look` receives the document
        meanwhile."""
        deadline = Deadline(seconds)
        while True:
            seen = self.send(requests.document(document_id), deadline)
            if is_read(seen, deadline, on_look):
                return seen
            time.sleep(LOOK_EVERY_S)

    def document(self, document_id: str) -> Document:
        """Return a document's status and progress."""
        return self.send(requests.document(document_id))

    def documents(
        self,
        workspace: str | None = None,
        limit: int | None = None,
        *,
        status: str | None = None,
        filename: str | None = None,
        sha256: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        all_versions: bool = False,
    ) -> Iterator[Document]:
        """Yield all documents, the newest first, or the first `limit` of them; superseded versions only on request."""
        filters = _filters(workspace, status, filename, sha256, metadata, all_versions)
        pages = Pages(partial(requests.documents, filters), limit)
        while not pages.over:
            yield from pages.take(self.send(pages.next()))

    def versions(self, document_id: str) -> list[Document]:
        """Return all versions under the name of a document, the newest first."""
        return self.send(requests.versions(document_id))

    def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """Return the stored text that citations point into, from `start` to `end` (code points)."""
        return self.send(requests.document_text(document_id, start, end))

    def document_original(self, document_id: str) -> bytes:
        """Return the file of a document as it was sent."""
        return self.send(requests.document_original(document_id))

    def page_image(self, document_id: str, number: int, *, width: int = 1000) -> bytes:
        """Return a page of a PDF as a picture (WebP), `width` pixels wide."""
        return self.send(requests.page_image(document_id, number, width))

    def boxes(self, document_id: str, start: int = 0, end: int | None = None) -> list[PageBoxes]:
        """Return the places of the words of `text[start:end]` on the pages of a PDF, in points from the upper left
        corner of each page."""
        return self.send(requests.boxes(document_id, start, end))

    def blocks(self, document_id: str) -> DocumentBlocks:
        """Return the headings, paragraphs, tables and cells of a document without pages, as slices of its text."""
        return self.send(requests.blocks(document_id))

    def reingest(
        self,
        workspace: str = "default",
        *,
        kind: str | None = None,
        before: str | None = None,
        name_contains: str | None = None,
        dry_run: bool = False,
    ) -> ReingestionAccepted:
        """Read all matching documents again from their files: documents of type `kind` ("pdf"), read `before` a time
        (ISO)."""
        wanted = without_none(kind=kind, before=before, name_contains=name_contains)
        return self.send(requests.reingest({"workspace": workspace, "dry_run": dry_run, **wanted}))

    def reingestion(self, reingestion_id: str) -> Reingestion:
        """Return the progress of a re-ingestion."""
        return self.send(requests.reingestion(reingestion_id))

    def retry_document(self, document_id: str) -> Document:
        """Retry a failed document, from the file that the server has."""
        return self.send(requests.retry_document(document_id))

    def delete_document(self, document_id: str, *, all_versions: bool = False) -> None:
        """Delete a document with its passages, optionally with all versions under its name."""
        self.send(requests.delete_document(document_id, all_versions))


class AsyncDocuments(AsyncPassages):
    """Documents, in the async client."""

    async def upload(
        self,
        path: str | PathLike[str],
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
        wait: bool | float = False,
    ) -> Accepted:
        """Send a file; `metadata` is a JSON object, or its text. Raises OSError when the file cannot be read.

        With `wait` (seconds, or True for as long as `wait_document` waits) the method returns when the document is
        ready or has failed: see `status`.
        """
        content = await asyncio.to_thread(Path(path).read_bytes)
        named = {"filename": filename or Path(path).name, "workspace": workspace}
        accepted = await self.send(requests.upload(content, **named, metadata=metadata, source=source))
        return with_status(accepted, await self.wait_document(accepted["id"], seconds_of(wait))) if wait else accepted

    async def wait_document(
        self, document_id: str, seconds: float = DOCUMENT_PATIENCE_S, on_look: Callable[[Document], None] | None = None
    ) -> Document:
        """Wait until a document is ready or has failed, at most `seconds`; `on_look` receives the document
        meanwhile."""
        deadline = Deadline(seconds)
        while True:
            seen = await self.send(requests.document(document_id), deadline)
            if is_read(seen, deadline, on_look):
                return seen
            await asyncio.sleep(LOOK_EVERY_S)

    async def document(self, document_id: str) -> Document:
        """Return a document's status and progress."""
        return await self.send(requests.document(document_id))

    async def documents(
        self,
        workspace: str | None = None,
        limit: int | None = None,
        *,
        status: str | None = None,
        filename: str | None = None,
        sha256: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        all_versions: bool = False,
    ) -> AsyncIterator[Document]:
        """Yield all documents, the newest first, or the first `limit` of them; superseded versions only on request."""
        filters = _filters(workspace, status, filename, sha256, metadata, all_versions)
        pages = Pages(partial(requests.documents, filters), limit)
        while not pages.over:
            for document in pages.take(await self.send(pages.next())):
                yield document

    async def versions(self, document_id: str) -> list[Document]:
        """Return all versions under the name of a document, the newest first."""
        return await self.send(requests.versions(document_id))

    async def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """Return the stored text that citations point into, from `start` to `end` (code points)."""
        return await self.send(requests.document_text(document_id, start, end))

    async def document_original(self, document_id: str) -> bytes:
        """Return the file of a document as it was sent."""
        return await self.send(requests.document_original(document_id))

    async def page_image(self, document_id: str, number: int, *, width: int = 1000) -> bytes:
        """Return a page of a PDF as a picture (WebP), `width` pixels wide."""
        return await self.send(requests.page_image(document_id, number, width))

    async def boxes(self, document_id: str, start: int = 0, end: int | None = None) -> list[PageBoxes]:
        """Return the places of the words of `text[start:end]` on the pages of a PDF, in points from the upper left
        corner of each page."""
        return await self.send(requests.boxes(document_id, start, end))

    async def blocks(self, document_id: str) -> DocumentBlocks:
        """Return the headings, paragraphs, tables and cells of a document without pages, as slices of its text."""
        return await self.send(requests.blocks(document_id))

    async def reingest(
        self,
        workspace: str = "default",
        *,
        kind: str | None = None,
        before: str | None = None,
        name_contains: str | None = None,
        dry_run: bool = False,
    ) -> ReingestionAccepted:
        """Read all matching documents again from their files: documents of type `kind` ("pdf"), read `before` a time
        (ISO)."""
        wanted = without_none(kind=kind, before=before, name_contains=name_contains)
        return await self.send(requests.reingest({"workspace": workspace, "dry_run": dry_run, **wanted}))

    async def reingestion(self, reingestion_id: str) -> Reingestion:
        """Return the progress of a re-ingestion."""
        return await self.send(requests.reingestion(reingestion_id))

    async def retry_document(self, document_id: str) -> Document:
        """Retry a failed document, from the file that the server has."""
        return await self.send(requests.retry_document(document_id))

    async def delete_document(self, document_id: str, *, all_versions: bool = False) -> None:
        """Delete a document with its passages, optionally with all versions under its name."""
        await self.send(requests.delete_document(document_id, all_versions))


def _filters(
    workspace: str | None,
    status: str | None,
    filename: str | None,
    sha256: str | None,
    metadata: Mapping[str, Any] | None,
    all_versions: bool,
) -> dict[str, Any]:
    known = without_none(workspace=workspace, status=status, filename=filename, sha256=sha256)
    wanted = {f"metadata.{key}": value for key, value in (metadata or {}).items()}
    return known | wanted | ({"versions": "all"} if all_versions else {})
