"""The addresses from which pages may be taken: public ones, as for webhooks, but also by http."""

from collections.abc import Sequence
from contextlib import suppress
from ipaddress import ip_address

from yarl import URL

from clients.webhooks.addresses import AddressPolicy, Endpoint, check_url, parse_url
from clients.webhooks.networks import forbidden
from domain.errors.requests import AddressForbidden, DocumentSourceInvalid, PlaceForbidden, WebhookUrlInvalid


class PagePolicy(AddressPolicy):
    """Decides from which addresses pages may be taken: public ones, and all addresses of the allowed networks."""

    def check(self, ip: str, port: int, scheme: str = "https") -> None:
        """Raise PlaceForbidden unless `ip` may be dialled."""
        del scheme  # pages go by http, too
        try:
            super().check(ip, port)
        except AddressForbidden:
            raise PlaceForbidden(_refusal(ip, port)) from None

    def check_name(self, port: int, scheme: str) -> None:
        del scheme
        try:
            super().check_name(port, "https")
        except AddressForbidden:
            raise PlaceForbidden(_refusal(None, port)) from None


def check_page_url(url: str, policy: PagePolicy) -> None:
    """Reject a URL as far as possible without DNS. Raises DocumentSourceInvalid, PlaceForbidden."""
    parse_page_url(url)
    check_url(url, policy)


def parse_page_url(url: str) -> Endpoint:
    try:
        return parse_url(url)
    except WebhookUrlInvalid as error:
        problem = (
            error.message if str(WebhookUrlInvalid()) != error.message else "Give a URL such as https://example.com/."
        )
        raise DocumentSourceInvalid(problem.replace("begin with https://", "begin with https:// or http://")) from None


def canonical(url: str, base: str | None = None) -> str | None:
    """The URL in ASCII, without fragment; a relative URL is resolved against `base`. None when it is not the URL of a
    page.
    """
    try:
        whole = URL(base).join(URL(url.strip())) if base else URL(url.strip())
        if whole.scheme not in ("http", "https") or not whole.host:
            return None
        return str(whole.with_fragment(None))
    except (ValueError, TypeError):
        return None


def same_origin(left: str, right: str) -> bool:
    try:
        return URL(left).origin() == URL(right).origin()
    except ValueError:
        return False


def page_policy(networks: Sequence[str], ports: Sequence[int]) -> PagePolicy:
    return PagePolicy(networks, ports)


def _refusal(ip: str | None, port: int) -> str:
    reason = None
    with suppress(ValueError):
        reason = forbidden(ip_address((ip or "").partition("%")[0]))
    if reason is None:
        return f"Pages are not taken from port {port} (`sources.allowed_ports`)."
    return (
        f"Pages are taken from public addresses, not from {reason.purpose}. A server of your own network must be "
        f"allowed in the configuration, for example with CITEWELL_SOURCES__ALLOWED_NETWORKS='[\"{reason.network}\"]'."
    )
