"""Archives of documents, in both clients."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from citewell_client._calls import Call, Page, Pages, at, object_of, page_of, without_none
from citewell_client._requests.documents import form
from citewell_client._transport import AsyncTransport, Transport
from citewell_client._waiting import Deadline
from citewell_client.types import Accepted, Import, ImportHead

_PATIENCE_S = 3600.0
_LOOK_EVERY_S = 0.5


def _create(
    file: BinaryIO | bytes, *, filename: str, workspace: str, metadata: str | Mapping[str, Any], source: str
) -> Call[Accepted]:
    return Call("POST", at("imports"), object_of, body=form(file, filename, workspace, metadata, source))


def _read(import_id: str) -> Call[Import]:
    return Call("GET", at("imports", import_id), object_of)


def _listed(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[ImportHead]]:
    return Call("GET", at("imports"), page_of("imports"), without_none(**filters, limit=limit, cursor=cursor))


class Imports:
    """Archives: each file in an archive becomes a document."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        path: str | PathLike[str],
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
    ) -> Accepted:
        """Send a .zip archive; each of its documents gets the `metadata`. Raises OSError when the file cannot be
        read."""
        named = {"filename": filename or Path(path).name, "workspace": workspace}
        with Path(path).open("rb") as file:
            return self._transport.send(_create(file, **named, metadata=metadata, source=source))

    def get(self, import_id: str) -> Import:
        """Return the progress of an import, with the reasons for skipped and failed files."""
        return self._transport.send(_read(import_id))

    def wait(
        self, import_id: str, seconds: float = _PATIENCE_S, on_look: Callable[[Import], None] | None = None
    ) -> Import:
        """Wait until every document is ready or has failed, at most `seconds`; `on_look` receives the import."""
        deadline = Deadline(seconds)
        while True:
            seen = self._transport.send(_read(import_id), deadline)
            if _is_over(seen, deadline, on_look):
                return seen
            time.sleep(_LOOK_EVERY_S)

    def list(
        self, workspace: str | None = None, *, status: str | None = None, limit: int | None = None
    ) -> Iterator[ImportHead]:
        """Yield all imports without their documents, the newest first, or the first `limit` of them."""
        pages = Pages(partial(_listed, without_none(workspace=workspace, status=status)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))


class AsyncImports:
    """Archives: each file in an archive becomes a document."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        path: str | PathLike[str],
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
    ) -> Accepted:
        """Send a .zip archive; each of its documents gets the `metadata`. Raises OSError when the file cannot be
        read."""
        content = await asyncio.to_thread(Path(path).read_bytes)
        named = {"filename": filename or Path(path).name, "workspace": workspace}
        return await self._transport.send(_create(content, **named, metadata=metadata, source=source))

    async def get(self, import_id: str) -> Import:
        """Return the progress of an import, with the reasons for skipped and failed files."""
        return await self._transport.send(_read(import_id))

    async def wait(
        self, import_id: str, seconds: float = _PATIENCE_S, on_look: Callable[[Import], None] | None = None
    ) -> Import:
        """Wait until every document is ready or has failed, at most `seconds`; `on_look` receives the import."""
        deadline = Deadline(seconds)
        while True:
            seen = await self._transport.send(_read(import_id), deadline)
            if _is_over(seen, deadline, on_look):
                return seen
            await asyncio.sleep(_LOOK_EVERY_S)

    async def list(
        self, workspace: str | None = None, *, status: str | None = None, limit: int | None = None
    ) -> AsyncIterator[ImportHead]:
        """Yield all imports without their documents, the newest first, or the first `limit` of them."""
        pages = Pages(partial(_listed, without_none(workspace=workspace, status=status)), limit)
        while not pages.over:
            for head in pages.take(await self._transport.send(pages.next())):
                yield head


def _is_over(seen: Import, deadline: Deadline, on_look: Callable[[Import], None] | None) -> bool:
    if on_look is not None:
        on_look(seen)
    return seen["status"] in ("finished", "failed") or not deadline.left
