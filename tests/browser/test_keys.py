"""The page of keys: created, shown once, used by the page itself, revoked."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, Screenshot
from tests.e2e.stack import Stack


def make(page: Page, name: str) -> str:
    """Create a key in the page; return it as shown."""
    page.get_by_label(re.compile("^Name")).fill(name)
    page.get_by_role("button", name="Make the key").click()
    dialog = page.get_by_role("dialog")
    key = dialog.get_by_role("textbox").input_value()
    dialog.get_by_role("button", name="I have kept it").click()
    return key


def test_a_key_is_made_shown_once_and_revoked(
    page: Page, offline: Stack, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # A8
    page.goto("/#/keys")
    expect(page.get_by_text("This server asks for no key")).to_be_visible()
    page.get_by_label("Expires after days").fill("30")
    page.get_by_label("Requests per minute").fill("60")
    page.get_by_label("ask: questions and verifications").uncheck()
    key = make(page, "reader")
    row = page.get_by_role("row").filter(has_text="reader")
    expect(row).to_contain_text("active")
    expect(row).to_contain_text("60 a minute")
    assert key not in page.content()
    headers = {"Authorization": f"Bearer {key}"}
    assert offline.http.get("/v1/documents", headers=headers).status_code == 200
    refused = offline.http.post("/v1/queries", json={"question": "Why?"}, headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    screenshot(page, "keys")
    check_accessibility(page)
    row.get_by_role("button", name="Revoke reader").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    expect(row.get_by_role("button")).to_have_count(0)


def test_the_page_sends_the_key_that_it_was_given_and_says_when_it_is_refused(
    page: Page, allowed: list[str]
) -> None:  # A8
    allowed.append("status of 401")
    page.goto("/#/keys")
    page.get_by_label("admin: keys, and everything above").check()
    key = make(page, "the page itself")
    field, use = page.get_by_role("textbox", name=re.compile("^Key")), page.get_by_role("button", name="Use this key")
    field.fill(f" {key} ")
    with page.expect_request("**/v1/keys") as asked:
        use.click()
    assert asked.value.header_value("authorization") == f"Bearer {key}"
    expect(page.get_by_text(f"This page sends {key[:16]}…")).to_be_visible()
    # A wrong one is told at once, and the one before stays.
    field.fill("cw_nonsense")
    use.click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_text(f"This page sends {key[:16]}…")).to_be_visible()
    # Kept on request: a new tab has it.
    field.fill(key)
    page.get_by_label("Keep it in this browser").check()
    use.click()
    expect(page.get_by_text("It is kept in this browser.")).to_be_visible()
    tab = page.context.new_page()
    tab.goto(page.url)
    expect(tab.get_by_text("It is kept in this browser.")).to_be_visible()
    tab.close()
    page.get_by_role("button", name="Forget it").click()
    expect(page.get_by_text("This page sends no key.")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="the page itself")).to_be_visible()


def test_a_key_with_no_scope_is_not_made(page: Page) -> None:  # A8
    page.goto("/#/keys")
    for scope in ("read:", "ask:"):
        page.get_by_label(re.compile(f"^{scope}")).uncheck()
    page.get_by_label(re.compile("^Name")).fill("useless")
    page.get_by_role("button", name="Make the key").click()
    expect(page.get_by_role("alert")).to_have_text("Choose what it may do.")
    expect(page.get_by_role("row").filter(has_text="useless")).to_have_count(0)
