"""Connections pinned to checked addresses: the address that was checked is the address that is dialled."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import cast

import httpcore

from clients.webhooks.addresses import AddressPolicy

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to IP addresses, an IPv6 scope id after a `%`. Raises OSError."""

_RESOLVE_TIMEOUT_S = 5.0
_CONNECT_TIMEOUT_S = 5.0
_ADDRESSES_TRIED = 3


async def resolve(host: str, port: int) -> list[str]:
    answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # An IPv6 address comes with a flow label and a scope, an IPv4 address with neither.
    return [f"{address}%{more[1]}" if more and more[1] else str(address) for *_, (address, _, *more) in answers]


class Dialler(httpcore.AsyncNetworkBackend):
    """The network of one connection, for httpcore. TLS above it keeps the name of the host.

    A name is resolved once and all its addresses must be allowed. So no connection is made to a name that changes
    between check and connection, or that has a forbidden address among others.
    """

    def __init__(self, policy: AddressPolicy, resolver: Resolver, scheme: str) -> None:
        self._policy = policy
        self._resolver = resolver
        self._scheme = scheme
        # httpcore leaves the type open, because anyio is an optional dependency of it.
        self._network = cast(httpcore.AsyncNetworkBackend, httpcore.AnyIOBackend())
        self._stream: httpcore.AsyncNetworkStream | None = None
        self.address: str | None = None
        """The address dialled last."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to an allowed address of `host`. Raises AddressForbidden, and httpcore's errors."""
        failure: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in (await self._checked(host, port))[:_ADDRESSES_TRIED]:
            self.address = address
            try:
                stream = await self._network.connect_tcp(
                    address, port, _CONNECT_TIMEOUT_S, local_address, socket_options
                )
            except httpcore.ConnectTimeout:
                failure = httpcore.ConnectTimeout(f"no connection to {address} within {_CONNECT_TIMEOUT_S:g} seconds")
            except httpcore.ConnectError as error:
                failure = error
            else:
                self._stream = stream
                return stream
        raise failure or httpcore.ConnectError(f"the name {host} has no address")

    async def aclose(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()

    async def _checked(self, host: str, port: int) -> Sequence[str]:
        try:
            async with asyncio.timeout(_RESOLVE_TIMEOUT_S):
                addresses = await self._resolver(host, port)
        except TimeoutError:
            raise httpcore.ConnectTimeout(
                f"the name {host} was not resolved within {_RESOLVE_TIMEOUT_S:g} seconds"
            ) from None
        except OSError as error:
            raise httpcore.ConnectError(f"the name {host} was not resolved: {error.strerror or error}") from None
        for address in addresses:
            self._policy.check(address, port, self._scheme)
        return addresses
