"""The networks outside the public internet, each with its name in errors.

The table is our own: the standard library's notion of a global address differs between Python versions, and accepts
addresses that merely wrap another one.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Forbidden:
    """The reason why an address is not public: its network, and the purpose of the network."""

    network: Network
    purpose: str


def _table(rows: str) -> tuple[Forbidden, ...]:
    lines = (row.split(maxsplit=1) for row in rows.strip().splitlines())
    return tuple(Forbidden(ip_network(network), purpose) for network, purpose in lines)


# Every address that wraps an IPv4 address is rejected, whatever it wraps: a gateway on the way would unwrap it.
_NETWORKS = _table("""
    0.0.0.0/8           unspecified addresses
    10.0.0.0/8          a private network
    100.64.0.0/10       carrier-grade NAT
    127.0.0.0/8         loopback
    168.63.129.16/32    the platform service of a cloud
    169.254.0.0/16      link-local addresses, among them the metadata services of clouds
    172.16.0.0/12       a private network
    192.0.0.0/24        protocol assignments
    192.0.2.0/24        documentation
    192.88.99.0/24      6to4 relays
    192.168.0.0/16      a private network
    198.18.0.0/15       benchmarks
    198.51.100.0/24     documentation
    203.0.113.0/24      documentation
    224.0.0.0/4         multicast
    240.0.0.0/4         reserved addresses
    ::/128              the unspecified address
    ::1/128             loopback
    ::/96               IPv4-compatible addresses
    ::ffff:0:0/96       IPv4-mapped addresses
    ::ffff:0:0:0/96     IPv4-translated addresses
    64:ff9b::/96        NAT64
    64:ff9b:1::/48      NAT64
    2001::/32           Teredo
    2001:db8::/32       documentation
    2001::/23           protocol assignments
    2002::/16           6to4
    3fff::/20           documentation
    fc00::/7            unique local addresses
    fe80::/10           link-local addresses
    fec0::/10           site-local addresses
    ff00::/8            multicast
""")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_RESERVED = Forbidden(IPv6Network("::/0"), "reserved addresses")
# ISATAP has no network of its own: its mark precedes the IPv4 address, with two arbitrary bits.
_ISATAP_MASK, _ISATAP_MARK = 0xFCFF_FFFF, 0x0000_5EFE


def forbidden(address: Address) -> Forbidden | None:
    for row in _NETWORKS:
        if address in row.network:
            return row
    return _odd_ipv6(address) if isinstance(address, IPv6Address) else None


def _odd_ipv6(address: IPv6Address) -> Forbidden | None:
    if address not in _GLOBAL_UNICAST:
        return _RESERVED
    if (int(address) >> 32) & _ISATAP_MASK == _ISATAP_MARK:
        return Forbidden(IPv6Network(address), "ISATAP")
    return None
