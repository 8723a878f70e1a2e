"""What both clients do with documents."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio

from citewell.client._requests import documents as requests
from citewell.client._transport import AsyncTransport, Transport
from citewell.wire import Accepted, Document


class Documents(Transport):
    """Documents, in the sync client."""

    def upload(
        self,
        path: Path,
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
    ) -> Accepted:
        """Send a file; `metadata` is a JSON object, also as text. Raises OSError when the file cannot be read."""
        named = {"filename": filename or path.name, "workspace": workspace}
        with path.open("rb") as file:
            return self.send(requests.upload(file, **named, metadata=metadata, source=source))

    def document(self, document_id: str) -> Document:
        """A document's status and progress."""
        return self.send(requests.document(document_id))

    def documents(self, workspace: str | None = None, limit: int | None = None) -> list[Document]:
        """The newest documents."""
        return self.send(requests.documents(workspace, limit))

    def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """The stored text that citations point into, from `start` to `end` (code points)."""
        return self.send(requests.document_text(document_id, start, end))

    def delete_document(self, document_id: str) -> None:
        """Delete a document with its passages."""
        self.send(requests.delete_document(document_id))


class AsyncDocuments(AsyncTransport):
    """Documents, in the async client."""

    async def upload(
        self,
        path: Path,
        *,
        filename: str | None = None,
        workspace: str = "default",
        metadata: str | Mapping[str, Any] = "{}",
        source: str = "python",
    ) -> Accepted:
        """Send a file; `metadata` is a JSON object, also as text. Raises OSError when the file cannot be read."""
        content = await anyio.Path(path).read_bytes()
        named = {"filename": filename or path.name, "workspace": workspace}
        return await self.send(requests.upload(content, **named, metadata=metadata, source=source))

    async def document(self, document_id: str) -> Document:
        """A document's status and progress."""
        return await self.send(requests.document(document_id))

    async def documents(self, workspace: str | None = None, limit: int | None = None) -> list[Document]:
        """The newest documents."""
        return await self.send(requests.documents(workspace, limit))

    async def document_text(self, document_id: str, start: int = 0, end: int | None = None) -> str:
        """The stored text that citations point into, from `start` to `end` (code points)."""
        return await self.send(requests.document_text(document_id, start, end))

    async def delete_document(self, document_id: str) -> None:
        """Delete a document with its passages."""
        await self.send(requests.delete_document(document_id))
