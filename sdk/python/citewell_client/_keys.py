"""Keys of the API: `client.keys` of both clients."""

from collections.abc import Mapping, Sequence
from typing import Any

from citewell_client._calls import JSON_TYPE, Call, at, json_body, list_of, nothing_of, object_of, without_none
from citewell_client._transport import AsyncTransport, Transport
from citewell_client.types import Key, KeyCreated


def _create(name: str, scopes: Sequence[str], options: Mapping[str, Any]) -> Call[KeyCreated]:
    fields = without_none(name=name, scopes=list(scopes), **options)
    return Call("POST", at("keys"), object_of, headers=JSON_TYPE, body=json_body(fields))


def _listed() -> Call[list[Key]]:
    return Call("GET", at("keys"), list_of("keys"))


def _revoke(key_id: str) -> Call[None]:
    return Call("DELETE", at("keys", key_id), nothing_of)


class Keys:
    """The API keys."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, name: str, scopes: Sequence[str], **options: Any) -> KeyCreated:
        """Create a key with scopes such as `read` and `ask`; the whole `key` is returned only here.

        `options` are further fields of the request, e.g. `workspaces=["finance"]` for a key that opens nothing else.
        """
        return self._transport.send(_create(name, scopes, options))

    def list(self) -> list[Key]:
        """Return all keys, without their secret parts."""
        return self._transport.send(_listed())

    def revoke(self, key_id: str) -> None:
        """Revoke a key."""
        self._transport.send(_revoke(key_id))


class AsyncKeys:
    """The API keys."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, name: str, scopes: Sequence[str], **options: Any) -> KeyCreated:
        """Create a key with scopes such as `read` and `ask`; the whole `key` is returned only here.

        `options` are further fields of the request, e.g. `workspaces=["finance"]` for a key that opens nothing else.
        """
        return await self._transport.send(_create(name, scopes, options))

    async def list(self) -> list[Key]:
        """Return all keys, without their secret parts."""
        return await self._transport.send(_listed())

    async def revoke(self, key_id: str) -> None:
        """Revoke a key."""
        await self._transport.send(_revoke(key_id))
