"""The history: questions and verifications, found by filters that are in the address."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE, AccessibilityCheck, PageMaker, Screenshot
from tests.e2e.stack import Stack

TEXT = "Customers may return a product within 30 days. A receipt is required for every return."
QUESTION = "Within how many days may customers return a product?"
GIVEN = {
    "question": "How long do refunds take?",
    "answer": "Refunds take 14 days [1]. They are paid in gold [1].",
    "sources": [{"text": "Refunds take 14 days."}],
    "workspace": "past",
}


@pytest.fixture(scope="module")
def query_id(offline: Stack) -> str:
    """A finished question and verification, and 35 more verifications."""
    offline.add_text("returns.md", TEXT, workspace="past")
    query = offline.ask(QUESTION, workspace="past")
    offline.http.post("/v1/verifications?wait=30", json=GIVEN).raise_for_status()
    many = "\n".join(json.dumps({**GIVEN, "workspace": "many", "custom_id": f"item-{n}"}) for n in range(35))
    sent = offline.http.post(
        "/v1/verifications/batches", content=many, headers={"content-type": "application/x-ndjson"}
    )
    sent.raise_for_status()
    return query["id"]


def rows(page: Page) -> Locator:
    return page.locator(".history tbody tr")


def test_a_question_is_told_with_what_the_checks_found(
    page: Page, query_id: str, screenshot: Screenshot, check_accessibility: AccessibilityCheck
) -> None:  # S5.7, A4
    page.goto("/#/history?workspace=past")
    expect(rows(page)).to_have_count(1)
    row = rows(page).first
    for told in (QUESTION, "Quoted exactly", "100%", "$0"):
        expect(row).to_contain_text(told)
    expect(row.locator(".chips .badge.supported")).to_contain_text("supported")
    screenshot(page, "history-light")
    check_accessibility(page)
    row.get_by_role("link", name=QUESTION).click()
    expect(page).to_have_url(re.compile(f"#/thread/{query_id}$"))
    page.go_back()
    expect(rows(page)).to_have_count(1)


def test_an_answer_has_the_same_signal_in_every_list_on_its_page_and_in_its_result(
    page: Page, offline: Stack, query_id: str
) -> None:  # V9, V10
    query = offline.http.get(f"/v1/queries/{query_id}").raise_for_status().json()
    verification, signal = query["verification"], query["signal"]
    tone = {"green": "supported", "amber": "partial"}[signal["level"]]
    for place in ("/#/history?workspace=past", f"/#/thread/{query_id}"):
        page.goto(place)
        expect(page.locator(f".badge.signal.{tone}").filter(has_text=signal["word"]).first).to_be_visible()
    expect(page.locator(".signal-line")).to_contain_text(signal["reason"])
    page.get_by_role("button", name="Details").click()
    tile = page.locator(".scores .tile")
    expect(tile.locator(".big")).to_have_text(f"{signal['probability']:.0%}")
    expect(tile).to_have_class(re.compile(tone))
    for word in ("Very Low", "very low", "High", "not calibrated"):
        expect(page.locator(".turn")).not_to_contain_text(word)
    expect(page.get_by_text("No language model is configured; sentences are copied")).to_be_visible()
    misses = f"about {verification['calibration']['false_pass'] * 100:.0f} of 100 statements"
    expect(page.locator(".scores")).to_contain_text(misses)


def test_a_refusal_is_told_as_not_answered_in_every_list(page: Page, offline: Stack) -> None:  # V10
    offline.add_text("returns.md", TEXT, workspace="refusing")
    refused = offline.ask("Who painted the ceiling of the chapel?", workspace="refusing")
    assert refused["abstained"]
    page.goto("/#/ask")
    line = page.locator(".threads a").filter(has_text="Who painted the ceiling")
    expect(line.filter(has_text="(not answered)")).to_be_visible()
    for place in ("/#/history?workspace=refusing", f"/#/thread/{refused['id']}"):
        page.goto(place)
        expect(page.locator(".badge.signal.no_claim").filter(has_text="Not answered").first).to_be_visible()


def test_filters_are_kept_in_the_address(page: Page, query_id: str) -> None:  # S5.7
    assert query_id
    page.goto("/#/history")
    expect(rows(page).first).to_be_visible()
    page.get_by_label("Kind").focus()
    page.get_by_label("Kind").select_option("verification")
    expect(page.get_by_label("Kind")).to_be_focused()
    page.get_by_label("Workspace").select_option("past")
    row = rows(page).filter(has_text="How long do refunds take?")
    expect(row.locator(".badge.supported, .badge.unsupported, .badge.contradicted")).not_to_have_count(0)
    expect(page).to_have_url(re.compile(r"#/history\?kind=verification&workspace=past$"))
    page.reload()
    expect(rows(page)).to_have_count(1)
    page.get_by_label("From", exact=True).fill("2020-01-01")
    page.get_by_label("To", exact=True).fill("2020-12-31")
    expect(page.get_by_text("Nothing fits these filters.")).to_be_visible()
    expect(page).to_have_url(re.compile("from=2020-01-01&to=2020-12-31$"))
    page.get_by_role("button", name="Clear the filters").click()
    expect(rows(page).first).to_be_visible()
    page.get_by_label("Workspace").select_option("past")
    rows(page).first.get_by_role("link").click()
    expect(page).to_have_url(re.compile("#/verification/"))


def test_a_part_of_the_question_finds_it(page: Page, offline: Stack) -> None:  # A3
    offline.add_text("returns.md", TEXT, workspace="searched")
    for question in (QUESTION, "What is required for every return?"):
        offline.ask(question, workspace="searched")
    page.goto("/#/history?workspace=searched")
    expect(rows(page)).to_have_count(2)
    page.locator("main").get_by_role("searchbox", name="Search").fill("WITHIN how many")
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text(QUESTION)
    expect(page.get_by_text("1 of 1")).to_be_visible()
    expect(page).to_have_url(re.compile(r"text=WITHIN\+how\+many"))
    page.reload()
    expect(page.locator("main").get_by_role("searchbox", name="Search")).to_have_value("WITHIN how many")
    expect(rows(page)).to_have_count(1)


def test_a_long_history_comes_in_parts(page: Page, query_id: str) -> None:  # A3
    assert query_id
    page.goto("/#/history?kind=verification&workspace=many")
    expect(rows(page)).to_have_count(30)
    page.locator("main").get_by_role("button", name="Show more").click()
    expect(rows(page)).to_have_count(35)
    expect(page.locator("main").get_by_role("button", name="Show more")).to_be_hidden()
    expect(page.get_by_role("status").get_by_text("35 of 35")).to_be_visible()


def test_an_empty_history_says_what_to_do(page: Page, query_id: str) -> None:  # S5.7
    assert query_id
    page.goto("/#/history?status=failed&workspace=past")
    expect(page.get_by_text("Nothing fits these filters.")).to_be_visible()


def test_the_history_on_a_phone_in_the_dark_in_korean(
    make_page: PageMaker,
    offline: Stack,
    query_id: str,
    screenshot: Screenshot,
    check_accessibility: AccessibilityCheck,
) -> None:  # S5.3, S5.7
    assert query_id
    page = make_page(offline, size=PHONE, scheme="dark", locale="ko-KR")
    page.goto("/#/history?workspace=past")
    expect(rows(page).first).to_contain_text("원문 그대로 인용")
    screenshot(page, "history-phone-dark-ko")
    check_accessibility(page)
