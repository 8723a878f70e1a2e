"""Pages and sitemaps: robots obeyed, private addresses refused, changes followed, hostile servers bounded (N3, A8)."""

import gzip
import json
from http.server import BaseHTTPRequestHandler
from typing import Any, cast

import pytest
from sqlalchemy import select

from clients.sources import web
from db.models import Document, DocumentFile
from db.session import reading
from domain.errors.requests import DocumentSourceInvalid, PlaceForbidden
from services.sources.setup import read_items
from tests.services.sources.place import configure, files, items, run, set_up
from tests.services.sources.site import Site, dripping, endless
from verify_material.rows import for_all_rows


def html(words: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">{link}</a>' for link in links)
    return f"<html><head><title>{words}</title></head><body><p>{words}</p>{anchors}</body></html>"


def reasons(seen: dict[str, Any]) -> dict[str, str]:
    return {each["key"].rpartition("/")[2]: each["code"] for each in seen["reasons"]}


def test_the_pages_of_a_sitemap_are_kept_as_they_were(site: Site) -> None:  # N3
    site.pages |= {"/a": html("one fish"), "/b.md": ("text/markdown", "# Two"), "/c/": html("three")}
    site.sitemap(["/a", "/b.md", "/c/"])
    _, xml = cast(tuple[str, str], site.pages["/sitemap.xml"])
    site.pages["/sitemap.xml"] = ("application/xml", xml.replace("<url>", "<url><!-- by hand --><?x y?>"))
    source = set_up("sitemap", f"{site.url}/sitemap.xml")
    assert items(run(source)) == {"new": 3}
    host = site.url.removeprefix("http://")
    assert files() == {
        f"s/{host}/a.html": html("one fish"),
        f"s/{host}/b.md": "# Two",
        f"s/{host}/c/_.html": html("three"),
    }
    with reading() as session:
        urls = {details["url"] for details in session.scalars(select(Document.details))}
    assert urls == {f"{site.url}{path}" for path in ("/a", "/b.md", "/c/")}


def test_pages_that_changed_are_new_versions_and_gone_ones_are_marked(site: Site) -> None:  # N3
    site.pages |= {f"/{name}": html(name) for name in "abcd"}
    site.sitemap([f"/{name}" for name in "abcd"])
    source = set_up("sitemap", f"{site.url}/sitemap.xml")
    run(source)
    site.pages["/a"] = html("changed")
    del site.pages["/b"]
    site.sitemap(["/a", "/b", "/d"])
    seen = run(source)
    assert items(seen) == {"changed": 1, "unchanged": 1, "gone": 2}
    assert [each["key"] for each in read_items(source, "gone", after="", limit=9)] == [f"{site.url}/b", f"{site.url}/c"]
    # Without validators the bytes decide.
    site.validators = False
    assert items(run(source)) == {"unchanged": 2, "gone": 1}
    assert len(files()) == 4


def test_the_index_of_sitemaps_is_followed_and_packed_ones_are_read(site: Site) -> None:  # N3
    site.pages |= {"/a": html("a"), "/b": html("b")}
    site.sitemap(["/a"], "/one.xml")
    site.sitemap(["/b", "/a"], "/two.xml")
    _, two = cast(tuple[str, str], site.pages["/two.xml"])
    site.pages["/two.xml.gz"] = ("application/gzip", gzip.compress(two.encode()))
    names = "".join(
        f"<sitemap><loc>{site.url}{path}</loc></sitemap>" for path in ("/one.xml", "/two.xml.gz", "/no.xml")
    )
    site.pages["/index.xml"] = ("text/xml", f"<sitemapindex>{names}</sitemapindex>")
    source = set_up("sitemap", f"{site.url}/index.xml")
    seen = run(source)
    assert (items(seen), reasons(seen)) == ({"new": 2, "failed": 1}, {"no.xml": "part_unreachable"})
    # While a part cannot be read, nothing is gone.
    site.sitemap([], "/one.xml")
    site.pages["/two.xml.gz"] = (500, {}, "")
    seen = run(source)
    assert (items(seen), reasons(seen)) == (
        {"failed": 2},
        {"no.xml": "part_unreachable", "two.xml.gz": "part_unreachable"},
    )


def test_robots_txt_is_obeyed(site: Site) -> None:  # N3
    site.pages["/robots.txt"] = (
        "text/plain",
        "User-agent: *\nDisallow: /private/\nUser-agent: Citewell\nDisallow: /own",
    )
    site.pages |= {"/private/a": html("open to Citewell"), "/own": html("closed"), "/b": html("b")}
    site.sitemap(["/private/a", "/own", "/b"])
    seen = run(set_up("sitemap", f"{site.url}/sitemap.xml"))
    assert (items(seen), reasons(seen)) == ({"new": 2, "failed": 1}, {"own": "robots_disallow"})
    assert "/own" not in site.asked
    assert site.asked.count("/robots.txt") == 1


def test_a_site_whose_robots_txt_cannot_be_read_is_left_alone(site: Site) -> None:  # N3
    site.pages |= {"/robots.txt": (500, {}, ""), "/a": html("a")}
    seen = run(set_up("web", f"{site.url}/a"))
    assert (items(seen), reasons(seen)) == ({"failed": 1}, {"a": "place_unreachable"})
    assert site.pages_asked() == []


def test_links_are_followed_as_far_as_the_source_says_and_not_beyond_its_folder(site: Site) -> None:  # N3
    site.pages |= {
        "/docs/": html("start", "one", "/docs/two#part", "../outside", "http://127.0.0.1:1/docs/x", "mailto:a@b"),
        "/docs/one": html("one", "three", "/docs/"),
        "/docs/two": html("two", "three"),
        "/docs/three": html("three", "four"),
        "/docs/four": html("four"),
        "/outside": html("outside"),
    }
    source = set_up("web", f"{site.url}/docs/", depth=2)
    assert items(run(source)) == {"new": 4}
    assert set(site.pages_asked()) == {"/docs/", "/docs/one", "/docs/two", "/docs/three"}
    # What no page links to any more is gone, but not while a page that might is away.
    site.pages["/docs/one"] = (503, {"retry-after": "0"}, "")
    site.pages["/docs/two"] = html("two")
    assert items(run(source)) == {"unchanged": 1, "changed": 1, "failed": 1}
    site.pages["/docs/one"] = html("one")
    assert items(run(source)) == {"unchanged": 2, "changed": 1, "gone": 1}


def test_redirects_are_followed_to_an_end(site: Site) -> None:  # A8
    site.pages |= {
        "/old": (301, {"location": "/new"}, ""),
        "/new": html("new"),
        "/loop": (302, {"location": "/pool"}, ""),
        "/pool": (302, {"location": "/loop"}, ""),
        "/inside": (302, {"location": "http://169.254.169.254/latest/meta-data/"}, ""),
        "/file": (302, {"location": "file:///etc/passwd"}, ""),
    }
    site.pages |= {f"/far{number}": (302, {"location": f"/far{number + 1}"}, "") for number in range(9)}
    names = ["/old", "/loop", "/inside", "/file", "/far0"]
    seen = run(set_up("web", f"{site.url}/old", urls=[f"{site.url}{name}" for name in names]))
    assert (items(seen), reasons(seen)) == (
        {"new": 1, "failed": 4},
        {
            "loop": "redirect_refused",
            "inside": "place_forbidden",
            "file": "redirect_refused",
            "far0": "redirect_refused",
        },
    )
    assert list(files().values()) == [html("new")]


def test_pages_without_end_are_bounded_in_size_and_time(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:  # A8
    monkeypatch.setenv("CITEWELL_INGESTION__MAX_BYTES", "100000")
    configure(monkeypatch, fetch_s="0.5")
    bomb = gzip.compress(bytes(50_000_000))
    site.pages |= {
        "/endless": endless,
        "/slow": dripping(5),
        "/bomb": (200, {"content-type": "text/html", "content-encoding": "gzip"}, bomb),
        "/packed": (200, {"content-type": "text/html", "content-encoding": "gzip"}, gzip.compress(b"<p>packed</p>")),
        "/odd": (200, {"content-type": "text/html", "content-encoding": "br"}, b"x"),
        "/picture": ("video/mp4", b"x"),
    }
    names = ["/endless", "/slow", "/bomb", "/packed", "/odd", "/picture"]
    seen = run(set_up("web", f"{site.url}/endless", urls=[f"{site.url}{name}" for name in names]))
    assert reasons(seen) == {
        "endless": "document_too_large",
        "slow": "place_unreachable",
        "bomb": "document_too_large",
        "odd": "item_unusable",
        "picture": "document_type_unknown",
    }
    assert list(files().values()) == ["<p>packed</p>"]


def test_a_sitemap_that_is_hostile_or_none_ends_the_run_with_a_reason(site: Site) -> None:  # A8
    bomb = '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;&b;&b;&b;">]><urlset><url><loc>&c;</loc></url></urlset>'
    outside = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><urlset><url><loc>&b;</loc></url></urlset>'
    site.pages |= {"/page": html("page"), "/cut": "<urlset><url>", "/bomb": bomb, "/outside": outside}
    errors: dict[str, tuple[str | None, int]] = {}
    for name in ("page", "cut", "bomb", "outside", "missing"):
        seen = run(set_up("sitemap", f"{site.url}/{name}", name))
        errors[name] = seen["error"] and seen["error"]["code"], seen["items"]["new"]
    unusable = ("item_unusable", 0)
    assert errors == {"page": unusable, "cut": unusable, "bomb": (None, 0), "outside": (None, 0), "missing": unusable}


@pytest.mark.usefixtures("database")
@for_all_rows(
    ("url", "error"),
    [
        ("http://127.0.0.1/", PlaceForbidden),
        ("http://2130706433/", PlaceForbidden),
        ("https://[::1]/", PlaceForbidden),
        ("https://10.1.2.3/x", PlaceForbidden),
        ("https://example.com:8080/", PlaceForbidden),
        ("ftp://example.com/", DocumentSourceInvalid),
        ("https://user:secret@example.com/", DocumentSourceInvalid),
        ("nonsense", DocumentSourceInvalid),
    ],
)
def test_addresses_that_are_not_public_are_refused_at_once(url: str, error: type[Exception]) -> None:  # A8
    with pytest.raises(error):
        set_up("web", url)
    with pytest.raises(error):
        set_up("sitemap", url)
    with pytest.raises(error):
        set_up("web", "https://example.com/", urls=[url])


@pytest.mark.usefixtures("database")
def test_a_name_of_a_private_address_is_refused_when_it_is_dialled() -> None:  # A8
    web.forget()
    seen = run(set_up("web", "http://localhost/"))
    assert json.dumps(reasons(seen)) == '{"": "place_forbidden"}'


def test_an_encoding_that_only_the_header_tells_is_not_lost(site: Site) -> None:  # N3
    russian, japanese = "Правила возврата", "返品は三十日以内"
    site.pages |= {
        "/koi8": ("text/html; charset=koi8-r", f"<p>{russian}".encode("koi8-r")),
        "/gb.txt": ("text/plain; charset=gb2312", "退货须在三十日内，朱镕基".encode("gbk")),
        "/thai": ("text/html; charset=tis-620", "คืนสินค้าภายใน ๓๐ วัน".encode("tis-620")),
        "/sjis.txt": ("text/plain; charset=Shift_JIS", japanese.encode("shift_jis")),
        "/own": ("text/html; charset=koi8-r", f'<meta charset="windows-1251"><p>{russian}'.encode("cp1251")),
        "/utf8": ("text/html; charset=iso-8859-1", f"<p>{japanese}"),
        "/odd": ("text/html; charset=zlib", b"<p>caf\xe9"),
        "/slow": ("text/html; charset=punycode", b"<p>caf\xe9"),
    }
    names = [f"{site.url}{path}" for path in site.pages]
    run(set_up("web", names[0], urls=names[1:]))
    with reading() as session:
        found = session.execute(select(Document.filename, DocumentFile.content).join(DocumentFile))
        kept = {name.rpartition("/")[2]: content for name, content in found}
    assert kept == {
        "koi8.html": f"<p>{russian}".encode(),
        "gb.txt": "退货须在三十日内，朱镕基".encode(),
        "thai.html": "คืนสินค้าภายใน ๓๐ วัน".encode(),
        "sjis.txt": japanese.encode(),
        "own.html": f'<meta charset="windows-1251"><p>{russian}'.encode("cp1251"),
        "utf8.html": f"<p>{japanese}".encode(),
        "odd.html": b"<p>caf\xe9",
        "slow.html": b"<p>caf\xe9",
    }


def test_a_page_that_became_one_to_log_in_keeps_its_document(site: Site) -> None:  # N3
    site.pages |= {"/a": html("words"), "/users/sign_in": html("your password"), "/login.html": html("how to log in")}
    source = set_up("web", f"{site.url}/a", urls=[f"{site.url}/login.html"])
    run(source)
    site.pages["/a"] = (302, {"location": "/users/sign_in"}, "")
    seen = run(source)
    assert (items(seen), reasons(seen)) == ({"unchanged": 1, "failed": 1}, {"a": "item_unusable"})
    assert list(files().values()) == [html("words"), html("how to log in")]


def test_what_was_never_there_is_no_document_that_went(site: Site) -> None:  # N3
    site.pages |= {"/": html("start", "one", "dead"), "/one": html("one"), "/same": (304, {}, "")}
    source = set_up("web", f"{site.url}/", depth=1, urls=[f"{site.url}/same"])
    seen = run(source)
    assert (items(seen), reasons(seen)) == (
        {"new": 2, "skipped": 1, "failed": 1},
        {"dead": "not_of_the_source", "same": "item_unusable"},
    )
    # A dead link does not keep others from being gone.
    site.pages |= {"/": html("start", "dead"), "/same": html("same")}
    assert items(run(source)) == {"new": 1, "changed": 1, "skipped": 1, "gone": 1}


def test_links_behind_a_broken_declaration_end_no_run(site: Site) -> None:  # A8
    site.pages |= {"/": '<a href="/a">a</a><![<p>words', "/a": html("a")}
    assert items(run(set_up("web", f"{site.url}/", depth=1))) == {"new": 2}


def test_an_index_that_names_others_each_time_leaves_no_more_and_more_behind(site: Site) -> None:  # A8
    def index(handler: BaseHTTPRequestHandler) -> None:
        number = len(site.asked)
        names = "".join(f"<sitemap><loc>{site.url}/index?{number}-{each}</loc></sitemap>" for each in range(20))
        body = f"<sitemapindex>{names}</sitemapindex>".encode()
        handler.send_response(200)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    site.pages["/index"] = index
    source = set_up("sitemap", f"{site.url}/index")
    for _ in range(2):
        run(source)
        assert len(read_items(source, None, after="", limit=100)) == 20  # which cannot be read


def test_a_robots_txt_that_leads_astray_says_so(site: Site) -> None:  # A8
    site.pages |= {"/robots.txt": (302, {"location": "/robots.txt"}, ""), "/a": html("a")}
    seen = run(set_up("web", f"{site.url}/a"))
    assert "robots.txt of the site cannot be read: The page leads back to itself" in seen["reasons"][0]["message"]
    assert site.pages_asked() == []
