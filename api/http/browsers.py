"""Decides which requests without a key may come from a foreign web page.

A browser sends what a foreign page asks it to send, also to this machine: a form needs no permission, and a name of the
page's own may resolve to 127.0.0.1. The browser states the origin: in Origin, which no script can set, and in
Sec-Fetch-Site.
"""

from starlette.datastructures import Headers
from starlette.types import Scope

# What a page may send anywhere without a preflight request (the Fetch standard's safelist); "" is a body without a
# type.
_UNASKED_TYPES = frozenset({"", "multipart/form-data", "text/plain", "application/x-www-form-urlencoded"})
_UNASKED_METHODS = frozenset({"GET", "HEAD", "POST"})
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
# `none` is the person at the address bar, for whom a browser only reads.
_OWN, _NOBODY = "same-origin", "none"
# Every browser begins its User-Agent like this, even one too old to state an origin; no page can change it.
_BROWSER = "mozilla/"


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
