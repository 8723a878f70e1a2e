"""A sign-in by OpenID Connect: authorization code with PKCE, state and nonce, bound to the browser that began it.

The secrets of a sign-in that has begun are in a row that can be taken once, so its state, nonce and verifier work once.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

import structlog

from clients.oidc.id_tokens import checked_claims, provider_session
from clients.oidc.provider import Provider, provider
from clients.webhooks.signing import new_secret
from config.access import OidcSettings
from config.settings import settings
from db.queries.access import people
from db.queries.access import people as rows
from db.queries.access.keys import get_or_add_tenant
from db.queries.access.people import BegunSignIn
from db.queries.access.workspaces import get_or_add_workspace
from db.session import acting_for, system_transaction, transaction
from domain.errors.requests import SignInFailed, WorkspaceNameInvalid
from domain.errors.state import WorkspaceDeleting
from domain.keys import digest
from domain.people import Grant, granted
from services.people.sessions import begin_session

log = structlog.get_logger("people")

_SECRET_BYTES = 32
CALLBACK = "/auth/callback"
# A place on the page, after its #: never an address, so nobody is led elsewhere.
_PLACE = re.compile(r"/[A-Za-z0-9/_.~%?=&:+-]{0,300}")
_MOST_NAME_CHARS, _MOST_GROUPS = 200, 1_000


@dataclass(frozen=True, slots=True)
class Begun:
    """The address to send the browser to, and the secret that it keeps in a cookie until it comes back."""

    url: str
    browser: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """The secret of the new session, and the place on the page where the person continues."""

    token: str
    place: str


def begin_sign_in(place: str) -> Begun:
    """Prepare to send somebody to the provider; a `place` that cannot be on the page is ignored.

    Raises SignInFailed, DatabaseUnavailable.
    """
    known = provider(settings().access.oidc)
    state, browser, nonce, verifier = (secrets.token_urlsafe(_SECRET_BYTES) for _ in range(4))
    begun = BegunSignIn(digest(browser), nonce, verifier, place if _PLACE.fullmatch(place) else "")
    with system_transaction() as session:
        people.add_sign_in(session, digest(state), begun)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    url = known.authorization_url(
        response_type="code",
        client_id=known.configured.client_id,
        redirect_uri=_redirect_uri(),
        scope=" ".join(known.configured.scopes),
        state=state,
        nonce=nonce,
        code_challenge=challenge,
        code_challenge_method="S256",
    )
    return Begun(url, browser)


def end_sign_in(answered: Mapping[str, str], browser: str | None, before: str | None) -> SignedIn:
    """Begin a session for the person whom the provider has sent back; `answered` are the parameters of that request.

    `browser` is the secret of `begin_sign_in`, `before` that of an older session, which ends. Raises SignInFailed,
    DatabaseUnavailable.
    """
    configured = settings().access.oidc
    with system_transaction() as session:
        begun = people.take_sign_in(session, digest(answered.get("state", "")))
    if begun is None or browser is None or not hmac.compare_digest(begun.browser_digest, digest(browser)):
        raise SignInFailed(
            "state", "This sign-in was not begun in this browser, has ended, or took too long; try again."
        )
    if "error" in answered or "code" not in answered:
        raise SignInFailed("denied", "The identity provider did not let you in.")
    if answered.get("iss", configured.issuer) != configured.issuer:
        raise SignInFailed("token", "The answer came from another identity provider.")
    known = provider(configured)
    tokens = known.exchange(answered["code"], begun.verifier, _redirect_uri())
    claims = _with_groups(known, checked_claims(known, tokens.get("id_token"), begun.nonce), tokens)
    grant = granted(configured.groups, _groups_of(claims, configured))
    if grant is None:
        with system_transaction() as session:
            rows.expel(session, configured.issuer or "", claims["sub"])
        raise SignInFailed("nobody", "You are known, but none of your groups may use Citewell; ask who administers it.")
    token = _stored(claims, configured, grant, before)
    return SignedIn(token, begun.place)


def _redirect_uri() -> str:
    return (settings().public_url or "").rstrip("/") + CALLBACK


def _with_groups(known: Provider, claims: dict[str, Any], tokens: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claims, completed from the userinfo endpoint where the token has no groups. Raises SignInFailed."""
    access_token: Any = tokens.get("access_token")
    if known.configured.groups_claim in claims or not isinstance(access_token, str):
        return claims
    more = known.user_info(access_token)
    if more and more.get("sub") != claims["sub"]:
        raise SignInFailed("token", "The identity provider's claims are of somebody else.")
    return {**more, **claims}


def _groups_of(claims: Mapping[str, Any], configured: OidcSettings) -> set[str]:
    told: Any = claims.get(configured.groups_claim)
    listed = cast("list[Any]", told) if isinstance(told, list) else [told]
    return {group for group in listed[:_MOST_GROUPS] if isinstance(group, str)}


def _stored(claims: dict[str, Any], configured: OidcSettings, grant: Grant, before: str | None) -> str:
    """Store the person with the rights that their groups give now, and begin a session. Raises SignInFailed for a
    revoked person."""
    with system_transaction() as session:
        tenant_id = get_or_add_tenant(session, grant.tenant, new_secret())
    with acting_for(tenant_id):
        ids = {name: id_ for name in grant.roles if (id_ := _workspace(name)) is not None}
    email = _text(claims.get("email")) if claims.get("email_verified") is True else None
    name = _text(claims.get("name")) or _text(claims.get("preferred_username")) or email or str(claims["sub"])
    with system_transaction() as session:
        person = rows.store_person(
            session,
            tenant_id,
            issuer=configured.issuer or "",
            subject=str(claims["sub"]),
            name=name,
            email=email,
            everywhere=grant.everywhere,
        )
        rows.replace_groups_roles(
            session, person.id, tenant_id, {ids[name]: role for name, role in grant.roles.items() if name in ids}
        )
        person_id, revoked = person.id, person.revoked_at is not None
    if revoked:
        raise SignInFailed("revoked", "Your access was revoked; ask who administers Citewell.")
    return begin_session(person_id, tenant_id, before=before, provider_session=provider_session(claims))


def _workspace(name: str) -> int | None:
    """Return the id of a workspace that a rule names, created if missing; None for one that is being deleted."""
    try:
        with transaction() as session:
            return get_or_add_workspace(session, name).id
    except (WorkspaceDeleting, WorkspaceNameInvalid) as error:
        log.warning("rule_without_workspace", workspace=name, error=error.code)
        return None


def _text(told: object) -> str | None:
    """Return a claim as a line of text that Postgres can store."""
    if not isinstance(told, str):
        return None
    printable = "".join(sign for sign in told if sign.isprintable() and not "\ud800" <= sign <= "\udfff")
    return printable.strip()[:_MOST_NAME_CHARS] or None
