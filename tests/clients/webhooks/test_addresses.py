"""The addresses and URLs that a webhook may have (A6)."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.webhooks.addresses import AddressPolicy, Endpoint, check_url, parse_url
from domain.errors.requests import AddressForbidden, WebhookUrlInvalid
from verify_material.rows import for_all_rows

PUBLIC_ONLY = AddressPolicy()
DEVELOPMENT = AddressPolicy(["127.0.0.0/8", "fd00::/8"])
SETTING = "CITEWELL_WEBHOOKS__ALLOWED_NETWORKS"
EDGES = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 ::/96 ::ffff:0:0/96 64:ff9b::/96
64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8"""

addresses = (
    st.ip_addresses(v=4)
    | st.ip_addresses(v=6)
    | st.sampled_from(EDGES.split()).map(ip_network).flatmap(lambda network: st.ip_addresses(network=network))
)


# A6
@for_all_rows(
    ("ip", "purpose"),
    [
        ("0.0.0.0", "unspecified"),  # noqa: S104 - nothing is bound to it
        ("0.1.2.3", "unspecified"),
        ("10.0.0.1", "private"),
        ("10.255.255.255", "private"),
        ("100.64.0.1", "carrier-grade"),
        ("100.100.100.200", "carrier-grade"),
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("168.63.129.16", "platform service"),
        ("169.254.169.254", "metadata"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.0.0.192", "protocol assignments"),
        ("192.0.2.1", "documentation"),
        ("192.88.99.1", "6to4"),
        ("192.168.1.1", "private"),
        ("198.19.255.255", "benchmarks"),
        ("198.51.100.7", "documentation"),
        ("203.0.113.9", "documentation"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::127.0.0.1", "compatible"),
        ("::8.8.8.8", "compatible"),
        ("::ffff:127.0.0.1", "mapped"),
        ("::ffff:8.8.8.8", "mapped"),
        ("::ffff:0:8.8.8.8", "translated"),
        ("64:ff9b::7f00:1", "NAT64"),
        ("64:ff9b::8.8.8.8", "NAT64"),
        ("64:ff9b:1:2::8.8.8.8", "NAT64"),
        ("100::1", "reserved"),
        ("2001::1", "Teredo"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
        ("2001:20::1", "protocol assignments"),
        ("2001:db8::1", "documentation"),
        ("2002:7f00:1::", "6to4"),
        ("2002:808:808::1", "6to4"),
        ("2606:4700::5efe:8.8.8.8", "ISATAP"),
        ("2606:4700::200:5efe:127.0.0.1", "ISATAP"),
        ("3fff::1", "documentation"),
        ("5f00::1", "reserved"),
        ("4000::1", "reserved"),
        ("fc00::1", "unique local"),
        ("fd00:ec2::254", "unique local"),
        ("fe80::1", "link-local"),
        ("fe80::a9fe:a9fe", "link-local"),
        ("fec0::1", "site-local"),
        ("ff02::1", "multicast"),
        ("fe80::1%eth0", "scope id"),
        ("2606:4700:4700::1111%1", "scope id"),
        ("127.1", "Not an IP"),
        ("localhost", "Not an IP"),
        ("", "Not an IP"),
    ],
)
def test_addresses_that_are_not_public_are_refused(ip: str, purpose: str) -> None:
    with pytest.raises(AddressForbidden, match=purpose):
        PUBLIC_ONLY.check(ip, 443)


@for_all_rows(
    "ip",
    [
        *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"),
        *("128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "223.255.255.255"),
        *("2606:4700:4700::1111", "2001:4860:4860::8888", "2a00:1450:4001:81b::200e", "2003::1", "2001:200::1"),
    ],
)
def test_public_addresses_are_allowed_up_to_the_edges_of_the_others(ip: str) -> None:
    PUBLIC_ONLY.check(ip, 443)


# A6
@given(addresses)
def test_nothing_passes_that_the_standard_library_does_not_call_global(address: IPv4Address | IPv6Address) -> None:
    try:
        PUBLIC_ONLY.check(str(address), 443)
    except AddressForbidden:
        return
    assert address.is_global
    assert not any([address.is_multicast, address.is_reserved, address.is_link_local])
    if isinstance(address, IPv6Address):
        assert (address.ipv4_mapped, address.sixtofour, address.teredo) == (None, None, None)


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_address_is_refused_whichever_it_is(inner: IPv4Address) -> None:
    for prefix in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "2a01::5efe:0:0"):
        wrapped = IPv6Address(int(IPv6Address(prefix)) | int(inner))
        with pytest.raises(AddressForbidden):
            PUBLIC_ONLY.check(str(wrapped), 443)
    with pytest.raises(AddressForbidden):
        PUBLIC_ONLY.check(str(IPv6Address((0x2002 << 112) | int(inner) << 80)), 443)


def test_the_refusal_says_what_to_do_and_not_which_address_it_was() -> None:
    with pytest.raises(AddressForbidden) as refusal:
        PUBLIC_ONLY.check("10.11.12.13", 443)
    assert f"{SETTING}='[\"10.0.0.0/8\"]'" in refusal.value.message
    assert "10.11.12.13" not in refusal.value.message
    assert refusal.value.status == 422


def test_an_allowed_network_is_free_of_the_rules_of_addresses_ports_and_schemes() -> None:
    DEVELOPMENT.check("127.3.2.1", 8123, "http")
    DEVELOPMENT.check("fd00::7", 1, "http")
    for ip in ("10.0.0.1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00::7%1"):
        with pytest.raises(AddressForbidden):
            DEVELOPMENT.check(ip, 443)


@pytest.mark.parametrize("policy", [PUBLIC_ONLY, DEVELOPMENT])
def test_public_addresses_are_reached_by_https_on_usual_ports_only(policy: AddressPolicy) -> None:
    policy.check("8.8.8.8", 443)
    policy.check("8.8.8.8", 80)
    with pytest.raises(AddressForbidden, match=r"port 8443; use 80 or 443\. .*ALLOWED_NETWORKS"):
        policy.check("8.8.8.8", 8443)
    with pytest.raises(AddressForbidden, match=r"by https\. .*ALLOWED_NETWORKS='\[\"127"):
        policy.check("8.8.8.8", 80, "http")


def test_ports_can_be_chosen() -> None:
    AddressPolicy(allowed_ports=(8443,)).check("8.8.8.8", 8443)
    with pytest.raises(AddressForbidden, match="port 443; use 8443"):
        AddressPolicy(allowed_ports=(8443,)).check("8.8.8.8", 443)


@pytest.mark.parametrize("network", ["127.0.0.1/8", "localhost", "10.0.0.0/33", ""])
def test_a_network_must_be_one(network: str) -> None:
    with pytest.raises(ValueError, match=r"host bits set|does not appear to be"):
        AddressPolicy([network])


@for_all_rows(
    ("url", "expected", "authority"),
    [
        ("https://example.com", Endpoint("https", "example.com", 443, "/"), "example.com"),
        ("HTTPS://Example.COM:443/a/b?c=d", Endpoint("https", "example.com", 443, "/a/b?c=d"), "example.com"),
        ("https://example.com:8443?x", Endpoint("https", "example.com", 8443, "/?x"), "example.com:8443"),
        ("https://[2606:4700::1]/h", Endpoint("https", "2606:4700::1", 443, "/h"), "[2606:4700::1]"),
        ("http://[::1]:81/", Endpoint("http", "::1", 81, "/"), "[::1]:81"),
        ("https://xn--bcher-kva.example/%C3%BC", Endpoint("https", "xn--bcher-kva.example", 443, "/%C3%BC"), None),
        ("http://a_b.c-d.example:443/;p", Endpoint("http", "a_b.c-d.example", 443, "/;p"), "a_b.c-d.example:443"),
    ],
)
def test_a_url_is_taken_apart(url: str, expected: Endpoint, authority: str | None) -> None:
    assert parse_url(url) == expected
    assert parse_url(url).authority == (authority or expected.host)


@for_all_rows(
    ("url", "problem"),
    [
        ("", "begin with https"),
        ("example.com/hook", "begin with https"),
        ("ftp://example.com", "begin with https"),
        ("file:///etc/passwd", "begin with https"),
        ("gopher://127.0.0.1:6379/_x", "begin with https"),
        ("https://", "URL such as"),
        ("https:///path", "URL such as"),
        ("https://:443/", "URL such as"),
        ("https://user@example.com/", "user name"),
        ("https://user:pass@example.com/", "user name"),
        ("https://@example.com/", "user name"),
        ("https://example.com/#part", "fragment"),
        ("https://example.com/#", "fragment"),
        ("https://example.com:0/", "URL such as"),
        ("https://example.com:65536/", "URL such as"),
        ("https://example.com:http/", "URL such as"),
        ("https://example.com\\@127.0.0.1/", "backslash"),
        ("https://exa mple.com/", "ASCII"),
        ("https://example.com/a\r\nx-injected: 1", "ASCII"),
        ("https://example.com/\t", "ASCII"),
        ("https://bücher.example/", "xn--"),
        ("https://１２７.0.0.1/", "ASCII"),
        ("https://127。0。0。1/", "ASCII"),
        ("https://example.com./", "URL such as"),
        ("https://a..b/", "URL such as"),
        ("https://-a.example/", "URL such as"),
        ("https://127.0.0.1%2f.example/", "URL such as"),
        ("https://[fe80::1%25eth0]/", "URL such as"),
        ("https://[fe80::1%1]/", "URL such as"),
        ("https://[v1.x]/", "URL such as"),
        ("https://[127.0.0.1]/", "URL such as"),
        ("https://[::1/", "URL such as"),
        ("https://" + "a" * 64 + ".example/", "URL such as"),
        ("https://" + "a." * 130 + "example/", "URL such as"),
        ("https://example.com/" + "a" * 2029, "more than 2048"),
    ],
)
def test_a_url_that_could_be_read_in_two_ways_is_refused(url: str, problem: str) -> None:
    with pytest.raises(WebhookUrlInvalid, match=problem):
        check_url(url, DEVELOPMENT)


def test_the_longest_url() -> None:
    check_url("https://example.com/" + "a" * 2028, PUBLIC_ONLY)


@given(st.text(st.characters(min_codepoint=1, max_codepoint=0x2FF), max_size=30).map("https://".__add__) | st.text())
def test_any_text_is_a_url_or_is_refused(text: str) -> None:
    try:
        check_url(text, PUBLIC_ONLY)
    except (AddressForbidden, WebhookUrlInvalid):
        return
    assert text.lower().startswith("https://")


# A6
@for_all_rows(
    "host",
    ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0", "[::ffff:127.0.0.1]", "[::1]", "169.254.169.254"],
)
def test_a_spelled_out_address_is_judged_at_once(host: str) -> None:
    with pytest.raises(AddressForbidden):
        check_url(f"https://{host}/", PUBLIC_ONLY)


def test_http_is_refused_at_once_unless_some_network_is_allowed() -> None:
    with pytest.raises(AddressForbidden, match=f"by https.*{SETTING}"):
        check_url("http://example.com/", PUBLIC_ONLY)
    check_url("http://receiver.internal:8080/", DEVELOPMENT)
    check_url("http://127.1:8080/", DEVELOPMENT)
    with pytest.raises(AddressForbidden, match="by https"):
        check_url("http://8.8.8.8/", DEVELOPMENT)


def test_the_port_is_refused_at_once_unless_some_network_is_allowed() -> None:
    with pytest.raises(AddressForbidden, match="port 8443"):
        check_url("https://example.com:8443/", PUBLIC_ONLY)
    check_url("https://example.com:8443/", DEVELOPMENT)
