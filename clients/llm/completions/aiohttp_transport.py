"""The wire format of chat completions on aiohttp alone: JSON, and server-sent events for streams.

It costs about half of the SDK per call, and works with every server of this format. Redirects are not followed: no
server of this format sends any, and the key would travel along.
"""

import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from yarl import URL

from clients.llm.completions.server_words import parsed
from clients.llm.completions.transport import MOST_OF_REFUSAL, NOT_COMPRESSED, Body, Refusal, Refused, Unreachable
from clients.llm.completions.usage import ReplyTooLong
from clients.llm.completions.wire_format import WireChunk

# Generous: an event loop blocked for seconds must not take a server for dead.
_CONNECT_TIMEOUT_S = 15.0
_FIRST_ERROR = 300
_DONE = "[DONE]"


class LeanTransport:
    """A Transport. `url` is the completions endpoint; an empty key sends none."""

    def __init__(self, api_key: str, url: str, *, concurrency: int) -> None:
        self._key = api_key
        self._url = URL(url)
        self._concurrency = concurrency
        # Looked up once: the environment does not change, and per call it would be half of the cost.
        self._proxy = None if proxy_bypass(self._url.host or "") else _proxy(self._url.scheme)
        self._made: aiohttp.ClientSession | None = None

    async def whole(self, body: Body, most_bytes: int, silence_s: float) -> tuple[Mapping[str, str], bytes]:
        async with self._answer(body, silence_s) as answer:
            return answer.headers, b"".join([piece async for piece in _bounded(answer, most_bytes)])

    @asynccontextmanager
    async def pieces(
        self, body: Body, most_bytes: int, silence_s: float
    ) -> AsyncGenerator[tuple[Mapping[str, str], AsyncIterator[WireChunk]]]:
        async with self._answer(body, silence_s) as answer:
            yield answer.headers, _chunks(_bounded(answer, most_bytes))

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.close()

    @asynccontextmanager
    async def _answer(self, body: Body, silence_s: float) -> AsyncGenerator[aiohttp.ClientResponse]:
        data = json.dumps(body, ensure_ascii=False).encode()
        try:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S, sock_read=silence_s)
            sent = await self._session().post(
                self._url, data=data, proxy=self._proxy, allow_redirects=False, timeout=timeout
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            # Shown to users: without the name and password that an address may carry.
            raise Unreachable(self._url.host_port_subcomponent or "the server") from error
        async with sent as answer:
            if answer.status >= _FIRST_ERROR:
                raise Refused(await self._refusal(answer))
            yield answer

    async def _refusal(self, answer: aiohttp.ClientResponse) -> Refusal:
        try:
            body = b"".join([piece async for piece in _bounded(answer, MOST_OF_REFUSAL)]).decode(errors="replace")
        except ReplyTooLong:
            body = None
        return Refusal(answer.status, answer.reason or "", answer.headers, parsed(body), self._key)

    def _session(self) -> aiohttp.ClientSession:
        # A session belongs to the loop that it is created in.
        if self._made is None:
            headers = {
                "content-type": "application/json",
                "accept": "application/json, text/event-stream",
                "accept-encoding": NOT_COMPRESSED,
            }
            if self._key:
                headers["authorization"] = f"Bearer {self._key}"
            self._made = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=self._concurrency, ssl=_trusted() if self._url.scheme == "https" else True
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
                auto_decompress=False,
            )
        return self._made


def _proxy(scheme: str) -> str | None:
    known = getproxies()
    proxy = known.get(scheme) or known.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _trusted() -> ssl.SSLContext:
    """The certificates that the SDK trusts (SSL_CERT_FILE, else those of Python's packages), and the system's, which
    include an organisation's own.
    """
    context = httpx.create_ssl_context()
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    return context


async def _bounded(answer: aiohttp.ClientResponse, most_bytes: int) -> AsyncIterator[bytes]:
    left = most_bytes
    async for piece in answer.content.iter_any():
        left -= len(piece)
        if left < 0:
            # Also closes the connection: the rest is not wanted.
            answer.close()
            raise ReplyTooLong
        yield piece


async def _chunks(content: AsyncIterator[bytes]) -> AsyncIterator[WireChunk]:
    async for data in _events(content):
        if data.startswith(_DONE):
            return
        # Not parsed by pydantic, which rejects half a character whose other half may come with the next chunk.
        yield WireChunk.model_validate(json.loads(data))


async def _events(content: AsyncIterator[bytes]) -> AsyncIterator[str]:
    lines: list[str] = []
    async for raw in _lines(content):
        if not raw:
            if lines:
                yield "\n".join(lines)
            lines = []
        elif raw.startswith(b"data:"):
            lines.append(raw[5:].decode().removeprefix(" "))


async def _lines(content: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    # Not the reader's own lines, which have a length limit.
    rest = bytearray()
    async for piece in content:
        *ends, begun = piece.split(b"\n")
        for end in ends:
            yield bytes(rest + end).removesuffix(b"\r")
            rest.clear()
        # Keeps the bytes already searched from being searched again with each piece of an endless line.
        rest += begun
