"""Both clients behind one call, so that every test runs on the sync and on the async one."""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Protocol, cast

from citewell_client import AsyncCitewellClient, CitewellClient

Act = Callable[[Any], Any]


class Half(Protocol):
    """One of the two clients in use."""

    def __call__(self, url: str, act: Act, **options: Any) -> Any:
        """The result of `act` with a client of the server."""
        ...


def sync_half(url: str, act: Act, **options: Any) -> Any:
    """The result of `act` with a client; a list if it is an iterator."""
    with CitewellClient(url, **options) as client:
        found = act(client)
        return list(cast("Iterator[Any]", found)) if isinstance(found, Iterator) else found


def async_half(url: str, act: Act, **options: Any) -> Any:
    """The same, awaited."""

    async def run() -> Any:
        async with AsyncCitewellClient(url, **options) as client:
            found = act(client)
            if isinstance(found, AsyncIterator):
                return [item async for item in cast("AsyncIterator[Any]", found)]
            return await found if inspect.isawaitable(found) else found

    return asyncio.run(run())
