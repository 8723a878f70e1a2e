"""Going anywhere by the keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

POLICY = "Returns must be made within 30 days of purchase. A receipt is required for every return."


@pytest.fixture(scope="module")
def query_id(offline: Stack) -> str:
    offline.add_text("palette-policy.md", POLICY, workspace="palette")
    return offline.ask("What do the palette's returns require?", workspace="palette")["id"]


def typed(page: Page, text: str, *, found: str) -> None:
    """Open it, type, and go to the first entry that is `found`."""
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Type a page")
    expect(box).to_be_focused()
    page.keyboard.type(text)
    wanted = page.locator(".palette").get_by_role("option", name=found, exact=found == "palette").first
    expect(wanted).to_be_visible()
    for _ in range(12):
        if wanted.get_attribute("aria-selected") == "true":
            break
        page.keyboard.press("ArrowDown")
    expect(wanted).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == wanted.get_attribute("id")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_everything_is_reached_by_its_name(page: Page, offline: Stack, query_id: str) -> None:  # S5.7
    page.goto("/#/keys")
    expect(page.locator("h1")).to_be_visible()
    typed(page, "webho", found="Webhooks")
    expect(page).to_have_url(re.compile("#/webhooks$"))
    typed(page, "palette's returns", found="What do the palette's returns require?")
    expect(page).to_have_url(re.compile(f"#/thread/{query_id}$"))
    typed(page, "palette-pol", found="palette-policy.md")
    expect(page).to_have_url(re.compile("#/document/"))
    typed(page, "palette", found="palette settings")
    expect(page).to_have_url(re.compile("#/workspaces/palette$"))
    typed(page, "palette", found="palette")
    expect(page).to_have_url(re.compile(r"#/ask\?workspace=palette$"))
    typed(page, "Is a receipt required?", found="Ask “Is a receipt required?”")
    expect(page.get_by_label("Your question")).to_have_value("Is a receipt required?")
    typed(page, "dark", found="Theme: Dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_it_gives_the_keyboard_back(page: Page, query_id: str) -> None:  # S5.7
    page.goto(f"/#/thread/{query_id}")
    share = page.get_by_role("button", name="Share")
    share.focus()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Type a page")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(share).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Type a page")).to_be_focused()
    page.keyboard.type("zzzz-nothing")
    # There is always the question itself.
    expect(page.locator(".palette").get_by_role("option")).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "ko-KR"])
def test_it_can_be_used_by_everybody(
    make_page: PageMaker,
    offline: Stack,
    query_id: str,
    scheme: str,
    locale: str,
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:  # S5.7
    assert query_id
    page = make_page(offline, scheme=scheme, locale=locale)
    page.goto("/#/history")
    page.locator(".opener").click()
    expect(page.locator(".palette").get_by_role("option", name="palette", exact=True)).to_have_count(1)
    screenshot(page, f"palette-{scheme}-{locale[:2]}")
    check_accessibility(page)
