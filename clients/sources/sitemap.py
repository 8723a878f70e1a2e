"""The pages of a sitemap."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from lxml import etree

from citewell_verify.errors import CitewellError
from clients.sources.addresses import canonical, same_origin
from clients.sources.pages import unpacked
from clients.sources.web import MAX_LISTING_BYTES, WebReader, checked_status, listed_page
from config.settings import Settings
from domain.documents.sources import PART_UNREACHABLE, Listed, Refusal, bounded_key
from domain.errors.requests import ItemUnusable

_MAX_NESTED = 3
_MAX_SITEMAPS = 100


class SitemapReader(WebReader):
    """The pages of a sitemap, or of those that an index names."""

    def __init__(self, url: str, settings: Settings) -> None:
        super().__init__([url], 0, settings)
        self._most = _MAX_SITEMAPS

    def listed(self) -> Iterator[Listed]:
        (start,) = self._urls
        waiting, seen, is_told = [(start, 0)], {start}, False
        while waiting:
            url, nested = waiting.pop(0)
            try:
                page = self.get(url, MAX_LISTING_BYTES)
                checked_status(page)
                entries = list(_entries(unpacked(page.body, MAX_LISTING_BYTES), url))
            except CitewellError as error:
                if url == start:
                    raise
                yield Listed(bounded_key(url), refused=Refusal(PART_UNREACHABLE, error.message))
                continue
            for is_sitemap, address, details in entries:
                if not is_sitemap and same_origin(start, address):
                    yield listed_page(address, details)
                elif not is_sitemap:
                    refusal = Refusal("not_of_the_source", "It is on another host than the sitemap.")
                    yield Listed(bounded_key(address), refused=refusal)
                elif address not in seen and nested < _MAX_NESTED and len(seen) < self._most:
                    seen.add(address)
                    waiting.append((address, nested + 1))
                elif address not in seen and not is_told:
                    is_told = True
                    reason = f"The index has more than {self._most:,} sitemaps, or is nested too deeply."
                    yield Listed(bounded_key(address), refused=Refusal(PART_UNREACHABLE, reason))


def _entries(data: bytes, base: str) -> Iterator[tuple[bool, str, dict[str, Any]]]:
    """(whether it is a sitemap, URL, details) of each entry of a sitemap."""
    root = None
    try:
        for _, element in etree.iterparse(
            BytesIO(data), resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
        ):
            name = etree.QName(element).localname
            if name in ("url", "sitemap"):
                fields = {
                    etree.QName(child).localname: (child.text or "").strip() for child in element.iterchildren("*")
                }
                if (address := fields.get("loc")) and (address := canonical(address, base)):
                    details = {"lastmod": fields["lastmod"][:50]} if fields.get("lastmod") else {}
                    yield name == "sitemap", address, details
                element.clear()
            root = name
    except etree.XMLSyntaxError:
        raise ItemUnusable("The sitemap is damaged: it is no XML.") from None
    if root not in ("urlset", "sitemapindex"):
        raise ItemUnusable("This is no sitemap; its root has to be <urlset> or <sitemapindex>.")
