"""Checks the tokens that a provider signs: who signed a token, for whom, and when. An ID token (OpenID Connect Core
1.0, 3.1.3.7) must also be for this sign-in, and a logout token (Back-Channel Logout 1.0, 2.6) must be one for a logout.
"""

import re
from dataclasses import dataclass
from typing import Any

import jwt

from clients.oidc.provider import Provider
from domain.errors.requests import SignInFailed

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The allowed algorithms sign with a private key. With a shared secret, or with none, others could sign, too."""
LEEWAY_S = 60
_NEEDED = ("exp", "iat", "iss", "aud")
_LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
_MOST_CHARS = 100_000
_MOST_NAME_CHARS = 255
_UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")


def checked_claims(provider: Provider, token: object, nonce: str) -> dict[str, Any]:
    """The claims of an ID token that this provider made for this client and this sign-in. Raises SignInFailed."""
    claims = _signed_claims(provider, token, "nonce", "sub")
    if claims["nonce"] != nonce or not _is_name(claims["sub"]):
        raise _refused()
    return claims


@dataclass(frozen=True, slots=True)
class Logout:
    """The person or the session at the provider that has ended, or both; `made_at` is in seconds since 1970."""

    subject: str | None
    provider_session: str | None
    made_at: int


def checked_logout(provider: Provider, token: object) -> Logout:
    """Read a logout token of this provider for this client. Raises SignInFailed.

    A `sid` that no session can have is passed over if the token names the person, whose sessions then all end.
    """
    claims = _signed_claims(provider, token, "jti", "events")
    events: Any = claims["events"]
    if "nonce" in claims or not isinstance(events, dict) or not isinstance(events.get(_LOGOUT), dict):  # pyright: ignore[reportUnknownMemberType]
        raise _refused()
    logout = Logout(claims.get("sub"), provider_session(claims), int(claims["iat"]))
    if logout.made_at < 0 or not (logout.provider_session if logout.subject is None else _is_name(logout.subject)):
        raise _refused()
    return logout


def provider_session(claims: dict[str, Any]) -> str | None:
    """The id of the session at the provider (`sid`), which not every provider names."""
    return claims["sid"] if _is_name(claims.get("sid")) else None


def _is_name(claim: object) -> bool:
    """True for a text that can be stored."""
    return isinstance(claim, str) and 0 < len(claim) <= _MOST_NAME_CHARS and not _UNSTORABLE.search(claim)


def _signed_claims(provider: Provider, token: object, *needed: str) -> dict[str, Any]:
    if not isinstance(token, str) or len(token) > _MOST_CHARS:
        raise _refused()
    configured = provider.configured
    try:
        header = jwt.get_unverified_header(token)
        if header.get("alg") not in ALGORITHMS:
            raise _refused()
        claims: dict[str, Any] = jwt.decode(
            token,
            _key(provider, header),
            algorithms=[header["alg"]],
            audience=configured.client_id,
            issuer=configured.issuer,
            leeway=LEEWAY_S,
            options={"require": [*_NEEDED, *needed], "strict_aud": False},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError) as error:
        raise _refused() from error
    if not _is_for(claims, configured.client_id):
        raise _refused()
    return claims


def _is_for(claims: dict[str, Any], client_id: str) -> bool:
    # A token for several clients has to name the one that it was made for.
    audience: str | list[str] = claims["aud"]
    several = not isinstance(audience, str) and len(audience) > 1
    return claims.get("azp", None if several else client_id) == client_id


def _key(provider: Provider, header: dict[str, Any]) -> jwt.PyJWK:
    for again in (False, True):
        if known := _fitting(provider.signing_keys(again=again), header):
            return known
    raise _refused()


def _fitting(keys: list[dict[str, Any]], header: dict[str, Any]) -> jwt.PyJWK | None:
    """The key that the header names, or the only key that it can mean. The kind of the key has to be that of the
    algorithm. None if there is no such key, or more than one.
    """
    kid, algorithm = header.get("kid"), header["alg"]
    kind = {"R": "RSA", "P": "RSA", "E": "OKP" if algorithm == "EdDSA" else "EC"}[algorithm[0]]
    usable = [
        key
        for key in keys
        if key.get("kty") == kind and key.get("use", "sig") == "sig" and key.get("alg", algorithm) == algorithm
    ]
    named = [key for key in usable if key.get("kid") == kid] if kid is not None else usable
    return jwt.PyJWK.from_dict(named[0], algorithm=algorithm) if len(named) == 1 else None


def _refused() -> SignInFailed:
    return SignInFailed("token", "What the identity provider sent of you could not be trusted; try again.")
