"""Rules for browsers: the pages whose requests are accepted, the cookies of signed-in people, other origins (CORS), and
the security headers of every response.

A browser sends any request that a foreign page makes it send, also to this machine: a form needs no permission, and a
host name of that page may resolve to 127.0.0.1. But the browser states the page's origin in Origin, which no script can
set, and in Sec-Fetch-Site.

A browser attaches a cookie to a request, whichever page makes it. SameSite excludes pages of other sites, but not those
of other ports and subdomains of this site; so for a signed-in person the browser must also state that Citewell's own
page makes the request. Pages of other origins never act with a person's cookie: they send a key. Where this machine
needs no key, the API stays closed to them.

The page at / has its own policy, which lets its files run. The pages at /docs and /redoc come from a library: only
scripts that the page itself contains may run, allowed by their hash.
"""

import base64
import hashlib
import re
from urllib.parse import urlsplit

from fastapi import Request, Response
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from config.settings import Settings, settings
from domain.errors.access import ForeignPage

SESSION, BEGUN = "citewell_session", "citewell_sign_in"
"""The cookies of people: of a session, and of a sign-in that has begun."""
_BEGUN_S = 600
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


# A page may send these types to any site without a preflight request (the Fetch standard's safelist); "" stands for
# a body without a type.
_UNASKED_TYPES = frozenset({"", "multipart/form-data", "text/plain", "application/x-www-form-urlencoded"})
_UNASKED_METHODS = frozenset({"GET", "HEAD", "POST"})
# `none` is the value for an address that a person entered; a browser only reads from it.
_OWN, _NOBODY = "same-origin", "none"
# Every browser begins its User-Agent like this, even one that is too old to state an origin; no page can change it.
_BROWSER = "mozilla/"
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_SENT = (
    "Authorization",
    "Citewell-Conversation",
    "Citewell-Priority",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    "Traceparent",
    "X-API-Key",
)
_SHOWN = (
    "Content-Disposition",
    "ETag",
    "Idempotent-Replayed",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "X-Request-ID",
)
_REMEMBERED_S = 600
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",  # for browsers older than frame-ancestors
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_DOCUMENTED = frozenset({"/docs", "/redoc", "/docs/oauth2-redirect"})
_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def session_token(request: Request) -> str | None:
    """Return the secret in the request's session cookie; None if there is none, or if sign-in is not configured."""
    current = settings()
    return (request.cookies.get(cookie_name(SESSION, current)) or None) if current.has_people else None


def begun_token(request: Request) -> str | None:
    return request.cookies.get(cookie_name(BEGUN, settings())) or None


def keep_cookie(response: Response, name: str, token: str) -> None:
    session_s = int(settings().access.oidc.session_hours * 3600)
    _set_cookie(response, name, token, session_s if name == SESSION else _BEGUN_S)


def forget_cookie(response: Response, name: str) -> None:
    _set_cookie(response, name, "", 0)


def require_own_page(scope: Scope) -> None:
    """Raise ForeignPage unless Citewell's own page makes the browser send the request. For a write the browser has to
    state so."""
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


def cookie_name(name: str, current: Settings) -> str:
    # A browser accepts a cookie with this prefix only over TLS, from exactly this host and not from a subdomain.
    return f"__Host-{name}" if _is_secure(current) else name


def _set_cookie(response: Response, name: str, value: str, seconds: int) -> None:
    current = settings()
    response.set_cookie(
        cookie_name(name, current),
        value,
        max_age=seconds,
        path="/",
        secure=_is_secure(current),
        httponly=True,
        samesite="lax",
    )


def is_a_foreign_pages(scope: Scope) -> bool:
    """Return whether a page from elsewhere may have made a browser send this request.

    The page's own address is the request's Host with its port: another port is another program.
    """
    sent = Headers(scope=scope)
    origins = sent.getlist("origin")
    if origins:
        own = f"{scope['scheme']}://{sent.get('host', '')}"
        return [origin.lower() for origin in origins] != [own.lower()]
    site = sent.get("sec-fetch-site")
    if scope["method"] in _READING:
        return site not in (None, _OWN, _NOBODY)
    if site is not None:
        return site != _OWN
    media_type = sent.get("content-type", "").partition(";")[0].strip().lower()
    goes_unasked = scope["method"] in _UNASKED_METHODS and media_type in _UNASKED_TYPES
    return goes_unasked and sent.get("user-agent", "").lower().startswith(_BROWSER)


class OtherOrigins(CORSMiddleware):
    """Answers preflight requests, and tells the browser which page may read a response, errors included."""

    def __init__(self, app: ASGIApp, origins: tuple[str, ...]) -> None:
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=_METHODS,
            allow_headers=_SENT,
            expose_headers=_SHOWN,
            max_age=_REMEMBERED_S,
        )


class Policies:
    """Add to every response the headers of `HEADERS` that it does not set itself, and `no-store` to every response to a
    session."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        held: list[Message] = []

        async def send_with_policies(message: Message) -> None:
            if message["type"] != "http.response.start":
                for start in held:
                    MutableHeaders(scope=start)["Content-Security-Policy"] = _policy_of_a_library(message["body"])
                    await send(start)
                held.clear()
                await send(message)
                return
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            # No browser may store what a signed-in person sees: others may use the same machine. The header is set here
            # because many responses set headers of their own.
            if scope.get("state", {}).get("keeps_nothing"):
                headers["Cache-Control"] = "no-store"
            if scope["path"] in _DOCUMENTED and message["status"] == 200:
                held.append(message)  # until its body shows which scripts it contains
            else:
                await send(message)

        await self.app(scope, receive, send_with_policies)


def _policy_of_a_library(page: bytes) -> str:
    # The page may run its own scripts, have inline styles, and send requests to this server.
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(page))
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Redoc searches in a worker made from a blob; both pages draw pictures embedded in their scripts.
    return (
        f"{HEADERS['Content-Security-Policy']}; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; worker-src blob:"
    )
