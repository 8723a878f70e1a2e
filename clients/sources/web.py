"""Pages of the web, and the pages that they link to. robots.txt is obeyed, and no host is asked too often."""

import codecs
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from protego import Protego
from yarl import URL

from citewell_documents.errors import DocumentTypeUnknown
from citewell_documents.formats import SUFFIXES, media_type, suffix_of
from citewell_documents.parsing.encodings import codec
from citewell_verify.errors import CitewellError
from clients.sources.addresses import canonical, check_page_url, page_policy, same_origin
from clients.sources.pages import AGENT, Page, Pages
from config.settings import Settings
from domain.documents.sources import Content, Fetched, Gone, Listed, Refusal, Unchanged, Wanted, bounded_key
from domain.errors.requests import DocumentSourceInvalid, ItemUnusable, PlaceForbidden, RobotsDisallow
from domain.errors.service import PlaceUnreachable

_KEPT_S = 3_600.0
_KEPT_CLOSED_S = 60.0
_MOST_KEPT = 1_000
_MAX_BYTES = 512_000
_LONGEST_DELAY_S = 30.0

_lock = threading.Lock()
_kept: dict[str, tuple[float, "_Rules"]] = {}
_free_at: dict[str, float] = {}


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules of a host's robots.txt, or the reason why it could not be read; then no page is requested."""

    robots: Protego | None = None
    trouble: str | None = None


class Manners:
    """Asks for pages politely."""

    def __init__(self, pages: Pages, delay_s: float) -> None:
        self._pages, self._delay_s = pages, delay_s

    def may(self, url: str) -> None:
        """Wait for the host's turn. Raise RobotsDisallow or PlaceUnreachable when the page must not be requested."""
        rules = self._rules(url)
        if rules.trouble is not None:
            raise PlaceUnreachable(f"The robots.txt of the site cannot be read: {rules.trouble}")
        if rules.robots is not None and not rules.robots.can_fetch(url, AGENT):
            raise RobotsDisallow
        asked = rules.robots.crawl_delay(AGENT) if rules.robots is not None else None
        _take_turn(str(URL(url).host), max(self._delay_s, min(float(asked or 0), _LONGEST_DELAY_S)))

    def _rules(self, url: str) -> _Rules:
        origin = str(URL(url).origin())
        kept = _kept.get(origin)
        if kept and kept[0] > time.monotonic():
            return kept[1]
        rules = self._read(origin)
        with _lock:
            if len(_kept) >= _MOST_KEPT:
                _kept.clear()
            _kept[origin] = (time.monotonic() + (_KEPT_CLOSED_S if rules.trouble else _KEPT_S), rules)
        return rules

    def _read(self, origin: str) -> _Rules:
        try:
            page = self._pages.get(f"{origin}/robots.txt", _MAX_BYTES, lambda _: None)
        except PlaceForbidden:  # the page itself would be forbidden, too
            raise
        except CitewellError as error:
            return _Rules(trouble=error.message)
        if page.status >= 500 or page.status == 429:
            return _Rules(trouble=f"the server answers {page.status}.")
        if not 200 <= page.status < 300:
            return _Rules()
        return _Rules(Protego.parse(page.body.decode(errors="replace")))


def _take_turn(host: str, delay_s: float) -> None:
    with _lock:
        now = time.monotonic()
        turn = max(now, _free_at.get(host, 0.0))
        if len(_free_at) >= _MOST_KEPT:
            _free_at.clear()
        _free_at[host] = turn + delay_s
    time.sleep(max(0.0, turn - now))


def forget() -> None:
    with _lock:
        _kept.clear()
        _free_at.clear()


# The encoding of a page that only its header states: the file that is kept would no longer state it.

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TOLD_WITHIN = 4_096
_TELLS = re.compile(rb"<meta[^>]{0,500}charset|<\?xml[^>]{0,200}encoding", re.IGNORECASE)
_BOMS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def in_unicode(page: Page) -> bytes:
    """The page as it was sent, but in UTF-8 when it is text whose encoding only its header states."""
    type_ = page.headers.get("content-type", "")
    declared = _CHARSET.search(type_)
    if declared is None or not type_.lower().startswith(("text/", "application/xhtml")) or _tells(page.body):
        return page.body
    try:
        return page.body.decode(codec(declared[1])).encode()
    except (LookupError, UnicodeError):
        return page.body


def _tells(body: bytes) -> bool:
    # UTF-8 needs no declaration.
    if body.startswith(_BOMS) or _TELLS.search(body[:_TOLD_WITHIN]):
        return True
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


MAX_LISTING_BYTES = 52_000_000
_LINKS_WITHIN = 1_000_000
_MOST_LINKS = 5_000
_MAX_REDIRECTS = 5
_LOGIN = re.compile(r"(?:users?[-_])?(?:log|sign)[-_]?(?:in|on)(?:\.\w{2,5})?", re.IGNORECASE)
_CONDITIONS = {"etag": "if-none-match", "modified": "if-modified-since"}
_UNTOLD = ("", "application/octet-stream", "text/plain", "binary/octet-stream")


class WebReader:
    """Pages, and the pages that they link to on the same host below the same folder, up to `depth` links away."""

    lists_all = True

    def __init__(self, urls: Sequence[str], depth: int, settings: Settings) -> None:
        limits = settings.sources
        policy = page_policy(limits.allowed_networks, limits.allowed_ports)
        self._urls = [_checked(url) for url in urls]
        for url in self._urls:
            check_page_url(url, policy)
        self._depth, self._max_bytes = depth, settings.ingestion.max_bytes
        self._pages = Pages(policy, limits.fetch_s, _MAX_REDIRECTS)
        self._manners = Manners(self._pages, limits.host_delay_s)

    def close(self) -> None:
        self._pages.close()

    def listed(self) -> Iterator[Listed]:
        for url in dict.fromkeys(self._urls):
            yield listed_page(url)

    def fetch(self, wanted: Wanted) -> Fetched:
        # A page whose links are followed is read in any case.
        known = wanted.tag if wanted.depth >= self._depth else None
        validators: dict[str, str] = json.loads(known) if known else {}
        conditions = {_CONDITIONS[name]: value for name, value in validators.items() if name in _CONDITIONS}
        page = self.get(wanted.key, self._max_bytes, conditions)
        if page.status == 304 and known:
            return Unchanged(wanted.tag)
        if page.status in (404, 410):
            return Gone()
        checked_status(page)
        if _asks_for_login(page.url) and not _asks_for_login(wanted.key):
            raise ItemUnusable("The page leads to one where visitors log in; sources read only what is open to all.")
        links = self._links(page) if wanted.depth < self._depth else ()
        details = {"url": wanted.key, "fetched_at": datetime.now(UTC).isoformat(timespec="seconds")}
        if page.url != wanted.key:
            details["final_url"] = page.url
        return Content(in_unicode(page), _tag(page), _suffix(wanted.key, page), details, links)

    def get(self, url: str, max_bytes: int, headers: Mapping[str, str] | None = None) -> Page:
        """A page of any status, requested politely."""
        return self._pages.get(url, max_bytes, self._manners.may, headers)

    def _links(self, page: Page) -> list[str]:
        if media_of(page) not in ("text/html", "application/xhtml+xml"):
            return []
        parser = _Links(page.url)
        with suppress(AssertionError):  # the parser raises it for a malformed declaration
            parser.feed(page.body[:_LINKS_WITHIN].decode(errors="replace"))
        folders = [(url, urlsplit(url).path.rpartition("/")[0] + "/") for url in self._urls]
        within = [
            link
            for link in dict.fromkeys(parser.links)
            if bounded_key(link) == link
            and any(same_origin(link, url) and urlsplit(link).path.startswith(folder) for url, folder in folders)
        ]
        return within[:_MOST_LINKS]


def listed_page(url: str, details: Mapping[str, Any] | None = None) -> Listed:
    key = bounded_key(url)
    refused = None if key == url else Refusal("not_of_the_source", "Its URL is too long.")
    return Listed(key, details=details or {}, refused=refused)


def checked_status(page: Page) -> None:
    """Raise PlaceUnreachable or ItemUnusable unless the page is there."""
    if page.status >= 500 or page.status == 429:
        raise PlaceUnreachable(f"The server answers {page.status}; the next run tries again.")
    if not 200 <= page.status < 300:
        raise ItemUnusable(f"The server answers {page.status}.")


def media_of(page: Page) -> str:
    return page.headers.get("content-type", "").partition(";")[0].strip().lower()


def _checked(url: str) -> str:
    address = canonical(url)
    if address is None:
        raise DocumentSourceInvalid(f"{url[:200]!r} is no URL of a page; give one such as https://example.com/docs/.")
    return address


def _asks_for_login(url: str) -> bool:
    return any(_LOGIN.fullmatch(part) for part in urlsplit(url).path.split("/"))


def _tag(page: Page) -> str | None:
    validators = {"etag": page.headers.get("etag"), "modified": page.headers.get("last-modified")}
    given = {name: value for name, value in validators.items() if value and value.isprintable() and len(value) < 500}
    return json.dumps(given, sort_keys=True) if given else None


def _suffix(key: str, page: Page) -> str:
    """The suffix of the page's media type; empty when the URL has one."""
    path = PurePosixPath(urlsplit(key).path)
    declared = media_of(page)
    if path.suffix.lower() in SUFFIXES and declared in (media_type(path.name), *_UNTOLD) and not urlsplit(key).query:
        return ""
    if suffix := suffix_of(declared):
        return suffix
    raise DocumentTypeUnknown(f"Pages of the type {declared or 'unknown'!r} are not read.")


class _Links(HTMLParser):
    """The addresses of the links of a page."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self._base = base
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "base" and (base := canonical(given.get("href") or "", self._base)):
            self._base = base
        elif tag in ("a", "area") and "nofollow" not in (given.get("rel") or "").lower():
            address = canonical(given.get("href") or "", self._base)
            if address and len(self.links) < 4 * _MOST_LINKS:
                self.links.append(address)
