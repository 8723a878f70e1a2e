"""Links in the documents have targets, and the index links to every page."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from verify_material.rows import for_all_rows

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_NO_PART_OF_AN_ANCHOR = re.compile(r"[^\w\- ]")


@for_all_rows("page", PAGES)
def test_links_lead_to_files_and_headings_that_exist(page: Path) -> None:
    broken = [target for target in _links(page) if not _exists(page, target)]
    assert not broken, f"broken links: {broken}"


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    reached = {(index.parent / target).resolve() for target in _links(index)}
    assert {page for page in index.parent.glob("*.md") if page != index} <= reached


@pytest.mark.parametrize("target", ["nowhere.md", "api.md#no-such-heading", "#no-such-heading"])
def test_a_broken_link_is_found(target: str) -> None:
    assert not _exists(ROOT / "docs" / "index.md", target)


def _exists(page: Path, target: str) -> bool:
    link = urlsplit(target)
    if link.scheme or link.netloc:
        return True
    file = (page.parent / unquote(link.path)).resolve() if link.path else page
    if not link.fragment or file.suffix != ".md":
        return file.exists()
    return file.exists() and link.fragment in _anchors(file)


def _links(page: Path) -> Iterator[str]:
    for token in _inline(page):
        for child in token.children or []:
            target = child.attrGet("href") or child.attrGet("src")
            if target:
                yield str(target)


@cache
def _anchors(page: Path) -> set[str]:
    tokens = MarkdownIt().parse(page.read_text())
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open"]
    return {_NO_PART_OF_AN_ANCHOR.sub("", title.lower()).replace(" ", "-") for title in titles}


def _inline(page: Path) -> list[Token]:
    tokens = MarkdownIt().enable("table").parse(page.read_text())
    return [token for token in tokens if token.type == "inline"]
