"""What browsers may do: which pages' requests count, the cookies of people who are signed in, other origins (CORS), and
the security headers of every response.

A browser sends what a foreign page asks it to send, also to this machine: a form needs no permission, and a name of the
page's own may resolve to 127.0.0.1. The browser states the origin: in Origin, which no script can set, and in
Sec-Fetch-Site.

A browser sends a cookie along whichever page asks. SameSite keeps it from pages of other sites, but not from other
ports and subdomains of this one; so for a person the browser must also say that Citewell's own page asks. Pages of
other origins never act with a person's cookie: they send a key. What needs none on this machine stays closed
to them.

The page at / has its own policy, which lets its files run. The pages at /docs and /redoc come from a library: only
scripts contained in the page as sent may run, allowed by their hash.
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
# `none` is the person at the address bar, for whom a browser only reads.
_OWN, _NOBODY = "same-origin", "none"
# Every browser begins its User-Agent like this, even one too old to state an origin; no page can change it.
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
    """The secret in the request's session cookie; None if there is none, or if sign-in is not configured."""
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


def cookie_name(name: str, current: Settings) -> str:
    # With this prefix a browser takes the cookie from this very host over TLS only, and from no subdomain of it.
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
    """Whether a page from elsewhere may have made a browser send this request.

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
    """Add to every response those of `HEADERS` that it does not set itself, and to all of a session `no-store`."""

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
            # No browser may keep what a signed-in person sees: others may use the same machine. The header is set here
            # because many responses set headers of their own.
            if scope.get("state", {}).get("keeps_nothing"):
                headers["Cache-Control"] = "no-store"
            if scope["path"] in _DOCUMENTED and message["status"] == 200:
                held.append(message)  # until its body shows which scripts it has
            else:
                await send(message)

        await self.app(scope, receive, send_with_policies)


def _policy_of_a_library(page: bytes) -> str:
    # The page may run its own scripts, have inline styles, and send requests to this server.
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in _SCRIPT.findall(page))
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Redoc searches in a worker made from a blob; both draw pictures embedded in their scripts.
    return (
        f"{HEADERS['Content-Security-Policy']}; script-src 'self' {hashes}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; worker-src blob:"
    )
