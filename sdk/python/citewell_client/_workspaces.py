"""Workspaces: `client.workspaces` of both clients."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import httpx

from citewell_client._calls import JSON_TYPE, Call, Page, Pages, at, json_body, object_of, page_of, without_none
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Workspace

_GONE = 204


def _listed(limit: int, cursor: str | None) -> Call[Page[Workspace]]:
    return Call("GET", at("workspaces"), page_of("workspaces"), without_none(limit=limit, cursor=cursor))


def _create(name: str, fields: Mapping[str, Any]) -> Call[Workspace]:
    return Call("POST", at("workspaces"), object_of, headers=JSON_TYPE, body=json_body({"name": name, **fields}))


def _read(name: str) -> Call[Workspace]:
    return Call("GET", at("workspaces", name), object_of)


def _update(name: str, fields: Mapping[str, Any]) -> Call[Workspace]:
    return Call("PATCH", at("workspaces", name), object_of, headers=JSON_TYPE, body=json_body(fields))


def _delete(name: str, with_contents: bool) -> Call[bool]:
    return Call("DELETE", at("workspaces", name), _is_gone, {"confirm": name} if with_contents else {})


def _is_gone(response: httpx.Response) -> bool:
    return response.status_code == _GONE


class Workspaces:
    """The workspaces that documents and questions belong to."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, limit: int | None = None) -> Iterator[Workspace]:
        """Yield all workspaces by name, or the first `limit`, each with how much it contains."""
        pages = Pages(_listed, limit)
        while not pages.over:
            yield from pages.take(self._transport.send(pages.next()))

    def create(self, name: str, **fields: Any) -> Workspace:
        """Create an empty workspace; `fields` are further fields of the request: `title`, `settings`."""
        return self._transport.send(_create(name, fields))

    def get(self, name: str) -> Workspace:
        """Return one workspace."""
        return self._transport.send(_read(name))

    def update(self, name: str, **fields: Any) -> Workspace:
        """Change a workspace; omitted fields and settings stay as they are, None resets a setting."""
        return self._transport.send(_update(name, fields))

    def rename(self, name: str, new_name: str) -> Workspace:
        """Give a workspace another name; its content stays."""
        return self._transport.send(_update(name, {"name": new_name}))

    def delete(self, name: str, *, with_contents: bool = False) -> bool:
        """Delete a workspace; one that is not empty only `with_contents`. False means that the server is still
        deleting."""
        return self._transport.send(_delete(name, with_contents))


class AsyncWorkspaces:
    """The workspaces that documents and questions belong to."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, limit: int | None = None) -> AsyncIterator[Workspace]:
        """Yield all workspaces by name, or the first `limit`, each with how much it contains."""
        pages = Pages(_listed, limit)
        while not pages.over:
            for workspace in pages.take(await self._transport.send(pages.next())):
                yield workspace

    async def create(self, name: str, **fields: Any) -> Workspace:
        """Create an empty workspace; `fields` are further fields of the request: `title`, `settings`."""
        return await self._transport.send(_create(name, fields))

    async def get(self, name: str) -> Workspace:
        """Return one workspace."""
        return await self._transport.send(_read(name))

    async def update(self, name: str, **fields: Any) -> Workspace:
        """Change a workspace; omitted fields and settings stay as they are, None resets a setting."""
        return await self._transport.send(_update(name, fields))

    async def rename(self, name: str, new_name: str) -> Workspace:
        """Give a workspace another name; its content stays."""
        return await self._transport.send(_update(name, {"name": new_name}))

    async def delete(self, name: str, *, with_contents: bool = False) -> bool:
        """Delete a workspace; one that is not empty only `with_contents`. False means that the server is still
        deleting."""
        return await self._transport.send(_delete(name, with_contents))
