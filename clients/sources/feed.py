"""Feeds, RSS or Atom: the pages that their entries link to, or the texts of the entries themselves."""

import html
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from clients.sources.addresses import canonical
from clients.sources.feed_child import entries_in
from clients.sources.web import MAX_LISTING_BYTES, WebReader, checked_status, listed_page
from config.settings import Settings
from domain.documents.sources import Content, Fetched, Listed, Refusal, Unchanged, Wanted, bounded_key
from domain.errors.requests import ItemUnusable

Json = Mapping[str, Any]

_NO_LINK = Refusal(
    "not_of_the_source", "Its entry has no link to a page; a source can take the text of entries instead."
)


class FeedReader(WebReader):
    """The entries of a feed. Older entries drop out of the feed, which does not mean that their pages are gone."""

    lists_all = False

    def __init__(self, url: str, settings: Settings, *, entries: bool) -> None:
        super().__init__([url], 0, settings)
        self._takes_entries = entries
        self._texts: dict[str, Json] | None = None
        self._base = url

    def listed(self) -> Iterator[Listed]:
        for key, entry in self._entries().items():
            link = canonical(entry["link"], self._base) if entry["link"] else None
            stated = {"title": entry["title"], "published": entry["published"], "url": link}
            details = {name: value.replace("\0", "")[:500] for name, value in stated.items() if value}
            if self._takes_entries:
                yield Listed(key, sha256(_page_of(entry)).hexdigest(), details)
            elif details.get("url"):
                yield listed_page(key, details)
            else:
                yield Listed(key, refused=_NO_LINK)

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
        # The feed is requested only once.
        if self._texts is None:
            (url,) = self._urls
            page = self.get(url, MAX_LISTING_BYTES)
            checked_status(page)
            self._base = page.url
            self._texts = {}
            for entry in entries_in(page.body):
                if key := self._key(entry):
                    self._texts.setdefault(key, entry)
        return self._texts

    def _key(self, entry: Json) -> str | None:
        link = canonical(entry["link"], self._base) if entry["link"] else None
        if link and not self._takes_entries:
            return link
        name = entry["id"] or link or entry["title"]
        return bounded_key(" ".join(name.split())) if name else None


def _page_of(entry: Json) -> bytes:
    title = html.escape(entry["title"] or "")
    head = f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head><body>'
    return f"{head}<h1>{title}</h1>{entry['html']}</body></html>".encode(errors="replace")
