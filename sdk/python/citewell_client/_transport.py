"""Sends calls, with retries where these help."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from citewell_client._calls import Call
from citewell_client._connection import ANSWER_S, Priority, connection, key_of_environment, patience, url_of_environment
from citewell_client._waiting import Deadline, Outcome, Retries, Waiting
from citewell_client.errors import ApiProblem, ServerUnreachable, problem_of, unreachable

_T = TypeVar("_T")


class Base:
    """The server's address; `url` has no trailing slash."""

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout

    def arguments(self, call: Call[Any]) -> dict[str, Any]:
        arguments = {
            "params": dict(call.params),
            "headers": dict(call.headers),
            "timeout": patience(self.timeout + call.wait),
        }
        return {"method": call.method, "url": call.path, **arguments, **call.body}

    @contextmanager
    def reaching(self) -> Generator[None]:
        """Turn httpx's exceptions into ServerUnreachable."""
        try:
            yield
        except httpx.RequestError as error:
            raise unreachable(self.url, error) from None


class Transport(Base):
    """The sync transport. Every method raises ApiProblem or ServerUnreachable."""

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        timeout: float = ANSWER_S,
        *,
        priority: Priority | None = None,
        after_each: Callable[[], None] | None = None,
    ) -> None:
        super().__init__(url, timeout)
        self.after_each = after_each
        self.http = httpx.Client(**connection(self.url, api_key, timeout, priority))

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of the server at CITEWELL_URL (by default http://127.0.0.1:8000), with the key
        CITEWELL_API_KEY."""
        return cls(url_of_environment(), key_of_environment())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.http.close()

    def send(self, call: Call[_T], deadline: Deadline | None = None) -> _T:
        """Send a call and read its response."""
        retries = Retries(call.repeatable, deadline)
        while True:
            try:
                return call.read(self._answered(call))
            except (ApiProblem, ServerUnreachable) as error:
                time.sleep(retries.pause_after(error))

    def until_final(
        self, ask: Callable[[float], Call[Outcome]], seconds: float, on_look: Callable[[Outcome], None] | None = None
    ) -> Outcome:
        """Ask repeatedly until a final state, at most for `seconds`."""
        waiting = Waiting(ask, seconds, on_look)
        while not waiting.is_over(seen := self.send(waiting.next(), waiting.deadline)):
            pass
        return seen

    def _answered(self, call: Call[Any]) -> httpx.Response:
        with self.reaching():
            response = self.http.request(**self.arguments(call))
        if self.after_each is not None:
            self.after_each()
        if response.is_success:
            return response
        raise problem_of(response)


class AsyncTransport(Base):
    """The async transport. Every method raises ApiProblem or ServerUnreachable."""

    def __init__(
        self, url: str, api_key: str | None = None, timeout: float = ANSWER_S, *, priority: Priority | None = None
    ) -> None:
        super().__init__(url, timeout)
        self.http = httpx.AsyncClient(**connection(self.url, api_key, timeout, priority))

    @classmethod
    def from_environment(cls) -> Self:
        """Return a client of the server at CITEWELL_URL (by default http://127.0.0.1:8000), with the key
        CITEWELL_API_KEY."""
        return cls(url_of_environment(), key_of_environment())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self.http.aclose()

    async def send(self, call: Call[_T], deadline: Deadline | None = None) -> _T:
        """Send a call and read its response."""
        retries = Retries(call.repeatable, deadline)
        while True:
            try:
                return call.read(await self._answered(call))
            except (ApiProblem, ServerUnreachable) as error:
                await asyncio.sleep(retries.pause_after(error))

    async def until_final(
        self, ask: Callable[[float], Call[Outcome]], seconds: float, on_look: Callable[[Outcome], None] | None = None
    ) -> Outcome:
        """Ask repeatedly until a final state, at most for `seconds`."""
        waiting = Waiting(ask, seconds, on_look)
        while not waiting.is_over(seen := await self.send(waiting.next(), waiting.deadline)):
            pass
        return seen

    async def _answered(self, call: Call[Any]) -> httpx.Response:
        with self.reaching():
            response = await self.http.request(**self.arguments(call))
        if response.is_success:
            return response
        raise problem_of(response)
