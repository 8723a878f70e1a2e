"""The cookies of people who are signed in, and which requests they count for.

A browser sends a cookie along whichever page asks. SameSite keeps it from pages of other sites, but not from other
ports and subdomains of this one; so the browser must also say that Citewell's own page asks.
"""

from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.datastructures import Headers
from starlette.types import Scope

from config.settings import Settings, settings
from domain.errors.access import ForeignPage

_SESSION, _BEGUN = "citewell_session", "citewell_sign_in"
_BEGUN_S = 600
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


def session_name(current: Settings) -> str:
    return _name(_SESSION, current)


def session_token(request: Request) -> str | None:
    """The secret of the request's session; None where nobody signs in."""
    current = settings()
    return (request.cookies.get(session_name(current)) or None) if current.has_people else None


def begun_token(request: Request) -> str | None:
    return request.cookies.get(_name(_BEGUN, settings())) or None


def keep_session(response: Response, token: str) -> None:
    _keep(response, _SESSION, token, int(settings().access.oidc.session_hours * 3600))


def keep_begun(response: Response, token: str) -> None:
    _keep(response, _BEGUN, token, _BEGUN_S)


def forget_session(response: Response) -> None:
    _keep(response, _SESSION, "", 0)


def forget_begun(response: Response) -> None:
    _keep(response, _BEGUN, "", 0)


def require_own_page(scope: Scope) -> None:
    """Raise ForeignPage unless Citewell's own page makes the browser send this. A write has to say so itself."""
    sent = Headers(scope=scope)
    origins = sent.getlist("origin")
    site = sent.get("sec-fetch-site")
    if origins:
        allowed = [origin.lower() for origin in origins] == [_own_origin()]
    elif scope["method"] in _READING:
        allowed = site in (None, "same-origin", "none")
    else:
        allowed = site == "same-origin"
    if not allowed:
        raise ForeignPage


def _own_origin() -> str:
    parts = urlsplit(settings().public_url or "")
    return f"{parts.scheme}://{parts.netloc}".lower()


def _is_secure(current: Settings) -> bool:
    return (current.public_url or "").startswith("https://")


def _name(name: str, current: Settings) -> str:
    # With this prefix a browser takes the cookie from this very host over TLS only, and from no subdomain of it.
    return f"__Host-{name}" if _is_secure(current) else name


def _keep(response: Response, name: str, value: str, seconds: int) -> None:
    current = settings()
    response.set_cookie(
        _name(name, current),
        value,
        max_age=seconds,
        path="/",
        secure=_is_secure(current),
        httponly=True,
        samesite="lax",
    )
