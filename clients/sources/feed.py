"""Feeds, RSS or Atom: the pages that their entries link to, or the text of the entries themselves."""

import html
from collections.abc import Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from typing import Any, cast

import feedparser

from clients.sources.addresses import canonical
from clients.sources.web import MAX_LISTING_BYTES, WebReader, checked_status, listed_page
from config.settings import Settings
from domain.documents.sources import Content, Fetched, Listed, Unchanged, Wanted, bounded_key
from domain.errors import ItemUnusable

Json = Mapping[str, Any]


class FeedReader(WebReader):
    """The entries of a feed. Older ones drop out of it, which does not mean that they are gone."""

    lists_all = False

    def __init__(self, url: str, settings: Settings, *, entries: bool) -> None:
        super().__init__([url], 0, settings)
        self._takes_entries = entries
        self._texts: dict[str, Json] | None = None

    def listed(self) -> Iterator[Listed]:
        for key, entry in self._entries().items():
            details = _details(entry)
            if self._takes_entries:
                yield Listed(key, sha256(_page_of(entry)).hexdigest(), details)
            else:
                yield listed_page(key, details)

    def fetch(self, wanted: Wanted) -> Fetched:
        if not self._takes_entries:
            return super().fetch(wanted)
        entry = self._entries().get(wanted.key)
        if entry is None:
            raise ItemUnusable("The feed does not have this entry any more.")
        page = _page_of(entry)
        tag = sha256(page).hexdigest()
        return Unchanged(tag) if tag == wanted.tag else Content(page, tag, ".html")

    def _entries(self) -> dict[str, Json]:
        # The feed is asked for once.
        if self._texts is None:
            (url,) = self._urls
            page = self.get(url, MAX_LISTING_BYTES)
            checked_status(page)
            self._texts = {}
            for entry in _parsed(page.body):
                if key := self._key(entry, page.url):
                    self._texts.setdefault(key, entry)
        return self._texts

    def _key(self, entry: Json, base: str) -> str | None:
        link = canonical(str(entry.get("link") or ""), base) if entry.get("link") else None
        if not self._takes_entries:
            return link
        name = entry.get("id") or link or entry.get("title")
        return bounded_key(" ".join(str(name).split())) if name else None


def _parsed(data: bytes) -> list[Json]:
    # As a stream: it would take bytes or a text for the name of a file, too.
    read = feedparser.parse(BytesIO(data), resolve_relative_uris=True, sanitize_html=True)
    if not read.get("version"):
        raise ItemUnusable("This is no feed; it has to be RSS or Atom.")
    return read["entries"]


def _details(entry: Json) -> dict[str, Any]:
    details = {"title": entry.get("title"), "published": entry.get("published") or entry.get("updated")}
    if link := entry.get("link"):
        details["url"] = link
    return {name: str(value).replace("\0", "")[:500] for name, value in details.items() if value}


def _page_of(entry: Json) -> bytes:
    contents = cast(list[Json], entry.get("content") or [])
    parts = [str(each.get("value") or "") for each in contents] or [str(entry.get("summary") or "")]
    title = html.escape(str(entry.get("title") or ""))
    head = f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body>'
    return f"{head}<h1>{title}</h1>{''.join(parts)}</body></html>".encode(errors="replace")
