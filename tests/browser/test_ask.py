"""The first page: documents added, a question asked, verification switched off."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

PDF = Path("api/dashboard/example/refund-policy.pdf")
POLICY = "Returns must be made within 30 days of purchase. A receipt is required for every return."


def asked(page: Page, question: str, *, workspace: str) -> None:
    """Send a question from the first page and wait for the page of its answer."""
    page.goto(f"/#/ask?workspace={workspace}")
    page.get_by_label("Your question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page).to_have_url(re.compile(r"#/thread/[0-9a-f-]{36}$"))


def test_a_document_is_brought_and_asked_before_it_is_ready(
    page: Page, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7, A3
    page.goto("/#/ask?workspace=newcomers")
    expect(page.get_by_text("There is nothing to ask yet")).to_be_visible()
    screenshot(page, "ask-empty-light")
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(PDF)
    page.get_by_label("Your question").fill("Until when can electronics bought during the holiday season be returned?")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#/thread/"))
    expect(page.locator(".answer")).to_contain_text("January 15")
    page.locator(".answer .citation").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(page.locator(".floating .name")).to_have_text("refund-policy.pdf")
    expect(page.locator(".floating")).to_contain_text("page")
    check_accessibility(page)


def test_the_last_used_workspace_comes_first(page: Page, offline: Stack) -> None:
    for name in ("z-used-before", "a-used-last"):
        offline.add_text("policy.md", POLICY, workspace=name)
    page.goto("/#/ask")
    workspaces = page.get_by_label("Workspace", exact=True)
    expect(workspaces).to_have_value("a-used-last")
    expect(workspaces.locator("option").nth(0)).to_have_text("a-used-last")
    expect(workspaces.locator("option").nth(1)).to_have_text("z-used-before")


def test_an_answer_without_verification_says_so_and_is_verified_on_demand(
    page: Page, offline: Stack, screenshot: Screenshot
) -> None:  # S5.7, S1.7, N2
    offline.add_text("policy.md", POLICY, workspace="unverified")
    page.goto("/#/ask?workspace=unverified")
    options = page.get_by_role("button", name="Options")
    options.click()
    switch = page.get_by_role("switch", name="Auto-verify")
    expect(switch).to_be_checked()
    switch.uncheck()
    expect(options).to_contain_text("not verified")
    page.get_by_label("Your question").fill("Within how many days must returns be made?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This answer was not verified")).to_be_visible()
    expect(page.locator(".sentence")).to_have_count(0)
    screenshot(page, "query-unverified-light")
    page.get_by_role("button", name="Verify now").click()
    expect(page).to_have_url(re.compile(r"#/verification/[0-9a-f-]{36}$"))
    verification = offline.http.get(f"/v1/verifications/{page.url.rpartition('/')[2]}", params={"wait": 30}).json()
    assert verification["answer"].startswith("Returns must be made within 30 days")
    assert [each["status"] for each in verification["citations"]] == ["accurate"]
    # The switch stays as it was left, the workspace too.
    page.goto("/#/ask")
    expect(options).to_contain_text("not verified")
    options.click()
    expect(page.get_by_role("switch", name="Auto-verify")).not_to_be_checked()
    expect(page.locator("select[name=workspace]")).to_have_value("unverified")


def test_an_address_brings_a_question_with_its_choices(page: Page, offline: Stack) -> None:
    offline.add_text("policy.md", POLICY, workspace="again")
    page.goto("/#/ask?question=Is+a+receipt+required%3F&workspace=again&mode=high&run=agentic")
    expect(page.get_by_label("Your question")).to_have_value("Is a receipt required?")
    for name, value in {"workspace": "again", "mode": "high", "run": "agentic"}.items():
        expect(page.locator(f"select[name={name}]")).to_have_value(value)


def test_a_question_that_cannot_be_asked_is_told_why(page: Page, allowed: list[str]) -> None:
    allowed.append("status of 422")
    page.goto("/")
    page.get_by_label("Your question").fill("?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_enabled()


def test_the_newest_threads_are_listed_a_few_at_a_time(
    offline: Stack, make_page: PageMaker, check_accessibility: AccessibilityCheck, screenshot: Screenshot
) -> None:
    offline.add_text("policy.md", POLICY, workspace="recent")
    for number in range(31):
        offline.submit(f"What is required for return {number}?", workspace="recent")
    page = make_page(offline, scheme="dark")
    page.goto("/")
    listed = page.locator(".threads a")
    expect(listed).to_have_count(30)
    expect(listed.first).to_contain_text("What is required for return 30?")
    page.get_by_role("button", name="Show more").click()
    expect(listed.nth(30)).to_contain_text("What is required for return 0?")
    screenshot(page, "ask-dark")
    check_accessibility(page)
    listed.first.click()
    expect(page.locator(".turn h2")).to_have_text("What is required for return 30?")
