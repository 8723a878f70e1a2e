"""Checks what a provider signs: who signed it, for whom, and when; of an ID token (OpenID Connect Core 1.0, 3.1.3.7)
for which sign-in, of a logout token (Back-Channel Logout 1.0, 2.6) that it is one."""

from typing import Any

import jwt

from clients.oidc.provider import Provider
from domain.errors.requests import SignInFailed

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key. With a shared secret, or with none, anybody could sign who knows what is public."""
LEEWAY_S = 60
_NEEDED = ("exp", "iat", "iss", "aud")
_LOGOUT = "http://schemas.openid.net/event/backchannel-logout"
_MOST_CHARS = 100_000
_MOST_NAME_CHARS = 255


def checked_claims(provider: Provider, token: object, nonce: str) -> dict[str, Any]:
    """The claims of an ID token that this provider made for this client and this sign-in. Raises SignInFailed."""
    claims = _signed_claims(provider, token, "nonce", "sub")
    if claims["nonce"] != nonce or not _is_name(claims["sub"]):
        raise _refused()
    return claims


def checked_logout(provider: Provider, token: object) -> dict[str, Any]:
    """The claims of a logout token of this provider for this client: it names a person, a session at the provider
    (`sid`) or both. Raises SignInFailed.
    """
    claims = _signed_claims(provider, token, "jti", "events")
    events: Any = claims["events"]
    if "nonce" in claims or not isinstance(events, dict) or not isinstance(events.get(_LOGOUT), dict):  # pyright: ignore[reportUnknownMemberType]
        raise _refused()
    names = [claims[name] for name in ("sub", "sid") if name in claims]
    if not names or not all(_is_name(name) for name in names):
        raise _refused()
    return claims


def provider_session(claims: dict[str, Any]) -> str | None:
    """The id of the session at the provider (`sid`), which not every provider names."""
    return claims["sid"] if _is_name(claims.get("sid")) else None


def _is_name(claim: object) -> bool:
    return isinstance(claim, str) and 0 < len(claim) <= _MOST_NAME_CHARS and "\0" not in claim


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
    except (jwt.PyJWTError, ValueError, TypeError) as error:
        raise _refused() from error
    if not _is_for(claims, configured.client_id):
        raise _refused()
    return claims


def _is_for(claims: dict[str, Any], client_id: str) -> bool:
    # One for several has to name whom it was made for.
    audience: str | list[str] = claims["aud"]
    several = not isinstance(audience, str) and len(audience) > 1
    return claims.get("azp", None if several else client_id) == client_id


def _key(provider: Provider, header: dict[str, Any]) -> jwt.PyJWK:
    for again in (False, True):
        if known := _fitting(provider.signing_keys(again=again), header):
            return known
    raise _refused()


def _fitting(keys: list[dict[str, Any]], header: dict[str, Any]) -> jwt.PyJWK | None:
    """The key that the header names, or the only one that can be meant; its kind has to be that of the algorithm."""
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
