"""Fetches single pages by HTTP: follows redirects one by one, checks every address, and bounds size and time."""

import asyncio
import functools
import ssl
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpcore

from citewell_documents.errors import DocumentTooLarge
from clients.http_responses import described, retry_after_s
from clients.sources.addresses import PagePolicy, canonical, parse_page_url
from clients.webhooks.pinned_connector import Dialler, Resolver, resolve
from domain.errors.requests import ItemUnusable, RedirectRefused
from domain.errors.service import PlaceUnreachable

AGENT = "Citewell"
_REDIRECTS = (301, 302, 303, 307, 308)
_BUSY = (429, 503)
_LONGEST_WAIT_S = 30.0
_TROUBLE = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError)
_HEADERS = {
    "user-agent": f"{AGENT}/1",
    "accept": "*/*",
    # Some servers send compressed pages nevertheless.
    "accept-encoding": "identity",
    "connection": "close",
}


@dataclass(frozen=True, slots=True)
class Page:
    """An answer; `url` is its address after all redirects. Names of headers are in lower case."""

    status: int
    url: str
    headers: Mapping[str, str]
    body: bytes


Allowed = Callable[[str], None]
"""Raises an error when a URL may not be requested."""


class Pages:
    """Asks for pages on an event loop of its own, so an instance belongs to one thread."""

    def __init__(
        self, policy: PagePolicy, deadline_s: float, max_redirects: int, *, resolver: Resolver = resolve
    ) -> None:
        self._policy, self._deadline_s, self._max_redirects = policy, deadline_s, max_redirects
        self._resolver = resolver
        self._loop = asyncio.Runner()

    def close(self) -> None:
        self._loop.close()

    def get(self, url: str, max_bytes: int, allowed: Allowed, headers: Mapping[str, str] | None = None) -> Page:
        """The page, after redirects; `allowed` is asked before each request. A busy server is asked a second time.

        Raises PlaceUnreachable, PlaceForbidden, DocumentSourceInvalid, RedirectRefused, DocumentTooLarge, and the
        errors of `allowed`.
        """
        page = self._followed(url, max_bytes, allowed, headers or {})
        if page.status in _BUSY:
            wait = retry_after_s(page.headers.get("retry-after", "1"), time.time())
            if wait is not None and wait <= _LONGEST_WAIT_S:
                time.sleep(wait)
                page = self._followed(url, max_bytes, allowed, headers or {})
        return page

    def _followed(self, url: str, max_bytes: int, allowed: Allowed, headers: Mapping[str, str]) -> Page:
        seen: set[str] = set()
        for _ in range(self._max_redirects + 1):
            if url in seen:
                raise RedirectRefused(f"The page leads back to itself: {url}.")
            seen.add(url)
            allowed(url)
            page = self._loop.run(self._asked(url, max_bytes, headers))
            if page.status not in _REDIRECTS or "location" not in page.headers:
                return page
            following = canonical(page.headers["location"], url)
            if following is None:
                raise RedirectRefused("The page leads to something that is no page.")
            url = following
        raise RedirectRefused(f"The page leads to others more than {self._max_redirects} times.")

    async def _asked(self, url: str, max_bytes: int, headers: Mapping[str, str]) -> Page:
        endpoint = parse_page_url(url)
        dialler = Dialler(self._policy, self._resolver, endpoint.scheme)
        origin = httpcore.Origin(endpoint.scheme.encode(), endpoint.host.encode(), endpoint.port)
        where = httpcore.URL(scheme=endpoint.scheme, host=endpoint.host, port=endpoint.port, target=endpoint.target)
        sent = [*({"host": endpoint.authority} | _HEADERS | dict(headers)).items()]
        try:
            async with asyncio.timeout(self._deadline_s):
                async with httpcore.AsyncHTTPConnection(
                    origin, _ssl_context(), keepalive_expiry=0, network_backend=dialler
                ) as connection:
                    response = await connection.handle_async_request(httpcore.Request("GET", where, headers=sent))
                    return await _read(url, response, max_bytes)
        except TimeoutError:
            raise PlaceUnreachable(f"{endpoint.host} sent no whole answer within {self._deadline_s:g} s.") from None
        except _TROUBLE as trouble:
            raise PlaceUnreachable(f"{endpoint.host} does not answer: {described(trouble).rstrip('.')}.") from None
        finally:
            await dialler.aclose()


async def _read(url: str, response: httpcore.Response, max_bytes: int) -> Page:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    if not 200 <= response.status < 300:
        return Page(response.status, url, headers, b"")
    unpacked = _Unpacked(headers.get("content-encoding", "identity").lower(), max_bytes)
    async for part in response.aiter_stream():
        unpacked.add(part)
    return Page(response.status, url, headers, bytes(unpacked.content))


class _Unpacked:
    """The part of the body that has arrived, never more than `max_bytes` of it."""

    def __init__(self, coding: str, max_bytes: int) -> None:
        if coding not in ("identity", "", "gzip", "x-gzip", "deflate"):
            raise ItemUnusable(f"The page is packed as {coding!r}, which was not asked for.")
        self._packed = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding not in ("identity", "") else None
        self._max = max_bytes
        self.content = bytearray()

    def add(self, part: bytes) -> None:
        try:
            self.content += self._packed.decompress(part, self._max + 1) if self._packed else part
        except zlib.error:
            raise ItemUnusable("The page is packed, and damaged.") from None
        if len(self.content) > self._max or (self._packed and self._packed.unconsumed_tail):
            raise DocumentTooLarge(f"The page has more than {self._max:,} bytes.")


def unpacked(data: bytes, max_bytes: int) -> bytes:
    """Return a gzipped file unpacked, and any other file unchanged. Raises DocumentTooLarge, ItemUnusable."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    whole = _Unpacked("gzip", max_bytes)
    whole.add(data)
    return bytes(whole.content)


@functools.cache
def _ssl_context() -> ssl.SSLContext:
    return httpcore.default_ssl_context()
