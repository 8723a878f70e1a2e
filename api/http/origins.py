"""Lets pages of other origins use the API from a browser, where `access.origins` names them (CORS).

No cookies or other credentials of the browser are ever allowed, and none exist here: such a page sends a key. What
needs none on this machine stays closed to it (`api.http.browsers`).
"""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

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
