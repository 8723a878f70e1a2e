"""An answer is shared from its page: a link for a time, which opens without a key and ends at once."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack


def test_a_link_is_made_copied_opened_and_ended(
    page: Page,
    make_page: PageMaker,
    offline: Stack,
    allowed: list[str],
    check_accessibility: AccessibilityCheck,
    screenshot: Screenshot,
) -> None:
    allowed.append("status of 404")  # the link after its end
    offline.add_text("policy.md", "A receipt is required for every return.", workspace="shared")
    query = offline.ask("What is required for every return?", workspace="shared")
    page.goto(f"/#/thread/{query['id']}")
    share = page.get_by_role("button", name="Share")
    share.click()
    dialog = page.get_by_role("dialog", name="Share this answer")
    expect(dialog).to_contain_text("No link is open.")
    dialog.get_by_label("Valid for").select_option("1")
    dialog.get_by_role("button", name="Make a link").click()
    link = dialog.get_by_label("The link", exact=True)
    expect(link).to_be_focused()
    expect(link).to_have_value(re.compile(r"/shared/\S{40,}$"))
    screenshot(page, "share-light")
    check_accessibility(page)
    dialog.get_by_role("button", name="Copy").click()
    end = dialog.get_by_role("button", name="End the link")
    expect(end).to_have_count(1)
    reader = make_page(offline)
    reader.goto(link.input_value())
    expect(reader.locator("h1")).to_have_text("What is required for every return?")
    expect(reader.locator("body")).to_contain_text("A receipt is required for every return.")
    address = link.input_value()
    end.click()
    expect(dialog).to_contain_text("No link is open.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(share).to_be_focused()
    assert offline.http.get(address).status_code == 404
