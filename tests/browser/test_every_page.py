"""Every page works with a keyboard and a screen reader, in light and dark, on a phone, in both languages."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

_APP = Path("api/dashboard/js/app.js").read_text(encoding="utf-8")
# Without what is shown only where people sign in: `...(hasPeople ? [` begins another list.
_DOORS = re.findall(r"^  \w+: \[([^\[\]]*)", _APP.partition("const DOORS = {")[2].partition("};")[0], re.MULTILINE)
DOORS: list[list[str]] = [re.findall(r'"(\w+)"', door) for door in _DOORS]
PAGES = [page for door in DOORS for page in door]


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
    assert len(DOORS) == 4
    shown(page, "verify")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    for door in DOORS:
        page.locator(f'#nav a[href="#/{door[0]}"]').focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(f"#/{door[0]}$"))
        if door[0] == "ask":
            expect(page.locator("#question")).to_be_focused()
        expect(page.locator("main h1")).to_be_visible()
        page.wait_for_load_state("networkidle")
        for name in door[1:]:
            page.locator(f'#rooms a[href="#/{name}"]').focus()
            page.keyboard.press("Enter")
            expect(page).to_have_url(re.compile(f"#/{name}$"))
            expect(page.locator("main h1")).to_be_visible()
            page.wait_for_load_state("networkidle")
            expect(page.locator("#nav [aria-current]")).to_have_attribute("href", f"#/{door[0]}")


def test_the_side_bar_folds_and_stays_so(page: Page) -> None:  # S5.7
    shown(page, "verify")
    page.get_by_role("button", name="Fold the side bar").press("Enter")
    ask = page.get_by_role("link", name="Ask", exact=True)
    expect(ask).to_be_visible()
    assert page.locator("#side").bounding_box()["width"] < 80  # pyright: ignore[reportOptionalSubscript]
    page.reload()
    expect(page.get_by_role("button", name="Unfold the side bar")).to_be_visible()
    ask.click()
    expect(page).to_have_url(re.compile("#/ask$"))


def test_on_a_phone_the_side_bar_opens_over_the_page(phone: Page) -> None:  # S5.7
    shown(phone, "verify")
    expect(phone.locator("#side")).to_be_hidden()
    menu = phone.get_by_role("button", name="Open the side bar")
    menu.click()
    expect(phone.get_by_role("link", name="Documents", exact=True)).to_be_visible()
    phone.keyboard.press("Escape")
    expect(phone.locator("#side")).to_be_hidden()
    menu.click()
    phone.get_by_role("link", name="Documents", exact=True).click()
    expect(phone).to_have_url(re.compile("#/documents$"))
    expect(phone.locator("#side")).to_be_hidden()


@pytest.mark.parametrize("width", [360, 768, 900, 1024, 1440, 2560])
def test_nothing_wraps_or_scrolls_sideways(make_page: PageMaker, offline: Stack, width: int) -> None:  # S5.7
    page = make_page(offline, size=(width, 900))
    for name in PAGES:
        shown(page, name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        lines = page.evaluate(
            "[...document.querySelectorAll('#nav a, #rooms a')].filter((link) => link.offsetHeight > 0)"
            ".map((link) => link.getClientRects().length > 1 || link.offsetHeight > 44)"
        )
        assert not any(lines), name


def test_addresses_of_before_lead_to_where_their_pages_are(page: Page) -> None:  # S5.7
    for before, after in (("settings", "models"), ("conversations", "ask")):
        page.goto(f"/#/{before}")
        expect(page).to_have_url(re.compile(f"#/{after}$"))


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
