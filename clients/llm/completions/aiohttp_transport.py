"""Requests of chat completions on aiohttp alone.

A call costs about half as much as with the SDK, and works with every server of this format. Redirects are not followed:
no server of this format sends any, and the key would travel along.
"""

import json
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from yarl import URL

from clients.llm.completions.event_stream import unpacked
from clients.llm.completions.server_words import parsed
from clients.llm.completions.transport import MOST_OF_REFUSAL, NOT_COMPRESSED, Body, Refusal, Refused, Unreachable
from clients.llm.completions.usage import ReplyTooLong

# This is generous, because an event loop that was blocked for seconds must not take a server for dead.
_CONNECT_TIMEOUT_S = 15.0
_FIRST_ERROR = 300

Form = Callable[[Body], Body]
MayDial = Callable[[str, int], None]
"""Raises OSError for an IP address and a port that must not be dialled."""


class LeanTransport:
    """A Transport. `url` is the completions endpoint; with an empty key, no key is sent.

    `key_headers` send the key otherwise than as a bearer token; `of_models` are further headers for each model. `form`
    turns the body of a chat completion into the body that is sent. Where there is a proxy, the proxy decides in place
    of `may_dial`.
    """

    def __init__(
        self,
        api_key: str,
        url: str,
        *,
        key_headers: Mapping[str, str] | None = None,
        of_models: Mapping[str, Mapping[str, str]] | None = None,
        may_dial: MayDial | None = None,
        form: Form = dict,
    ) -> None:
        self._may_dial = may_dial
        self._form = form
        self._key = api_key
        bearer = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._key_headers = bearer if key_headers is None else key_headers
        self._of_models = of_models or {}
        self._url = URL(url)
        # The proxy is looked up once: the environment does not change, and a look-up per call would be half of its
        # cost.
        self._proxy = proxy_for(self._url.scheme, self._url.host or "")
        self._made: aiohttp.ClientSession | None = None

    @asynccontextmanager
    async def answer(
        self, body: Body, silence_s: float
    ) -> AsyncGenerator[tuple[Mapping[str, str], AsyncIterator[bytes]]]:
        data = json.dumps(self._form(body), ensure_ascii=False).encode()
        try:
            timeout = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_TIMEOUT_S, sock_read=silence_s)
            sent = await self._session().post(
                self._url,
                data=data,
                headers=self._of_models.get(body["model"]),
                proxy=self._proxy,
                allow_redirects=False,
                timeout=timeout,
            )
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            # The message is shown to users, so it has no name or password that the address may carry.
            raise Unreachable(self._url.host_port_subcomponent or "the server") from error
        async with sent as answer:
            if answer.status >= _FIRST_ERROR:
                raise Refused(await self._refusal(answer, self._of_models.get(body["model"], {})))
            yield answer.headers, answer.content.iter_any()

    def secrets(self, model: str) -> Sequence[str]:
        return [secret for secret in (self._key, *self._of_models.get(model, {}).values()) if secret]

    async def aclose(self) -> None:
        if self._made is not None:
            await self._made.close()

    async def _refusal(self, answer: aiohttp.ClientResponse, secrets: Mapping[str, str]) -> Refusal:
        try:
            packed = answer.content.iter_any()
            said = b"".join([piece async for piece in unpacked(answer.headers, packed, MOST_OF_REFUSAL)])
            for secret in secrets.values():
                said = said.replace(secret.encode(), b"***")
            body = said.decode(errors="replace")
        except (ReplyTooLong, ValueError):
            body = None
        return Refusal(answer.status, answer.reason or "", answer.headers, parsed(body), self._key)

    def _socket(self, resolved: Any) -> socket.socket:
        family, kind, protocol, _, (ip, port, *_) = resolved
        if self._may_dial:
            self._may_dial(ip, port)
        return socket.socket(family, kind, protocol)

    def _session(self) -> aiohttp.ClientSession:
        # A session belongs to the loop in which it is created, so it is made at the first call.
        if self._made is None:
            headers = {
                "content-type": "application/json",
                "accept": "application/json, text/event-stream",
                "accept-encoding": NOT_COMPRESSED,
                **self._key_headers,
            }
            trusted = trusted_certificates() if self._url.scheme == "https" else True
            judged = self._socket if self._may_dial and self._proxy is None else None
            self._made = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, socket_factory=judged, ssl=trusted),
                cookie_jar=aiohttp.DummyCookieJar(),
                headers=headers,
                auto_decompress=False,
            )
        return self._made


def proxy_for(scheme: str, host: str) -> str | None:
    """The proxy that the environment names for requests of this scheme to this host."""
    known = getproxies()
    proxy = None if proxy_bypass(host) else known.get(scheme) or known.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def trusted_certificates() -> ssl.SSLContext:
    """The certificates that the SDK trusts (SSL_CERT_FILE, or else those of Python's packages), and the system's
    certificates, which include an organisation's own.
    """
    context = httpx.create_ssl_context()
    context.load_default_certs()
    context.set_alpn_protocols(["http/1.1"])
    return context
