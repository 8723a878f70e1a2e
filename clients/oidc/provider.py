"""The description that a provider gives of itself (OpenID Connect Discovery 1.0), and the requests to it: for tokens,
keys and claims.

The addresses come over TLS from the provider that the operator chose; its documents are kept for an hour.
"""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote, urlencode

import httpx

from config.access import OidcSettings, is_safe
from domain.errors.requests import SignInFailed

_KEPT_S = 3_600.0
_KEYS_AGAIN_S = 30.0
"""A token with a key that is not known makes the keys be read again, but not more often than this."""
_TIMEOUT_S = 10.0
_MOST_BYTES = 1_000_000
_WELL_KNOWN = "/.well-known/openid-configuration"
_NEEDED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")


@dataclass(slots=True)
class Provider:
    """A provider as it describes itself, with its signing keys."""

    configured: OidcSettings
    addresses: Mapping[str, str]
    signs_in_post: bool
    read_at: float
    keys: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys_read_at: float = 0.0

    def authorization_url(self, **parameters: str) -> str:
        joined = "&" if "?" in self.addresses["authorization_endpoint"] else "?"
        return f"{self.addresses['authorization_endpoint']}{joined}{urlencode(parameters)}"

    def end_session_url(self, back: str) -> str | None:
        """The URL at which people also end their session at the provider (RP-Initiated Logout 1.0); None if the
        provider has none.
        """
        address = self.addresses.get("end_session_endpoint")
        if address is None:
            return None
        parameters = {"client_id": self.configured.client_id, "post_logout_redirect_uri": back}
        return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"

    def exchange(self, code: str, verifier: str, redirect_uri: str) -> dict[str, Any]:
        """The tokens for an authorization code (RFC 6749, 4.1.3, with the verifier of RFC 7636).

        Raises SignInFailed.
        """
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        }
        secret = self.configured.client_secret
        basic: httpx.BasicAuth | None = None
        if secret is None or self.signs_in_post:
            form["client_id"] = self.configured.client_id
            form |= {"client_secret": secret.get_secret_value()} if secret else {}
        else:
            # Both are form-encoded before they are joined (RFC 6749, 2.3.1).
            basic = httpx.BasicAuth(quote(self.configured.client_id, ""), quote(secret.get_secret_value(), ""))
        return _asked("POST", self.addresses["token_endpoint"], data=form, auth=basic)

    def signing_keys(self, *, again: bool = False) -> list[dict[str, Any]]:
        """The provider's public keys as JWKs. `again` fetches them once more, because a token names a key that is not
        among them. Raises SignInFailed.
        """
        age = time.monotonic() - self.keys_read_at
        if not self.keys or age > _KEPT_S or (again and age > _KEYS_AGAIN_S):
            read = _asked("GET", self.addresses["jwks_uri"]).get("keys")
            self.keys = cast("list[dict[str, Any]]", read) if isinstance(read, list) else []
            self.keys_read_at = time.monotonic()
        return self.keys

    def user_info(self, access_token: str) -> dict[str, Any]:
        """The claims at the provider's userinfo endpoint, or none when it has no such endpoint. Raises SignInFailed."""
        address = self.addresses.get("userinfo_endpoint")
        return _asked("GET", address, bearer=access_token) if address else {}


_lock = threading.Lock()
_kept: dict[str, Provider] = {}


def provider(configured: OidcSettings) -> Provider:
    """The configured provider. Raises SignInFailed when it does not answer or is not the one that was configured."""
    issuer = configured.issuer or ""
    with _lock:
        kept = _kept.get(issuer)
    if kept is None or kept.configured != configured or time.monotonic() - kept.read_at > _KEPT_S:
        kept = _discovered(configured, issuer)
        with _lock:
            _kept[issuer] = kept
    return kept


def _discovered(configured: OidcSettings, issuer: str) -> Provider:
    told = _asked("GET", issuer.rstrip("/") + _WELL_KNOWN)
    if told.get("issuer") != issuer:
        raise SignInFailed("provider", "The provider calls itself otherwise than `access.oidc.issuer`.")
    addresses = {name: address for name in (*_NEEDED, *_OPTIONAL) if isinstance(address := told.get(name), str)}
    if not all(name in addresses for name in _NEEDED) or not all(is_safe(address) for address in addresses.values()):
        raise SignInFailed("provider", "The provider does not name the addresses that a sign-in needs, with https.")
    ways = told.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    return Provider(configured, addresses, "client_secret_basic" not in ways, time.monotonic())


def _asked(
    method: str,
    address: str,
    *,
    data: Mapping[str, str] | None = None,
    auth: httpx.Auth | None = None,
    bearer: str | None = None,
) -> dict[str, Any]:
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {bearer}"} if bearer else {})}
    try:
        with httpx.Client(timeout=_TIMEOUT_S, follow_redirects=False) as client:
            response = client.request(method, address, data=data, auth=auth, headers=headers)
            told: Any = response.json() if len(response.content) <= _MOST_BYTES else None
    except httpx.HTTPError as error:
        raise SignInFailed("provider", "The identity provider does not answer; try again.") from error
    except ValueError as error:
        raise SignInFailed("provider", "The identity provider sent something that cannot be read.") from error
    if not response.is_success or not isinstance(told, dict):
        # The provider's own words are not shown, because they may quote the secrets that were sent to it.
        raise SignInFailed("refused", f"The identity provider refused, with {response.status_code}.")
    return cast("dict[str, Any]", told)
