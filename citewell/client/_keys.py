"""Keys of the API: `client.keys` of both clients."""

from collections.abc import Sequence
from typing import Any

from citewell.client._requests import keys as requests
from citewell.client._transport import AsyncTransport, Transport
from citewell.wire import Key


class Keys:
    """The keys of the API."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, name: str, scopes: Sequence[str], **options: Any) -> Key:
        """Make a key with scopes such as `read` and `ask`; the whole `key` is returned only here."""
        return self._transport.send(requests.create(name, scopes, options))

    def list(self) -> list[Key]:
        """All keys, without their secret parts."""
        return self._transport.send(requests.listed())

    def revoke(self, key_id: str) -> None:
        """Revoke a key."""
        self._transport.send(requests.revoke(key_id))


class AsyncKeys:
    """The keys of the API."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, name: str, scopes: Sequence[str], **options: Any) -> Key:
        """Make a key with scopes such as `read` and `ask`; the whole `key` is returned only here."""
        return await self._transport.send(requests.create(name, scopes, options))

    async def list(self) -> list[Key]:
        """All keys, without their secret parts."""
        return await self._transport.send(requests.listed())

    async def revoke(self, key_id: str) -> None:
        """Revoke a key."""
        await self._transport.send(requests.revoke(key_id))
