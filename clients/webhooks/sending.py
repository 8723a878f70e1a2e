"""One POST to an endpoint: no redirects, no proxies, no cookies, no decompression, one deadline for everything."""

import asyncio
import base64
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpcore

from clients.http_responses import described, retry_after_s
from clients.webhooks.addresses import AddressPolicy, Endpoint, parse_url
from clients.webhooks.pinned_connector import Dialler, Resolver, resolve
from config.serving import LangfuseSettings
from domain.errors.requests import AddressForbidden, WebhookUrlInvalid

_EXCERPT_BYTES = 2048
_TROUBLE = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError, OSError)
_FIXED_HEADERS = {
    "user-agent": "Citewell-Webhooks/1",
    "content-type": "application/json",
    "accept": "*/*",
    "accept-encoding": "identity",
    "connection": "close",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """The outcome of one attempt: either `status` or `error` is set.

    The status decides the outcome: if the body breaks off after the status, or never ends, it is only truncated.
    `address` is the IP address that was dialled. `response_excerpt` is the beginning of the body, at most 2 KB.
    """

    status: int | None
    error: str | None
    retry_after_s: float | None
    duration_ms: int
    response_excerpt: str
    address: str | None


@dataclass(slots=True)
class _Answer:
    """The part of the answer that was received so far; it survives the deadline."""

    status: int | None = None
    retry_after_s: float | None = None
    body: bytearray = field(default_factory=bytearray)

    def take_head(self, response: httpcore.Response) -> None:
        self.status = response.status
        headers = {name.lower(): value for name, value in response.headers}
        self.retry_after_s = retry_after_s(headers.get(b"retry-after", b"").decode("latin-1"), time.time())

    @property
    def excerpt(self) -> str:
        # Postgres accepts no NUL in text, so it is replaced.
        return self.body[:_EXCERPT_BYTES].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


class WebhookSender:
    """Sends to endpoints that the policy allows. An instance belongs to one event loop.

    At most `max_connections` attempts run at once. Waiting for a turn is not part of `deadline_s`: a slow receiver must
    not use up the time of another. At most about `max_response_bytes` of a response are read.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        deadline_s: float = 15.0,
        max_response_bytes: int = 65536,
        *,
        max_connections: int = 32,
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._policy = policy
        self._deadline_s = deadline_s
        self._max_response_bytes = max_response_bytes
        self._resolver = resolver
        self._ssl_context = ssl_context or httpcore.default_ssl_context()
        self._turns = asyncio.Semaphore(max_connections)

    async def send(self, url: str, body: bytes, headers: Mapping[str, str]) -> Sent:
        async with self._turns:
            started = time.perf_counter()
            answer, error, address = _Answer(), None, None
            try:
                endpoint = parse_url(url)
                dialler = Dialler(self._policy, self._resolver, endpoint.scheme)
                try:
                    async with asyncio.timeout(self._deadline_s):
                        await self._exchange(endpoint, dialler, _request(endpoint, body, headers), answer)
                finally:
                    address = dialler.address
                    await dialler.aclose()
            except (AddressForbidden, WebhookUrlInvalid) as refusal:
                error = refusal.message
            except TimeoutError:
                error = f"no answer within {self._deadline_s:g} seconds"
            except _TROUBLE as trouble:
                error = described(trouble)
            return Sent(
                status=answer.status,
                error=error if answer.status is None else None,
                retry_after_s=answer.retry_after_s,
                duration_ms=round((time.perf_counter() - started) * 1000),
                response_excerpt=answer.excerpt,
                address=address,
            )

    async def _exchange(self, endpoint: Endpoint, dialler: Dialler, request: httpcore.Request, answer: _Answer) -> None:
        origin = httpcore.Origin(endpoint.scheme.encode(), endpoint.host.encode(), endpoint.port)
        async with httpcore.AsyncHTTPConnection(
            origin, self._ssl_context, keepalive_expiry=0, network_backend=dialler
        ) as connection:
            response = await connection.handle_async_request(request)
            answer.take_head(response)
            async for part in response.aiter_stream():
                answer.body += part
                if len(answer.body) >= self._max_response_bytes:
                    return


def _request(endpoint: Endpoint, body: bytes, headers: Mapping[str, str]) -> httpcore.Request:
    fixed = {"host": endpoint.authority, "content-length": str(len(body))} | _FIXED_HEADERS
    own = {name: value for name, value in headers.items() if name.lower() not in fixed}
    url = httpcore.URL(scheme=endpoint.scheme, host=endpoint.host, port=endpoint.port, target=endpoint.target)
    return httpcore.Request("POST", url, headers=list((fixed | own).items()), content=body)


def score_request(langfuse: LangfuseSettings) -> tuple[str, dict[str, str]]:
    """The URL that takes a score, and the header that authenticates."""
    pair = f"{langfuse.public_key}:{langfuse.secret_key.get_secret_value()}"
    headers = {"authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return f"{langfuse.host.rstrip('/')}/api/public/scores", headers
