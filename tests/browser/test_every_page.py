"""Every page works with a keyboard and a screen reader, in light and dark, on a phone, in both languages."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

_APP = Path("api/dashboard/js/app.js").read_text(encoding="utf-8")
PAGES: list[str] = re.findall(r'"(\w+)"', _APP.partition("PAGES = [")[2].partition("]")[0])


def shown(page: Page, name: str) -> None:
    """Open a page and wait until it is stable."""
    page.goto(f"/#/{name}")
    expect(page.locator("main h1")).to_be_visible()
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_every_page_can_be_used_by_everybody(
    make_page: PageMaker,
    offline: Stack,
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
    scheme: str,
    size: tuple[int, int],
    locale: str,
) -> None:  # S5.7
    page = make_page(offline, scheme=scheme, size=size, locale=locale)
    place = "phone" if size == PHONE else "desk"
    for name in PAGES:
        shown(page, name)
        screenshot(page, f"{name}-{scheme}-{place}-{locale[:2]}")
        check_accessibility(page)
        assert page.locator("h1").count() == 1, name


def test_the_keyboard_alone_leads_to_every_page(page: Page) -> None:  # S5.7
    shown(page, "history")  # the first page sets the focus to its question
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Tab")  # the name of the program
    for name in PAGES:
        page.keyboard.press("Tab")
        link = page.locator(f'nav a[href="#/{name}"]')
        expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"#/{PAGES[-1]}$"))


def test_language_and_theme_are_kept(page: Page) -> None:  # S5.7
    page.goto("/")
    page.get_by_label("Language").select_option("ko")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    page.get_by_label("테마").select_option("dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_an_unknown_address_leads_to_the_first_page(page: Page) -> None:
    page.goto("/#/nowhere/at/all")
    expect(page).to_have_url(re.compile("#/ask$"))
