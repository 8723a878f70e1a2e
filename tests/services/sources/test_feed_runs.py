"""Feeds: RSS and Atom, their pages or their own text; what drops out of a feed is not gone (N3, A8)."""

from itertools import pairwise

import pytest
from sqlalchemy import select

from clients.sources.feed_child import entries_in
from db.models import Document
from db.session import reading
from domain.errors.requests import ItemUnusable
from tests.services.sources.place import files, items, run, set_up
from tests.services.sources.site import Site


def rss(site: Site, *names: str) -> None:
    entries = "".join(
        f"<item><title>News {name}</title><link>{site.url}/{name}</link><guid>{name}</guid>"
        f"<description>&lt;p&gt;Text of {name}&lt;/p&gt;&lt;script&gt;x&lt;/script&gt;</description></item>"
        for name in names
    )
    site.pages["/feed"] = ("application/rss+xml", f'<rss version="2.0"><channel>{entries}</channel></rss>')
    site.pages |= {f"/{name}": f"<p>Page {name}</p>" for name in names}


def test_the_pages_of_a_feed_are_taken_and_old_ones_stay(site: Site) -> None:  # N3
    rss(site, "one", "two")
    source = set_up("feed", f"{site.url}/feed")
    assert items(run(source)) == {"new": 2}
    rss(site, "two", "three")
    site.pages["/two"] = "<p>Page two, corrected</p>"
    assert items(run(source)) == {"changed": 1, "new": 1}
    assert sorted(files().values()) == ["<p>Page one</p>", "<p>Page three</p>", "<p>Page two, corrected</p>"]


def test_the_text_of_entries_is_taken_if_the_source_says_so(site: Site) -> None:  # N3
    rss(site, "one", "two")
    source = set_up("feed", f"{site.url}/feed", entries=True)
    assert items(run(source)) == {"new": 2}
    assert site.pages_asked() == ["/feed"]
    found = files()
    assert set(found) == {"s/one.html", "s/two.html"}
    assert "<h1>News one</h1><p>Text of one</p>" in found["s/one.html"]
    assert "<script" not in found["s/one.html"]
    assert items(run(source)) == {"unchanged": 2}


def test_atom_is_read_as_well_and_the_robots_of_its_pages_are_obeyed(site: Site) -> None:  # N3
    entry = (
        "<entry><id>urn:{0}</id><title>{0}</title><link href='/{0}'/><updated>2026-01-01T00:00:00Z</updated></entry>"
    )
    entries = "".join(entry.format(name) for name in ("a", "b"))
    site.pages |= {
        "/atom": f"<feed xmlns='http://www.w3.org/2005/Atom'>{entries}</feed>",
        "/a": "<p>a</p>",
        "/b": "<p>b</p>",
        "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /b"),
    }
    seen = run(set_up("feed", f"{site.url}/atom"))
    assert items(seen) == {"new": 1, "failed": 1}
    assert [each["code"] for each in seen["reasons"]] == ["robots_disallow"]


def test_what_is_no_feed_ends_the_run_with_a_reason(site: Site) -> None:  # A8
    site.pages |= {"/page": "<p>no feed</p>", "/etc/passwd": b"/etc/passwd", "/empty": b""}
    for number, path in enumerate(("/page", "/etc/passwd", "/empty")):
        seen = run(set_up("feed", f"{site.url}{path}", f"s{number}"))
        assert (seen["error"]["code"], seen["items"]["listed"]) == ("item_unusable", 0), path


def test_a_feed_that_grows_by_entities_is_bounded(site: Site) -> None:  # A8
    names = "abcdefghij"
    entities = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(names))
    bomb = f'<!DOCTYPE rss [<!ENTITY a "xxxxxxxxxx">{entities}]><rss version="2.0"><channel><item><title>&j;</title>'
    site.pages["/bomb"] = f"{bomb}<link>{site.url}/x</link></item></channel></rss>"
    seen = run(set_up("feed", f"{site.url}/bomb"))
    assert seen["items"]["new"] == 0


def test_an_entry_without_a_link_says_so_and_relative_links_are_whole(site: Site) -> None:  # N3
    entries = (
        "<item><title>Alone</title><description>x</description></item><item><link>/a</link><title>A</title></item>"
    )
    site.pages |= {"/feed": f'<rss version="2.0"><channel>{entries}</channel></rss>', "/a": "<p>a</p>"}
    seen = run(set_up("feed", f"{site.url}/feed"))
    assert items(seen) == {"new": 1, "skipped": 1}
    assert [(each["key"], "no link" in each["message"]) for each in seen["reasons"]] == [("Alone", True)]
    run(set_up("feed", f"{site.url}/feed", "texts", entries=True))
    with reading() as session:
        told = {details["title"]: details.get("url") for details in session.scalars(select(Document.details))}
    assert told == {"A": f"{site.url}/a", "Alone": None}


@pytest.mark.slow
def test_a_feed_that_takes_for_ever_is_ended() -> None:  # A8
    text = f"<item><description><![CDATA[{'<!--' * 500_000}]]></description></item>"
    with pytest.raises(ItemUnusable, match="could not be read within 5 s"):
        entries_in(f"<rss version='2.0'><channel>{text}</channel></rss>".encode(), seconds=5)
