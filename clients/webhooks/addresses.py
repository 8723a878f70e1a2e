"""The address policy of webhooks. The decisive check is that of the dialled address (see pinned_connector.py)."""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from clients.webhooks.networks import Address, forbidden
from domain.errors.requests import AddressForbidden, WebhookUrlInvalid

_URL_CHARS_MAX = 2048
_HOST_CHARS_MAX = 253
_PORTS = {"http": 80, "https": 443}
_PRINTABLE = re.compile(r"[!-\[\]-~]*")
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


class AddressPolicy:
    """The addresses that may be dialled: public ones on `allowed_ports`, by https; in `allowed_networks` everything.

    Allowed networks are for development and for receivers in the operator's own network. Raises ValueError if one of
    them is not a network in CIDR notation.
    """

    def __init__(self, allowed_networks: Sequence[str] = (), allowed_ports: Sequence[int] = (80, 443)) -> None:
        self._networks = tuple(ip_network(network) for network in allowed_networks)
        self._ports = frozenset(allowed_ports)

    def check(self, ip: str, port: int, scheme: str = "https") -> None:
        """Raise AddressForbidden unless `ip` may be dialled.

        The message names only the network: an endpoint's log must not reveal the internal address of a name.
        """
        address = _address(ip)
        if any(address in network for network in self._networks):
            return
        if reason := forbidden(address):
            raise _refusal(f"Webhooks go to public addresses, not to {reason.purpose}", str(reason.network))
        self._check_rest(port, scheme)

    def check_name(self, port: int, scheme: str) -> None:
        """Raise AddressForbidden if this port and scheme are allowed for no address, before the name is resolved."""
        if not self._networks:
            self._check_rest(port, scheme)

    def _check_rest(self, port: int, scheme: str) -> None:
        if scheme != "https":
            raise _refusal("Webhooks go by https")
        if port not in self._ports:
            usable = " or ".join(map(str, sorted(self._ports)))
            raise _refusal(f"Webhooks do not go to port {port}; use {usable}")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The parts of a URL that a connection needs; `host` is in lower case and without brackets."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def check_url(url: str, policy: AddressPolicy) -> None:
    """Reject a URL that can be rejected without DNS. Raises WebhookUrlInvalid or AddressForbidden."""
    endpoint = parse_url(url)
    if literal := _literal(endpoint.host):
        policy.check(literal, endpoint.port, endpoint.scheme)
    else:
        policy.check_name(endpoint.port, endpoint.scheme)


def parse_url(url: str) -> Endpoint:
    """Parse a URL, strictly, so that no other parser reads it differently. Raises WebhookUrlInvalid."""
    if len(url) > _URL_CHARS_MAX:
        raise WebhookUrlInvalid(f"The URL has more than {_URL_CHARS_MAX} characters.")
    if not _PRINTABLE.fullmatch(url):
        raise WebhookUrlInvalid("Write the URL in ASCII: the host as xn--…, other characters as %…, and no backslash.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise WebhookUrlInvalid from None
    if parts.scheme not in _PORTS:
        raise WebhookUrlInvalid("The URL must begin with https://.")
    if "@" in parts.netloc or "#" in url:
        raise WebhookUrlInvalid("The URL must have no user name, password or #fragment.")
    if port == 0 or not _is_host(host, bracketed="[" in parts.netloc):
        raise WebhookUrlInvalid
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Endpoint(parts.scheme, host, port or _PORTS[parts.scheme], target)


def _is_host(host: str, *, bracketed: bool) -> bool:
    if not bracketed:
        return len(host) <= _HOST_CHARS_MAX and bool(_NAME.fullmatch(host))
    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False


def _literal(host: str) -> str | None:
    """The IP address that the host stands for, as the system's resolver reads it: 127.1, 0x7f.1, 2130706433. None if it
    is a name.
    """
    if ":" in host:
        return host
    try:
        return str(IPv4Address(socket.inet_aton(host)))
    except OSError:
        return None


def _address(ip: str) -> Address:
    try:
        address = ip_address(ip)
    except ValueError:
        raise AddressForbidden(f"Not an IP address: {ip!r}.") from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise AddressForbidden("Webhooks do not go to addresses with a scope id; use a public address.")
    return address


def _refusal(problem: str, network: str = "127.0.0.0/8") -> AddressForbidden:
    return AddressForbidden(
        f"{problem}. A receiver of your own network must be allowed in the configuration, for example with "
        f"CITEWELL_WEBHOOKS__ALLOWED_NETWORKS='[\"{network}\"]'."
    )
