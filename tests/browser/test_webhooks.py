"""The page of webhooks: registered, tested, inspected, resent, paused, deleted."""

import json
from collections.abc import Generator

import pytest
from playwright.sync_api import Locator, Page, expect
from standardwebhooks import Webhook

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack
from tests.simulators.sink import Answer, Sink


@pytest.fixture
def sink() -> Generator[Sink]:
    with Sink() as running:
        yield running


@pytest.fixture(autouse=True)
def nobody_is_told_afterwards(offline: Stack) -> Generator[None]:
    yield
    for hook in offline.http.get("/v1/webhooks").raise_for_status().json()["webhooks"]:
        offline.http.delete(f"/v1/webhooks/{hook['id']}").raise_for_status()


def add(page: Page, url: str) -> str:
    """Register a receiver in the page; return the secret shown."""
    page.get_by_label("Address").fill(url)
    page.get_by_role("button", name="Add", exact=True).click()
    dialog = page.get_by_role("dialog")
    secret = dialog.get_by_role("textbox").input_value()
    dialog.get_by_role("button", name="I have kept it").click()
    expect(dialog).to_have_count(0)
    return secret


def hook(page: Page, url: str) -> Locator:
    return page.get_by_role("article").filter(has_text=url)


def test_a_webhook_is_added_tested_and_a_delivery_sent_again(
    page: Page, sink: Sink, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # A6, S5.7
    page.goto("/#/webhooks")
    url = sink.answer("/hook", Answer(500), Answer(204))
    secret = add(page, url)
    own = hook(page, url)
    own.get_by_role("button", name="Send a test").click()
    sent = own.get_by_role("row").filter(has_text="webhook.test")
    expect(sent).to_contain_text("delivered")  # by itself, after the second attempt
    refused, accepted = sink.received("/hook")
    assert Webhook(secret).verify(accepted.body, dict(accepted.headers))["type"] == "webhook.test"
    sent.get_by_role("button", name="Show").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Attempt 2")
    assert json.loads(dialog.locator("pre.body").inner_text()) == json.loads(refused.body)
    screenshot(page, "webhooks-delivery")
    check_accessibility(page)
    page.keyboard.press("Escape")
    sent.get_by_role("button", name="Send webhook.test").click()
    expect(own.get_by_role("row").filter(has_text="webhook.test")).to_have_count(2)
    own.get_by_text("Send a range again").click()
    own.get_by_label("From").fill("2026-01-01T00:00")
    own.get_by_role("button", name="Send again", exact=True).last.click()
    expect(page.get_by_text("0 messages are sent again.")).to_be_visible()
    screenshot(page, "webhooks")
    check_accessibility(page)


def test_a_webhook_is_paused_gets_a_new_secret_and_is_deleted(page: Page, sink: Sink, offline: Stack) -> None:  # A6
    page.goto("/#/webhooks")
    url = sink.url + "/quiet"
    secret = add(page, url)
    own = hook(page, url)
    own.get_by_role("button", name="Pause").click()
    expect(own).to_contain_text("paused")
    expect(own.get_by_role("button", name="Send a test")).to_have_count(0)
    own.get_by_role("button", name="Resume").click()
    expect(own).to_contain_text("active")
    own.get_by_role("button", name="New secret").click()
    page.get_by_role("dialog").get_by_role("button", name="New secret").click()
    shown = page.get_by_role("dialog").get_by_role("textbox", name="Secret of this webhook")
    expect(shown).not_to_have_value(secret)
    page.keyboard.press("Escape")
    own.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("There is no webhook yet.")).to_be_visible()
    assert offline.http.get("/v1/webhooks").json()["webhooks"] == []


def test_some_events_only_and_an_address_that_is_refused(page: Page, offline: Stack, allowed: list[str]) -> None:  # A6
    allowed.append("status of 422")
    page.goto("/#/webhooks")
    page.get_by_label("everything").uncheck()
    page.get_by_label("query.failed").uncheck()
    page.get_by_label("Address").fill("http://10.0.0.1/hook")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("not to a private network")
    add(page, "http://127.0.0.1:9/some")
    [made] = offline.http.get("/v1/webhooks").json()["webhooks"]
    assert {"query.succeeded", "answer.stale", "answer.invalidated", "answer.revalidated"} <= set(made["events"])
    assert not {"query.failed", "*"} & set(made["events"])


def test_a_secret_is_not_left_open_over_another_page(page: Page, sink: Sink) -> None:  # A6, A8
    page.goto("/#/webhooks")
    add(page, sink.url + "/left")
    own = hook(page, sink.url + "/left")
    own.get_by_role("button", name="New secret").click()
    page.get_by_role("dialog").get_by_role("button", name="New secret").click()
    expect(page.get_by_role("dialog").get_by_role("textbox", name="Secret of this webhook")).to_be_visible()
    page.evaluate("location.hash = '#/quality'")
    expect(page.get_by_role("heading", level=1)).to_have_text("Quality")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.go_back()
    own.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(own).to_have_count(0)


def test_the_callback_secret_is_shown_and_replaced(page: Page, offline: Stack) -> None:  # A6
    page.goto("/#/webhooks")
    page.get_by_role("button", name="Show it").click()
    shown = page.get_by_role("textbox", name="Callback secret")
    before = offline.http.get("/v1/webhooks/callback-secret").json()["secret"]
    expect(shown).to_have_value(before)
    page.get_by_role("button", name="Replace it").click()
    page.get_by_role("dialog").get_by_role("button", name="Replace it").click()
    expect(shown).not_to_have_value(before)
    expect(shown).to_have_value(offline.http.get("/v1/webhooks/callback-secret").json()["secret"])


def test_webhooks_on_a_phone_in_the_dark(
    make_page: PageMaker, offline: Stack, sink: Sink, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7
    page = make_page(offline, size=PHONE, scheme="dark")
    page.goto("/#/webhooks")
    url = sink.url + "/a-path-that-is-much-longer-than-a-phone-is-wide/and/goes/on"
    add(page, url)
    hook(page, url).get_by_role("button", name="Send a test").click()
    expect(hook(page, url)).to_contain_text("delivered")
    screenshot(page, "webhooks-phone-dark")
    check_accessibility(page)
