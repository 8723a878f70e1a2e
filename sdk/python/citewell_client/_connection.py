"""Server address and credentials, common to both clients."""

import ipaddress
import os
from typing import Any, Literal

import httpx

from citewell_client.errors import ApiKeyUnusable, ServerUnreachable

URL_VARIABLE, KEY_VARIABLE = "CITEWELL_URL", "CITEWELL_API_KEY"
DEFAULT_URL = "http://127.0.0.1:8000"
ANSWER_S = 30.0
Priority = Literal["interactive", "batch"]
"""The caller: "interactive" for a person who waits for the answer, "batch" for a script. Within a tenant, interactive
requests go first."""
_CONNECT_S = 5.0


def url_of_environment() -> str:
    """Return CITEWELL_URL, or the default address of `citewell up`."""
    return os.environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL


def key_of_environment() -> str | None:
    """Return CITEWELL_API_KEY, or None where no key is set."""
    return os.environ.get(KEY_VARIABLE, "").strip() or None


def connection(url: str, api_key: str | None, timeout: float, priority: Priority | None) -> dict[str, Any]:
    """Return the arguments for httpx's clients. Raises ServerUnreachable for an invalid address, ApiKeyUnusable."""
    try:
        address = httpx.URL(url)
        if address.scheme not in ("http", "https") or not address.host:
            raise httpx.InvalidURL("no http:// or https:// before the host")
    except httpx.InvalidURL as error:
        raise ServerUnreachable(
            f"{url!r} is no address of a server ({error}); it looks like http://host:8000"
        ) from None
    return {
        "base_url": url,
        "headers": {**_authorization(api_key), **({"Citewell-Priority": priority} if priority else {})},
        "timeout": patience(timeout),
        # A proxy for the internet cannot reach a server on this machine.
        "trust_env": not _is_local(address.host),
        # Loading the certificates takes longer than a request, and without TLS they are not used.
        "verify": address.scheme != "http",
    }


def patience(seconds: float) -> httpx.Timeout:
    """Return the timeouts for an answer, and for a connection."""
    return httpx.Timeout(seconds, connect=min(_CONNECT_S, seconds))


def _authorization(api_key: str | None) -> dict[str, str]:
    if not api_key:
        return {}
    if not (api_key.isascii() and api_key.isprintable()):
        raise ApiKeyUnusable
    return {"Authorization": f"Bearer {api_key}"}


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
