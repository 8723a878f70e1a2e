"""Sources of documents: `client.sources` of both clients."""

from collections.abc import AsyncIterator, Iterator, Mapping
from functools import partial
from typing import Any, Literal

from citewell_client._calls import (
    JSON_TYPE,
    Call,
    Page,
    Pages,
    at,
    json_body,
    nothing_of,
    object_of,
    page_of,
    without_none,
)
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import DocumentSource, DocumentSourceHead, DocumentSourceItem


def _create(fields: Mapping[str, Any]) -> Call[DocumentSource]:
    return Call("POST", at("sources"), object_of, headers=JSON_TYPE, body=json_body(fields))


def _read(source_id: str) -> Call[DocumentSource]:
    return Call("GET", at("sources", source_id), object_of)


def _listed(filters: Mapping[str, Any], limit: int, cursor: str | None) -> Call[Page[DocumentSourceHead]]:
    return Call("GET", at("sources"), page_of("sources"), without_none(**filters, limit=limit, cursor=cursor))


def _items(source_id: str, outcome: str | None, limit: int, cursor: str | None) -> Call[Page[DocumentSourceItem]]:
    path = at("sources", source_id, "items")
    return Call("GET", path, page_of("items"), without_none(outcome=outcome, limit=limit, cursor=cursor))


def _update(source_id: str, fields: Mapping[str, Any]) -> Call[DocumentSource]:
    return Call("PATCH", at("sources", source_id), object_of, headers=JSON_TYPE, body=json_body(fields))


def _run(source_id: str) -> Call[DocumentSource]:
    return Call("POST", at("sources", source_id, "run"), object_of)


def _delete(source_id: str, documents: str) -> Call[None]:
    return Call("DELETE", at("sources", source_id), nothing_of, {"documents": documents})


class Sources:
    """Places that documents are taken from, on a schedule."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        name: str,
        kind: str,
        location: str,
        *,
        workspace: str = "default",
        every_s: int | None = None,
        **options: Any,
    ) -> DocumentSource:
        """Set up a source, such as `create("handbook", "folder", "handbook", every_s=3600)`; it runs at once."""
        fields = {"name": name, "kind": kind, "location": location, "workspace": workspace, "every_s": every_s}
        return self._transport.send(_create({**fields, "options": options}))

    def get(self, source_id: str) -> DocumentSource:
        """Return a source with the progress of its current or last run."""
        return self._transport.send(_read(source_id))

    def list(self, workspace: str | None = None, *, limit: int | None = None) -> Iterator[DocumentSourceHead]:
        """Yield all sources without their progress, the newest first, or the first `limit` of them."""
        pages = Pages(partial(_listed, without_none(workspace=workspace)), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def items(
        self, source_id: str, outcome: str | None = None, *, limit: int | None = None
    ) -> Iterator[DocumentSourceItem]:
        """Yield the items that a source lists or listed, by key: all or the first `limit`, or only those with the given
        outcome."""
        pages = Pages(partial(_items, source_id, outcome), limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def update(self, source_id: str, **fields: Any) -> DocumentSource:
        """Change `every_s`, `status` or `options`; omitted fields stay as they are."""
        return self._transport.send(_update(source_id, fields))

    def run(self, source_id: str) -> DocumentSource:
        """Begin a run now."""
        return self._transport.send(_run(source_id))

    def delete(self, source_id: str, documents: Literal["keep", "delete"] = "keep") -> None:
        """Delete a source, and keep or delete its documents."""
        self._transport.send(_delete(source_id, documents))


class AsyncSources:
    """Places that documents are taken from, on a schedule."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        name: str,
        kind: str,
        location: str,
        *,
        workspace: str = "default",
        every_s: int | None = None,
        **options: Any,
    ) -> DocumentSource:
        """Set up a source, such as `create("handbook", "folder", "handbook", every_s=3600)`; it runs at once."""
        fields = {"name": name, "kind": kind, "location": location, "workspace": workspace, "every_s": every_s}
        return await self._transport.send(_create({**fields, "options": options}))

    async def get(self, source_id: str) -> DocumentSource:
        """Return a source with the progress of its current or last run."""
        return await self._transport.send(_read(source_id))

    async def list(
        self, workspace: str | None = None, *, limit: int | None = None
    ) -> AsyncIterator[DocumentSourceHead]:
        """Yield all sources without their progress, the newest first, or the first `limit` of them."""
        pages = Pages(partial(_listed, without_none(workspace=workspace)), limit)
        while not pages.over:
            for source in pages.take(await self._transport.send(pages.next())):
                yield source

    async def items(
        self, source_id: str, outcome: str | None = None, *, limit: int | None = None
    ) -> AsyncIterator[DocumentSourceItem]:
        """Yield the items that a source lists or listed, by key: all or the first `limit`, or only those with the given
        outcome."""
        pages = Pages(partial(_items, source_id, outcome), limit)
        while not pages.over:
            for item in pages.take(await self._transport.send(pages.next())):
                yield item

    async def update(self, source_id: str, **fields: Any) -> DocumentSource:
        """Change `every_s`, `status` or `options`; omitted fields stay as they are."""
        return await self._transport.send(_update(source_id, fields))

    async def run(self, source_id: str) -> DocumentSource:
        """Begin a run now."""
        return await self._transport.send(_run(source_id))

    async def delete(self, source_id: str, documents: Literal["keep", "delete"] = "keep") -> None:
        """Delete a source, and keep or delete its documents."""
        await self._transport.send(_delete(source_id, documents))
