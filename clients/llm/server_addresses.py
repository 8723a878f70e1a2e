"""The addresses at which a model server may be chosen on the page: as for webhooks, public ones by https.

Addresses that an operator names may be anywhere. Addresses of this machine are allowed while its own user chooses.
"""

import socket
from collections.abc import Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from clients.llm.completions.aiohttp_transport import MayDial
from clients.webhooks.addresses import AddressPolicy, parse_url
from domain.errors.requests import AddressForbidden, ModelServerUnusable, WebhookUrlInvalid

_POLICY = AddressPolicy()


def check_server_address(address: str, named: Sequence[str], *, may_be_loopback: bool) -> None:
    """Raise ModelServerUnusable for an address that nothing may be sent to. `named` are the addresses that the operator
    names.
    """
    if any(_origin(address) == _origin(server) for server in named):
        return
    try:
        parsed = parse_url(address)
    except WebhookUrlInvalid as error:
        is_usual = error.message == WebhookUrlInvalid().message or "https://" in error.message
        raise ModelServerUnusable(
            "Give an address such as https://example.com/v1." if is_usual else error.message
        ) from None
    if may_be_loopback and is_loopback(parsed.host):
        return
    try:
        resolved = {entry[4][0] for entry in socket.getaddrinfo(parsed.host, parsed.port, type=socket.SOCK_STREAM)}
    except OSError:
        return  # Nothing is sent to a name that is unknown here. If a proxy knows the name, the proxy decides.
    try:
        for ip in resolved:
            _POLICY.check(str(ip), parsed.port, parsed.scheme)
    except AddressForbidden:
        raise ModelServerUnusable(
            "Model servers are reached at public addresses, by https on port 443 or 80. One of your own network must "
            f"be named in the configuration: CITEWELL_MODELS__SERVERS='[\"{parsed.scheme}://{parsed.authority}\"]'."
        ) from None


def judge_of_dialled(address: str, named: Sequence[str]) -> MayDial | None:
    """Return a function that raises OSError for an IP address and port that a chosen server's name must not lead to. It
    is called when the address is dialled, because a name may lead elsewhere later. None for a server of this machine,
    and for one that the operator named.
    """
    parts = urlsplit(address)
    if is_loopback(parts.hostname or "") or any(_origin(address) == _origin(server) for server in named):
        return None

    def check(ip: str, port: int) -> None:
        try:
            _POLICY.check(ip.partition("%")[0], port, parts.scheme)
        except AddressForbidden:
            raise OSError("its name leads to an address that is not public") from None

    return check


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _origin(address: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(address)
        usual = 443 if parts.scheme == "https" else 80
        return None if "@" in parts.netloc else (parts.scheme, parts.hostname, parts.port or usual)
    except ValueError:
        return None
